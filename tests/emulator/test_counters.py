# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""perfquery counts what a workload sent."""

import re

from tests.emulator.conftest import Bed
from tests.emulator.topology import discovered
from tuner.documents.workload import load_workload

_FIELD = re.compile(r"^(?P<name>\w+):\.*(?P<value>[0-9]+)$", re.MULTILINE)
WORDS = 4
"""PortXmitData and PortRcvData count words of four bytes."""


def counters(printed: str) -> dict[str, int]:
    return {match["name"]: int(match["value"]) for match in _FIELD.finditer(printed)}


def test_perfquery_counts_what_the_workload_sent(two_switch: Bed) -> None:
    clients = two_switch.clients
    workload = load_workload("scenario-1").scaled(0.02)
    with clients.opensm():
        lids = {node.name: node.lid for node in discovered(clients.output("ibnetdiscover")).nodes}
        for lid in lids.values():
            clients.output("perfquery", "-x", "-a", "-R", lid)
        measurement = two_switch.emulated.run(workload)
        received_bytes = dict.fromkeys(lids, 0.0)
        for flow, series in zip(measurement.flows, measurement.gbps, strict=True):
            received_bytes[flow.dst] += series.sum() * measurement.interval_s * 1e9 / 8
        ports = [("H4", 1, 12.0), ("H5", 1, 12.0), ("S2", 1, None), ("S2", 19, None), ("S1", 19, None), ("H1", 1, None)]
        seen = {(name, port): counters(clients.output("perfquery", "-x", lids[name], port)) for name, port, _ in ports}
        packet = two_switch.fabric.mtu_bytes
        for name in ("H4", "H5"):
            payload = received_bytes[name]
            # Each packet of data carries the MTU, and 24 bytes from LRH to ICRC that count. CNPs and ACKs come on top: little.
            data = seen[name, 1]["PortRcvData"] * WORDS
            assert payload * (packet + 24) / packet <= data <= payload * 1.03, name
            assert seen[name, 1]["PortRcvPkts"] >= payload / packet
        # What leaves one end of a cable arrives at the other, but for what is under way.
        for here, there in ((("S2", 1), ("H4", 1)), (("S1", 19), ("S2", 19))):
            assert abs(seen[here]["PortXmitPkts"] - seen[there]["PortRcvPkts"]) <= 40
        # The overloaded host makes the sender at the other switch wait.
        assert counters(clients.output("perfquery", lids["H2"], 1))["PortXmitWait"] > 0
        clients.output("perfquery", "-x", "-R", lids["H5"], 1)
        # The request that reads it has arrived by then.
        assert counters(clients.output("perfquery", "-x", lids["H5"], 1))["PortRcvData"] < 10 * 256 // WORDS
