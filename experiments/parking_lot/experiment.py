# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Shares of the last link by level against the formula, CC off; and how equal CC makes them."""

from collections.abc import Mapping
from dataclasses import dataclass

from experiments._common.findings import Claim, Findings, Table
from experiments._common.reference import reference
from experiments._common.runs import measure_all
from experiments.parking_lot.tree import Tree, fabrics
from experiments.registry import Experiment, Options
from tuner.goals.series import Series

EXAMPLE = Tree(k=4, n=3)
"""Print's, in its Fig. 10."""
TREES = (
    *(Tree(k=k, n=2) for k in (2, 3, 4)),
    *(Tree(k=k, n=3) for k in (2, 3)),
    EXAMPLE,
    Tree(k=2, n=4),
    Tree(k=3, n=4),
    Tree(k=8, n=2),
    Tree(k=4, n=3, destination=37),
)
OTHER_ROUTING = Tree(k=4, n=3, routing="minhop")
OFF, ON, UNSCALED = "CC off", "CC on", "gran-2010 as it is"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    shares: Series
    """Parts of the total, of the tree's sources in their order."""
    total_gbps: float

    @property
    def least(self) -> float:
        """The smallest share, as a part of the equal one."""
        return float(self.shares.min() * len(self.shares))

    @property
    def most(self) -> float:
        return float(self.shares.max() * len(self.shares))


def run(options: Options) -> Findings:
    trees = (Tree(k=2, n=2), Tree(k=2, n=3), EXAMPLE) if options.quick else TREES
    with fabrics((*trees, OTHER_ROUTING)) as paths:
        runs = {(tree, OFF): tree.run(paths[tree], cc=False) for tree in (*trees, OTHER_ROUTING)}
        runs |= {(tree, ON): tree.run(paths[tree], cc=True) for tree in trees}
        runs[EXAMPLE, UNSCALED] = EXAMPLE.run(paths[EXAMPLE], cc=True, scaled=False)
        measured = measure_all(
            runs, workers=options.workers, dask=options.dask, folder=options.folder, on_progress=options.on_progress
        )
    found = {}
    for (tree, state), measurement in measured.items():
        shares, total = tree.shares(measurement)
        found[tree, state] = Outcome(shares=shares, total_gbps=total)
    return Findings(
        claims=_claims(found),
        tables=[_table(found), _others(found)],
        figures={},
        data={
            f"{tree.name}/{state}": {
                "total_gbps": outcome.total_gbps,
                "by_level": tree.by_level(outcome.shares),
                "formula": {level: tree.share(level) for level in range(1, tree.n + 1)},
            }
            for (tree, state), outcome in found.items()
        },
    )


def _claims(found: Mapping[tuple[Tree, str], Outcome]) -> list[Claim]:
    off, on = ({tree: outcome for (tree, state), outcome in found.items() if state == s} for s in (OFF, ON))
    worst = {tree: tree.worst(outcome.shares) for tree, outcome in off.items() if tree != OTHER_ROUTING}
    printed: Mapping[int, float] = dict(enumerate(reference("parking_lot.example_4_ary_3_tree"), start=1))
    example = EXAMPLE.by_level(off[EXAMPLE].shares)
    totals = [on[tree].total_gbps / off[tree].total_gbps for tree in on]
    return [
        Claim(
            sentence=f"CC off: the shares of every host of {len(worst)} trees follow the formula",
            published="1/k at first level to 1/(k^(2n-1) - k^(2n-2)) at the last",
            here=f"within {max(worst.values()):.2%}",
            holds=max(worst.values()) <= 0.02,
        ),
        Claim(
            sentence=f"CC off: the {EXAMPLE.name} of Fig. 10",
            published=", ".join(f"1/{1 / share:.0f}" for share in printed.values()),
            here=", ".join(f"1/{2 / sum(example[level]):.1f}" for level in printed),
            holds=all(abs(share / bound - 1) <= 0.02 for level, share in printed.items() for bound in example[level]),
        ),
        Claim(
            sentence="CC on: nobody gets less than 90 % of an equal share",
            published="CC solves the problem (Fig. 11)",
            here=f"{min(o.least for o in on.values()):.0%} at least, {max(o.most for o in on.values()):.0%} at most",
            holds=min(o.least for o in on.values()) >= 0.9,
        ),
        Claim(
            sentence="CC on: the last link stays used",
            published="-",
            here=f"{min(totals):.1%} to {max(totals):.1%} of CC off",
            holds=min(totals) >= 0.95,
        ),
    ]


def _table(found: Mapping[tuple[Tree, str], Outcome]) -> Table:
    rows = []
    for (tree, state), outcome in found.items():
        if state == OFF and (tree, ON) in found:
            on = found[tree, ON]
            levels = tree.by_level(outcome.shares)
            rows.append(
                [
                    tree.name,
                    ", ".join(f"1/{1 / tree.share(level):.0f}" for level in levels),
                    ", ".join(f"1/{2 / (low + high):.1f}" for low, high in levels.values()),
                    f"{outcome.least:.3f} to {outcome.most:.2f}",
                    f"{on.least:.2f} to {on.most:.2f}",
                    f"{on.total_gbps / outcome.total_gbps:.1%}",
                ]
            )
    return Table(
        title="Shares of the last link by level; least and most as multiples of the equal share",
        columns=["tree", "formula", "CC off", "least and most, CC off", "CC on", "total on / off"],
        rows=rows,
    )


def _others(found: Mapping[tuple[Tree, str], Outcome]) -> Table:
    rows = [
        [f"{tree.name}, {state}", f"{o.least:.3f} to {o.most:.2f}", f"{o.total_gbps:.2f}"]
        for (tree, state), o in found.items()
        if tree == OTHER_ROUTING or state == UNSCALED
    ]
    return Table(title="Another routing, and a table for fewer contributors", columns=["", "least and most", "Gb/s"], rows=rows)


EXPERIMENT = Experiment(
    name="parking_lot",
    question="How unfair is round robin on k-ary n-trees, and does CC mend it?",
    source="Gran et al., CCGrid 2011, section V and Fig. 10",
    minutes=0.2,
    run=run,
    takes_dask=True,
)
