# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Devices that go wrong in every way that the emulated fabric knows: those that can be helped are, the others harm nobody."""

import time
from collections.abc import Callable

import pytest

from ccsim.policy import Profile
from tests.opensm_plugin.devices import Device, wanted
from tests.opensm_plugin.plugin_process import CONGESTION_CONTROL, NO_RETRIES, SOON_TAKEN_OVER, PluginBed, PluginProcess

CCT, CA_SETTING, SWITCH_SETTING = 0x17, 0x16, 0x14
WITHIN_S = 300.0
"""Time after SUBNET UP within which everything is done that can be done."""


def node(bed: PluginBed, name: str) -> int:
    return next(index for index, node in enumerate(bed.bed.fabric.nodes) if node.name == name)


def await_held(bed: PluginBed, profile: "Profile | str", *, but: tuple[str, ...] = ()) -> None:
    """Waits until all devices but these hold the profile."""
    spared = {node(bed, name) for name in but}
    target = {device: tables for device, tables in wanted(bed.wanted(profile)).items() if device[0] not in spared}
    deadline = time.monotonic() + WITHIN_S

    def different() -> list[Device]:
        held = bed.held()
        return [device for device, tables in target.items() if held[device] != tables]

    while left := different():
        assert time.monotonic() < deadline, f"{left} do not hold the profile"
        time.sleep(0.02)  # the emulator's state can be looked at only


def fault(bed: PluginBed, kind: str, name: str | None = None, **given: object) -> int:
    index = None if name is None else node(bed, name)
    return bed.bed.emulated.emulator.add_fault(kind, node=index, mgmt_class=CONGESTION_CONTROL, **given)  # type: ignore[arg-type]


def clear(bed: PluginBed) -> None:
    bed.bed.emulated.emulator.clear_faults()


@pytest.mark.parametrize("lost", ["request", "answer"])
def test_a_fifth_of_all_mads_is_lost(plugin_bed: PluginBed, lost: str) -> None:
    fault(plugin_bed, "drop", probability=0.2, parameters={"lost": lost})
    with plugin_bed.opensm("gran-2010") as process:
        await_held(plugin_bed, "gran-2010")
        assert process.errors == []
        assert process.opensm.errors == []


def test_slow_devices(plugin_bed: PluginBed) -> None:
    """Slower than the first tries wait: the answer to an earlier try counts. (The emulated kernel waits 200 ms for any.)"""
    fault(plugin_bed, "delay", "H3", parameters={"delay_ms": 90})
    with plugin_bed.opensm("gran-2010", options="--timeout-ms 20 --max-timeout-ms 40"):
        await_held(plugin_bed, "gran-2010")


def test_busy_devices(plugin_bed: PluginBed) -> None:
    fault(plugin_bed, "busy", probability=0.3)
    with plugin_bed.opensm("gran-2010"):
        await_held(plugin_bed, "gran-2010")


def test_a_device_without_congestion_control_is_left_alone(plugin_bed: PluginBed) -> None:
    fault(plugin_bed, "unsupported", "H3")
    before = plugin_bed.held()
    with plugin_bed.opensm("gran-2010") as process:
        process.await_done()
        await_held(plugin_bed, "gran-2010", but=("H3",))
        (device,) = (device for device in before if device[0] == node(plugin_bed, "H3"))
        assert plugin_bed.held()[device] == before[device]
        assert process.errors == []


def test_a_device_that_refuses_its_table(plugin_bed: PluginBed) -> None:
    fault(plugin_bed, "status", "H2", attribute=CCT, method="set", parameters={"status": 0x1C})
    with plugin_bed.opensm("gran-2010", options=NO_RETRIES) as process:
        process.await_done()
        await_held(plugin_bed, "gran-2010", but=("H2",))

        def sets() -> int:
            count = plugin_bed.count_mads("set")
            process.opensm.sweep()
            process.opensm.sweep()
            return count()

        # On a busy machine another device may have answered late, and is set once more.
        assert any(sets() == 0 for _ in range(5)), "what was refused is not sent again and again"


def test_a_device_that_clamps_is_sent_the_same_only_once(plugin_bed: PluginBed) -> None:
    fault(plugin_bed, "clamp", "S1", attribute=SWITCH_SETTING, parameters={"field": "Threshold", "most": 8})
    with plugin_bed.opensm("gran-2010", options=f"--audit-interval-s 1 {NO_RETRIES}") as process:
        process.await_done()
        await_held(plugin_bed, "gran-2010", but=("S1",))
        count = plugin_bed.count_mads("set")
        reads = plugin_bed.count_mads("get")
        deadline = time.monotonic() + WITHIN_S
        while reads() < 100:  # several audits
            assert time.monotonic() < deadline
            time.sleep(0.02)
        assert count() == 0


def test_a_device_that_is_silent_is_come_back_to(plugin_bed: PluginBed) -> None:
    fault(plugin_bed, "drop", "H4")
    options = "--timeout-ms 20 --max-timeout-ms 40 --retries 2"
    with plugin_bed.opensm("gran-2010", options=options) as process:
        process.await_done()
        await_held(plugin_bed, "gran-2010", but=("H4",))
        clear(plugin_bed)
        await_held(plugin_bed, "gran-2010")
        assert process.errors == []


def reboot(bed: PluginBed) -> None:
    bed.bed.emulated.emulator.reboot(node(bed, "H5"))


def reboot_switch(bed: PluginBed) -> None:
    bed.bed.emulated.emulator.reboot(node(bed, "S2"))


def flap(bed: PluginBed) -> None:
    emulator, s1 = bed.bed.emulated.emulator, node(bed, "S1")
    for _ in range(3):
        emulator.set_link(s1, 19, False)
        emulator.set_link(s1, 19, True)


@pytest.mark.parametrize("happens", [reboot, reboot_switch, flap])
def test_what_was_away_is_set_anew(plugin_bed: PluginBed, happens: Callable[[PluginBed], None]) -> None:
    """OpenSM is told of it by traps, and sweeps."""
    with plugin_bed.opensm("gran-2010", options="--audit-interval-s 0") as process:
        process.await_done()
        happens(plugin_bed)
        await_held(plugin_bed, "gran-2010")


def test_what_another_hand_has_changed_is_drift_and_is_repaired_by_the_audit(plugin_bed: PluginBed) -> None:
    clients = plugin_bed.bed.clients
    with plugin_bed.opensm("gran-2010", options="--audit-interval-s 1") as process:
        process.await_done()
        lid = plugin_bed.bed.emulated.emulator.tables()[node(plugin_bed, "S2")]["ports"][0]["lid"]
        clients.output("ibccconfig", "SS", str(lid), "0x1F", "0", "0", "3", "8", "0", "0:0", "5")
        process.await_line("S2 .* has drifted: its SwitchCongestionSetting has Victim_Mask")
        await_held(plugin_bed, "gran-2010")


def test_a_device_whose_tables_were_lost_is_repaired_by_the_audit(plugin_bed: PluginBed) -> None:
    with plugin_bed.opensm("gran-2010", options="--audit-interval-s 1") as process:
        process.await_done()
        fault(plugin_bed, "reboot", "H6", attribute=CA_SETTING, method="get", count=1)
        process.await_line("H6 .* drifted")
        await_held(plugin_bed, "gran-2010")


def test_opensm_killed_in_the_middle_of_an_apply(plugin_bed: PluginBed) -> None:
    fault(plugin_bed, "delay", parameters={"delay_ms": 30})
    with plugin_bed.opensm("gran-2010") as first:
        sets = plugin_bed.count_mads("set")
        deadline = time.monotonic() + WITHIN_S
        while sets() < 3:
            assert time.monotonic() < deadline
            time.sleep(0.005)
        first.opensm.kill()
    assert plugin_bed.held() != wanted(plugin_bed.wanted("gran-2010")), "it was in the middle"
    clear(plugin_bed)
    with plugin_bed.opensm():
        await_held(plugin_bed, "gran-2010")


def test_the_standby_is_silent_and_takes_over(plugin_bed: PluginBed) -> None:
    """Each has its own state; the successor brings its own base profile, whatever the devices hold."""
    with plugin_bed.opensm("gran-2010", more_options=SOON_TAKEN_OVER, node="H1", state="first") as first:
        first.await_done()
        plugin_bed.write_profile("gran-2012")
        first.await_done(after=len(first.opensm.lines) - 1)
        with plugin_bed.opensm(more_options=SOON_TAKEN_OVER, node="H7", state="second", up=False) as second:
            second.opensm.await_line("Entering STANDBY state")
            second.await_line("standby: another subnet manager is MASTER")
            forgetful: PluginProcess = second
            first.opensm.kill()
            plugin_bed.bed.emulated.emulator.reboot(node(plugin_bed, "H3"))
            forgetful.await_line("master: ")
            await_held(plugin_bed, "gran-2012")
