# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What many flows do, in a few rows: those of one pattern and role together, and what the hosts receive."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from rich.console import RenderableType
from rich.markup import escape

from tuner.cli import common
from tuner.cli.sparkline import sparkline
from tuner.measurement import Measurement

MOST_ROWS = 40
"""More flows than these are shown as groups."""
_MOST_RECEIVERS = 8


def flow_groups(measurement: Measurement) -> RenderableType:
    """A row for all flows that share a role and a name up to its number: `storm-c-1`, `storm-c-2`, … are `storm-c`."""
    groups: dict[tuple[str, str], list[int]] = {}
    for i, flow in enumerate(measurement.flows):
        stem, dash, number = flow.name.rpartition("-")
        groups.setdefault((stem if dash and number.isdigit() else flow.name, flow.role), []).append(i)
    totals = [measurement.gbps[rows].sum(axis=0) for rows in groups.values()]
    top = max((float(total.max(initial=0)) for total in totals), default=0.0)
    numbers = ("Count", "Mean Gb/s", "Least", "Most", "Sum")
    table = common.table("Flows", "From → to", "Role", *numbers, f"0 … {top:.1f} Gb/s over the run, sum", right=numbers)
    for ((stem, role), rows), total in zip(groups.items(), totals, strict=True):
        means = [measurement.flows[i].mean_gbps for i in rows]
        sources = _few({measurement.flows[i].src for i in rows}, "hosts")
        destinations = _few({measurement.flows[i].dst for i in rows}, "destinations")
        table.add_row(
            escape(stem),
            escape(f"{sources} → {destinations}"),
            role,
            str(len(rows)),
            *(f"{x:.3f}" for x in (np.mean(means), min(means), max(means), sum(means))),
            sparkline(total, top=top),
        )
    return table


def loop_groups(rows: Sequence[Mapping[str, Any]]) -> RenderableType:
    """The closed loops of `counters.loops`, one row for all that share a name up to its number."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row["name"].rpartition("-")[0], []).append(row)
    numbers = ("Count", "Messages", "Mean µs a message", "Least", "Most")
    table = common.table("Closed loops", *numbers, right=numbers)
    for stem, members in groups.items():
        times = [row["us_per_message"] for row in members if row["us_per_message"] is not None]
        shown = [f"{x:.3f}" for x in (np.mean(times), min(times), max(times))] if times else ["–"] * 3
        table.add_row(escape(stem), str(len(members)), str(sum(row["messages"] for row in members)), *shown)
    return table


def receivers(rows: Sequence[Mapping[str, Any]]) -> Iterator[RenderableType]:
    """What the hosts of `counters.hosts` receive: the mean, and those that receive most."""
    if not rows:
        return
    gbps = [row["received_gbps"] for row in rows]
    yield f"{len(rows)} hosts receive {np.mean(gbps):.3f} Gb/s on average, from {min(gbps):.3f} to {max(gbps):.3f}; the most:"
    table = common.table("Host", "Receives Gb/s", right=["Receives Gb/s"])
    for row in sorted(rows, key=lambda row: -row["received_gbps"])[:_MOST_RECEIVERS]:
        table.add_row(escape(row["name"]), f"{row['received_gbps']:.3f}")
    yield table


def _few(names: set[str], what: str) -> str:
    return next(iter(names)) if len(names) == 1 else f"{len(names)} {what}"
