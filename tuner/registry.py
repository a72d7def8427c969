# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Variants by name. A variant registers itself in the last line of its file, so no list needs edits."""

import importlib
import pkgutil
import threading
from collections.abc import Iterator
from typing import Generic, TypeVar

from tuner.errors import BadInputError

T = TypeVar("T")


class Registry(Generic[T]):
    """The variants of one kind. Every module of `package` is imported at the first look-up; without a package, the registry's own
    module adds them all."""

    def __init__(self, kind: str, package: str | None = None) -> None:
        self._kind = kind
        self._package = package
        self._variants: dict[str, T] = {}
        self._loaded = False
        self._loading = threading.RLock()

    def add(self, name: str, variant: T) -> T:
        if name in self._variants:
            raise AssertionError(f"{self._kind} '{name}' is registered twice")
        self._variants[name] = variant
        return variant

    def get(self, name: str) -> T:
        """The variant of that name. Raises BadInputError that lists the known ones."""
        self._load()
        if name not in self._variants:
            raise BadInputError(f"{self._kind} '{name}' is not known; there are {', '.join(self.names())}")
        return self._variants[name]

    def names(self) -> list[str]:
        self._load()
        return sorted(self._variants)

    def __iter__(self) -> Iterator[T]:
        return iter([self._variants[name] for name in self.names()])

    def _load(self) -> None:
        with self._loading:  # by one thread; the others wait for all of it
            if self._loaded:
                return
            if self._package is not None:
                package = importlib.import_module(self._package)
                for module in pkgutil.iter_modules(package.__path__):
                    importlib.import_module(f"{self._package}.{module.name}")
            self._loaded = True
