# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The fabric as it is in one night, whatever the documents of the check say: its cables and hosts, what its devices hold, and who
else sends. A check sees it only through what it measures."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from tuner.documents.fabric import FabricDocument


@dataclass(frozen=True, kw_only=True)
class World:
    """`tables`: overrides that devices hold beside the profile, as a profile has them. `others`: patterns of other tenants'
    traffic. `late_s`: by which each flow and pattern of the workload starts late, by its name."""

    fabric: FabricDocument
    tables: tuple[Mapping[str, Any], ...] = ()
    others: tuple[Mapping[str, Any], ...] = ()
    late_s: Mapping[str, float] = field(default_factory=dict)
    profile: str | None = None
    """In force, for a check that does not choose one."""


class Place:
    """Place of the world that a history's nights are in. Nights come one after the other; `world` is set before each."""

    world: World

    def __init__(self, number: int) -> None:
        self.address = f"{number}/world"
        """Its last part alone is among what makes nights comparable, and is the same everywhere."""


_PLACES: dict[str, Place] = {}
_NUMBERS = count()


@contextmanager
def place() -> Iterator[Place]:
    """Yields a place that `world_at` finds as long as the context lasts."""
    new = Place(next(_NUMBERS))
    _PLACES[new.address] = new
    try:
        yield new
    finally:
        del _PLACES[new.address]


def world_at(address: str) -> World:
    return _PLACES[address].world
