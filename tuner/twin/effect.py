# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The hotspots simulated under a profile: what victims and contributors get."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import ccsim
from ccsim.policy import Profile, ProfileError
from tuner.documents.device_model import device_model
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.measuring.measurement import Measurement
from tuner.simulation.flows import simulated_flows
from tuner.simulation.host_loads import simulated_host_loads
from tuner.simulation.measurement import simulated_measurement
from tuner.suggest.receivers import paths

HURT = 0.7
"""Part of its fair share below which a victim is hurt."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Shares are 0 to 1; a victim asks for no more than its fair share."""

    victims: float
    """Mean share that victims get of what they ask for."""
    worst_victim: float
    hurt: int
    """Victims that get less than HURT."""
    n_victims: int
    contributors: float
    """Share that contributors get together of what their receivers take."""
    spread: float
    """Ratio of the fastest to the slowest contributor of a receiver, the largest of all receivers; infinite is 0."""

    def to_json(self) -> dict[str, Any]:
        return {key: round(value, 4) if isinstance(value, float) else value for key, value in asdict(self).items()}


def simulated(
    built: BuiltFabric,
    workload: Workload,
    profile: Profile | None,
    *,
    seed: int = 1,
    on_progress: Callable[[float], None] = lambda fraction: None,
) -> Measurement:
    """Returns the measurement of one run; without a profile, congestion control is off. `on_progress` may raise, which ends the
    run. Raises BadInputError."""
    model = device_model(built.document.model, mtu_bytes=built.document.mtu_bytes)

    def progress(simulated_s: float) -> bool:
        on_progress(min(1.0, simulated_s / workload.duration_s))
        return True

    try:
        simulation = ccsim.Simulation(
            built.fabric,
            simulated_flows(built, workload),
            tables=None if profile is None else profile.resolve(built.fabric),
            model=model,
            seed=seed,
            duration_s=workload.duration_s,
            sample_interval_s=workload.sample_interval_s,
            judged_s=workload.window(),
            host_loads=simulated_host_loads(built, workload),
        )
        result = simulation.run(progress)
    except ProfileError as error:
        raise BadInputError(error.sentence) from error
    except ValueError as error:
        raise BadInputError(str(error)) from error
    name = "off" if profile is None else profile.name
    return simulated_measurement(built, workload, result, backend="simulated", seed=seed, profile=name, model=model)


def outcome(built: BuiltFabric, workload: Workload, measurement: Measurement) -> Outcome:
    """Returns what the flows of a workload with victims got."""
    takes = {endport: path.receive_gbps for endport, path in paths(built).items()}
    asked = {flow.name: flow.rate_gbps or built.hosts.capacity_gbps(flow.src, flow.message_bytes) for flow in workload.flows}
    shares = [min(1.0, flow.mean_gbps / asked[flow.name]) for flow in measurement.flows if flow.role == "victim"]
    by_receiver: dict[str, list[float]] = defaultdict(list)
    for flow in measurement.flows:
        if flow.role == "contributor":
            by_receiver[flow.dst].append(flow.mean_gbps)
    total = sum(sum(rates) for rates in by_receiver.values())
    spreads = [max(rates) / min(rates) if min(rates) > 0 else 0.0 for rates in by_receiver.values()]
    return Outcome(
        victims=sum(shares) / len(shares),
        worst_victim=min(shares),
        hurt=sum(share < HURT for share in shares),
        n_victims=len(shares),
        contributors=total / sum(takes[built.hosts.find(receiver)] for receiver in by_receiver),
        spread=0.0 if 0.0 in spreads else max(spreads),
    )
