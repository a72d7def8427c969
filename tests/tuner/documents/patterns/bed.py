# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric that congests nobody: 16 hosts H1 to H16 on one switch; and how to expand and run patterns on it."""

from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

import ccsim
from ccsim.policy import Profile
from tuner.document_base.model import build_model
from tuner.documents.expanded_flow import ExpandedFlow
from tuner.documents.fabric import FabricDocument
from tuner.documents.flow import Flow
from tuner.documents.workload import Workload
from tuner.fabric.built_fabric import BuiltFabric, build
from tuner.simulation.flows import simulated_flows

Rows: TypeAlias = dict[str, npt.NDArray[Any]]

N_HOSTS = 16
INJECT_GBPS, RECEIVE_GBPS = 13.5, 13.6
INTERVAL_S = 1e-4


@cache
def star(n_hosts: int = N_HOSTS) -> BuiltFabric:
    values = {
        "ibcc_fabric": 1,
        "name": "star",
        "mtu_bytes": 2048,
        "switches": [{"name": "S1", "ports": n_hosts}],
        "hosts": [{"name": f"H{i + 1}", "inject_gbps": INJECT_GBPS, "receive_gbps": RECEIVE_GBPS} for i in range(n_hosts)],
        "links": [{"a": f"H{i + 1}/1", "b": f"S1/{i + 1}", "rate": "4xDDR"} for i in range(n_hosts)],
    }
    return build(build_model(FabricDocument, values))


def workload(*patterns: dict[str, Any], duration_s: float = 0.002, flows: tuple[dict[str, Any], ...] = ()) -> Workload:
    values = {
        "ibcc_workload": 1,
        "name": "w",
        "fabric": "star",
        "duration_s": duration_s,
        "sample_interval_s": INTERVAL_S,
        "patterns": patterns,
        "flows": flows,
    }
    return build_model(Workload, values)


def expanded(*patterns: dict[str, Any], duration_s: float = 0.002, hosts: int = N_HOSTS) -> list[ExpandedFlow]:
    flows = workload(*patterns, duration_s=duration_s).expanded(star(hosts).hosts).flows
    return [flow for flow in flows if isinstance(flow, ExpandedFlow)]


@dataclass(frozen=True)
class Run:
    """What a workload did on the star."""

    flows: tuple[Flow, ...]
    result: ccsim.Result

    @property
    def received_bytes(self) -> list[int]:
        """Bytes that each flow received over the whole run."""
        totals: list[int] = self.result.received_bytes.sum(axis=1).tolist()
        return totals

    def packets(self, event: int) -> Rows:
        """The data packets that leave their source (event 0) or reach their destination (event 1), as columns, by time. `node` is
        the host's: hosts are numbered from 1, as the switch is node 0."""
        trace = self.result.packets
        assert trace is not None
        wanted = (trace["event"] == event) & (trace["kind"] == 0) & (trace["node"] > 0)
        order = np.argsort(trace["time_ns"][wanted], kind="stable")
        return {name: column[wanted][order] for name, column in trace.items()}


def run(work: Workload, *, seed: int = 1, profile: Profile | None = None, trace_packets: int = 0) -> Run:
    built = star()
    work = work.expanded(built.hosts)
    simulation = ccsim.Simulation(
        built.fabric,
        simulated_flows(built, work),
        tables=None if profile is None else profile.resolve(built.fabric),
        seed=seed,
        duration_s=work.duration_s,
        sample_interval_s=work.sample_interval_s,
        trace_packets=trace_packets,
    )
    return Run(work.flows, simulation.run())
