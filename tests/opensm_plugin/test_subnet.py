# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`links` and `routes` of OpenSM's own database are what infiniband-diags read from the devices, and what the emulator holds."""

import itertools
import os
import re
import signal
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.emulator.conftest import Emulate
from tests.emulator.topology import Graph, discovered, graph
from tests.opensm_plugin.plugin_process import Load, PluginBed, PluginProcess
from tuner.documents.fabric import load_fabric
from tuner.fabric.exporters.base import EXPORTERS
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.topologies.base import generate
from tuner.opensm.plugin_client import PluginClient
from tuner.opensm.process import OptionValue
from tuner.rpc.protocol import BUSY, RpcError

DFSSSP: dict[str, OptionValue] = {"qos": True, "routing_engine": "dfsssp"}
"""A routing engine with several service levels, and SL-to-VL tables that are set."""


def graph_of(rows: Iterable[Mapping[str, Any]]) -> Graph:
    nodes, links = {}, {}
    for row in rows:
        guid = int(row["guid"], 16)
        nodes[guid] = ("switch" if row["kind"] == "switch" else "host", row["description"])
        if row["peer_guid"] is not None:
            ends = frozenset(((guid, row["port"]), (int(row["peer_guid"], 16), row["peer_port"])))
            links[ends] = f"{row['width']}{row['speed']}"
    return Graph(nodes, links)


def await_port(client: PluginClient, guid: str, port: int, state: str) -> dict[str, Any]:
    deadline = time.monotonic() + 600
    while True:
        (row,) = (row for row in client.links(guid) if row["port"] == port)
        if row["state"] == state:
            return row
        assert time.monotonic() < deadline, row
        time.sleep(0.05)


def pairs(packed: bytes) -> list[list[int]]:
    """VLs by SL, of each table in `packed`."""
    vls = [vl for byte in packed for vl in (byte >> 4, byte & 15)]
    return [vls[at : at + 16] for at in range(0, len(vls), 16)]


def sl2vl(smpquery: str) -> dict[int, list[int]]:
    """VLs by SL, by ingress port, of `smpquery sl2vl LID EGRESS`."""
    lines = re.findall(r"^ports: in +(\d+), out +\d+: \|([\d |]+)\|$", smpquery, re.MULTILINE)
    return {int(ingress): [int(vl) for vl in vls.split("|")] for ingress, vls in lines}


def held(bed: PluginBed) -> dict[str, bytes]:
    """Forwarding tables of all switches by GUID, up to the highest LID, as the emulator has them."""
    devices = bed.bed.emulated.emulator.tables()
    return {
        f"0x{device['guid']:016x}": bytes(device["forwarding"])[: device["forwarding_top"] + 1]
        for device in devices
        if device["kind"] == "switch"
    }


def test_links_and_routes_are_those_of_the_fabric(load: Load, emulate: Emulate) -> None:
    bed = load(emulate(generate("three-stage", radix=8, host_rate="4xQDR", mtu_bytes=2048)))
    with bed.opensm(opensm_options=DFSSSP) as process, PluginClient(process.setup.socket) as client:
        subnet = client.subnet()
        assert (subnet.complete, subnet.engine, subnet.sl_by_path) == (True, "dfsssp", True)
        assert graph_of(subnet.links) == graph(discovered(bed.bed.clients.output("ibnetdiscover")))
        assert {row["guid"]: row["lft"] for row in subnet.routes} == held(bed)
        switch = subnet.routes[0]
        assert client.routes(switch["guid"]) == [switch]
        of_all = pairs(switch["sl2vl"])
        assert len(set(of_all[0])) > 1
        printed = sl2vl(bed.bed.clients.output("smpquery", "sl2vl", switch["lid"], 1))
        assert [vls for ingress, vls in printed.items() if ingress] == of_all * switch["ports"]

        host = next(row for row in subnet.links if row["description"] == "H5")
        bed.bed.emulated.emulator.set_link(bed.bed.emulated.built.hosts.find("H5").node, 1, False)
        row = await_port(client, host["peer_guid"], host["peer_port"], "down")
        assert (row["peer_guid"], row["width"], row["mtu"]) == (None, None, None)
        assert host["guid"] not in {row["guid"] for row in client.links()}
        with pytest.raises(RpcError, match="there is no node"):
            client.links(host["guid"])
        assert process.errors == []


def test_pairs_of_ports_have_tables_of_their_own(load: Load, emulate: Emulate, tmp_path: Path) -> None:
    """torus-2QoS changes VLs where a route crosses a dateline."""
    fabric = generate("torus", dims=[4, 3], hosts_per_switch=1)
    config = tmp_path / "torus.conf"
    config.write_text(EXPORTERS.get("torus-2qos").export(fabric).text)
    bed = load(emulate(fabric))
    options: dict[str, OptionValue] = {"qos": True, "routing_engine": "torus-2QoS", "torus_config": str(config)}
    with bed.opensm(opensm_options=options) as process, PluginClient(process.setup.socket) as client:
        switch = client.routes()[0]
        tables = pairs(switch["sl2vl"])
        assert len({tuple(table) for table in tables}) > 2
        places = switch["ports"] + 1
        assert len(tables) == switch["ports"] * places
        for egress in (row["port"] for row in client.links(switch["guid"]) if row["state"] == "active"):
            printed = sl2vl(bed.bed.clients.output("smpquery", "sl2vl", switch["lid"], egress))
            assert dict(enumerate(tables[(egress - 1) * places : egress * places])) == printed
        assert process.errors == []


def test_a_standby_has_no_subnet(load: Load, emulate: Emulate) -> None:
    bed = load(emulate(load_fabric("two-switch")))
    with bed.bed.clients.opensm({"sm_priority": 15}, node="H1"), bed.opensm(node="H2", up=False) as process:
        process.await_line("standby: another subnet manager is MASTER")
        with (
            PluginClient(process.setup.socket) as client,
            pytest.raises(RpcError, match="another subnet manager is MASTER") as caught,
        ):
            client.links()
        assert caught.value.code == BUSY


@pytest.mark.slow
def test_what_is_told_between_sweeps_is_of_one_time(load: Load, emulate: Emulate) -> None:
    """A cable comes and goes, and OpenSM sweeps without a pause, while others ask."""
    bed = load(emulate(generate("three-stage", radix=8, host_rate="4xQDR", mtu_bytes=2048)))
    emulator, node = bed.bed.emulated.emulator, bed.bed.emulated.built.hosts.find("H9").node
    with bed.opensm() as process, PluginClient(process.setup.socket) as client:
        seen = set()
        until = time.monotonic() + 15
        for turn in itertools.count():
            if time.monotonic() > until:
                break
            if turn % 3 == 0:
                emulator.set_link(node, 1, turn % 2 == 1)
                os.kill(process.opensm.pid, signal.SIGHUP)  # a sweep, which is not waited for
            subnet = client.subnet()
            ends = {(row["guid"], row["port"]): row for row in subnet.links}
            for row in subnet.links:
                if row["peer_guid"] is not None:
                    peer = ends[row["peer_guid"], row["peer_port"]]
                    assert (peer["peer_guid"], peer["peer_port"]) == (row["guid"], row["port"])
            assert {row["guid"] for row in subnet.routes} == {row["guid"] for row in subnet.links if row["kind"] == "switch"}
            seen.add(sum(row["kind"] == "ca" for row in subnet.links))
        assert seen == {31, 32}
        print(f"{turn} times")
        assert turn > 20
        assert process.errors == []


@pytest.mark.slow
def test_the_largest_tree_comes_in_pages(load: Load, emulate: Emulate) -> None:
    """5,832 hosts on 972 switches; `-s` shows the time that the client and the plugin's thread take."""
    bed = load(emulate(generate("k-ary-n-tree", k=18, n=3)))
    with bed.opensm() as process, PluginClient(process.setup.socket) as client:
        client.subnet(patience_s=300.0)
        cpu_s, begin_s = thread_cpu_s(process), time.monotonic()
        subnet = client.subnet()
        took_s, cpu_s = time.monotonic() - begin_s, thread_cpu_s(process) - cpu_s
        print(f"{took_s:.2f} s for a client, {cpu_s:.2f} s of CPU time of the plugin's thread")
        assert (subnet.engine, subnet.sl_by_path) == ("minhop", False)
        assert len(subnet.links) == 972 * 36 - 324 * 18 + 5832
        assert {row["guid"]: row["lft"] for row in subnet.routes} == held(bed)
        assert cpu_s < 5


def thread_cpu_s(process: PluginProcess) -> float:
    """CPU time of the plugin's thread in OpenSM, from its start."""
    stats = [path.read_text() for path in Path(f"/proc/{process.opensm.pid}/task").glob("*/stat")]
    (own,) = (stat for stat in stats if "(ibcc)" in stat)
    user, system = own.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@pytest.mark.slow
def test_extended_speeds_have_their_names(load: Load, emulate: Emulate, shared: Path) -> None:
    fabric = import_fabric(shared / "data/fabrics/superpod-ndr-40sw-582ca.ibnetdiscover").fabric
    bed = load(emulate(fabric))
    with bed.opensm() as process, PluginClient(process.setup.socket) as client:
        found = discovered(bed.bed.clients.output("ibnetdiscover"))
        assert graph_of(client.links(patience_s=300.0)).links == graph(found).links
