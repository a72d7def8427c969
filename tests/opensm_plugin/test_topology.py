# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The method `topology` and the plugin's events, with real OpenSM on emulated fabrics."""

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.emulator.conftest import Emulate
from tests.emulator.topology import discovered, graph
from tests.opensm_plugin.plugin_process import Load, PluginBed, PluginProcess
from tests.opensm_plugin.test_faults import node
from tests.opensm_plugin.test_subnet import thread_cpu_s
from tests.patience import within
from tests.tuner.cli.conftest import Command, command
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.topologies.base import generate
from tuner.opensm.live_topology import LiveTopology
from tuner.opensm.plugin_client import Event, PluginClient
from tuner.opensm.process import OptionValue
from tuner.rpc.protocol import RpcError

__all__ = ["command"]

LIVE: list[Event] = [
    "device.lost",
    "device.back",
    "device.drifted",
    "device.repaired",
    "link.down",
    "link.up",
    "link.changed",
    "sm.changed",
]
WITHIN_S = 10.0
"""From a change in the fabric to its event, where OpenSM is told by a trap or an audit comes each second."""


class Watch:
    """A subscriber that keeps the topology by differences, and compares it with the whole."""

    def __init__(self, process: PluginProcess, client: PluginClient, subscriber: PluginClient) -> None:
        self.process, self._client = process, client
        subscriber.subscribe(LIVE)
        self._events = subscriber.events()
        self.live = LiveTopology.of(client.topology())

    def expect(self, *kinds: str) -> list[dict[str, Any]]:
        """The next events, which must be of these kinds in any order."""
        began = time.monotonic()
        found = [next(self._events) for _ in kinds]
        assert sorted(event["event"] for event in found) == sorted(kinds), found
        took_s = time.monotonic() - began
        assert within(took_s, WITHIN_S)
        self.live = self.live.after(self._client.topology(self.live.epoch))
        whole = self._client.topology()
        other = LiveTopology.of(whole)  # a sweep between the two calls may have found another state of a subnet manager
        assert (self.live.epoch, self.live.nodes, self.live.links) == (other.epoch, other.nodes, other.links)
        assert whole.full
        assert all(event["epoch"] <= whole.epoch for event in found)
        return found


@contextmanager
def watching(bed: PluginBed, options: str = "--audit-interval-s 1") -> Iterator[Watch]:
    with (
        bed.opensm("gran-2010", options=options) as process,
        PluginClient(process.setup.socket) as client,
        PluginClient(process.setup.socket, silence_s=60.0) as subscriber,
    ):
        process.await_done()
        yield Watch(process, client, subscriber)


def test_nodes_and_links_come_and_go(plugin_bed: PluginBed) -> None:
    emulator = plugin_bed.bed.emulated.emulator
    h4, s1 = node(plugin_bed, "H4"), node(plugin_bed, "S1")
    with watching(plugin_bed) as watch:
        first = watch.live
        assert len(first.nodes) == 9
        spare = [port for row in first.nodes.values() if row["description"] == "S1" for port in row["ports"]]
        assert sum(port["state"] == "down" for port in spare) > 30, "a switch has ports without cables"
        emulator.set_present(h4, False)
        (lost,) = watch.expect("device.lost")
        assert (lost["description"], lost["kind"], lost["links"][0]["peer_description"]) == ("H4", "ca", "S2")
        emulator.set_present(h4, True)
        (back,) = watch.expect("device.back")
        assert (back["guid"], back["known"], back["links"]) == (lost["guid"], True, lost["links"])
        assert watch.live.links == first.links
        emulator.set_link(s1, 19, False)  # between the switches: five devices cannot be reached
        away = watch.expect(*["device.lost"] * 5)
        assert {event["description"] for event in away} == {"S2", "H4", "H5", "H6", "H7"}
        emulator.set_link(s1, 19, True)
        watch.expect(*["device.back"] * 5)
        assert watch.live.links == first.links
        assert watch.process.errors == []


def test_it_is_what_infiniband_diags_read_and_a_cable_is_no_loss_of_devices(load: Load, emulate: Emulate) -> None:
    bed = load(emulate(generate("three-stage", radix=4, host_rate="4xQDR", mtu_bytes=2048)))
    with watching(bed) as watch:
        read = graph(discovered(bed.bed.clients.output("ibnetdiscover")))
        links = watch.live.links.values()
        assert {int(guid, 16): row["description"] for guid, row in watch.live.nodes.items()} == {
            guid: name for guid, (_, name) in read.nodes.items()
        }
        assert {
            frozenset(((int(row["guid"], 16), row["port"]), (int(row["peer_guid"], 16), row["peer_port"]))): row["rate"]
            for row in links
        } == read.links
        row = next(row for row in links if {watch.live.nodes[row[end]]["kind"] for end in ("guid", "peer_guid")} == {"switch"})
        name = watch.live.nodes[row["guid"]]["description"]
        bed.bed.emulated.emulator.set_link(node(bed, name), row["port"], False)
        (down,) = watch.expect("link.down")
        assert ({key: down[key] for key in row}, down["description"]) == (row, name)
        bed.bed.emulated.emulator.set_link(node(bed, name), row["port"], True)
        (up,) = watch.expect("link.up")
        assert {key: up[key] for key in row} == row


def test_drift_a_reset_and_their_repair(plugin_bed: PluginBed) -> None:
    with watching(plugin_bed) as watch:
        lid = str(plugin_bed.bed.emulated.emulator.tables()[node(plugin_bed, "S2")]["ports"][0]["lid"])
        plugin_bed.bed.clients.output("ibccconfig", "SS", lid, "0x1F", "0", "0", "3", "8", "0", "0:0", "5")
        drifted, repaired = watch.expect("device.drifted", "device.repaired")
        assert (drifted["description"], drifted["attribute"], drifted["reset"]) == ("S2", "SwitchCongestionSetting", False)
        assert (repaired["guid"], repaired["port"]) == (drifted["guid"], 0)
        plugin_bed.bed.emulated.emulator.reboot(node(plugin_bed, "H3"))
        drifted, repaired = watch.expect("device.drifted", "device.repaired")
        assert (drifted["description"], drifted["reset"], repaired["port"]) == ("H3", True, 1)


def test_another_subnet_manager(plugin_bed: PluginBed) -> None:
    """It is found by the master's next sweep, and takes over when that has gone."""
    options: dict[str, OptionValue] = {"sm_priority": 0, "sminfo_polling_timeout": 500, "polling_retry_number": 2}
    with (
        watching(plugin_bed) as watch,
        plugin_bed.opensm(node="H2", state="second", opensm_options=options, up=False) as second,
    ):
        second.await_line("standby: another subnet manager is MASTER")
        with PluginClient(second.setup.socket) as client, pytest.raises(RpcError, match="another subnet manager is MASTER"):
            client.topology()
        while True:  # a sweep may have found it while it was looking for others
            watch.process.opensm.sweep()
            (changed,) = watch.expect("sm.changed")
            assert (changed["role"], changed["former_role"]) == ("master", "master")
            (other,) = changed["subnet_managers"]
            if other["state"] != "discovering":
                break
        # The master asks when it sweeps, and the other may still have been looking around when it was asked.
        assert other["state"] in ("discovering", "standby")
        assert other["priority"] == 0
        assert [manager["guid"] for manager in watch.live.subnet_managers] == [other["guid"]]
        with PluginClient(second.setup.socket, silence_s=60.0) as client:
            client.subscribe(["sm.changed"])
            watch.process.opensm.kill()
            next(event for event in client.events() if event["role"] == "master")
            assert client.topology().full


def test_the_command(command: Command, plugin_bed: PluginBed, monkeypatch: pytest.MonkeyPatch) -> None:
    with watching(plugin_bed) as watch:
        monkeypatch.setenv("IBCC_SOCKET", str(watch.process.setup.socket))
        told = command("fabric", "topology")
        assert (told.code, told.err) == (0, "")
        assert told.out.startswith(f"Epoch {watch.live.epoch}: 9 nodes and 8 links\n")
        assert "4xQDR" in told.out
        plugin_bed.bed.emulated.emulator.set_present(node(plugin_bed, "H4"), False)
        (lost,) = watch.expect("device.lost")
        since = command("fabric", "topology", "--since", str(lost["epoch"] - 1))
        assert f"Gone: node {lost['guid']}" in since.out
        document = json.loads(command("fabric", "topology", "--since", str(lost["epoch"] - 1), "--output", "json").out)
        assert (document["full"], document["removed_nodes"]) == (False, [lost["guid"]])
        rows = command("fabric", "topology", "--output", "csv").out.splitlines()
        assert len(rows) == 1 + 7
        assert command("fabric", "topology", "--since", "-1").code == 2


@pytest.mark.slow
def test_the_largest_tree_and_a_host_that_goes(load: Load, emulate: Emulate) -> None:
    """5,832 hosts on 972 switches; `-s` shows what the plugin's thread takes for the whole and for a sweep."""
    bed = load(emulate(generate("k-ary-n-tree", k=18, n=3)))
    with bed.opensm(up=False) as process, ExitStack() as ends:
        process.opensm.await_subnet_up(timeout_s=300.0)
        client = ends.enter_context(PluginClient(process.setup.socket))
        client.subnet(patience_s=300.0)
        before_s, begin_s = thread_cpu_s(process), time.monotonic()
        live = LiveTopology.of(client.topology())
        took_s, cpu_s = time.monotonic() - begin_s, thread_cpu_s(process) - before_s
        print(f"the whole: {took_s:.2f} s for a client, {cpu_s:.2f} s of CPU time of the plugin's thread")
        assert (len(live.nodes), len(live.links)) == (5832 + 972, 3 * 5832)
        before_s = thread_cpu_s(process)
        for _ in range(10):
            process.opensm.sweep(timeout_s=300.0)
        print(f"a sweep: {(thread_cpu_s(process) - before_s) / 10 * 1000:.0f} ms of CPU time of the plugin's thread")
        last = [row["description"] for row in live.nodes.values() if row["kind"] == "ca"][-1]
        bed.bed.emulated.emulator.set_present(node(bed, last), False)
        deadline = time.monotonic() + 300.0
        while (changes := client.topology(live.epoch)).epoch == live.epoch:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert (changes.full, len(changes.nodes), len(changes.removed_nodes)) == (False, 1, 1)
        assert live.after(changes) == LiveTopology.of(client.topology())


@pytest.mark.slow
def test_a_stranger_s_fabric(load: Load, emulate: Emulate, shared: Path) -> None:
    """NDR, aggregation nodes of equal names, switches with free ports."""
    fabric = import_fabric(shared / "data/fabrics/superpod-ndr-40sw-582ca.ibnetdiscover").fabric
    bed = load(emulate(fabric))
    with bed.opensm() as process, PluginClient(process.setup.socket) as client:
        client.subnet(patience_s=300.0)
        live = LiveTopology.of(client.topology())
        read = graph(discovered(bed.bed.clients.output("ibnetdiscover")))
        assert {
            frozenset(((int(a, 16), p), (int(b, 16), q))): row["rate"] for (a, p, b, q), row in live.links.items()
        } == read.links
