# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The base profile arrives on the fabric, whole, and the traffic shows it."""

import re
import time

import numpy as np

from tests.emulator.topology import discovered
from tests.opensm_plugin.devices import wanted
from tests.opensm_plugin.plugin_process import NO_RETRIES, PluginBed, PluginProcess
from tests.opensm_plugin.test_faults import WITHIN_S
from tuner.backends.simulated import SimulatedBackend
from tuner.documents.profile import load_profile
from tuner.documents.workload import load_workload
from tuner.measuring.options import BackendOptions
from tuner.opensm.plugin_client import PluginClient


def test_every_device_holds_exactly_the_resolved_tables(plugin_bed: PluginBed) -> None:
    with plugin_bed.opensm("gran-2010") as process:
        process.await_done()
        assert plugin_bed.held() == wanted(plugin_bed.wanted("gran-2010"))
        assert process.errors == []
        assert process.opensm.errors == []


def test_ibccquery_reads_what_was_set(plugin_bed: PluginBed) -> None:
    """Another's tool, with another's decoding; LIDs as another's tool tells them."""
    clients = plugin_bed.bed.clients
    ports = {"S1": [1, 2, 3], "S2": [1, 2, 3, 4]}
    with plugin_bed.opensm("gran-2010") as process:
        process.await_done()
        lids = {node.name: node.lid for node in discovered(clients.output("ibnetdiscover")).nodes}
        for switch in ("S1", "S2"):
            setting = clients.output("ibccquery", "SwitchCongestionSetting", lids[switch])
            (mask,) = re.findall(r"Victim_Mask:\.+(?:0x)?([0-9a-f]+)\n", setting)
            assert int(mask, 16) == sum(1 << port for port in ports[switch]), "the ports that lead to hosts"
            assert re.search(r"Threshold:\.+0x0f\n", setting)
            assert re.search(r"Marking_Rate:\.+1\n", setting)
            assert re.search(r"Packet_Size:\.+8\n", setting)
        for host in ("H1", "H7"):
            adapter = clients.output("ibccquery", "CACongestionSetting", lids[host])
            assert re.findall(r"CCTI_Timer:\.+(\d+)\n", adapter) == ["150"] * 16
            assert re.findall(r"CCTI_Increase:\.+(\d+)\n", adapter) == ["1"] * 16
            table = clients.output("ibccquery", "CongestionControlTable", lids[host])
            shifts, multipliers = (map(int, re.findall(rf"CCT_{part}:\.+(\d+)\n", table)) for part in ("Shift", "Multiplier"))
            entries = plugin_bed.wanted("gran-2010").cas[0]["cct"]["entries"]
            assert list(zip(shifts, multipliers, strict=True))[:64] == list(entries)[:64]


def test_the_traffic_is_that_of_the_simulated_backend(plugin_bed: PluginBed) -> None:
    """To the byte: the same seed gives the same series, whichever way the tables came."""
    workload = load_workload("scenario-1").scaled(0.05)
    backend = SimulatedBackend(BackendOptions())
    backend.apply(load_profile("gran-2010"))
    with plugin_bed.opensm("gran-2010") as process:
        process.await_done()
        measured = plugin_bed.bed.emulated.run(workload, seed=7)
    np.testing.assert_array_equal(measured.gbps, backend.measure(workload, seed=7).gbps)


def sweep_and_await(process: PluginProcess) -> None:
    """If a sweep begins before the plugin has taken the end of the last one, it reads all devices: it may have missed a reset."""
    with PluginClient(process.setup.socket) as client:
        before = client.status()["sweeps"]["ended"]
        process.opensm.sweep()
        deadline = time.monotonic() + WITHIN_S
        while client.status()["sweeps"]["ended"] == before:
            assert time.monotonic() < deadline
            time.sleep(0.001)  # no event tells of a sweep's end


def test_a_sweep_that_changes_nothing_sends_nothing(plugin_bed: PluginBed) -> None:
    with plugin_bed.opensm("gran-2010", options=f"--audit-interval-s 0 {NO_RETRIES}") as process:
        process.await_done()
        count = plugin_bed.count_mads()
        for _ in range(3):
            sweep_and_await(process)
        assert count() == 0


def test_the_file_is_watched(plugin_bed: PluginBed) -> None:
    with plugin_bed.opensm("gran-2010") as process:
        before = process.await_done()
        plugin_bed.write_profile(load_profile("gran-2010").with_settings({"ca.ccti_timer": 321}))
        before = process.await_done(after=before + 1)
        changed = load_profile("gran-2010").with_settings({"ca.ccti_timer": 321})
        assert plugin_bed.held() == wanted(plugin_bed.wanted(changed))
        plugin_bed.write_profile("off")
        process.await_done(after=before + 1)
        assert plugin_bed.held() == wanted(plugin_bed.wanted("off"))


def test_a_wrong_file_changes_nothing_and_is_complained_of(plugin_bed: PluginBed) -> None:
    with plugin_bed.opensm("gran-2010") as process:
        process.await_done()
        plugin_bed.profile.write_text("ibcc_profile: 1\nname: broken\n")
        process.await_line(rf"the profile file '{plugin_bed.profile}', line 1, column 1: the profile lacks the key switch")
        process.opensm.sweep()
        assert plugin_bed.held() == wanted(plugin_bed.wanted("gran-2010"))
