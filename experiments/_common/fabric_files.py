# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fabrics of an experiment as documents in files, which workloads can name."""

from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from tuner.documents.fabric import FabricDocument
from tuner.documents.fabric_text import fabric_text

Key = TypeVar("Key", bound=Hashable)


@contextmanager
def fabric_files(documents: Mapping[Key, FabricDocument]) -> Iterator[dict[Key, str]]:
    """Yields the path of each document's file, which lives as long as the context."""
    with TemporaryDirectory() as folder:
        paths = {}
        for i, (key, document) in enumerate(documents.items()):
            path = Path(folder) / f"fabric-{i}.yaml"
            path.write_text(fabric_text(document), encoding="utf-8")
            paths[key] = str(path)
        yield paths
