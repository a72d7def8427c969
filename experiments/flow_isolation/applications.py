# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Communication patterns of HPCC's tests as closed loops, alone and beside hot spots: Paper VI, section 4.3, on VI-2.

Half of the 256 nodes, which are counted from 0, are ranks. Others send to hot spots, all they can, during the whole run: 32 of
them to node 123 in SC2, 64 to four hot spots in SC3.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from experiments.flow_isolation.configurations import VI_2
from experiments.flow_isolation.traffic import MESSAGE_BYTES
from tuner.document_base.model import build_model
from tuner.documents.patterns.growing_ring_exchange import GrowingRingExchange
from tuner.documents.workload import Workload
from tuner.goals.series import Series
from tuner.measuring.measurement import Measurement

CONFIGURATION = VI_2
NAME = "mpi"
"""Name of the closed loop's pattern: its flows begin with it."""
NODES = 256
DURATION_S = 0.02
"""Length of a run. Rounds that are missing at its end are extrapolated."""
SCENARIOS: Mapping[str, tuple[int, int]] = {"SC1": (0, 0), "SC2": (32, 1), "SC3": (64, 4)}
"""Nodes that send to hot spots, and hot spots."""


def digits(node: int) -> list[int]:
    """Digits of a node's number to the base 4, the lowest first: digit i chooses the link up from a switch of level i + 1 on the
    way to the node."""
    return [node // 4**i % 4 for i in range(4)]


@dataclass(frozen=True, kw_only=True)
class Placement:
    """Which nodes are ranks, and which are hot spots."""

    name: str
    is_rank: Callable[[int], bool]
    hot_spots: Sequence[int]

    @property
    def ranks(self) -> list[int]:
        return [node for node in range(NODES) if self.is_rank(node)]

    def senders(self, count: int) -> list[int]:
        """Nodes that send to hot spots: every second, fourth, … of those that are neither ranks nor hot spots, `count` in all."""
        others = [node for node in range(NODES) if not self.is_rank(node) and node not in self.hot_spots]
        return [others[i * len(others) // count] for i in range(count)]


ODD_AND_EVEN = Placement(name="odd and even", is_rank=lambda node: node % 2 == 0, hot_spots=(123, 59, 187, 251))
"""As printed: ranks on even nodes. By D-mod-K, packets to even nodes and to odd ones share no link between switches."""
MIXED = Placement(name="mixed", is_rank=lambda node: sum(digits(node)) % 2 == 0, hot_spots=(123, 91, 219, 251))
"""Two of the four nodes of each leaf are ranks, by the parity of the sum of their digits, so that ranks are reached over all
links. The four hot spots have their two lowest digits in common: their trees meet in the links up, on two levels."""


@dataclass(frozen=True, kw_only=True)
class Application:
    name: str
    """The paper's name for it."""
    pattern: Mapping[str, Any]
    """Closed loop among the ranks, without name and hosts."""
    rounds: int
    """Rounds after which it is done."""
    interval_s: float
    """Length of a sample, which is the accuracy of times. There are as many series as flows."""

    def workload(self, scenario: str, fabric: str, placement: Placement) -> Workload:
        """`scenario`: a key of SCENARIOS; `fabric`: path of the configuration's document."""
        count, hot_spots = SCENARIOS[scenario]
        flows = [
            {
                "name": f"hot-{i + 1}",
                "src": f"H{node + 1}",
                "dst": f"H{placement.hot_spots[i % hot_spots] + 1}",
                "role": "contributor",
                "message_bytes": MESSAGE_BYTES,
            }
            for i, node in enumerate(placement.senders(count))
        ]
        return build_model(
            Workload,
            {
                "ibcc_workload": 1,
                "name": f"{self.name} {scenario}",
                "fabric": fabric,
                "duration_s": DURATION_S,
                "sample_interval_s": self.interval_s,
                "flows": flows,
                "patterns": [
                    {**self.pattern, "name": NAME, "hosts": [f"H{node + 1}" for node in placement.ranks], "role": "victim"}
                ],
            },
        )


def _sizes() -> Mapping[str, Sequence[int]]:
    """Sizes of the messages of a round in bytes, by application; a rank sends equally many of each."""
    ring = build_model(GrowingRingExchange, {**BEFF.pattern, "name": NAME})
    return {app.name: ring.sizes if app is BEFF else [app.pattern["message_bytes"]] for app in APPLICATIONS}


BEFF = Application(
    name="beff-NatRing",
    pattern={"kind": "growing-ring-exchange", "message_bytes": 1 << 18, "smallest_bytes": 4, "growth": 4},
    rounds=4,
    interval_s=1e-5,
)
PTRANS = Application(name="ptrans", pattern={"kind": "transpose-exchange", "message_bytes": 1 << 18}, rounds=4, interval_s=1e-5)
MPIFFT = Application(
    name="mpifft",
    pattern={"kind": "all-to-all-exchange", "message_bytes": 1 << 13, "think_us": 50.0},
    rounds=3,
    interval_s=5e-5,
)
APPLICATIONS = (BEFF, PTRANS, MPIFFT)
SIZES = _sizes()


@dataclass(frozen=True, kw_only=True)
class Progress:
    done_ms: float
    """Time at which the messages of all rounds of the slowest rank have arrived, to a sample's end; extrapolated if the run ends
    before."""
    whole: bool
    """True if the run lasts so long."""
    cpu_s: float


def beff_progress(measurement: Measurement) -> Progress:
    return _progress(measurement, BEFF)


def ptrans_progress(measurement: Measurement) -> Progress:
    return _progress(measurement, PTRANS)


def mpifft_progress(measurement: Measurement) -> Progress:
    return _progress(measurement, MPIFFT)


READINGS = {BEFF.name: beff_progress, PTRANS.name: ptrans_progress, MPIFFT.name: mpifft_progress}
"""Functions that can be sent to other machines, by application."""


def _progress(measurement: Measurement, application: Application) -> Progress:
    sent = [
        (flow.src, row) for flow, row in zip(measurement.flows, measurement.gbps, strict=True) if flow.name.startswith(f"{NAME}-")
    ]
    mean_bytes = float(np.mean(SIZES[application.name]))
    ranks: dict[str, list[Series]] = {}
    for src, row in sent:
        ranks.setdefault(src, []).append(row)
    received = [
        np.sum(rows, axis=0).cumsum() * measurement.interval_s * 1e9 / 8 / (len(rows) * mean_bytes) for rows in ranks.values()
    ]
    rounds = np.min(received, axis=0)
    wanted = application.rounds * (1 - 1e-9)  # sums of rates are inexact
    whole = bool(rounds[-1] >= wanted)
    samples = int(np.argmax(rounds >= wanted)) + 1 if whole else len(rounds) * application.rounds / max(float(rounds[-1]), 1e-3)
    done_ms = samples * measurement.interval_s * 1e3
    return Progress(done_ms=done_ms, whole=whole, cpu_s=measurement.performance.cpu_s)
