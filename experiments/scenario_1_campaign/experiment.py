# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Five campaigns on scenario 1, what their recommendations have in common, and one of them taken apart."""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from experiments._common.findings import Findings
from experiments._common.lines import lines
from experiments.registry import Experiment, Options
from experiments.scenario_1_campaign import ablation, tables
from experiments.scenario_1_campaign.apart import HELD, Apart, part
from experiments.scenario_1_campaign.bed import EXPERT
from experiments.scenario_1_campaign.claims import mechanism_claims, search_claims, survival_claims
from experiments.scenario_1_campaign.devices import VICTIM_PART
from experiments.scenario_1_campaign.figures import ccti_over_time, interval_rows
from experiments.scenario_1_campaign.outcome import Outcome
from experiments.scenario_1_campaign.replicated import VARIATION, VICTIM
from experiments.scenario_1_campaign.ripple import Ripple
from experiments.scenario_1_campaign.searches import SEEDS as SEARCHES
from experiments.scenario_1_campaign.searches import search_all
from tuner.report.plots.throughput import panels

QUICK_SEARCH: Mapping[str, Any] = {
    "budget.trials": 12,
    "time_scale": 0.05,
    "confirmation.time_scale": 0.1,
    "confirmation.front": 1,
    "confirmation.seeds": [101, 102, 103],
    "variants": {},
}


def run(options: Options) -> Findings:
    outcomes = _searches(options)
    apart = Apart({outcome.name: outcome.params for outcome in outcomes}, options)
    rows, timers, survivals, ripples = apart.rows, apart.timers, apart.survivals, apart.ripples
    return Findings(
        claims=[*search_claims(outcomes), *mechanism_claims(rows, ripples), *survival_claims(survivals)],
        tables=[
            tables.searches(outcomes),
            tables.recommendations(outcomes),
            tables.ablation("One field at a time", rows, rows[EXPERT]),
            tables.ablation("Steps of 2, and of 1 with twice the CCTI_Timer", apart.finer, rows[EXPERT]),
            tables.ripples(ripples),
            tables.timers(timers),
            tables.survivals(survivals),
        ],
        figures=_figures(outcomes[0], apart),
        data={
            "searches": {outcome.seed: outcome.to_json() for outcome in outcomes},
            "ablation": {name: one.to_json() for name, one in rows.items()},
            "finer": {name: one.to_json() for name, one in apart.finer.items()},
            "timers": {f"Marking_Rate {rate}, CCTI_Timer {timer}": one.to_json() for (rate, timer), one in timers.items()},
            "devices": {device: one.to_json() for device, one in survivals.items()},
            "ripples": {name: [_scalars(one) for one in several] for name, several in ripples.items()},
        },
    )


def _searches(options: Options) -> list[Outcome]:
    seeds, changes = (SEARCHES[:1], QUICK_SEARCH) if options.quick else (SEARCHES, None)
    with TemporaryDirectory() as folder:
        results = search_all(
            Path(folder), seeds, changes=changes, workers=options.workers, on_progress=part(options.on_progress, 0, 0.75)
        )
    return [Outcome.of(seed, result) for seed, result in results.items()]


def _figures(outcome: Outcome, apart: Apart) -> dict[str, str]:
    """Returns the figures by stem. `outcome`: that of the search whose recommendation is taken apart."""
    shown = {name: apart.ripples[name][0] for name in (EXPERT, ablation.FOUND)}
    low, high = min(one.ccti.min() for one in shown.values()), max(one.ccti.max() for one in shown.values())
    figures = {
        f"ccti-{name}": ccti_over_time(ripple, title=name, low=float(low) - 2, high=float(high) + 2, key=f"ccti-{name}")
        for name, ripple in shown.items()
    }
    figures["ablation"] = interval_rows(
        {name: one.estimate(VARIATION) for name, one in apart.rows.items() if name != HELD},
        x_label="treatment variation (Gb²/s²)",
        title=f"What each field does, {outcome.name}",
        key="ablation",
    )
    victim = apart.rows[EXPERT].estimate(VICTIM).value
    cured = {key: one for key, one in apart.timers.items() if one.estimate(VICTIM).value >= VICTIM_PART * victim}
    figures["timers"] = lines(
        {
            f"Marking_Rate {rate}": (
                [timer for r, timer in cured if r == rate],
                [one.estimate(VARIATION).value for (r, _), one in cured.items() if r == rate],
            )
            for rate in dict.fromkeys(rate for rate, _ in cured)
        },
        x_label="CCTI_Timer (1.024 µs)",
        y_label="treatment variation (Gb²/s²)",
        title=f"{EXPERT} with other timers, where the victim is cured",
        key="timers",
    )
    throughputs = zip((EXPERT, ablation.FOUND), panels(outcome.series, key="throughput"), strict=True)
    return figures | {f"throughput-{name}": svg for name, svg in throughputs}


def _scalars(one: Ripple) -> dict[str, float]:
    return {name: value for name, value in vars(one).items() if name != "ccti"}


EXPERIMENT = Experiment(
    name="scenario_1_campaign",
    question="What does the campaign on scenario 1 find from five seeds, why does it work, and on which devices?",
    source="after Gran et al., IPDPS 2010, whose hand-tuned values are what is to be beaten",
    minutes=10,
    run=run,
)
