# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The table of axes along which scenarios differ. A new axis is a key of `Scenarios`, a field of `Point` and a row here."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from tuner.documents.campaign_scenarios import OWN, Scenarios


@dataclass(frozen=True, kw_only=True)
class Point:
    """One combination of the axes' values; the defaults are the campaign's own."""

    model: str = OWN
    contributors: int | None = None
    """None: as many as the workload has."""
    place: int = 1
    """1: the first place; the others are drawn by chance, with this number as the seed."""
    background: float = 0.0
    """Part of what a host can send."""
    slow_host: float = 1.0
    """Part of its fair share that the last contributor can send at most."""
    slow_receiver: float = 1.0
    """Part of what it can receive that the host takes at most to which contributors send."""

    def to_json(self) -> dict[str, Any]:
        return {axis.name: getattr(self, axis.name) for axis in AXES}

    def as_stored(self) -> dict[str, Any]:
        """Returns it as stored campaigns have it: an axis that came later is left out where it has the campaign's own value."""
        return {name: value for name, value in self.to_json().items() if (name, value) != ("slow_receiver", 1.0)}


@dataclass(frozen=True, kw_only=True)
class Axis:
    """A row of the table."""

    name: str
    """Field of `Point`."""
    values: Callable[[Scenarios], Sequence[Any]]
    """Values in a document; empty: the default alone."""
    phrase: Callable[[Any], str] = field(repr=False)
    """The value in a scenario's name."""


AXES: Sequence[Axis] = (
    Axis(
        name="model",
        values=lambda scenarios: (OWN, *scenarios.models),
        phrase=lambda value: "own devices" if value == OWN else str(value),
    ),
    Axis(
        name="contributors",
        values=lambda scenarios: scenarios.contributors,
        phrase=lambda value: f"{value} contributor{'' if value == 1 else 's'}",
    ),
    Axis(name="place", values=lambda scenarios: range(1, scenarios.places + 1), phrase=lambda value: f"place {value}"),
    Axis(name="background", values=lambda scenarios: scenarios.background, phrase=lambda value: f"background {value:g}"),
    Axis(name="slow_host", values=lambda scenarios: scenarios.slow_host, phrase=lambda value: f"slow host {value:g}"),
    Axis(
        name="slow_receiver",
        values=lambda scenarios: scenarios.slow_receiver,
        phrase=lambda value: f"slow receiver {value:g}",
    ),
)


def points(scenarios: Scenarios) -> list[Point]:
    """Returns all combinations and then the points of the document, the campaign's own devices first."""
    found = [Point()]
    for axis in AXES:
        values = axis.values(scenarios)
        if values:
            found = [replace(point, **{axis.name: value}) for point, value in product(found, values)]
    found += [Point(**point.model_dump()) for point in scenarios.points]
    order = {name: number for number, name in enumerate((OWN, *scenarios.models))}
    return sorted(found, key=lambda point: order[point.model])


def name_of(point: Point, *, varied: Mapping[str, bool]) -> str:
    """Returns a scenario's name: its model, and the axes that have several values or another one than the campaign's own."""
    default = Point()
    parts = [
        axis.phrase(getattr(point, axis.name))
        for axis in AXES
        if axis.name == "model"
        or (varied[axis.name] and getattr(point, axis.name) is not None)
        or getattr(point, axis.name) != getattr(default, axis.name)
    ]
    return ", ".join(parts)


def varied_axes(scenarios: Scenarios) -> dict[str, bool]:
    """Returns by axis whether the document gives it several values."""
    return {axis.name: len(axis.values(scenarios)) > 1 for axis in AXES}
