# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Many flows in a few rows: those of one pattern and role together, and the rates that the hosts receive."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from rich.console import RenderableType
from rich.markup import escape

from tuner.cli import common
from tuner.cli.sparkline import sparkline
from tuner.measuring.measurement import Measurement

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
            *(f"{x:.3f}" for x in (fmean(means), min(means), max(means), sum(means))),
            sparkline(total, top=top),
        )
    return table


def round_trips(rows: Sequence[Mapping[str, Any]]) -> Iterator[RenderableType]:
    """Yields a table of those flows of `counters.flows` that send one message at a time and wait for what it brings about; as
    flow_groups()."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        if row.get("round_trips", 0) > 0:
            groups.setdefault(row["name"].rpartition("-")[0], []).append(row)
    if not groups:
        return
    numbers = ("Count", "Round trips", "Mean µs", "Longest µs")
    table = common.table("Closed loops", *numbers, right=numbers)
    for stem, members in groups.items():
        trips = sum(row["round_trips"] for row in members)
        mean_us = sum(row["round_trips"] * row["round_trip_mean_us"] for row in members) / trips
        longest_us = max(row["round_trip_max_us"] for row in members)
        table.add_row(escape(stem), str(len(members)), str(trips), f"{mean_us:.3f}", f"{longest_us:.3f}")
    yield table


def receivers(rows: Sequence[Mapping[str, Any]]) -> Iterator[RenderableType]:
    """Yields the rates that the hosts of `counters.hosts` receive: the mean, and those of the hosts that receive most."""
    if not rows:
        return
    gbps = [row["received_gbps"] for row in rows]
    yield f"{len(rows)} hosts receive {fmean(gbps):.3f} Gb/s on average, from {min(gbps):.3f} to {max(gbps):.3f}; the most:"
    table = common.table("Host", "Receives Gb/s", right=["Receives Gb/s"])
    for row in sorted(rows, key=lambda row: -row["received_gbps"])[:_MOST_RECEIVERS]:
        table.add_row(escape(row["name"]), f"{row['received_gbps']:.3f}")
    yield table


def _few(names: set[str], what: str) -> str:
    return next(iter(names)) if len(names) == 1 else f"{len(names)} {what}"
