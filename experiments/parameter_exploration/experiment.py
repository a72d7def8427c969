# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Figs. 11, 12 and 14 as heat maps under each way of carrying BECNs, and Fig. 13."""

from collections.abc import Mapping

import numpy as np

from experiments._common.findings import Findings, Table
from experiments._common.heat_map import heat_map
from experiments._common.runs import measure_all
from experiments.parameter_exploration.directions import directions
from experiments.parameter_exploration.grid import FULL, QUICK, Grid, Key, Reading, runs
from experiments.registry import Experiment, Options
from tuner.report.plots.throughput import throughput

MAPS = {
    "victim": ("victim_gbps", "victim (Gb/s), Fig. 11", 1),
    "total": ("contributor_total_gbps", "contributors' total (Gb/s), Fig. 12", 2),
    "variation": ("treatment_variation_gbps2", "treatment variation (Gb²/s²), Fig. 14", 2),
    "spread": ("spread_gbps", "mean spread (Gb/s)", 2),
}


def run(options: Options) -> Findings:
    grid = QUICK if options.quick else FULL
    measured = measure_all(
        runs(grid), workers=options.workers, dask=options.dask, folder=options.folder, on_progress=options.on_progress
    )
    readings = {key: Reading.of(m) for key, m in measured.items()}
    figures = {}
    for carrier in grid.carriers:
        stem = carrier.lower().replace(",", "").replace(" ", "-")
        for name in MAPS:
            figures[f"{name}-{stem}"] = _map(grid, readings, carrier, name)
        slow = measured[carrier, grid.ccti_timers[-1], 1]
        title = f"CCTI_Timer {grid.ccti_timers[-1]}, {carrier}"
        figures[f"slow-{stem}"] = throughput(slow, title=title, key=f"slow-{stem}")
    return Findings(
        claims=[claim for carrier in grid.carriers for claim in directions(grid, readings, carrier)],
        tables=[_table(grid, readings, carrier) for carrier in grid.carriers],
        figures=figures,
        data={
            "readings": [
                {"carrier": carrier, "ccti_timer": timer, "marking_rate": rate, **vars(reading)}
                for (carrier, timer, rate), reading in readings.items()
            ]
        },
    )


def _map(grid: Grid, readings: Mapping[Key, Reading], carrier: str, name: str) -> str:
    attribute, title, digits = MAPS[name]
    every = [getattr(reading, attribute) for reading in readings.values()]
    values = [[getattr(readings[carrier, t, r], attribute) for t in grid.ccti_timers] for r in grid.marking_rates]
    return heat_map(
        np.array(values),
        rows=grid.marking_rates,
        columns=grid.ccti_timers,
        row_label="Marking_Rate",
        column_label="CCTI_Timer",
        title=f"{title}\n{carrier}",
        key=f"{name}-{list(grid.carriers).index(carrier)}",
        digits=digits,
        low=min(every),
        high=max(every),
    )


def _table(grid: Grid, readings: Mapping[Key, Reading], carrier: str) -> Table:
    def cell(reading: Reading) -> str:
        settle = "–" if reading.settle_time_s is None else f"{reading.settle_time_s:.2f}"
        rates = f"{reading.victim_gbps:.2f} / {reading.contributor_total_gbps:.2f}"
        return f"{rates} / {reading.treatment_variation_gbps2:.2f} / {settle}"

    return Table(
        title=f"{carrier}: victim / total (Gb/s) / treatment variation (Gb²/s²) / settle time (s)",
        columns=["CCTI_Timer", *(f"Marking_Rate {rate}" for rate in grid.marking_rates)],
        rows=[[f"{t}", *(cell(readings[carrier, t, r]) for r in grid.marking_rates)] for t in grid.ccti_timers],
    )


EXPERIMENT = Experiment(
    name="parameter_exploration",
    question="What do CCTI_Timer and Marking_Rate do to the victim, to the contributors' total, and to fairness?",
    source="Gran et al., IPDPS 2010, section VII, Figs. 11 to 14",
    minutes=6,
    run=run,
    takes_dask=True,
)
