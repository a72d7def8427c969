# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Five campaigns on scenario 1, what their recommendations have in common, and one of them taken apart."""

from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from experiments._common.findings import Findings
from experiments._common.lines import lines
from experiments.registry import Experiment, Options
from experiments.scenario_1_campaign import ablation, devices, tables
from experiments.scenario_1_campaign.bed import EXPERT, FEW_SEEDS, SEEDS, held
from experiments.scenario_1_campaign.claims import mechanism_claims, search_claims, survival_claims
from experiments.scenario_1_campaign.figures import ccti_over_time, interval_rows
from experiments.scenario_1_campaign.outcome import Outcome
from experiments.scenario_1_campaign.replicated import VARIATION, Replicated, replicate
from experiments.scenario_1_campaign.ripple import Ripple, ripple
from experiments.scenario_1_campaign.searches import SEEDS as SEARCHES
from experiments.scenario_1_campaign.searches import search_all
from tuner.documents.parameter import Scalar
from tuner.plots.throughput import panels

QUICK_SEARCH: Mapping[str, Any] = {
    "budget.trials": 24,
    "time_scale": 0.1,
    "confirmation.time_scale": 0.2,
    "confirmation.front": 1,
    "variants": {},
}
QUICK_TIMERS = (40, 150)
QUICK_DEVICES = (devices.CALIBRATED, "BECNs on ACKs, one in 16 packets")
HELD = "sources held to their share"


def run(options: Options) -> Findings:
    outcomes = _searches(options)
    apart = _Apart(outcomes[0].params, {outcome.name: outcome.params for outcome in outcomes}, options)
    rows, timers, survivals, ripples = apart.rows, apart.timers, apart.survivals, apart.ripples
    low = min(float(one[0].ccti.min()) for one in ripples.values())
    high = max(float(one[0].ccti.max()) for one in ripples.values())
    figures = {
        f"ccti-{name}": ccti_over_time(one[0], title=name, low=low - 2, high=high + 2, key=f"ccti-{index}")
        for index, (name, one) in enumerate(ripples.items())
    }
    figures["ablation"] = interval_rows(
        {name: one.estimate(VARIATION) for name, one in rows.items() if name != HELD},
        x_label="treatment variation (Gb²/s²)",
        title=f"What each field does, search {outcomes[0].seed}",
        key="ablation",
    )
    figures["timers"] = lines(
        {
            f"Marking_Rate {rate}": (
                [timer for r, timer in timers if r == rate],
                [one.estimate(VARIATION).value for (r, _), one in timers.items() if r == rate],
            )
            for rate in dict.fromkeys(rate for rate, _ in timers)
        },
        x_label="CCTI_Timer (1.024 µs)",
        y_label="treatment variation (Gb²/s²)",
        title=f"{EXPERT} with other timers",
        key="timers",
    )
    shown = zip((EXPERT, ablation.FOUND), panels(outcomes[0].series, key="throughput"), strict=True)
    figures |= {f"throughput-{name}": svg for name, svg in shown}
    return Findings(
        claims=[*search_claims(outcomes), *mechanism_claims(rows, ripples), *survival_claims(survivals, outcomes[0].name)],
        tables=[
            tables.searches(outcomes),
            tables.recommendations(outcomes),
            tables.ablation(rows),
            tables.ripples(ripples),
            tables.timers(timers),
            tables.survivals(survivals),
        ],
        figures=figures,
        data={
            "searches": {outcome.seed: outcome.to_json() for outcome in outcomes},
            "ablation": _plain(rows),
            "timers": _plain({f"Marking_Rate {rate}, CCTI_Timer {timer}": one for (rate, timer), one in timers.items()}),
            "devices": {device: {name: vars(one) for name, one in row.items()} for device, row in survivals.items()},
            "ripples": {name: [_scalars(one) for one in several] for name, several in ripples.items()},
        },
    )


def _searches(options: Options) -> list[Outcome]:
    seeds, changes = (SEARCHES[:1], QUICK_SEARCH) if options.quick else (SEARCHES, None)
    with TemporaryDirectory() as folder:
        results = search_all(
            Path(folder), seeds, changes=changes, workers=options.workers, on_progress=_part(options.on_progress, 0, 0.75)
        )
    return [Outcome.of(seed, result) for seed, result in results.items()]


class _Apart:
    """What is measured of the recommendations; `found` is the one that is taken apart."""

    def __init__(self, found: Mapping[str, Scalar], every: Mapping[str, Mapping[str, Scalar]], options: Options) -> None:
        quick, workers, told = options.quick, options.workers, options.on_progress
        seeds, few = (FEW_SEEDS[:3], FEW_SEEDS[:2]) if quick else (SEEDS, FEW_SEEDS)
        self.rows: dict[str, Replicated] = replicate(
            ablation.rows(found) | {HELD: held()}, seeds, workers=workers, on_progress=_part(told, 0.75, 0.82)
        )
        self.timers: dict[tuple[int, int], Replicated] = replicate(
            ablation.timers(ccti_timers=QUICK_TIMERS if quick else ablation.TIMERS),
            few,
            workers=workers,
            on_progress=_part(told, 0.82, 0.88),
        )
        chosen = QUICK_DEVICES if quick else tuple(devices.DEVICES)
        measured = replicate(devices.runs(every, chosen), few, workers=workers, on_progress=_part(told, 0.88, 0.98))
        self.survivals = {device: {name: devices.survival(measured, device, name) for name in every} for device in chosen}
        self.ripples: dict[str, list[Ripple]] = {
            name: [ripple(values, seed=seed) for seed in few] for name, values in ((EXPERT, {}), (ablation.FOUND, found))
        }
        told(1.0)


def _part(told: Callable[[float], None], begin: float, end: float) -> Callable[[float], None]:
    """For a part of the experiment that is from `begin` to `end` of the whole."""
    return lambda fraction: told(begin + (end - begin) * fraction)


def _plain(measured: Mapping[str, Replicated]) -> dict[str, Any]:
    return {name: {seed: metrics.to_json() for seed, metrics in one.by_seed.items()} for name, one in measured.items()}


def _scalars(one: Ripple) -> dict[str, float]:
    return {name: value for name, value in vars(one).items() if name != "ccti"}


EXPERIMENT = Experiment(
    name="scenario_1_campaign",
    question="What does the campaign on scenario 1 find from five seeds, why does it work, and on which devices?",
    source="after Gran et al., IPDPS 2010, whose hand-tuned values are what is to be beaten",
    minutes=15,
    run=run,
)
