# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Ports to hosts of an emulated fabric that runs, by a real OpenSM and libibumad."""

import itertools
import json

from tests.emulator.conftest import Emulate
from tests.tuner.cli.conftest import Command
from tuner.checks.links.discovered_topology import discovered_ports
from tuner.checks.links.ports import links_of
from tuner.diagnosis.of_hosts import evidence_of_hosts
from tuner.diagnosis.verdict import diagnose
from tuner.documents.check_kinds import Links
from tuner.documents.fabric import load_fabric
from tuner.documents.inventory import load_inventory
from tuner.emulator.client import ControlClient
from tuner.emulator.server import ControlServer
from tuner.host_triggers.switch_ports import SwitchPorts, ports_to_hosts
from tuner.mads.client import MadReader
from tuner.mads.request import PERFORMANCE, SUBNET_LID_ROUTED
from tuner.opensm.preload import client_environment


def test_the_host_that_receives_slowly_is_the_one_that_withholds(emulate: Emulate, command: Command) -> None:
    fabric = load_fabric("two-switch")
    hosts = tuple(host.model_copy(update={"receive_gbps": 2.0}) if host.name == "H2" else host for host in fabric.hosts)
    bed = emulate(fabric.model_copy(update={"hosts": hosts}))
    flows = [{"name": a + b, "src": a, "dst": b, "rate_gbps": 3} for a, b in itertools.permutations(("H1", "H2", "H3"), 2)]
    workload = {"ibcc_workload": 1, "name": "all", "fabric": "two-switch", "duration_s": 0.5, "flows": flows}
    name = bed.emulated.name
    environment = client_environment(name)
    wanted = {host.host: None for host in load_inventory("two-switch").by_node.values()}
    with bed.clients.opensm({"sweep_interval": 0}), ControlServer(bed.emulated), ControlClient(name) as control:
        with MadReader(classes=[PERFORMANCE, SUBNET_LID_ROUTED], mads_per_s=500, environment=environment) as reader:
            ends = ports_to_hosts(links_of(discovered_ports(reader, Links(topology="discover"), environment)), wanted)
            seen = SwitchPorts(reader, ends).watch(1, pause=lambda seconds: control.run_workload(workload))
        assert seen.keys() == wanted.keys()
        assert [host for host, port in seen.items() if port.withholding is not None] == ["H2"]
        assert seen["H2"].switch.name == "S1/2"
        done = command(
            "hosts", "triggers", "two-switch", "--no-agents", "--topology", "discover", "--emulated", name, "--seconds", "1",
            "--output", "json",
        )  # fmt: skip
        table = command(
            "hosts", "triggers", "two-switch", "--no-agents", "--topology", "discover", "--emulated", name, "--seconds", "1",
            "--nodes", "node[1-2]",
        )  # fmt: skip
        idle = command(
            "fabric", "diagnose", "--hosts", "two-switch", "--topology", "discover", "--emulated", name, "--seconds", "1",
        )  # fmt: skip
    assert [(fault.kind, fault.place) for fault in diagnose(evidence_of_hosts(seen)).faults] == [("slow-receiver", "H2")]
    assert (idle.code, idle.out.partition(";")[0]) == (0, "No host withholds credits")
    assert done.code == 0, done.err
    assert [line.split()[:2] for line in table.out.splitlines() if "node" in line][1:] == [["node1", "S1/1"], ["node2", "S1/2"]]
    rows = json.loads(done.out)["hosts"]
    assert {row["host"]: (row["wait_share"], row["reasons"]) for row in rows} == dict.fromkeys(wanted, (0, []))
