# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The counters of a simulated measurement, as lists of rows."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

import ccsim
from ccsim.policy import TIMER_UNIT_NS
from tuner.documents.workload import Workload
from tuner.fabric.built_fabric import BuiltFabric
from tuner.goals.sample_window import window_samples
from tuner.simulation.host_counters import host_counters
from tuner.simulation.round_trips import groups
from tuner.simulation.scheme_resources import scheme_counters

Deadlock: TypeAlias = tuple[float, list[tuple[int, int, int]]]
"""As ccsim.Result.deadlock."""


def counters(built: BuiltFabric, workload: Workload, result: ccsim.Result, model: ccsim.Model | None = None) -> dict[str, Any]:
    """`ports` and `flows`: totals of the run, see ccsim.Result. `hosts`: what each host received from all flows, over the
    metrics' window. `congestion_logs`: what devices have logged, in names. `round_trips`, of workloads with closed loops: over
    the window, see round_trips.groups. `scheme`, with the `model` of the run: see scheme_resources.scheme_counters.
    `modelled_hosts` and `host_series`, of hosts with a model: see host_counters. `deadlock`, of a run that ended in one:
    `since_s` and `cycle`, ports and VLs that wait for the next."""
    ports = _rows(result.ports)
    for row in ports:
        node = row["node"]
        row["guid"] = f"0x{built.fabric.node_guid(node):016x}"
        row["node"] = built.fabric.node_name(node)
    flows = [{"name": flow.name, **row} for flow, row in zip(workload.flows, _rows(result.flows), strict=True)]
    deadlock = {} if result.deadlock is None else {"deadlock": _deadlock(built, result.deadlock)}
    trips = result.round_trips
    grouped = {} if trips is None else {"round_trips": groups(trips, [flow.name for flow in workload.flows])}
    return {
        "ports": ports,
        "flows": flows,
        "hosts": _hosts(built, workload, result),
        "congestion_logs": _logs(built, workload, result),
        **grouped,
        **({} if model is None else {"scheme": scheme_counters(built, model, result)}),
        **host_counters(built, result),
        **deadlock,
    }


def _logs(built: BuiltFabric, workload: Workload, result: ccsim.Result) -> dict[str, Any]:
    """Entries as lists: of a switch [from, to, SL, seconds], of an adapter's port [flow, remote host, SL, seconds]."""
    name = {end: built.fabric.node_name(end[0]) for end in built.fabric.endports}
    host = [name[end] for end in built.fabric.endports]
    logs = result.congestion_logs
    switches = [
        log
        | {"node": built.fabric.node_name(log["node"])}
        | {"entries": [[host[e["src"]], host[e["dst"]], e["sl"], _seconds(e["timestamp"])] for e in log["entries"]]}
        for log in logs["switches"]
    ]
    cas = [
        log
        | {"node": built.fabric.node_name(log["node"])}
        | {
            "entries": [
                [workload.flows[e["flow"]].name, host[e["remote"]], e["sl"], _seconds(e["timestamp"])] for e in log["entries"]
            ]
        }
        for log in logs["cas"]
    ]
    return {"switches": switches, "cas": cas}


def _seconds(timestamp: int) -> float:
    """Time on a device's clock, which starts with the run."""
    return timestamp * TIMER_UNIT_NS / 1e9


def deadlock_sentence(built: BuiltFabric, deadlock: Deadlock) -> str:
    """For people."""
    since_s, cycle = deadlock
    return f"deadlock: since {since_s * 1e3:.6g} ms these ports have waited for each other: {built.spelled_out(cycle)}"


def _deadlock(built: BuiltFabric, deadlock: Deadlock) -> dict[str, Any]:
    since_s, cycle = deadlock
    return {
        "since_s": since_s,
        "cycle": [
            {"node": built.fabric.node_name(node), "guid": f"0x{built.fabric.node_guid(node):016x}", "port": port, "vl": vl}
            for node, port, vl in cycle
        ],
    }


def _hosts(built: BuiltFabric, workload: Workload, result: ccsim.Result) -> list[dict[str, Any]]:
    received = result.host_received_bytes
    window = window_samples(workload.window(), workload.sample_interval_s, received.shape[1])
    gbps = (received[:, window].mean(axis=1) * (8e-9 / workload.sample_interval_s)).tolist()
    index = {end: i for i, end in enumerate(built.fabric.endports)}
    return [
        {"name": built.hosts.reference(endport), "received_gbps": gbps[index[endport.node, endport.port]]}
        for endport in built.hosts.endports
        if endport.kind == "host"
    ]


def _rows(columns: Mapping[str, npt.NDArray[np.generic]]) -> list[dict[str, Any]]:
    plain = {name: column.tolist() for name, column in columns.items()}
    return [dict(zip(plain, row, strict=True)) for row in zip(*plain.values(), strict=True)]
