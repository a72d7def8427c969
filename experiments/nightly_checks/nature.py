# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Differences from night to night on a fabric without a fault. Each size is stated here, and nothing else varies but the seed of
the run, which follows from the date."""

from dataclasses import dataclass
from datetime import date

import numpy as np

from experiments.nightly_checks.world import World
from tuner.check_statistics.simulated_noise import autoregressive
from tuner.documents.fabric import FabricDocument
from tuner.documents.workload import Workload


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """Standard deviations are of natural logarithms, so 0.004 is 0.4 %."""

    resemblance: float = 0.3
    """Correlation of each of them with the night before: an autoregression of first order."""
    bus: float = 0.004
    """Standard deviation of each host's injection and reception rates: of the 10.43 Gb/s that Gran et al. (IPDPS 2010, table II)
    measured without congestion control, 0.042 Gb/s is the standard deviation."""
    latency: float = 0.1
    """Standard deviation of the delay of BECNs and of the switches' latency, all devices together."""
    load: float = 0.02
    """Load that each host of other tenants offers on working days in the middle, as a part of what it can send; to all others at
    random. An assumption: checks run while the fabric is nearly idle."""
    load_spread: float = 0.5
    """Standard deviation of that load."""
    weekend: float = 0.5
    """Factor of that load on Saturdays and Sundays."""
    late_samples: float = 1.0
    """Each flow or pattern of the workload starts late by up to so many sample intervals, evenly distributed."""


SIZES = Sizes()
BECN_NS, ROUTING_NS = 500.0, 100.0
"""Defaults of `ca.becn_delay_ns` and `switch.routing_latency_ns`."""
_SATURDAY = 5


class Nature:
    """The nights of one stream, counted from 0."""

    def __init__(
        self,
        fabric: FabricDocument,
        workload: Workload,
        others: dict[str, object],
        *,
        seed: int,
        nights: int,
        sizes: Sizes = SIZES,
    ) -> None:
        """`others`: pattern of other tenants' traffic, without its load. `workload`: with the times that it is run with."""
        random = np.random.default_rng(seed)
        self._fabric, self._workload, self._others, self._sizes = fabric, workload, others, sizes
        slow = autoregressive(random, 3 + len(fabric.hosts), nights, sizes.resemblance)
        self._load, self._becn, self._routing, self._bus = slow[0], slow[1], slow[2], slow[3:]
        self._late = random.uniform(0, sizes.late_samples, (nights, len(workload.flows) + len(workload.patterns)))

    def world(self, index: int, night: date) -> World:
        sizes = self._sizes
        buses = np.exp(sizes.bus * self._bus[:, index])
        hosts = tuple(
            host.model_copy(
                update={
                    key: round(rate * float(bus), 6)
                    for key in ("inject_gbps", "receive_gbps")
                    if (rate := getattr(host, key)) is not None
                }
            )
            for host, bus in zip(self._fabric.hosts, buses, strict=True)
        )
        model = {key: dict(value) if isinstance(value, dict) else value for key, value in self._fabric.model.items()}
        model.setdefault("ca", {})["becn_delay_ns"] = round(BECN_NS * float(np.exp(sizes.latency * self._becn[index])), 3)
        model.setdefault("switch", {})["routing_latency_ns"] = round(
            ROUTING_NS * float(np.exp(sizes.latency * self._routing[index])), 3
        )
        load = sizes.load * float(np.exp(sizes.load_spread * self._load[index]))
        load *= sizes.weekend if night.weekday() >= _SATURDAY else 1.0
        names = [*(flow.name for flow in self._workload.flows), *(pattern.name for pattern in self._workload.patterns)]
        late_s = self._late[index] * self._workload.sample_interval_s
        return World(
            fabric=self._fabric.model_copy(update={"hosts": hosts, "model": model}),
            others=({**self._others, "load": round(min(load, 0.5), 6)},),
            late_s={name: float(late) for name, late in zip(names, late_s, strict=True)},
        )
