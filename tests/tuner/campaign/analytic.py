# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A backend whose measurements follow from a formula, so that campaigns take milliseconds and their outcome is known.

The victim suffers below a CCTI_Timer of 150 and the contributors' treatment varies with the CCTI_Timer, as in Figs. 11 and 14 of
Gran et al. 2010; a low Marking_Rate costs the contributors throughput. The seed adds a little noise.
"""

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from ccsim.policy import Profile
from tuner.documents.workload import Workload
from tuner.errors import InterruptedRunError
from tuner.measuring.backend import Capabilities
from tuner.measuring.measurement import Measurement, Performance, measure
from tuner.search.field_path import lookup

CC_OFF_TOTAL_GBPS = 13.3


class AnalyticBackend:
    """Counts its measurements in `log`, one line each: the settings that it applied, the seed, and the process. `stopped` and
    `restored` have lines of their own."""

    def __init__(
        self, log: Path | None = None, *, takes_s: float = 0.0, concurrent: bool = True, deterministic: bool = True
    ) -> None:
        self._log = log
        self._takes_s = takes_s
        self._concurrent = concurrent
        self._deterministic = deterministic
        self._profile: Profile | None = None
        self.calls: list[str] = []

    def open(self) -> Capabilities:
        self.calls.append("open")
        return Capabilities(name="analytic", concurrent=self._concurrent, deterministic=self._deterministic)

    def apply(self, profile: Profile) -> str:
        self.calls.append("apply")
        self._profile = profile
        return "1"

    def measure(
        self,
        workload: Workload,
        *,
        seed: int,
        should_stop: Callable[[], bool] = lambda: False,
        on_progress: Callable[[float], None] = lambda fraction: None,
    ) -> Measurement:
        assert self._profile is not None, "measured before a profile was applied"
        end = time.monotonic() + self._takes_s
        while time.monotonic() < end:
            if should_stop():
                self._write("stopped")
                raise InterruptedRunError("stopped")
            time.sleep(0.002)
        gbps = self._series(workload, seed)
        self._write(f"{self._profile.name} {seed}")
        return measure(
            workload,
            gbps,
            backend="analytic",
            seed=seed,
            fabric=workload.fabric,
            profile=self._profile.name,
            counters={},
            performance=Performance(packet_hops=1000, cpu_s=0.001, max_rss_mib=1.0),
        )

    def restore(self) -> None:
        self.calls.append("restore")
        self._write("restored")

    def close(self) -> None:
        self.calls.append("close")

    def _write(self, line: str) -> None:
        if self._log is not None:
            with self._log.open("a", encoding="utf-8") as log:
                log.write(f"{line} {os.getpid()}\n")

    def _series(self, workload: Workload, seed: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        assert self._profile is not None
        settings = self._profile.to_dict()
        enabled = settings.get("enable", True)
        timer = float(lookup(settings, "ca.ccti_timer") or 0) if enabled else 0.0
        marking_rate = float(lookup(settings, "switch.marking_rate") or 0) if enabled else 1e9
        victim = 2.2 + 10.8 * min(timer / 150, 1.0)
        total = CC_OFF_TOTAL_GBPS * (1 - 0.04 / (1 + marking_rate))
        swing = timer / 400
        random = np.random.default_rng(seed)
        n_samples = round(workload.duration_s / workload.sample_interval_s)
        wave = np.sin(np.arange(n_samples) / 5.0)
        n_contributors = sum(flow.role == "contributor" for flow in workload.flows)
        rows, contributor = [], 0
        for flow in workload.flows:
            active = np.arange(n_samples) * workload.sample_interval_s >= flow.start_s - 1e-9
            if flow.role == "contributor":
                sign, contributor = (-1) ** contributor, contributor + 1
                row = total / n_contributors + sign * swing * wave
            else:
                row = victim + 0.01 * random.normal(size=n_samples)
            rows.append(np.where(active, row, 0.0))
        return np.array(rows)


class OnDevices(AnalyticBackend):
    """With BECNs on acknowledgements, a CCTI_Timer other than 150 leaves the victim half. It has 13 Gb/s while contributors are
    silent."""

    _model: Mapping[str, Any] = MappingProxyType({})

    def use_model(self, settings: Mapping[str, Any]) -> None:
        self._model = dict(settings)

    def _series(self, workload: Workload, seed: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        rows = super()._series(workload, seed)
        assert self._profile is not None
        settings, victims = self._profile.to_dict(), [flow.role == "victim" for flow in workload.flows]
        if all(victims):
            rows[:] = 13.0
        if self._model.get("ca.becn_carrier") == "ack" and settings.get("enable", True) and settings["ca"]["ccti_timer"] != 150:
            rows[victims] *= 0.5
        return rows


WORKLOAD = """\
ibcc_workload: 1
name: small
fabric: two-switch
duration_s: 1
flows:
- {name: F1, src: H1, dst: H4, role: victim}
- {name: F2, src: H2, dst: H5, role: contributor}
- {name: F3, src: H3, dst: H5, role: contributor, start_s: 0.1}
"""


def campaign_text(
    *,
    trials: int = 6,
    parallel: int = 1,
    sampler: str = "{kind: tpe, seed: 1, startup_trials: 4}",
    space: str = "{ca.ccti_timer: {low: 10, high: 400}, switch.marking_rate: {low: 0, high: 20}}",
    extra: str = "",
) -> str:
    """A campaign over `small.yaml`, which write_campaign puts beside it. `extra`: a line that adds or replaces a key."""
    lines = f"""\
ibcc_campaign: 1
name: small
workloads: [./small.yaml]
start_from: [gran-2010]
suggestion: false
space: {space}
budget: {{trials: {trials}}}
seeds: [1, 2]
sampler: {sampler}
parallel: {parallel}
confirmation: {{seeds: [101, 102]}}
hypervolume_reference: {{victim_throughput: 0, treatment_variation: 20}}
""".splitlines()
    key = extra.partition(":")[0]
    return "\n".join([line for line in lines if not extra or not line.startswith(f"{key}:")] + [extra]) + "\n"


def write_campaign(folder: Path, text: str | None = None) -> Path:
    """The campaign's file in `folder`, with its workload."""
    (folder / "small.yaml").write_text(WORKLOAD, encoding="utf-8")
    path = folder / "campaign.yaml"
    path.write_text(text or campaign_text(), encoding="utf-8")
    return path
