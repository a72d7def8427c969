# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The kinds of pattern by name. A module of this package adds its kind by calling `register` in its last line."""

import importlib
import pkgutil

import tuner.documents.patterns as package
from tuner.documents.patterns.base import Pattern

_kinds: dict[str, type[Pattern]] = {}


def register(kind: str, pattern: type[Pattern]) -> None:
    """Makes `pattern` the meaning of `kind: …`. A kind has one meaning."""
    assert kind not in _kinds, kind
    _kinds[kind] = pattern


def kinds() -> dict[str, type[Pattern]]:
    """All kinds, alphabetically."""
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    return dict(sorted(_kinds.items()))
