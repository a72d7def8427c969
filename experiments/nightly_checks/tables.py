# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The results as tables for print."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from experiments._common.findings import Table
from experiments.nightly_checks.beds import Bed
from experiments.nightly_checks.detection import Cell, Trial, faults_of, of
from experiments.nightly_checks.false_alarms import Row, entries
from experiments.nightly_checks.fault import STRENGTHS
from experiments.nightly_checks.hundred import Hundred
from experiments.nightly_checks.noise import noise_of
from experiments.nightly_checks.proportion import interval
from experiments.nightly_checks.years import metric_of, with_normal

NIGHTS = (1, 3, 7)
_NOTHING = "–"


def detection(beds: Sequence[Bed], cells: Sequence[Cell]) -> Iterator[Table]:
    """One for each bed."""
    for bed in beds:
        rows = []
        for fault in faults_of(bed):
            for strength in range(STRENGTHS):
                if trials := list(of(cells, bed.name, fault.name, strength)):
                    rows.append([fault.name, fault.strengths[strength], *_row(trials)])
        yield Table(
            title=f"{bed.name}: faults found",
            columns=[
                "fault",
                "strength",
                *(f"after {count}" for count in NIGHTS),
                "95 % of that",
                "raised by",
                "rank of the cause",
            ],
            rows=rows,
        )


def _row(trials: Sequence[Trial]) -> list[str]:
    found = [sum(one.found_after is not None and one.found_after <= count for one in trials) for count in NIGHTS]
    low, high = interval(found[-1], len(trials))
    raised = Counter(one.raised[0] for one in trials if one.raised)
    others = [
        f"{count} nights {what}"
        for what, count in (
            ("warned", sum(one.warned for one in trials)),
            ("could not be run", sum(one.not_run for one in trials)),
        )
        if count
    ]
    first = ", ".join([*(name for name, _ in raised.most_common(2)), *others])
    return [
        *(f"{count} of {len(trials)}" for count in found),
        f"{low:.0%} to {high:.0%}",
        first or _NOTHING,
        ranks(trials),
    ]


def ranks(trials: Sequence[Trial]) -> str:
    """Returns the true cause's rank in each trial in which the fault was found; a dash where it is not among the causes, and a
    star where its place is not the right one."""
    found = [one for one in trials if one.found_after is not None]
    shown = [_NOTHING if one.rank is None else f"{one.rank}{'' if one.rank == one.rank_place else '*'}" for one in found]
    return ", ".join(shown) if shown else ""


def quiet(beds: Sequence[Bed], cells: Sequence[Cell], without: Mapping[str, str]) -> Table:
    rows = []
    for bed in beds:
        mine = [cell for cell in cells if cell.bed == bed.name]
        nights, alarms = sum(cell.watched for cell in mine), sum(cell.alarms for cell in mine)
        rows.append([bed.name, f"{nights}", f"{alarms}"])
    rows += [[name, "not measured", why] for name, why in without.items()]
    return Table(title="Nights without a fault", columns=["bed", "nights after a baseline", "of which failed"], rows=rows)


def noise(hundred: Hundred, cells: Sequence[Cell]) -> Table:
    """Returns the noise of the hundred nights, and of each bed's nights without a fault."""
    options = entries()
    names = with_normal(hundred.names, options)
    beds = {f"{len(hundred.nights)} of nightly": [{name: hundred.series(name) for name in names}]} | {
        name: [_complete(cell) for cell in cells if cell.bed == name] for name in dict.fromkeys(cell.bed for cell in cells)
    }
    rows = []
    for bed, series in beds.items():
        for name in series[0]:
            values = [one[name] for one in series]
            if len({value for one in values for value in one}) == 1:
                continue
            assumed = metric_of(name, options).noise
            seen = noise_of(values, assumed)
            tails = _NOTHING if seen.tails is None else f"{seen.tails} ({assumed.tails}: {seen.less:.1f} less)"
            rows.append(
                [
                    bed,
                    name,
                    f"{seen.deviation:.3g} ({assumed.resolution:g})",
                    f"{seen.next_night:.2f}, up to {seen.highest:.2f} ({assumed.correlation:g})",
                    _NOTHING if seen.furthest is None else f"{seen.furthest:.1f}",
                    tails,
                ]
            )
    return Table(
        title="Noise of nights without a fault, and in brackets what is assumed",
        columns=[
            "nights of",
            "metric",
            "standard deviation (resolution)",
            "correlation of nights",
            "furthest",
            "likeliest tails",
        ],
        rows=rows,
    )


def _complete(cell: Cell) -> dict[str, list[float]]:
    """The metrics that have a value in every night but the first."""
    known = {name: [value for value in values if value is not None] for name, values in cell.quiet.items()}
    return {name: values for name, values in known.items() if len(values) >= len(cell.quiet[name]) - 1}


def false_alarms(rows: Sequence[Row]) -> Table:
    return Table(
        title="Years without a fault",
        columns=["nights", "years", "with an alarm", "95 %", "in which the check failed", "metrics"],
        rows=[
            [
                row.name,
                f"{row.years}",
                f"{row.raised}",
                f"{100 * row.rate[0]:.1f} to {100 * row.rate[1]:.1f} %",
                f"{row.failed}",
                ", ".join(f"{name} {count}" for name, count in row.by_metric.items()) or _NOTHING,
            ]
            for row in rows
        ],
    )
