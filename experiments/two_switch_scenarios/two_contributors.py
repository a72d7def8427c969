# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Two contributors behind S1: is S2 alone the root of the congestion, or does S1 become one too?

F1, F2 and F3 ask the link between the switches for 13 + 26 Gb/s of the 31.6 that it carries. As long as CC holds F2 and F3 to
what H5 takes, it is far from full. Whenever it is full, S1 is a root and marks F1's packets with the others.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments._common.findings import Table
from experiments._common.runs import Run
from experiments._common.shares import contributors, marks, phase
from tuner.measuring.measurement import Measurement

WORKLOAD = str(Path(__file__).parent / "two-contributors.yaml")
FAST_FABRIC = str(Path(__file__).parent / "fast-hosts.yaml")
FIERCE, SILENCED, FAST_HOSTS = "CCTI_Timer 30", "CCTI_Timer 30, F1 never marked", "gran-2010, hosts inject 15.8 Gb/s"
S1_TO_S2, S2_TO_H5 = "S1/19", "S2/2"
SETTLED_S = 0.2

# F1 crosses S1's port to S2 and S2's port to H4; without marks there it gets no BECN.
_F1_UNMARKED = {
    "overrides": [
        {"match": {"node": "S1"}, "switch": {"threshold": 0}},
        {"match": {"node": "S2", "ports": [1]}, "switch": {"threshold": 0}},
    ]
}


def runs(seed: int) -> Mapping[str, Run]:
    """Ever more aggressive contributors, by name: a short CCTI_Timer lets them rise again at once."""
    variants: dict[str, Mapping[str, object]] = {
        "gran-2010": {},
        "CCTI_Timer 35": {"ca.ccti_timer": 35},
        FIERCE: {"ca.ccti_timer": 30},
        SILENCED: {"ca.ccti_timer": 30, **_F1_UNMARKED},
    }
    named = {
        name: Run(workload=WORKLOAD, profile="gran-2010", profile_settings=changes, seed=seed)
        for name, changes in variants.items()
    }
    return named | {FAST_HOSTS: Run(workload=WORKLOAD, profile="gran-2010", fabric=FAST_FABRIC, seed=seed)}


@dataclass(frozen=True, kw_only=True)
class Reading:
    """The figures of one variant while both contributors are active."""

    victim_first_10_ms_gbps: float
    victim_gbps: float
    """From 0.2 s after the second contributor's start on; so are the next two."""
    victim_lowest_gbps: float
    contributor_total_gbps: float
    s1_marks: int
    s2_marks: int
    victim_becns: int

    @classmethod
    def of(cls, measurement: Measurement) -> "Reading":
        order = contributors(measurement)
        whole, settled = phase(measurement, order[-1]), phase(measurement, order[-1], warmup_s=SETTLED_S)
        marked = marks(measurement)
        return cls(
            victim_first_10_ms_gbps=float(whole[0, 0]),
            victim_gbps=float(settled[0].mean()),
            victim_lowest_gbps=float(settled[0].min()),
            contributor_total_gbps=float(settled[order].sum(axis=0).mean()),
            s1_marks=marked.get(S1_TO_S2, 0),
            s2_marks=marked.get(S2_TO_H5, 0),
            victim_becns=measurement.counters["flows"][0]["becn_received"],
        )


def table(readings: Mapping[str, Reading]) -> Table:
    columns = [
        "variant",
        "F1 in the first 10 ms",
        "F1 settled",
        "F1 lowest 10 ms",
        "F2 + F3",
        "marks S1",
        "marks S2",
        "BECNs to F1",
    ]
    rows = [
        [
            name,
            *(f"{x:.2f}" for x in (r.victim_first_10_ms_gbps, r.victim_gbps, r.victim_lowest_gbps, r.contributor_total_gbps)),
            *(f"{n}" for n in (r.s1_marks, r.s2_marks, r.victim_becns)),
        ]
        for name, r in readings.items()
    ]
    return Table(title="Two contributors (Gb/s)", columns=columns, rows=rows)


def to_json(readings: Mapping[str, Reading]) -> dict[str, Any]:
    return {name: vars(reading) for name, reading in readings.items()}
