# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The results, as tables for print."""

from collections.abc import Mapping, Sequence

from experiments._common.findings import Table
from experiments.scenario_1_campaign.ablation import short
from experiments.scenario_1_campaign.bed import EXPERT, expert_values
from experiments.scenario_1_campaign.devices import Survival
from experiments.scenario_1_campaign.outcome import Outcome
from experiments.scenario_1_campaign.replicated import SPREAD, TOTAL, VARIATION, VICTIM, Replicated, percent, plus_minus
from experiments.scenario_1_campaign.ripple import Ripple, mean


def searches(outcomes: Sequence[Outcome]) -> Table:
    """The confirmation of each search, beside the expert under the same seeds."""
    rows = []
    for outcome in outcomes:
        for name, figures in ((EXPERT, outcome.expert), ("recommended", outcome.found)):
            row = [f"{outcome.seed}", name, *(plus_minus(figures.estimate(m), d) for m, d in ((VICTIM, 2), (TOTAL, 2)))]
            row += [f"{figures.ratio(TOTAL, outcome.off).value:.1%}"]
            row += [plus_minus(figures.estimate(m), d) for m, d in ((VARIATION, 4), (SPREAD, 3))]
            own = figures is outcome.found
            row += [percent(figures.ratio(m, outcome.expert)) if own else "" for m in (VARIATION, SPREAD)]
            rows.append(row)
    return Table(
        title="Searches, confirmed with fresh seeds (± and ranges: 95 %)",
        columns=[
            "search",
            "profile",
            "victim (Gb/s)",
            "contributors (Gb/s)",
            "of CC off",
            "variation (Gb²/s²)",
            "spread (Gb/s)",
            "variation, of gran-2010's",
            "spread, of gran-2010's",
        ],
        rows=rows,
    )


def recommendations(outcomes: Sequence[Outcome]) -> Table:
    """The values that the searches end with."""
    fields = list(outcomes[0].params)
    expert = expert_values(outcomes[0].params)
    rows = [[EXPERT, *(f"{expert[field]}" for field in fields), "", "", ""]]
    rows += [
        [
            outcome.name,
            *(f"{outcome.params[field]}" for field in fields),
            f"{outcome.trial}",
            f"{outcome.feasible} of {outcome.trials}",
            "; ".join(f"{variant}: {', '.join(lost)}" for variant, lost in outcome.lost.items() if lost),
        ]
        for outcome in outcomes
    ]
    return Table(
        title="What is recommended",
        columns=["", *(short(field) for field in fields), "found in trial", "feasible trials", "lost in variants"],
        rows=rows,
    )


def ablation(title: str, rows: Mapping[str, Replicated], expert: Replicated) -> Table:
    """Each row beside the expert under the same seeds."""
    return Table(
        title=title,
        columns=["profile", "victim (Gb/s)", "contributors (Gb/s)", "variation (Gb²/s²)", "of gran-2010's", "spread (Gb/s)"],
        rows=[
            [
                name,
                f"{cells.estimate(VICTIM).value:.2f}",
                f"{cells.estimate(TOTAL).value:.2f}",
                plus_minus(cells.estimate(VARIATION), 4),
                percent(cells.ratio(VARIATION, expert)),
                plus_minus(cells.estimate(SPREAD), 3),
            ]
            for name, cells in rows.items()
        ],
    )


def ripples(measured: Mapping[str, Sequence[Ripple]]) -> Table:
    """Returns a table of the movement of CCTIs, by profile."""
    figures: Mapping[str, tuple[str, str]] = {
        "mean CCTI": ("mean_ccti", ".1f"),
        "swing of all together (steps)": ("swing", ".2f"),
        "difference of two flows (steps)": ("apart", ".2f"),
        "how much it changes in 2.5 ms (steps)": ("wander", ".2f"),
        "rate lost by a step": ("step", ".2%"),
        "CCTI_Timer (µs)": ("period_us", ".1f"),
        "from one BECN of a flow to the next (µs)": ("becn_interval_us", ".1f"),
        "packets that pass while the root is congested": ("congested", ".0%"),
        "relaxation of that difference (ms)": ("relaxation_ms", ".2f"),
        "the same with a BECN for each mark: CCTI_Timer by step (ms)": ("shortest_relaxation_ms", ".2f"),
        "treatment variation (Gb²/s²)": ("variation_gbps2", ".4f"),
        "the same from CCTIs alone (Gb²/s²)": ("variation_from_ccti_gbps2", ".4f"),
    }
    return Table(
        title="How CCTIs move",
        columns=["", *measured],
        rows=[
            [name, *(format(mean(several, figure), form) for several in measured.values())]
            for name, (figure, form) in figures.items()
        ],
    )


def timers(measured: Mapping[tuple[int, int], Replicated]) -> Table:
    """gran-2010 with other timers and Marking_Rates 0 and 1."""
    rates = list(dict.fromkeys(rate for rate, _ in measured))
    every = list(dict.fromkeys(timer for _, timer in measured))

    def cell(one: Replicated) -> str:
        rest = f"{one.estimate(VICTIM).value:.1f} / {one.estimate(TOTAL).value:.2f}"
        return f"{rest} / {plus_minus(one.estimate(VARIATION), 4)}"

    return Table(
        title="gran-2010 with other timers: victim / contributors (Gb/s) / treatment variation (Gb²/s²)",
        columns=["CCTI_Timer", *(f"Marking_Rate {rate}" for rate in rates)],
        rows=[[f"{timer}", *(cell(measured[rate, timer]) for rate in rates)] for timer in every],
    )


def survivals(measured: Mapping[str, Survival]) -> Table:
    """Returns a table with a row for each device: the expert, and what was found."""

    def figures(one: Replicated) -> list[str]:
        return [f"{one.estimate(VICTIM).value:.1f}", f"{one.estimate(TOTAL).value:.2f}", plus_minus(one.estimate(VARIATION), 4)]

    return Table(
        title="On other devices: gran-2010, and what search 10 recommends (Gb/s, Gb²/s²)",
        columns=["devices", *("victim", "contributors", "variation"), *("victim", "contributors", "variation"), "the gain"],
        rows=[[device, *figures(one.expert), *figures(one.found), one.sentence] for device, one in measured.items()],
    )
