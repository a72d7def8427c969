# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One search on scenario 1 on both backends: `simulated`, and `emulated` behind a real OpenSM with the plugin."""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from experiments._common.findings import Claim, Findings, Table
from experiments.registry import Experiment, Options
from experiments.scenario_1_campaign import tables
from experiments.scenario_1_campaign.outcome import Outcome
from experiments.scenario_1_campaign.searches import SEEDS, search
from tuner.campaign.result import CampaignResult

BACKENDS = ("simulated", "emulated")
SEED = SEEDS[0]
CHANGES: Mapping[str, Any] = {"confirmation.front": 1, "confirmation.seeds": [101, 102], "variants": {}}
"""The whole search, and little of what comes after it: here only what differs counts."""
QUICK: Mapping[str, Any] = {**CHANGES, "budget.trials": 4, "time_scale": 0.05, "confirmation.time_scale": 0.05}


def run(options: Options) -> Findings:
    """Raises UnreachableError where OpenSM, the plugin or libumad2sim are not installed."""
    results: dict[str, CampaignResult] = {}
    with TemporaryDirectory() as folder:
        for index, backend in enumerate(reversed(BACKENDS)):  # what may be missing first

            def told(fraction: float, index: int = index) -> None:
                options.on_progress((index + fraction) / len(BACKENDS))

            results[backend] = search(
                Path(folder), SEED, changes=QUICK if options.quick else CHANGES, backend=backend, on_progress=told
            )
    simulated, emulated = (results[backend] for backend in BACKENDS)
    outcomes = {backend: Outcome.of(SEED, results[backend]) for backend in BACKENDS}
    alike = [
        (a.params, a.state, dict(a.values), dict(a.violations)) == (b.params, b.state, dict(b.values), dict(b.violations))
        for a, b in zip(simulated.trials, emulated.trials, strict=True)
    ]
    confirmed = [outcomes[backend].found.by_seed for backend in BACKENDS]
    return Findings(
        claims=[
            Claim(
                sentence="every trial proposes and measures the same on both backends",
                published="-",
                here=f"{sum(alike)} of {len(alike)}",
                holds=all(alike),
            ),
            Claim(
                sentence="both recommend the same profile",
                published="-",
                here=" and ".join(f"trial {outcomes[backend].trial}" for backend in BACKENDS),
                holds=outcomes["simulated"].params == outcomes["emulated"].params,
            ),
            Claim(
                sentence="both confirm it by the same figures",
                published="-",
                here=f"{len(confirmed[0])} seeds",
                holds=confirmed[0] == confirmed[1],
            ),
        ],
        tables=[
            _times(results),
            *(tables.searches([outcomes[backend]]) for backend in BACKENDS[1:]),
            *(tables.recommendations([outcomes[backend]]) for backend in BACKENDS[1:]),
        ],
        figures={},
        data={backend: outcomes[backend].to_json() for backend in BACKENDS},
    )


def _times(results: Mapping[str, CampaignResult]) -> Table:
    return Table(
        title="Time for the search",
        columns=["backend", "trials", "wall time (s)"],
        rows=[[backend, f"{len(results[backend].trials)}", f"{results[backend].elapsed_s:.0f}"] for backend in BACKENDS],
    )


EXPERIMENT = Experiment(
    name="scenario_1_emulated",
    question="Does the campaign on scenario 1 recommend the same when each profile goes through OpenSM and MADs?",
    source="our own; the emulated devices are the simulated ones",
    minutes=10,
    run=run,
)
