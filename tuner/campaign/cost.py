# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Cost of a campaign before it begins: runs, simulated time, and processor time from a measured rate of packet-hops.

Each workload is simulated for an instant under the expert's profile, on this machine; what it takes there is carried to all
runs. Counts are the most that a campaign usually makes: early stops and equal profiles save some, further attempts at the
confirmation cost more.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import ccsim
from tuner.campaign.evaluation import Plan
from tuner.campaign.setup import Setup
from tuner.documents.device_model import device_model, nested
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.placement.packet_times import stretched
from tuner.simulation.flows import simulated_flows
from tuner.simulation.host_loads import simulated_host_loads

SIMULATED_BACKENDS = ("simulated", "emulated")

_FIRST_FACTOR, _GROWTH, _LAST_FACTOR = 1e-3, 6.0, 0.25
_ENOUGH_HOPS, _ENOUGH_CPU_S = 150_000, 0.1


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Cost of all runs of a campaign."""

    runs: int
    simulated_s: float
    """Length of all runs together, in seconds of the fabric's time."""
    packet_hops: float | None
    """Packets times links that they cross; None where a run is not simulated."""
    hops_per_cpu_s: float | None
    """Speed of this machine, measured just before; None where nothing is simulated."""
    cpu_s: float | None
    """Processor seconds; None where nothing is simulated."""
    search_s: float | None
    """Seconds after which the search ends, whatever is left of it; None: it has no limit. The confirmation comes on top."""
    parallel: int
    """Runs at once."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def sentences(self) -> list[str]:
        """Returns it for people."""
        lines = [f"{self.runs} runs of {self.simulated_s:.4g} s of the fabric's time in all, {self.parallel} at a time."]
        if self.cpu_s is not None and self.packet_hops is not None and self.hops_per_cpu_s is not None:
            lines.append(
                f"About {_time(self.cpu_s)} of processor time: {self.packet_hops / 1e6:.3g} million packet-hops, of which this "
                f"machine makes {self.hops_per_cpu_s / 1e6:.2g} million a second."
            )
        if self.search_s is not None:
            lines.append(f"The search ends after {_time(self.search_s)} at the latest; the confirmation comes on top.")
        return lines


@dataclass(frozen=True)
class _Pace:
    """Cost of a second of a workload."""

    hops_per_s: float
    cpu_per_s: float


def cost_of(setup: Setup) -> Cost:
    """Estimates a campaign's cost; simulates for some tenths of a second. Raises BadInputError if a workload does not fit its
    fabric."""
    campaign = setup.campaign
    parts = _parts(setup)
    counts = [(plan, profiles) for plan, profiles, _ in parts]
    hops = cpu_s = 0.0
    paces: dict[tuple[str, str], _Pace] = {}
    for plan, profiles, backend in parts:
        if backend not in SIMULATED_BACKENDS:
            continue
        for workload in plan.workloads:
            key = workload.name, workload.fabric
            if key not in paces:
                paces[key] = _pace(setup, setup.built[workload.fabric], workload)
            seconds = workload.duration_s * len(plan.seeds) * profiles
            hops += paces[key].hops_per_s * seconds
            cpu_s += paces[key].cpu_per_s * seconds
    return Cost(
        runs=sum(plan.size * profiles for plan, profiles in counts),
        simulated_s=sum(_seconds(plan.workloads) * len(plan.seeds) * profiles for plan, profiles in counts),
        packet_hops=hops if paces else None,
        hops_per_cpu_s=hops / cpu_s if cpu_s else None,
        cpu_s=cpu_s if paces else None,
        search_s=campaign.budget.time_s,
        parallel=campaign.parallel,
    )


def _parts(setup: Setup) -> list[tuple[Plan, int, str]]:
    """(plan, number of profiles, backend) of each part of a campaign."""
    campaign = setup.campaign
    there = campaign.backend if campaign.confirm_on is None else campaign.confirm_on.backend
    trials, front = campaign.budget.trials, min(campaign.confirmation.front, campaign.budget.trials)
    parts = [(setup.search, 2 + trials, campaign.backend), (setup.confirmation, 2 + front, there)]
    if setup.screening is not None and campaign.screening is not None:
        survivors = max(1, round(trials * campaign.screening.keep))
        parts[0] = setup.search, 2 + survivors, campaign.backend
        parts.append((setup.screening, 2 + trials, campaign.backend))
    if setup.scenarios and not setup.searches_scenarios:
        fresh = campaign.confirmation.seeds
        # The expert and each of the front with the first seed, and the recommendation with the others.
        parts += [(setup.in_scenarios(fresh[:1]), 1 + front, "simulated"), (setup.in_scenarios(fresh[1:]), 1, "simulated")]
    return parts


def _pace(setup: Setup, built: BuiltFabric, workload: Workload) -> _Pace:
    settings = nested(setup.backend_settings)
    model = device_model(built.document.model, settings, mtu_bytes=built.document.mtu_bytes)
    tables = setup.expert.resolve(built.fabric)
    factor = _FIRST_FACTOR
    while True:
        brief = stretched(workload, factor).expanded(built.hosts)
        try:
            simulation = ccsim.Simulation(
                built.fabric,
                simulated_flows(built, brief),
                tables=tables,
                model=model,
                seed=1,
                duration_s=brief.duration_s,
                sample_interval_s=brief.sample_interval_s,
                host_loads=simulated_host_loads(built, brief),
            )
        except ValueError as error:
            raise BadInputError(f"workload '{workload.name}': {error}") from error
        result = simulation.run(lambda _: True)
        enough = result.packet_hops >= _ENOUGH_HOPS or result.cpu_s >= _ENOUGH_CPU_S
        if enough or factor >= _LAST_FACTOR or result.deadlock is not None:
            return _Pace(result.packet_hops / brief.duration_s, result.cpu_s / brief.duration_s)
        factor = min(_LAST_FACTOR, factor * _GROWTH)


def _seconds(workloads: Iterable[Workload]) -> float:
    return sum(workload.duration_s for workload in workloads)


def _time(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
