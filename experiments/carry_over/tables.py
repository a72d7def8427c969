# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tables and heat maps of the results."""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from experiments._common.findings import Table
from experiments._common.heat_map import heat_map
from experiments.carry_over.balance import balance, room
from experiments.carry_over.beds import Ground
from experiments.carry_over.carry import AS_WRITTEN, BY_SHARE, IN_MICROSECONDS, pause_packet_times
from experiments.carry_over.matrix import OFF, RULE, Cell, Cells, Key
from experiments.carry_over.searches import Found
from experiments.carry_over.trials import trials
from tuner.campaign.replicates import Estimate
from tuner.search.field_path import lookup

FIELDS = (
    "switch.marking_rate",
    "ca.ccti_timer",
    "ca.ccti_increase",
    "cct.curve.full_scale_packet_times",
    "cct.curve.exponent",
)
COLUMN_IN = 0.85
BALANCES = (0, 0.9, 1.1, 1.5, 2, 3, 5, 10, math.inf)


def tables(grounds: Sequence[Ground], found: Sequence[Found], cells: Cells) -> list[Table]:
    ways = (AS_WRITTEN.name, BY_SHARE.name, IN_MICROSECONDS.name, RULE)
    matrices = [_matrix(way, grounds, cells) for way in ways if _rows(cells, way)]
    return [_fabrics(grounds, cells), _winners(found), *matrices, _balances(found)]


def figures(grounds: Sequence[Ground], cells: Cells) -> dict[str, str]:
    """The lesser of both says where a profile is good: alone, contributors have most where CC does nothing."""
    shown: Mapping[str, tuple[str, Callable[[Cell], float]]] = {
        "lesser": ("The lesser of victims and contributors, %", lambda cell: min(cell.victims, cell.contributors)),
        "victims": ("Victims, % of what they ask", lambda cell: cell.victims),
        "contributors": ("Contributors, % of CC off", lambda cell: cell.contributors),
    }
    return {
        f"{what}-{stem}": _map(way, grounds, cells, key=f"{what}-{stem}", title=f"{title}, {way}", value=value)
        for way, stem in ((AS_WRITTEN.name, "wire"), (BY_SHARE.name, "share"))
        for what, (title, value) in shown.items()
    }


def _fabrics(grounds: Sequence[Ground], cells: Cells) -> Table:
    columns = ["fabric", "hosts", "their links", "contributors", "between packets of a fair share, µs", "its pause, packet times"]
    rows = []
    for ground in grounds:
        facts = ground.to_json()
        off = cells[OFF, ground.name].estimates["victims"]
        rows.append(
            [
                ground.name,
                f"{facts['hosts']}",
                ground.host_rate,
                f"{ground.contributors}",
                f"{ground.gap_ns / 1e3:.3g}",
                f"{pause_packet_times(ground):.3g}",
                _percent(off),
            ]
        )
    return Table(title="The fabrics", columns=[*columns, "victims without CC, % of what they ask"], rows=rows)


def _winners(found: Sequence[Found]) -> Table:
    """Raw values, and the two bounds of reach.py by contributor."""
    rows = []
    for carried in found:
        if (profile := carried.profile) is None:
            rows.append([carried.name, *["-"] * (len(FIELDS) + 2)])
            continue
        values = [f"{lookup(profile.to_dict(), field):.4g}" for field in FIELDS]
        rows.append([carried.name, *values, f"{balance(profile, carried.ground):.2f}", f"{room(profile, carried.ground):.1f}"])
    return Table(title="What the campaigns recommend", columns=["campaign", *FIELDS, "balance", "room"], rows=rows)


def _balances(found: Sequence[Found]) -> Table:
    """All trials whose table has room, by their balance."""
    rows = []
    for low, high in pairwise(BALANCES):
        row = [f"{low:g} to {high:g}"]
        for carried in found:
            tried = [trial for trial in trials(carried) if trial.room >= 1 and low <= trial.balance < high]
            row.append(f"{sum(t.cures for t in tried)} / {sum(t.good for t in tried)} of {len(tried)}" if tried else "")
        rows.append(row)
    none = [trial for one in found for trial in trials(one) if trial.room < 1]
    title = (
        f"Trials that cure / are good, by balance (table with room; of {len(none)} without, {sum(t.cures for t in none)} cure)"
    )
    return Table(title=title, columns=["balance", *(one.name for one in found)], rows=rows)


def _matrix(way: str, grounds: Sequence[Ground], cells: Cells) -> Table:
    def text(row: str, ground: Ground) -> str:
        cell = cells.get((Key(row, way), ground.name))
        if cell is None:
            return ""
        return f"{_percent(cell.estimates['victims'])} / {_percent(cell.estimates['contributors'])}{' *' if cell.good else ''}"

    return Table(
        title=f"Victims / contributors, {way}",
        columns=["from", *(f"on {ground.name}" for ground in grounds)],
        rows=[[row, *(text(row, ground) for ground in grounds)] for row in _rows(cells, way)],
    )


def _rows(cells: Cells, way: str) -> list[str]:
    """The profiles that were carried so, in the order in which all profiles came."""
    carried = {key.profile for key, _ in cells if key.way == way}
    return [name for name in dict.fromkeys(key.profile for key, _ in cells) if name in carried]


def _map(way: str, grounds: Sequence[Ground], cells: Cells, *, key: str, title: str, value: Callable[[Cell], float]) -> str:
    rows = list(reversed(_rows(cells, way)))

    def percent(row: str, ground: Ground) -> float:
        """At home a profile is as it was found, whatever the way."""
        return 100 * value(cells.get((Key(row, way), ground.name)) or cells[Key(row, AS_WRITTEN.name), ground.name])

    return heat_map(
        np.array([[percent(row, ground) for ground in grounds] for row in rows]),
        rows=rows,
        columns=[ground.name for ground in grounds],
        row_label="profile",
        column_label="measured on",
        title=title,
        key=key,
        digits=0,
        low=0,
        high=100,
        column_in=COLUMN_IN,
    )


def _percent(estimate: Estimate) -> str:
    """The mean and half of its 95 % interval."""
    interval = estimate.interval()
    half = "" if interval is None else f" ± {50 * (interval[1] - interval[0]):.1f}"
    return f"{100 * estimate.value:.1f}{half}"
