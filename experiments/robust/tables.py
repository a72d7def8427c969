# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tables and figures of a comparison."""

from collections.abc import Sequence

import numpy as np

from experiments._common.findings import Table
from experiments._common.heat_map import heat_map
from experiments.robust.adversary import Challenged
from experiments.robust.compare import Cell, Compared
from experiments.robust.contenders import RECOMMENDED, SUGGESTED, SUGGESTED_OWN, rivals
from experiments.robust.front import Front


def worst_table(compared: Sequence[Compared]) -> Table:
    """A row for each profile of a goal and seed: its worst scenario."""
    rows = []
    for comparison in compared:
        for name in comparison.profiles:
            worst = comparison.worst(name)
            origin = f" ({comparison.origin})" if name == RECOMMENDED else ""
            rows.append(
                [
                    comparison.goal.name,
                    str(comparison.seed),
                    name + origin,
                    f"{comparison.served(name)} of {len(comparison.of(name))}",
                    worst.scenario,
                    *(_share(value) for value in (worst.victims_of_best, worst.victims_of_alone, worst.contributors_of_off)),
                ]
            )
    return Table(
        title="Each profile in its worst scenario",
        columns=[
            "goal",
            "seed",
            "profile",
            "served",
            "worst scenario",
            "victims, of the best",
            "of alone",
            "contributors, of CC off",
        ],
        rows=rows,
    )


def challenge_table(all_challenged: Sequence[Challenged]) -> Table:
    """A row for each challenge: its worst find, and the scenario for the next campaign where that is worse than stated."""
    rows = []
    for challenge in all_challenged:
        found, worst = challenge.found, None if challenge.found is None else challenge.found.worst
        if found is None or worst is None:
            rows.append([challenge.goal, str(challenge.seed), challenge.why_not or "no scenario can be placed", *["-"] * 5])
            continue
        shares = [_share(worst.shares.get(name)) for name in ("victims_share", "contributors_share")]
        further = worst.as_yaml if found.is_worse_than_stated else "-"
        rows.append(
            [
                challenge.goal,
                str(challenge.seed),
                worst.name,
                *shares,
                f"{found.broken} of {found.scenarios}",
                str(found.runs),
                further,
            ]
        )
    return Table(
        title="The worst find inside the region of the recommendation",
        columns=[
            "goal",
            "seed",
            "worst find",
            "victims, of alone",
            "contributors, of CC off",
            "fails in",
            "runs",
            "further scenario",
        ],
        rows=rows,
    )


def front_table(here: Front) -> Table:
    """The cheapest trial for each number of scenarios."""
    return Table(
        title="Scenarios served against cost",
        columns=["scenarios", "trial", "contributors' loss in the worst", "least balance", "most balance", "least room"],
        rows=[
            [f"{count} of {here.scenarios}", str(point.trial), f"{point.cost:.1%}"]
            + [f"{value:.2f}" for value in (point.balance, point.most_balance, point.room)]
            for count, point in here.least_cost.items()
        ],
    )


def worst_figure(compared: Sequence[Compared]) -> str:
    """SVG: the lesser share of each profile in its worst scenario, the worst over the seeds. There must be a comparison."""
    goals = list(dict.fromkeys(one.goal.name for one in compared))
    columns = {
        "published": _published,
        SUGGESTED: lambda one: [SUGGESTED],
        SUGGESTED_OWN: lambda one: [SUGGESTED_OWN],
        RECOMMENDED: _recommended,
    }

    def lesser(goal: str, column: str) -> float:
        mine = [one for one in compared if one.goal.name == goal]
        best = [max((100 * _lesser(one.worst(name)) for name in columns[column](one)), default=0.0) for one in mine]
        return min(100.0, *best)

    rows = list(reversed(goals))
    return heat_map(
        np.array([[lesser(goal, column) for column in columns] for goal in rows]),
        rows=rows,
        columns=[column.replace(" for", "\nfor") for column in columns],
        row_label="goal",
        column_label="profile; the best of the published",
        title="Lesser share in the worst scenario, %",
        key="robust-worst",
        digits=0,
        low=0,
        high=100,
        column_in=1.1,
    )


def _published(one: Compared) -> list[str]:
    return [name for name in rivals(one.profiles) if name not in (SUGGESTED, SUGGESTED_OWN)]


def _recommended(one: Compared) -> list[str]:
    return [RECOMMENDED] if RECOMMENDED in one.profiles else []


def _lesser(cell: Cell) -> float:
    return min(share for share in (cell.victims_of_best, cell.contributors_of_off, 1.0) if share is not None)


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"
