# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How much a workload's victims are hurt without congestion control: a short run with it off, against their fair share."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

import ccsim
from tuner.documents.device_model import device_model, nested
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.goals.sample_window import window_samples
from tuner.placement.packet_times import stretched
from tuner.simulation.flows import simulated_flows
from tuner.simulation.host_loads import simulated_host_loads

SHORT = 0.1
"""Part of the workload's times that is simulated: congestion trees stand within a fraction of it."""
HURT = 0.7
"""Fraction of their fair share up to which victims are hurt."""


def victims_share(built: BuiltFabric, workload: Workload, model: Mapping[str, Any] | None = None) -> float:
    """Returns what victims get with congestion control off, as a fraction of what they get where no contributor sends; without
    victims, what the worst contributor of a receiver gets, as a fraction of the mean. `workload`: placed. `model`: settings of
    the simulated devices, by dotted name. Simulates for seconds at most. Raises BadInputError if it does not fit the fabric."""
    brief = stretched(workload, SHORT).expanded(built.hosts)
    flows = brief.flows
    others = [i for i, flow in enumerate(flows) if flow.role != "contributor"]
    together = _throughput(built, brief, model)
    if not others:
        return _worst_contributor(brief, together)
    alone = _throughput(built, brief.model_copy(update={"flows": tuple(flows[i] for i in others)}), model, like=brief)
    whole = float(alone.sum())
    return float(together[others].sum()) / whole if whole else 1.0


def _worst_contributor(workload: Workload, gbps: npt.NDArray[np.float64]) -> float:
    groups: dict[str, list[float]] = defaultdict(list)
    for flow, rate in zip(workload.flows, gbps, strict=True):
        groups[flow.dst].append(float(rate))
    shares = [min(rates) * len(rates) / sum(rates) for rates in groups.values() if sum(rates)]
    return min(shares, default=1.0)


def _throughput(
    built: BuiltFabric, workload: Workload, model: Mapping[str, Any] | None, *, like: Workload | None = None
) -> npt.NDArray[np.float64]:
    """Mean payload of each flow in the window, in Gb/s. `like`: the workload whose window counts."""
    try:
        result = ccsim.Simulation(
            built.fabric,
            simulated_flows(built, workload),
            model=device_model(built.document.model, nested(model or {}), mtu_bytes=built.document.mtu_bytes),
            seed=1,
            duration_s=workload.duration_s,
            sample_interval_s=workload.sample_interval_s,
            host_loads=simulated_host_loads(built, workload),
        ).run()
    except ValueError as error:
        raise BadInputError(f"workload '{workload.name}': {error}") from error
    samples = window_samples((like or workload).window(), workload.sample_interval_s, result.received_bytes.shape[1])
    found: npt.NDArray[np.float64] = result.received_bytes[:, samples].mean(axis=1) * (8e-9 / workload.sample_interval_s)
    return found
