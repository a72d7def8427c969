# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What ports and switches count of congestion while hosts send: read by MADs before and after, as a simulated fabric tells it.

Ports of hosts count the BECNs that they receive, and not those of a flow; a host's are dealt out to its flows by their bytes.
What a device does not count is left out, so that no symptom is looked for in it.
"""

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tuner.checks.links.plugin_topology import plugin_ports
from tuner.checks.links.ports import Port, PortKey, links_of
from tuner.checks.links.reading import in_turns
from tuner.checks.links.waits import tick_ns
from tuner.mads.client import MadReader
from tuner.mads.congestion import PortCongestion, ask_log, ask_port, log_events, port_congestion
from tuner.mads.performance import ask_tick, tick_bytes
from tuner.mads.request import CONGESTION_CONTROL, PERFORMANCE
from tuner.measuring.measurement import Measurement
from tuner.opensm.plugin_client import PluginClient

MADS_PER_S = 500
_REQUESTS = 4
"""Requests for a port."""


@dataclass(frozen=True)
class _Reading:
    """`marks`: by a switch's GUID, its log's events, which reading clears."""

    ports: Mapping[PortKey, PortCongestion]
    marks: Mapping[str, int | None]


class CongestionCounters:
    """Reads until the `with` block of `reading` ends."""

    def __init__(self, reader: MadReader, ports: Collection[Port], hosts: Collection[str], *, logs: bool) -> None:
        """`hosts`: descriptions of those that send; their ports and all of switches are read. `logs`: CongestionLogs too, which
        nobody else reads then."""
        self._reader = reader
        active = [end for link in links_of(ports) for end, _ in link.ends if end.lid is not None]
        self._ports = in_turns(port for port in active if port.is_switch or port.description in hosts)
        self._switches = {port.guid: port for port in self._ports if port.is_switch}
        self._logs = logs
        ticks = reader.read([ask_tick(one.lid or 0, one.number) for one in self._switches.values()])
        self._ticks = {
            guid: tick_bytes(switch.reply.data) if switch.reply.is_good else None
            for guid, switch in zip(self._switches, ticks, strict=True)
        }

    def around(self, measure: Callable[[], Measurement]) -> Measurement:
        """Returns what `measure` returns, with the counters."""
        before = self._read()
        measured = measure()
        after = self._read()
        return replace(measured, counters={**measured.counters, **self._counters(measured, before, after)})

    def _read(self) -> _Reading:
        asked = [request for port in self._ports for request in ask_port(port.lid or 0, port.number)]
        logs = [ask_log(port.lid or 0) for port in self._switches.values()] if self._logs else []
        replies = [one.reply for one in self._reader.read([*asked, *logs])]
        told = {port.key: port_congestion(replies[_REQUESTS * i : _REQUESTS * (i + 1)]) for i, port in enumerate(self._ports)}
        marks = dict(zip(self._switches, map(log_events, replies[len(asked) :]), strict=False))
        return _Reading(told, marks)

    def _counters(self, measured: Measurement, before: _Reading, after: _Reading) -> dict[str, Any]:
        grown = {key: one.since(before.ports[key]) for key, one in after.ports.items()}
        rows = [self._row(port, grown[port.key], after) for port in self._ports]
        ports = [row for row in rows if row is not None]
        becns = {
            port.description: one.becn for port in self._ports if not port.is_switch and (one := grown[port.key]).becn is not None
        }
        return {"ports": ports, "flows": list(_flows(measured, becns))}

    def _row(self, port: Port, one: PortCongestion, after: _Reading) -> dict[str, Any] | None:
        """A switch's log counts all of its ports together, so the first of them has it."""
        if one.xmit_bytes is None or one.rcv_bytes is None:
            return None
        row: dict[str, Any] = {"node": port.description, "port": port.number}
        row |= {"xmit_bytes": one.xmit_bytes, "rcv_bytes": one.rcv_bytes}
        if port.is_switch:
            marks = after.marks.get(port.guid)
            ticks = one.congested_ticks if one.wait_ticks is None else one.wait_ticks
            if marks is None or ticks is None:
                return None
            row |= {"fecn_marked": marks if self._switches[port.guid] is port else 0}
            row |= {"xmit_wait_ns": ticks * tick_ns(self._ticks[port.guid], port)}
        return row


def _flows(measured: Measurement, becns: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    """Rows of flows as a simulated fabric has them, of hosts whose ports count BECNs. Packets are as large as possible."""
    sent = [float(np.sum(row)) * measured.interval_s * 1e9 / 8 for row in measured.gbps]
    by_host: dict[str, float] = {}
    for flow, count in zip(measured.flows, sent, strict=True):
        by_host[flow.src] = by_host.get(flow.src, 0.0) + count
    for flow, count in zip(measured.flows, sent, strict=True):
        if flow.src in becns and count > 0:
            yield {
                "name": flow.name,
                "becn_received": becns[flow.src] * count / by_host[flow.src],
                "received_bytes": int(count),
                "received_packets": max(1, int(count) // 2048),
            }


@contextmanager
def reading(socket: Path, hosts: Collection[str], environment: Mapping[str, str] | None = None) -> Iterator[CongestionCounters]:
    """`socket`: the plugin's, which knows all ports. `environment`: of an emulated fabric. Raises UnreachableError and
    RpcError."""
    ports = plugin_ports(socket, 300.0)
    with PluginClient(socket) as plugin:
        _, interval_s = plugin.congestion()
    with MadReader(
        classes=[PERFORMANCE, CONGESTION_CONTROL],
        mads_per_s=MADS_PER_S,
        environment=dict(os.environ) if environment is None else environment,
    ) as reader:
        yield CongestionCounters(reader, ports, hosts, logs=interval_s == 0)
