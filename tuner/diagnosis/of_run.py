# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The evidence that a measured run of a workload on a fabric document gives: what switches and adapters count, and nothing that
only a simulator knows, but for the inside of modelled hosts."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import ccsim
from ccsim.policy import Tables
from tuner.diagnosis.evidence import Evidence, FlowSeen, InsideSeen, PortSeen
from tuner.documents.expanded_flow import ExpandedFlow
from tuner.documents.fabric import FabricDocument
from tuner.documents.flow import Flow
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.measuring.measurement import Measurement

InsideRead: TypeAlias = Literal["all", "hardware", "none"]
"""What is read of the inside of modelled hosts: all that they count, what real hosts can be asked too, or nothing."""
_HEADERS = 1.03
"""Bytes on the wire for each of payload, with packets of 2 KB."""


def evidence_of_run(
    built: BuiltFabric,
    workload: Workload,
    measurement: Measurement,
    *,
    usual: FabricDocument | None = None,
    drifted: Mapping[str, str] | None = None,
    inside: InsideRead = "all",
) -> Evidence:
    """`workload`: with its patterns expanded. `usual`: the fabric as it should be, whose limits of hosts and rates of links are
    no fault; without it a host should take what its link carries, a link between switches be as fast as others of both, and a
    link to a host as fast as most, unless another host has one of its speed: adapters differ.
    `drifted`: as Evidence. `inside`: how much of what modelled hosts count is read."""
    routes = {flow.name: _route(flow, built) for flow in workload.flows}
    active_s = _active_s(workload, routes, measurement)
    return Evidence(
        ports=tuple(_Ports(built, usual, measurement, active_s).seen()),
        flows=tuple(_flows(built, workload, measurement, routes, active_s)),
        drifted=drifted,
        inside={} if inside == "none" else dict(_inside(built, measurement, workload, hardware=inside == "hardware")),
    )


def differing_tables(held: Tables, wanted: Tables, built: BuiltFabric) -> dict[str, str]:
    """Returns how each device that holds other values than it should differs."""
    found: dict[str, str] = {}
    for ours, theirs in ((held.switches, wanted.switches), (held.cas, wanted.cas)):
        rows = {(row["node"], row.get("port")): row for row in theirs}
        for row in ours:
            other = rows.get((row["node"], row.get("port")))
            keys = sorted(_differing(row, other or {}))
            if keys:
                found[built.fabric.node_name(row["node"])] = f"it differs in {', '.join(keys)}"
    return found


def _differing(held: Any, wanted: Any, key: str = "") -> set[str]:
    if isinstance(held, dict) and isinstance(wanted, dict):
        return {name for one in held for name in _differing(held[one], wanted.get(one), one)}
    if isinstance(held, list) and isinstance(wanted, list) and len(held) == len(wanted):
        return {name for ours, theirs in zip(held, wanted, strict=True) for name in _differing(ours, theirs, key)}
    return set() if held == wanted else {key}


@dataclass(frozen=True)
class _Ports:
    built: BuiltFabric
    usual: FabricDocument | None
    measurement: Measurement
    active_s: Mapping[str, float]

    def seen(self) -> Iterator[PortSeen]:
        document = self.built.document
        nodes = document.nodes
        counted = {f"{row['node']}/{row['port']}": row for row in self.measurement.counters.get("ports", ())}
        can, limits = self._can(), self._limits()
        for link, a, b in document.ends():
            for here, there in ((a, b), (b, a)):
                name, peer = (f"{nodes[end.node].name}/{end.port}" for end in (here, there))
                to_host, from_host = (end.node >= len(document.switches) for end in (there, here))
                row, seconds = counted.get(name), self.active_s.get(name, self.measurement.duration_s)
                wait, sent = (None, None) if row is None else (row.get("xmit_wait_ns"), row.get("xmit_bytes"))
                line = ccsim.link_data_gbps(link.rate)
                can_gbps, by = can.get(frozenset((name, peer)), (line, ""))
                yield PortSeen(
                    name=name,
                    peer=peer,
                    to_host=to_host,
                    from_host=from_host,
                    wait_share=None if wait is None else wait * 1e-9 / seconds,
                    sent_gbps=None if sent is None else sent * 8e-9 / seconds,
                    line_gbps=line,
                    can_gbps=can_gbps,
                    by=by,
                    usual_gbps=limits.get((peer if to_host else name, to_host)),
                )

    def _can(self) -> dict[frozenset[str], tuple[float, str]]:
        """Gb/s by link, and by what it is known: the usual document, or else other links of the same devices or of their kind."""
        if self.usual is not None:
            return {link: (gbps, "it usually is") for link, gbps in _rates(self.usual)}
        document = self.built.document
        nodes, num_switches = document.nodes, len(document.switches)
        links = [(ccsim.link_data_gbps(link.rate), a, b) for link, a, b in document.ends()]
        fastest: dict[int, float] = {}  # by switch: of its links to switches
        hosts: Counter[float] = Counter()
        for gbps, a, b in links:
            if max(a.node, b.node) >= num_switches:
                hosts[gbps] += 1
                continue
            for end in (a, b):
                fastest[end.node] = max(fastest.get(end.node, 0.0), gbps)
        usual = max(hosts, key=lambda gbps: (hosts[gbps], gbps), default=0.0)
        can: dict[frozenset[str], tuple[float, str]] = {}
        for gbps, a, b in links:
            if max(a.node, b.node) < num_switches:
                known = min(fastest[a.node], fastest[b.node]), "other links of both switches"
            else:
                known = (usual if hosts[gbps] == 1 else gbps), "most links to hosts"
            can[frozenset(f"{nodes[end.node].name}/{end.port}" for end in (a, b))] = known
        return can

    def _limits(self) -> dict[tuple[str, bool], float]:
        """Gb/s with headers that hosts usually take (True) and send (False), by the name of their port."""
        if self.usual is None:
            return {}
        limits = {(host.name, True): host.receive_gbps for host in self.usual.hosts}
        limits |= {(host.name, False): host.inject_gbps for host in self.usual.hosts}
        nodes = self.usual.nodes
        return {
            (f"{nodes[end.node].name}/{end.port}", way): gbps * _HEADERS
            for _, *ends in self.usual.ends()
            for end in ends
            for way in (True, False)
            if (gbps := limits.get((nodes[end.node].name, way))) is not None
        }


def _rates(document: FabricDocument) -> Iterator[tuple[frozenset[str], float]]:
    nodes = document.nodes
    for link, *ends in document.ends():
        yield frozenset(f"{nodes[end.node].name}/{end.port}" for end in ends), ccsim.link_data_gbps(link.rate)


def _route(flow: Flow, built: BuiltFabric) -> tuple[str, ...]:
    """Names of output ports; that of the sender alone for a flow whose destinations change."""
    try:
        if _is_drawn(flow):
            src = built.hosts.find(flow.src)
            return (f"{built.fabric.node_name(src.node)}/{src.port}",)
        ends = [built.hosts.find(reference) for reference in (flow.src, flow.dst)]
        route = built.fabric.route(*(built.fabric.endport(end.node, end.port) for end in ends))
    except (BadInputError, RuntimeError, ValueError):
        return ()
    return tuple(f"{built.fabric.node_name(node)}/{port}" for node, port in route)


def _is_drawn(flow: Flow) -> bool:
    return isinstance(flow, ExpandedFlow) and flow.destinations is not None


def _active_s(workload: Workload, routes: Mapping[str, Sequence[str]], measurement: Measurement) -> dict[str, float]:
    """Seconds by port, from the start of the first flow across it to the end of the last: counters are of the whole run."""
    spans: dict[str, tuple[float, float]] = {}
    anywhere = [(flow.start_s, workload.stop_of(flow)) for flow in workload.flows if _is_drawn(flow)]
    for flow in workload.flows:
        for name in routes[flow.name]:
            known = [spans[name]] if name in spans else []
            spans[name] = _spanned([*known, *anywhere, (flow.start_s, workload.stop_of(flow))])
    return {name: max(stop - start, measurement.interval_s) for name, (start, stop) in spans.items()}


def _spanned(spans: Iterable[tuple[float, float]]) -> tuple[float, float]:
    known = list(spans)
    return min(start for start, _ in known), max(stop for _, stop in known)


def _flows(
    built: BuiltFabric,
    workload: Workload,
    measurement: Measurement,
    routes: Mapping[str, tuple[str, ...]],
    active_s: Mapping[str, float],
) -> Iterator[FlowSeen]:
    becns = {
        row["name"]: row["becn_received"] / max(1, row["received_packets"])
        for row in measurement.counters.get("flows", ())
        if "becn_received" in row
    }
    for flow, seen in zip(workload.flows, measurement.flows, strict=True):
        way = routes[flow.name]
        yield FlowSeen(
            name=flow.name,
            src=built.hosts.called(flow.src),
            dst=built.hosts.called(flow.dst),
            gbps=seen.mean_gbps,
            wanted_gbps=seen.mean_gbps if _says_not_what_it_wants(flow) else flow.rate_gbps,
            ports=way,
            becns=becns.get(flow.name),
            active_share=min(1.0, (workload.stop_of(flow) - flow.start_s) / active_s.get(way[0], measurement.duration_s))
            if way
            else 1.0,
        )


def _says_not_what_it_wants(flow: Flow) -> bool:
    """True of closed loops and bursts, which pause for reasons of their own, and of flows without one way."""
    if not isinstance(flow, ExpandedFlow):
        return False
    paces = flow.loop is not None or flow.bursts is not None or flow.messages is not None
    return paces or (_is_drawn(flow) and flow.rate_gbps is None)


def _inside(
    built: BuiltFabric, measurement: Measurement, workload: Workload, *, hardware: bool
) -> Iterator[tuple[str, InsideSeen]]:
    """`hardware`: no more than an agent reads on a real host: stalls in hundredths, and neither what memory carries at most nor
    what runs there."""
    models = {built.document.hosts[place].name: model for place, model in built.document.modelled_hosts().items()}
    loads: dict[str, str] = {}
    for load in workload.host_loads:
        what = f"{load.cores:g} memory-bound cores" if load.cores is not None else f"{load.gbytes_per_s:g} GB/s of work"
        loads |= dict.fromkeys(load.hosts, what)
    for row in measurement.counters.get("modelled_hosts", ()):
        name, stalled = row["name"], row["without_credits_share"]
        yield (
            name,
            InsideSeen(
                without_credits_share=round(stalled, 2) if hardware else stalled,
                pcie_gbps=models[name].pcie_gbps,
                load_gbytes_per_s=row["load_gbytes_per_s"],
                memory_gbytes_per_s=None if hardware else models[name].memory_gbytes_per_s,
                load="" if hardware else loads.get(name, ""),
            ),
        )
