# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Interface of importers, their registry, and the import of a file."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from tuner.documents.congestion_control import CongestionControlRow, Dialect
from tuner.documents.fabric import FabricDocument
from tuner.errors import BadInputError
from tuner.fabric.importers.congestion_control import is_guess
from tuner.fabric.importers.lft_dump import read_tables
from tuner.fabric.importers.routes import with_routes
from tuner.fabric.importers.unpacked import unpacked_text
from tuner.registry import Registry


@dataclass(frozen=True)
class Imported:
    """A fabric and what people should know about how it was read."""

    fabric: FabricDocument
    format: str
    notes: tuple[str, ...]
    """Sentences about what was left out or assumed."""

    def with_congestion_control(self, dialect: Dialect) -> "Imported":
        """Returns the fabric with this congestion control for all devices, and without what was guessed about it."""
        rows = () if dialect == "a10" else (CongestionControlRow(dialect=dialect),)
        return replace(
            self,
            fabric=self.fabric.model_copy(update={"congestion_control": rows}),
            notes=tuple(note for note in self.notes if not is_guess(note)),
        )


class Importer(Protocol):
    """One format. A file of this package adds its importer to IMPORTERS in its last line."""

    @property
    def name(self) -> str: ...

    def recognises(self, text: str) -> bool:
        """True if a text is of this format, judged by its content."""

    def read(self, text: str, *, source: str, name: str, mtu_bytes: int) -> Imported:
        """Reads a text; `source` names it in errors. Raises BadInputError with the line."""


IMPORTERS: Registry[Importer] = Registry("format", "tuner.fabric.importers")


LOCAL_LIMIT_BYTES = 2**33
"""Most bytes that an unpacked file may have where whoever waits for it is the one who gave it."""


def import_fabric(path: Path, *, name: str | None = None, mtu_bytes: int = 4096, routes: Path | None = None) -> Imported:
    """Reads a file of any known format, which gzip may have packed, and the forwarding tables of `routes`. Raises BadInputError.

    `name`: of the fabric, by default the file's. `routes`: what OpenSM, ibroute or dump_fts have printed, see lft_dump.py.
    """
    text = unpacked_text(path, source=str(path), limit_bytes=LOCAL_LIMIT_BYTES)
    imported = read_fabric(text, source=str(path), name=name or path.stem, mtu_bytes=mtu_bytes)
    if routes is None:
        return imported
    tables = unpacked_text(routes, source=str(routes), limit_bytes=LOCAL_LIMIT_BYTES)
    return routed_by(imported, tables, source=str(routes))


def read_fabric(text: str, *, source: str, name: str, mtu_bytes: int) -> Imported:
    """Reads a text of any known format; `source` names it in errors. Raises BadInputError."""
    for importer in IMPORTERS:
        if importer.recognises(text):
            return importer.read(text, source=source, name=name, mtu_bytes=mtu_bytes)
    raise BadInputError(f"is in no known format: {', '.join(IMPORTERS.names())}", source=source)


def routed_by(imported: Imported, tables: str, *, source: str) -> Imported:
    """Returns the fabric with the forwarding tables of a text; `source` names it in errors. Raises BadInputError."""
    fabric, notes = with_routes(imported.fabric, read_tables(tables, source=source), source=source)
    return replace(imported, fabric=fabric, notes=(*imported.notes, *notes))
