# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Kinds of traffic with hotspots and victims, each of which can be drawn on any fabric that has room for it."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from experiments.carry_over.placement import Placement, Places, Shape
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric

Keys: TypeAlias = Mapping[str, Any]
"""Keys of a workload that say who sends to whom."""


class Traffic(Protocol):
    """A kind of traffic with its numbers."""

    @property
    def contributors(self) -> int:
        """The most contributors to one hotspot at a time."""

    def describe(self) -> str:
        """Returns a few words for tables."""

    def keys(self, built: BuiltFabric, *, seed: int, receive_gbps: float, gap_s: float, warmup_s: float) -> Keys:
        """Draws hosts by `seed`. `receive_gbps`: payload that hotspots take. `gap_s`: between two packets of a contributor's fair
        share. `warmup_s`: when the judged window begins. Raises BadInputError if the fabric has no room."""


@dataclass(frozen=True, kw_only=True)
class Incast:
    """Several incasts at a time, each with victims that share links between switches with it, but not its destination. Victims
    ask for a steady rate."""

    shapes: Sequence[Shape]
    bursts: tuple[float, float] | None = None
    """Mean lengths of a contributor's bursts and pauses, in packets of its fair share; None: contributors always send."""

    @property
    def contributors(self) -> int:
        return max(shape.contributors for shape in self.shapes)

    def describe(self) -> str:
        sizes = " and ".join(f"{shape.contributors}" for shape in self.shapes)
        return f"{'on-off ' if self.bursts else ''}incast{'s' if len(self.shapes) > 1 else ''} of {sizes}"

    def keys(self, built: BuiltFabric, *, seed: int, receive_gbps: float, gap_s: float, warmup_s: float) -> Keys:
        drawn = self.draw(built, seed=seed, receive_gbps=receive_gbps)
        flows: list[dict[str, Any]] = []
        patterns: list[dict[str, Any]] = []
        for i, (shape, placement) in enumerate(zip(self.shapes, drawn, strict=True)):
            mark = "" if len(self.shapes) == 1 else f"{i + 1}-"
            if self.bursts is None:
                flows += [
                    {"name": f"C{mark}{k}", "src": source, "dst": placement.destination, "role": "contributor"}
                    for k, source in enumerate(placement.contributors, start=1)
                ]
            else:
                on, off = self.bursts
                patterns.append(
                    {
                        "kind": "on-off",
                        "name": f"C{mark}".rstrip("-"),
                        "role": "contributor",
                        "hosts": list(placement.contributors),
                        "destinations": [placement.destination],
                        "on_s": round(on * gap_s, 9),
                        "off_s": round(off * gap_s, 9),
                        "lengths": "exponential",
                    }
                )
            rate_gbps = victim_gbps(built, shape)
            flows += [
                {
                    "name": f"V{mark}{k}",
                    "src": source,
                    "dst": target,
                    "role": "victim",
                    "start_s": warmup_s,
                    "rate_gbps": rate_gbps,
                }
                for k, (source, target) in enumerate(placement.victims, start=1)
            ]
        return {"flows": flows, "patterns": patterns}

    def draw(self, built: BuiltFabric, *, seed: int, receive_gbps: float) -> list[Placement]:
        """Returns a placement for each shape. No host has two parts, and links have room for all victims."""
        drawn: list[Placement] = []
        taken: list[str] = []
        carried: dict[tuple[int, int], float] = {}
        for shape in self.shapes:
            places = Places(built, shape, receive_gbps=receive_gbps, victim_gbps=victim_gbps(built, shape))
            placement = places.draw(seed, taken=taken, carried=carried)
            drawn.append(placement)
            taken += [placement.destination, *placement.contributors, *(host for pair in placement.victims for host in pair)]
            for hop, gbps in places.load(placement).items():
                carried[hop] = carried.get(hop, 0.0) + gbps
        return drawn


@dataclass(frozen=True, kw_only=True)
class Forest:
    """Windy congestion trees as of Gran et al., IPDPS 2012: C nodes send all to a hotspot, B nodes a part, and B and V nodes send
    to hosts at random.

    Other than in the paper, nothing that is random goes to a hotspot, so that cured victims take nothing from contributors.
    """

    hotspots: int
    c_nodes: int
    """C nodes of each hotspot."""
    b_nodes: int
    """B nodes of each hotspot; all other hosts but the hotspots are V nodes."""
    to_hotspot: float
    """B nodes' load of traffic to their hotspot."""
    at_random: float
    """Load of B nodes and V nodes of traffic to random hosts."""

    @property
    def contributors(self) -> int:
        return self.c_nodes + self.b_nodes

    def describe(self) -> str:
        return f"{self.hotspots} windy trees of {self.c_nodes} C and {self.b_nodes} B nodes"

    def keys(self, built: BuiltFabric, *, seed: int, receive_gbps: float, gap_s: float, warmup_s: float) -> Keys:
        hosts = [built.hosts.reference(endport) for endport in built.hosts.endports if endport.kind == "host"]
        needed = self.hotspots * (1 + self.contributors) + 1
        if len(hosts) < needed:
            raise BadInputError(
                f"fabric '{built.document.name}' has {len(hosts)} hosts; a forest of {self.describe()} needs {needed}"
            )
        random.Random(seed).shuffle(hosts)
        places, others = hosts[: self.hotspots], hosts[self.hotspots :]
        patterns: list[dict[str, Any]] = []
        b_nodes: list[str] = []
        for i, place in enumerate(places, start=1):
            c, b, others = others[: self.c_nodes], others[self.c_nodes : self.contributors], others[self.contributors :]
            shared = {"kind": "incast", "role": "contributor", "destination": place}
            patterns += [
                {**shared, "name": f"C{i}", "sources": c},
                {**shared, "name": f"B{i}", "sources": b, "load": self.to_hotspot},
            ]
            b_nodes += b
        to_others = {"kind": "uniform", "role": "victim", "load": self.at_random, "destinations": hosts[self.hotspots :]}
        patterns += [{**to_others, "name": "BU", "hosts": b_nodes}, {**to_others, "name": "V", "hosts": others}]
        return {"patterns": patterns}


def victim_gbps(built: BuiltFabric, shape: Shape) -> float:
    """Returns the payload that each victim asks for, by what the slowest host of the fabric can send."""
    slowest = min(
        built.hosts.capacity_gbps(built.hosts.reference(endport), built.document.mtu_bytes)
        for endport in built.hosts.endports
        if endport.kind == "host"
    )
    return round(shape.victims_ask * slowest / shape.victims_a_leaf, 4)
