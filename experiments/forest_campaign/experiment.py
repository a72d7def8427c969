# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A campaign over three forests of Paper IV together, and its recommendation on forests that it never saw."""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from experiments._common.findings import Claim, Findings, Table
from experiments._common.runs import Run, read_all
from experiments._common.search import DOCUMENT, lay_out, search
from experiments.fat_tree_648.bed import PROFILE, RADIX, devices, fabric, forest
from experiments.fat_tree_648.reading import Reading
from experiments.registry import Experiment, Options
from tuner.campaign.result import CampaignResult
from tuner.documents.parameter import Scalar
from tuner.documents.profile import load_profile
from tuner.goals.metrics import Metrics
from tuner.search.field_path import lookup

DURATION_S = 0.02
UNIFORM, UNIFORM_LOSS = "uniform", 0.02
SEARCHED: Mapping[str, Mapping[str, Any]] = {
    "silent": {"seed": 1},
    "windy": {"seed": 1, "b_percent": 75, "p_percent": 40},
    "moving": {"seed": 1, "move_every_s": 0.01, "duration_s": 0.03},
}
"""Keys of forest(), by the workload's name in campaign.yaml."""
UNSEEN: Mapping[str, Mapping[str, Any]] = {
    "silent, other places": {"seed": 11},
    "silent, other places again": {"seed": 12},
    "silent, 4 hotspots": {"seed": 13, "hotspots": 4},
    "windy, x = 25 %, p = 80 %": {"seed": 14, "b_percent": 25, "p_percent": 80},
    "windy, x = 100 %, p = 20 %": {"seed": 15, "b_percent": 100, "p_percent": 20},
    "moving, 2 ms": {"seed": 16, "move_every_s": 0.002},
    UNIFORM: {"seed": 17, "b_percent": 100, "p_percent": 0},
}
"""Forests that the campaign does not measure: other places and other kinds. Where nothing is congested, CC can only cost."""
SMALL_RADIX, SMALL_HOTSPOTS, SMALL_TRIALS = 12, 1, 8
"""A quick run: 72 hosts, whose eight hotspots would leave seven C nodes for each."""


def run(options: Options) -> Findings:
    small = {"hotspots": SMALL_HOTSPOTS} if options.quick else {}
    with fabric(SMALL_RADIX if options.quick else RADIX) as path:
        result = _campaign(path, small, options)
        if result.recommended is None:
            return Findings(claims=[_found(result)], tables=[], figures={}, data={"trials": _trials(result)})
        record, confirmed = result.recommended.record, result.recommended.confirmed
        unseen = {name: forest(path, **{"duration_s": DURATION_S, **pattern, **small}) for name, pattern in UNSEEN.items()}
        runs = {
            (name, profile): Run(workload=workload, profile=PROFILE, profile_settings=settings, model=devices())
            for name, workload in unseen.items()
            for profile, settings in (("expert", {}), ("recommended", record.params))
        }
        read = read_all(runs, Reading.of, workers=options.workers, on_progress=lambda done: options.on_progress((1 + done) / 2))
    seen = {
        name: (_total(metrics), _total(confirmed.evaluation.by_workload()[name]))
        for name, metrics in result.expert.evaluation.by_workload().items()
    }
    others = {name: (read[name, "expert"].total_gbps, read[name, "recommended"].total_gbps) for name in unseen}
    return Findings(
        claims=[
            _found(result),
            *(_better(name, *seen[name]) for name in seen),
            *(_better(name, *others[name]) for name in others),
        ],
        tables=[_totals("Searched, with fresh seeds", seen), _totals("Never seen", others), _changes(record.params)],
        figures={},
        data={"profile": confirmed.profile.to_dict(), "trials": _trials(result), "searched": seen, "unseen": others},
    )


def _campaign(path: str, small: Mapping[str, Any], options: Options) -> CampaignResult:
    with TemporaryDirectory() as name:
        folder = Path(name)
        workloads = {
            workload: forest(path, **{"duration_s": DURATION_S, **pattern, **small}).model_copy(update={"name": workload})
            for workload, pattern in SEARCHED.items()
        }
        lay_out(folder, Path(__file__).with_name(DOCUMENT), workloads=workloads)
        return search(
            folder,
            changes={"budget.trials": SMALL_TRIALS} if options.quick else {},
            devices=devices(),
            workers=options.workers,
            on_progress=lambda fraction: options.on_progress(fraction / 2),  # the first half of the experiment
        )


def _found(result: CampaignResult) -> Claim:
    return Claim(
        sentence="the campaign recommends a profile",
        published="-",
        here=f"{result.summary['feasible']} of {result.summary['trials']} trials keep the constraints",
        holds=result.recommended is not None,
    )


def _better(name: str, expert_gbps: float, gbps: float) -> Claim:
    nothing_to_cure = name == UNIFORM
    return Claim(
        sentence=f"{name}: the total is {f'at most {UNIFORM_LOSS:.0%} below' if nothing_to_cure else 'above'} gran-2012's",
        published="-",
        here=f"{gbps:.0f} Gb/s, {gbps / expert_gbps - 1:+.1%}",
        holds=gbps > (1 - UNIFORM_LOSS if nothing_to_cure else 1) * expert_gbps,
    )


def _totals(title: str, totals: Mapping[str, tuple[float, float]]) -> Table:
    rows = [[name, f"{expert:.0f}", f"{here:.0f}", f"{here / expert - 1:+.1%}"] for name, (expert, here) in totals.items()]
    return Table(title=f"{title} (total, Gb/s)", columns=["forest", PROFILE, "recommended", "gain"], rows=rows)


def _changes(params: Mapping[str, Scalar]) -> Table:
    expert = load_profile(PROFILE).to_dict()
    rows = [[field, f"{lookup(expert, field)}", f"{value}"] for field, value in params.items()]
    return Table(title="What the campaign changes", columns=["field", PROFILE, "recommended"], rows=rows)


def _trials(result: CampaignResult) -> list[dict[str, Any]]:
    return [trial.to_json() for trial in result.trials]


def _total(metrics: Metrics) -> float:
    assert metrics.total_throughput_gbps is not None
    return metrics.total_throughput_gbps


EXPERIMENT = Experiment(
    name="forest_campaign",
    question="Is there one set of values better than gran-2012's for silent, windy and moving forests, those never measured too?",
    source="after Gran et al., IPDPS 2012, section V, whose values are said to be robust",
    minutes=8,
    run=run,
)
