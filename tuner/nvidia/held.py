# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Values of congestion control that the devices of a fabric hold, as ibdiagnet has read them, and devices that hold the same."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import NamedTuple, TypeAlias

from tuner.errors import BadInputError
from tuner.nvidia.db_csv import Notes, Row, number, read_rows
from tuner.nvidia.held_sections import GUID, NODES, PORTS, SECTIONS, VL, fields, unknown_columns

Values: TypeAlias = tuple[tuple[str, int | str], ...]
"""Fields with their values, in the order of the columns; texts are those of cells whose meaning is not public."""
_KINDS = {"1": "adapter", "2": "switch", "3": "router"}
"""Kinds by NodeType of NodeInfo."""


class Place(NamedTuple):
    """`port`, `vl`: None if the row does not say. `row`: from 0, of a section whose rows are not public."""

    port: int | None
    vl: int | None = None
    row: int = 0


@dataclass
class HeldDevice:
    """`kind`: switch, adapter, router or empty. `name`: empty if the file does not have it. `held`: by section."""

    guid: int
    kind: str = ""
    name: str = ""
    held: dict[str, dict[Place, Values]] = field(default_factory=dict)

    @property
    def label(self) -> str:
        return self.name or f"0x{self.guid:016x}"


@dataclass(frozen=True)
class HeldFabric:
    """`devices`: by GUID, those that have values. `notes`: sentences about what was not read."""

    devices: Mapping[int, HeldDevice]
    notes: Sequence[str]


def read_held(path: Path) -> HeldFabric:
    """Raises BadInputError for a file that is none of ibdiagnet's, and for one without values of congestion control."""
    gathered = _Gathered()
    notes = Notes([])
    for row in read_rows(path, {*SECTIONS, NODES}, notes):
        gathered.add(row, str(path))
    if not gathered.devices:
        raise BadInputError(
            "has no values of congestion control; `ibdiagnet --congestion_control` writes them into its ibdiagnet2.db_csv",
            source=str(path),
        )
    for guid, device in gathered.devices.items():
        device.kind, device.name = gathered.nodes.get(guid, (device.kind, device.name))
    return HeldFabric(gathered.devices, (*notes.sentences, *gathered.notes()))


class _Gathered:
    def __init__(self) -> None:
        self.devices: dict[int, HeldDevice] = {}
        self.nodes: dict[int, tuple[str, str]] = {}
        self._unread: dict[tuple[str, str], int] = {}
        self._unknown: dict[str, dict[str, None]] = defaultdict(dict)
        self._twice = 0
        # Files have millions of rows, and few different ones.
        self._values: dict[Values, Values] = {}
        self._places: dict[Place, Place] = {}

    def add(self, row: Row, source: str) -> None:
        guid = number(row.cells.get(GUID, ""))
        if not guid:
            shown = row.cells.get(GUID, "")[:60]
            sentence = f"section {row.section} has the NodeGUID '{shown}'; it must be a number such as 0x2c90300a1b2c3"
            raise BadInputError(sentence, source=source, line=row.line)
        if row.section == NODES:
            self.nodes[guid] = _KINDS.get(row.cells.get("nodetype", ""), ""), row.cells.get("nodedesc", "").strip("\"' ")
            return
        section = SECTIONS[row.section]
        device = self.devices.setdefault(guid, HeldDevice(guid, section.device))
        device.kind = device.kind or section.device
        held = device.held.setdefault(row.section, {})
        port = self._place_cell(row, PORTS) if section.by_port else None
        place = Place(port, self._place_cell(row, (VL,)) if section.by_vl else None, 0 if section.attribute else len(held))
        values = self._read(row)
        if held.get(place, values) != values:
            self._twice += 1
        held[self._places.setdefault(place, place)] = self._values.setdefault(values, values)

    def notes(self) -> Iterator[str]:
        for section, columns in self._unknown.items():
            yield f"section {section} has columns that are not known and were left out: {', '.join(columns)}"
        for (section, column), count in self._unread.items():
            yield f"{count} cells of {section}, column {column}, are no numbers and were left out"
        if self._twice:
            yield f"{self._twice} rows stand in the file twice with other values; the last one was read"

    def _place_cell(self, row: Row, names: Iterable[str]) -> int | None:
        for name in names:
            if name in row.cells:
                if (value := number(row.cells[name])) is not None and value < 256:
                    return value
                self._count_unread(row.section, name)
        return None

    def _read(self, row: Row) -> Values:
        columns = tuple(row.cells)
        for column in unknown_columns(row.section, columns):
            self._unknown[row.section].setdefault(column)
        known = fields(row.section, columns)
        if SECTIONS[row.section].attribute is None:
            return tuple((name, row.cells[column]) for column, name in known)
        values = []
        for column, name in known:
            if (value := number(row.cells[column])) is None:
                self._count_unread(row.section, column)
            else:
                values.append((name, value))
        return tuple(values)

    def _count_unread(self, section: str, column: str) -> None:
        self._unread[section, column] = self._unread.get((section, column), 0) + 1


@dataclass(frozen=True)
class HeldGroup:
    """Devices of a kind that hold the same, and the rows of the first of them."""

    kind: str
    devices: tuple[HeldDevice, ...]

    def rows(self) -> Iterator[tuple[str, str, Values]]:
        """Yields section, places in words, and values."""
        for section in SECTIONS:
            by_values: dict[Values, list[Place]] = defaultdict(list)
            for place, values in self.devices[0].held.get(section, {}).items():
                by_values[values].append(place)
            for values, places in by_values.items():
                yield section, places_text(places), values


def groups(devices: Iterable[HeldDevice]) -> list[HeldGroup]:
    """Returns the largest groups first."""
    found: dict[object, list[HeldDevice]] = defaultdict(list)
    for device in devices:
        held = frozenset((section, frozenset(rows.items())) for section, rows in device.held.items())
        found[device.kind, held].append(device)
    return sorted((HeldGroup(of[0].kind, tuple(of)) for of in found.values()), key=lambda group: -len(group.devices))


def places_text(places: Iterable[Place]) -> str:
    """Ports and VLs in words, such as "ports 1-36, VLs 0-3"; empty if they are not said."""
    vls_of: dict[int | None, set[int]] = defaultdict(set)
    for place in places:
        vls_of[place.port] |= set() if place.vl is None else {place.vl}
    ports_of: dict[frozenset[int], list[int]] = defaultdict(list)
    for port, vls in vls_of.items():
        ports_of[frozenset(vls)] += [] if port is None else [port]
    texts = [", ".join(filter(None, (_numbers("port", ports), _numbers("VL", vls)))) for vls, ports in ports_of.items()]
    return "; ".join(filter(None, texts))


def _numbers(what: str, values: Iterable[int]) -> str:
    """Numbers in words, such as "ports 1-4 7"; empty for none."""
    ordered = sorted(set(values))
    runs = [[n for _, n in run] for _, run in groupby(enumerate(ordered), key=lambda pair: pair[1] - pair[0])]
    texts = [str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
    return f"{what}{'s' if len(ordered) > 1 else ''} {' '.join(texts)}" if texts else ""
