# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The formats that can be imported. A module of this package adds its importer by calling `register` in its last line."""

import importlib
import pkgutil
from pathlib import Path

import tuner.importers as package
from tuner.errors import BadInputError
from tuner.importers.base import Imported, Importer

_importers: dict[str, Importer] = {}


def register(importer: Importer) -> None:
    """Adds a format. Its name is unique."""
    assert importer.name not in _importers, importer.name
    _importers[importer.name] = importer


def importers() -> dict[str, Importer]:
    """All formats by name, alphabetically."""
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    return dict(sorted(_importers.items()))


def import_fabric(path: Path, *, name: str | None = None, mtu_bytes: int = 4096) -> Imported:
    """Reads a file of any known format. `name`: of the fabric, by default the file's. Raises BadInputError."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")  # node descriptions may hold anything
    except OSError as error:
        raise BadInputError(f"cannot be read: {error.strerror}", source=str(path)) from error
    for importer in importers().values():
        if importer.recognises(text):
            return importer.read(text, source=str(path), name=name or path.stem, mtu_bytes=mtu_bytes)
    known = ", ".join(importers())
    raise BadInputError(f"is in none of the formats that can be imported; known are {known}", source=str(path))
