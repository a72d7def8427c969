# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The record of a workload's run: what each flow got, where it went, and what devices counted; and the same of some good nights
before, so that a change can be told from the scatter of nights."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from datetime import date
from importlib import metadata
from typing import Any, TypeAlias

from tuner.checks.symptoms.withholding import stalled, withheld
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.measuring.measurement import Measurement

SCHEMA = 1
NIGHTS = 8
"""Nights in a record; older ones are left out."""
_HARDLY = 0.02
"""Share of the busiest host's bytes."""
Record: TypeAlias = Mapping[str, Any]


def flow_record(
    measurement: Measurement, built: BuiltFabric, workload: Workload, profile: str, night: date, good: Record | None
) -> dict[str, Any]:
    """`built`: the fabric, for routes and names. `workload`: before its patterns are expanded. `profile`: its revision.
    `good`: the record of the last good night, whose nights this one keeps if they had the same profile, workload and hosts.

    `flows`: by name, `role`, `src`, `dst` (nodes), `ends` (their references), `ports` (of every link on the way, both ends, in
    order) and `rate` (of the sender's link). `nights`: oldest first; tonight is the last.
    """
    flows = {flow.name: _flow(flow.role, flow.src, flow.dst, built) for flow in measurement.flows}
    same = {"record": SCHEMA, "workload": workload_digest(workload), "profile": profile}
    is_alike = (
        good is not None and all(good.get(key) == value for key, value in same.items()) and same_hosts(flows, good["flows"])
    )
    before = [one for one in good["nights"] if one["date"] < str(night)] if good is not None and is_alike else []
    tonight = {
        "date": str(night),
        "duration_s": measurement.duration_s,
        "gbps": {flow.name: round(flow.mean_gbps, 6) for flow in measurement.flows},
        "becn": _notified(measurement),
        "marked": _marked(measurement, built),
        "others": _others(measurement, flows),
        "foreign": _foreign(measurement, built, flows, flows if good is None else good["flows"]),
        "withheld": withheld(measurement, built),
        "stalled": stalled(measurement),
    }
    return {
        **same,
        "ibcc": metadata.version("ibcc"),
        "flows": flows,
        "nights": [*before, tonight][-NIGHTS:],
    }


def same_hosts(flows: Record, others: Record) -> bool:
    """True if the flows that both have are from and to the same hosts."""
    return all(flow[end] == others[name][end] for name, flow in flows.items() if name in others for end in ("src", "dst"))


def without_odd_nights(good: Record) -> Record:
    """Returns the record without the nights in which a sender was odd: with them, a fault would become what is usual. As it is if
    all were."""
    usual = [one for one in good["nights"] if not one.get("odd")]
    return {**good, "nights": usual} if usual else good


def _flow(role: str, src: str, dst: str, built: BuiltFabric) -> dict[str, Any]:
    references, ports, rate = [src, dst], list[str](), ""
    try:
        ends = built.hosts.find(src), built.hosts.find(dst)
        src, dst = (end.name for end in ends)
        rate = (built.fabric.link(ends[0].node, ends[0].port) or ("",))[0]
        for node, port in built.fabric.route(*(built.fabric.endport(end.node, end.port) for end in ends)):
            peer = built.fabric.peer(node, port)
            ports += [f"{built.fabric.node_name(one)}/{number}" for one, number in ((node, port), peer or (node, port))]
    except (BadInputError, RuntimeError, ValueError):
        ports = []  # a flow to many hosts has no one way
    return {"role": role, "src": src, "dst": dst, "ends": references, "ports": ports, "rate": rate}


def _notified(measurement: Measurement) -> dict[str, float]:
    """Returns BECNs for a packet by flow."""
    rows = measurement.counters.get("flows", ())
    return {
        row["name"]: round(row["becn_received"] / max(1, row["received_packets"]), 6) for row in rows if "becn_received" in row
    }


def _marked(measurement: Measurement, built: BuiltFabric) -> dict[str, list[float]]:
    """Returns, by switch, the packets that it marked, and the seconds that its ports had packets and no credits, together."""
    switches = {switch.name for switch in built.document.switches}
    marked: dict[str, list[float]] = {}
    for row in measurement.counters.get("ports", ()):
        if row["node"] in switches:
            counts = marked.setdefault(row["node"], [0, 0.0])
            counts[0] += row["fecn_marked"]
            counts[1] += row["xmit_wait_ns"] * 1e-9
    return {node: [count, round(waited_s, 9)] for node, (count, waited_s) in marked.items()}


def _foreign(measurement: Measurement, built: BuiltFabric, flows: Record, known: Record) -> dict[str, list[float]]:
    """Returns, by host, the Gb/s that it sends and receives that belong to no flow which `known` has. The packets' headers are in
    it, and what acknowledges flows, which both become less where flows do. A host with hardly any traffic has 0."""
    own, every = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for row in measurement.counters.get("flows", ()):
        if row["name"] in known and "received_bytes" in row:
            own["xmit", flows[row["name"]]["src"]] += row["received_bytes"]
            own["rcv", flows[row["name"]]["dst"]] += row["received_bytes"]
    hosts = {endport.name for endport in built.hosts.endports if endport.kind == "host"}
    for row in measurement.counters.get("ports", ()):
        if row["node"] in hosts:
            every["xmit", row["node"]] += row["xmit_bytes"]
            every["rcv", row["node"]] += row["rcv_bytes"]
    busy = max(every.values(), default=0) * _HARDLY
    gbps = {
        end: max(0, count - own[end]) * 8e-9 / measurement.duration_s if count > busy else 0.0 for end, count in every.items()
    }
    return {node: [round(gbps[way, node], 6) for way in ("xmit", "rcv")] for _, node in every}


def _others(measurement: Measurement, flows: Record) -> dict[str, float]:
    """Returns the Gb/s that leave through each port on the flows' ways and belong to none of them, packets' headers among them. A
    port whose counters were not read is left out, and so are all where the flows' bytes are not known."""
    received = {row["name"]: row["received_bytes"] for row in measurement.counters.get("flows", ()) if "received_bytes" in row}
    if not flows.keys() <= received.keys():
        return {}
    own = Counter[str]()
    for name, flow in flows.items():
        own.update(dict.fromkeys(flow["ports"][::2], received[name]))
    sent = {f"{row['node']}/{row['port']}": row["xmit_bytes"] for row in measurement.counters.get("ports", ())}
    return {
        port: round(max(0, sent[port] - count) * 8e-9 / measurement.duration_s, 6) for port, count in own.items() if port in sent
    }


def workload_digest(workload: Workload) -> str:
    """Returns what tells workloads apart, in short. `workload`: before its patterns are expanded."""
    text = json.dumps(workload.model_dump(mode="json", exclude={"fabric"}), sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
