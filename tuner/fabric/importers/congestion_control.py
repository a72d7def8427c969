# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A guess at the congestion control of imported devices: no format that is imported has it.

NVIDIA's adapters from ConnectX-6 on, and its switches from Quantum on, have attributes of their own; devices before them have
those of annex A10. The table of known devices says which device ids these are (docs/known-devices.md).
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tuner.documents.congestion_control import CongestionControlRow, Dialect
from tuner.documents.fabric import NodeKind
from tuner.documents.known_devices import known_device

GUESSED: Dialect = "nvidia-dcqcn"
"""Dialect of devices that are taken for NVIDIA's; nobody can see from outside whether an adapter runs PPCC instead."""

_NVIDIA_NAME = re.compile(r"\b(Quantum|M?QM[89]\d\d\d|ConnectX-?([6-9]|1\d)|BlueField-?[2-9])\b", re.IGNORECASE)
_NVIDIA_SPEED = re.compile(r"\d+x(HDR|NDR|XDR)")  # no device before ConnectX-6 and Quantum has these
_GUESS_BEGINS = "the congestion control of the devices is a guess"


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

    @property
    def is_nvidia(self) -> bool:
        if self.device_id:
            known = None if self.vendor_id is None else known_device(self.vendor_id, self.device_id)
            return known is not None and any(dialect.startswith("nvidia") for dialect in known.dialects)
        if _NVIDIA_NAME.search(self.name):
            return True
        # A device that says 0 of itself is no NVIDIA device; one whose section is missing has said nothing.
        return self.device_id is None and any(_NVIDIA_SPEED.fullmatch(rate) for rate in self.rates)


def guessed_rows(nodes: Sequence[Traits], reference: Callable[[str], str]) -> tuple[tuple[CongestionControlRow, ...], str | None]:
    """Returns rows for a document and a sentence about them; none of both where no device is taken for NVIDIA's.

    `reference`: writes the node of an id as links do, for the few nodes that rows must name; its errors come through.
    """
    guessed = [node for node in nodes if node.is_nvidia]
    if not guessed:
        return (), None
    return tuple(_rows(nodes, reference)), _sentence(nodes, guessed)


def _rows(nodes: Sequence[Traits], reference: Callable[[str], str]) -> Iterable[CongestionControlRow]:
    """A row for all devices, or one for each kind of node of which most are NVIDIA's, and the nodes that are otherwise."""
    if all(node.is_nvidia for node in nodes):
        yield CongestionControlRow(dialect=GUESSED)
        return
    total, nvidia = Counter(node.kind for node in nodes), Counter(node.kind for node in nodes if node.is_nvidia)
    mostly = {kind for kind in total if 2 * nvidia[kind] > total[kind]}
    for kind in sorted(mostly):
        yield CongestionControlRow(kind=kind, dialect=GUESSED)
    others = tuple(reference(node.id) for node in nodes if not node.is_nvidia and node.kind in mostly)
    if others:
        yield CongestionControlRow(nodes=others, dialect="a10")
    some = tuple(reference(node.id) for node in nodes if node.is_nvidia and node.kind not in mostly)
    if some:
        yield CongestionControlRow(nodes=some, dialect=GUESSED)


def _sentence(nodes: Sequence[Traits], guessed: Sequence[Traits]) -> str:
    switches = [sum(node.kind == "switch" for node in some) for some in (guessed, nodes)]
    adapters = [sum(node.kind != "switch" for node in some) for some in (guessed, nodes)]
    return (
        f"{_GUESS_BEGINS} by their device ids, names and speeds: {switches[0]} of {switches[1]} "
        f"switches and {adapters[0]} of {adapters[1]} adapters have NVIDIA's ({GUESSED}), the others annex A10's (a10); correct "
        "congestion_control where that is wrong"
    )


def is_guess(note: str) -> bool:
    """True for the sentence of `guessed_rows`."""
    return note.startswith(_GUESS_BEGINS)
