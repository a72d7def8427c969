# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Backends whose measurements take no time, or a time that is known: what is left is the campaign's own."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ccsim.policy import Profile
from tuner.documents.workload import Workload
from tuner.errors import InterruptedRunError
from tuner.measuring.backend import Capabilities
from tuner.measuring.measurement import Measurement, Performance, measure
from tuner.search.field_path import lookup


def figures(params: Mapping[str, Any]) -> tuple[float, float]:
    """Victim throughput in Gb/s and treatment variation in Gb²/s²: smooth, with a front between them."""
    timer, marking_rate = float(params["ca.ccti_timer"]), float(params["switch.marking_rate"])
    return 2.2 + 10.8 * min(timer / 150, 1.0), (timer / 400) ** 2 + 0.001 * marking_rate


class FormulaBackend:
    """Takes `takes_s` for each measurement, asleep."""

    def __init__(self, takes_s: float = 0.0) -> None:
        self._takes_s = takes_s
        self._params: dict[str, Any] = {}
        self._made: dict[str, Measurement] = {}

    def open(self) -> Capabilities:
        return Capabilities(name="formula", concurrent=True, deterministic=True)

    def apply(self, profile: Profile) -> str:
        document = profile.to_dict()
        fields = ("ca.ccti_timer", "switch.marking_rate")
        self._params = {path: lookup(document, path) or 0 for path in fields}
        return "1"

    def measure(
        self,
        workload: Workload,
        *,
        seed: int,
        should_stop: Callable[[], bool] = lambda: False,
        on_progress: Callable[[float], None] = lambda fraction: None,
    ) -> Measurement:
        if self._takes_s:
            time.sleep(self._takes_s)
        if should_stop():
            raise InterruptedRunError("stopped")
        made = self._made.setdefault(workload.name, _flat(workload))
        victim, variation = figures(self._params)
        metrics = replace(made.metrics, victim_throughput_gbps=victim, treatment_variation_gbps2=variation)
        return replace(made, seed=seed, metrics=metrics)

    def restore(self) -> None: ...

    def close(self) -> None: ...


def _flat(workload: Workload) -> Measurement:
    """All flows at 3 Gb/s; computed once, for it takes longer than a trial."""
    n_samples = round(workload.duration_s / workload.sample_interval_s)
    return measure(
        workload,
        np.full((len(workload.flows), n_samples), 3.0),
        backend="formula",
        seed=1,
        fabric=workload.fabric,
        profile="",
        counters={},
        performance=Performance(packet_hops=0, cpu_s=0.0, max_rss_mib=0.0),
    )
