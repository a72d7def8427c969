# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What is known of the congestion control of imported devices: no format that is imported has it.

NVIDIA's adapters from ConnectX-6 on, and its switches from Quantum on, have attributes of their own; devices before them have
those of annex A10. The table of known devices says which device ids these are (docs/operate/known-devices.md); where a format has
no ids, a model's name or a speed that only new devices have tells. Of all others it is not known.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tuner.documents.congestion_control import CongestionControlRow, Dialect
from tuner.documents.fabric import NodeKind
from tuner.documents.known_devices import known_device

GUESSED: Dialect = "nvidia-dcqcn"
"""Dialect of devices that are taken for NVIDIA's; nobody can see from outside whether an adapter runs PPCC instead."""
DEFAULT: Dialect = "a10"
"""Dialect that a document gives devices of which it says nothing."""

_NVIDIA_NAME = re.compile(r"\b(Quantum|M?QM[89]\d\d\d|ConnectX-?([6-9]|1\d)|BlueField-?[2-9])\b", re.IGNORECASE)
_A10_NAME = re.compile(
    r"\b(InfiniScale|SwitchX|Switch-IB|M?(IS5|SX6|SB7|CS7)\d\d\d|ConnectX-?[2-5]|Connect-IB|MT2[57]\d\d\d)\b", re.IGNORECASE
)
_NVIDIA_SPEED = re.compile(r"\d+x(HDR|NDR|XDR)")  # no device before ConnectX-6 and Quantum has these
_BEGINS = "the congestion control of the devices is"


@dataclass(frozen=True)
class Traits:
    """Properties of an imported node that tell its maker and age."""

    id: str
    """Identifier of the node in the format."""
    kind: NodeKind
    name: str
    vendor_id: int | None
    device_id: int | None
    rates: tuple[str, ...] = ()
    """Rates of its links, if they are what its ports can do; () where the format says otherwise."""

    told: Dialect | None = None
    """What the device itself has answered."""

    @property
    def dialect(self) -> Dialect:
        """`unknown` where nothing tells."""
        if self.told is not None:
            return self.told
        if self.device_id:
            known = None if self.vendor_id is None else known_device(self.vendor_id, self.device_id)
            if known is None:
                return "unknown"
            kinds = {GUESSED if one.startswith("nvidia") else DEFAULT for one in known.dialects}
            return "both" if len(kinds) > 1 else next(iter(kinds), "none")
        if _NVIDIA_NAME.search(self.name):
            return GUESSED
        if _A10_NAME.search(self.name):
            return DEFAULT
        # A device that says 0 of itself is no NVIDIA device; one whose section is missing has said nothing.
        is_new = self.device_id is None and any(_NVIDIA_SPEED.fullmatch(rate) for rate in self.rates)
        return GUESSED if is_new else "unknown"


def guessed_rows(nodes: Sequence[Traits], reference: Callable[[str], str]) -> tuple[tuple[CongestionControlRow, ...], str | None]:
    """Returns rows for a document and a sentence about them; none of both where all devices have annex A10's. Aggregation nodes
    and routers are no devices of a profile.

    `reference`: writes the node of an id as links do, for the few nodes that rows must name; its errors come through.
    """
    devices = {node.id: node.dialect for node in nodes if node.kind in ("switch", "host")}
    if set(devices.values()) <= {DEFAULT}:
        return (), None
    counts = {kind: Counter(devices[node.id] for node in nodes if node.kind == kind) for kind in ("switch", "host")}
    return tuple(_rows(nodes, devices, counts, reference)), _sentence(counts)


def _rows(
    nodes: Sequence[Traits], devices: dict[str, Dialect], counts: dict[str, Counter[Dialect]], reference: Callable[[str], str]
) -> Iterator[CongestionControlRow]:
    """A row for all devices, or one for each kind with what most of it have, and the nodes that are otherwise."""
    if len(set(devices.values())) == 1:
        yield CongestionControlRow(dialect=next(iter(devices.values())))
        return
    mostly = {kind: counted.most_common(1)[0][0] for kind, counted in counts.items() if counted}
    for kind in ("host", "switch"):
        if mostly.get(kind, DEFAULT) != DEFAULT:
            yield CongestionControlRow(kind=kind, dialect=mostly[kind])
    others: dict[Dialect, list[str]] = {}
    for node in nodes:
        if node.id in devices and devices[node.id] != mostly[node.kind]:
            others.setdefault(devices[node.id], []).append(reference(node.id))
    for dialect in sorted(others):
        yield CongestionControlRow(nodes=tuple(others[dialect]), dialect=dialect)


def _sentence(counts: dict[str, Counter[Dialect]]) -> str:
    parts = []
    for kind, plural in (("switch", "switches"), ("host", "adapters")):
        if counted := counts[kind]:
            parts.append(f"{counted.total()} {plural}, " + ", ".join(f"{n} {_WORDS[one]}" for one, n in counted.most_common()))
    total = counts["switch"] + counts["host"]
    if set(total) == {"unknown"}:
        return f"{_BEGINS} not known: no device id, name or speed tells it. {_SAY}"
    said = f"{_BEGINS} a guess by their device ids, names and speeds: {'; '.join(parts)}"
    return f"{said}. {_SAY}" if total["unknown"] else f"{said}; correct congestion_control where that is wrong"


_SAY = "Say what those have that are not known: a10, nvidia-dcqcn, nvidia-ppcc, both or none"
_WORDS: dict[Dialect, str] = {
    "a10": "with annex A10's (a10)",
    "nvidia-dcqcn": "with NVIDIA's (nvidia-dcqcn)",
    "nvidia-ppcc": "with NVIDIA's (nvidia-ppcc)",
    "both": "with both",
    "none": "without",
    "unknown": "not known (unknown)",
}


def is_guess(note: str) -> bool:
    """True for the sentence of `guessed_rows`."""
    return note.startswith(_BEGINS)
