# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Interface of importers, their registry, and the import of a file."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from tuner.documents.congestion_control import CongestionControlRow, Dialect
from tuner.documents.fabric import FabricDocument
from tuner.errors import BadInputError
from tuner.fabric.importers.congestion_control import is_guess
from tuner.fabric.importers.lft_dump import read_tables
from tuner.fabric.importers.name_map import read_name_map, with_names
from tuner.fabric.importers.neighbors import neighbor
from tuner.fabric.importers.remarks import Remark
from tuner.fabric.importers.routes import with_routes
from tuner.fabric.importers.topology import Topology
from tuner.fabric.importers.unpacked import unpacked_text
from tuner.fabric.subnets import of_subnet
from tuner.registry import Registry


@dataclass(frozen=True)
class Imported:
    """A fabric and what people should know about how it was read."""

    fabric: FabricDocument
    format: str
    notes: tuple[str, ...]
    """Sentences about what was assumed, or left out by intention."""
    remarks: tuple[Remark, ...] = ()
    """What was odd in the text, by kind."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """The notes, and the remarks as sentences."""
        return (*self.notes, *(remark.sentence for remark in self.remarks))

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

    def read(self, text: str, *, source: str, name: str, mtu_bytes: int, strict: bool = False) -> Imported:
        """Reads a text; `source` names it in errors. Raises BadInputError with the line: of a `strict` reader, for the first odd
        row; of others, if nothing is left. What people write is always read strictly."""


def imported(topology: Topology[Any], name: str, mtu_bytes: int, format_name: str) -> Imported:
    """The fabric of a topology that was read. Raises BadInputError."""
    fabric = topology.document(name, mtu_bytes)
    return Imported(fabric, format_name, tuple(topology.notes), topology.remarks.all())


IMPORTERS: Registry[Importer] = Registry("format", "tuner.fabric.importers")


LOCAL_LIMIT_BYTES = 2**33
"""Most bytes that an unpacked file may have where whoever waits for it is the one who gave it."""


def import_fabric(
    path: Path,
    *,
    name: str | None = None,
    mtu_bytes: int = 4096,
    routes: Path | None = None,
    names: Path | None = None,
    subnet: int | None = None,
    strict: bool = False,
) -> Imported:
    """Reads a file of any known format, which gzip may have packed. Raises BadInputError.

    `name`: of the fabric, by default the file's. `routes`: forwarding tables that OpenSM, ibroute or dump_fts have printed, see
    lft_dump.py. `names`: a node name map. `subnet`: the one of several subnets to take. `strict`: refuse the first odd row.
    """
    text = unpacked_text(path, source=str(path), limit_bytes=LOCAL_LIMIT_BYTES)
    found = read_fabric(text, source=str(path), name=name or path.stem, mtu_bytes=mtu_bytes, strict=strict)
    if names is not None:
        found = named_by(found, unpacked_text(names, source=str(names)), source=str(names), strict=strict)
    if subnet is not None:
        found = replace(found, fabric=of_subnet(found.fabric, subnet))
    if routes is None:
        return found
    tables = unpacked_text(routes, source=str(routes), limit_bytes=LOCAL_LIMIT_BYTES)
    return routed_by(found, tables, source=str(routes))


def read_fabric(text: str, *, source: str, name: str, mtu_bytes: int, strict: bool = False) -> Imported:
    """Reads a text of any known format; `source` names it in errors. Raises BadInputError."""
    for importer in IMPORTERS:
        if importer.recognises(text):
            return importer.read(text, source=source, name=name, mtu_bytes=mtu_bytes, strict=strict)
    raise BadInputError(neighbor(text) or f"is in no known format: {', '.join(IMPORTERS.names())}", source=source)


def routed_by(found: Imported, tables: str, *, source: str) -> Imported:
    """Returns the fabric with the forwarding tables of a text; `source` names it in errors. Raises BadInputError."""
    fabric, notes = with_routes(found.fabric, read_tables(tables, source=source), source=source)
    return replace(found, fabric=fabric, notes=(*found.notes, *notes))


def named_by(found: Imported, names: str, *, source: str, strict: bool = False) -> Imported:
    """Returns the fabric with the descriptions of a node name map; `source` names it in errors. Raises BadInputError."""
    by_guid, remarks = read_name_map(names, source=source, strict=strict)
    fabric, notes = with_names(found.fabric, by_guid)
    return replace(found, fabric=fabric, notes=(*found.notes, *notes), remarks=(*found.remarks, *remarks))
