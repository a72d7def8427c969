# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Experiments end: by time, when OpenSM is stopped, and when it is killed. Nobody has to be there."""

import re
import time
from typing import Any

from ccsim.policy import Profile
from tests.opensm_plugin.devices import Device, wanted
from tests.opensm_plugin.plugin_process import PluginBed, PluginProcess
from tests.patience import within
from tuner.documents.profile import load_profile
from tuner.opensm.plugin_client import PluginClient

TRIED = load_profile("gran-2010").with_settings({"ca.ccti_timer": 777, "switch.marking_rate": 5})


def begin(process: PluginProcess, profile: Profile, *, ttl_s: int) -> None:
    """Applies an experiment, waits until the devices have it, and leaves."""
    with PluginClient(process.setup.socket) as client:
        client.subscribe()
        accepted = client.apply(profile.to_yaml(), ttl_s=ttl_s)
        assert accepted.job is not None
        assert client.wait(accepted.job)["state"] == "done"


def tables(bed: PluginBed, profile: "Profile | str") -> dict[Device, Any]:
    return wanted(bed.wanted(profile))


def test_it_ends_by_time_while_its_client_is_gone(plugin_bed: PluginBed) -> None:
    with plugin_bed.opensm("gran-2010") as process:
        process.await_done()
        begin(process, TRIED, ttl_s=2)
        assert plugin_bed.held() == tables(plugin_bed, TRIED)
        process.await_done("restore")
        assert plugin_bed.held() == tables(plugin_bed, "gran-2010")
        assert process.errors == []


def test_stopping_opensm_restores_the_base_first(plugin_bed: PluginBed) -> None:
    with plugin_bed.opensm("gran-2010") as process:
        process.await_done()
        begin(process, TRIED, ttl_s=600)
        assert plugin_bed.held() == tables(plugin_bed, TRIED)
        before_s = time.monotonic()
        assert process.opensm.stop() == 0
        assert within(time.monotonic() - before_s, 8), "its own end, and at most 5 s"
        assert plugin_bed.held() == tables(plugin_bed, "gran-2010")
        assert process.lines[-1] == "unloaded during a trial run: base profile restored"


def test_devices_that_do_not_answer_do_not_hold_opensm_up(plugin_bed: PluginBed) -> None:
    with plugin_bed.opensm("gran-2010", options="--restore-on-exit-ms 1000") as process:
        process.await_done()
        begin(process, TRIED, ttl_s=600)
        plugin_bed.bed.emulated.emulator.add_fault("drop", mgmt_class=0x21)
        before_s = time.monotonic()
        assert process.opensm.stop() == 0
        assert within(time.monotonic() - before_s, 8)
        last = process.errors[-1]
        assert re.match(
            r"unloaded during a trial run, and the base profile could not be restored within 1000 ms: 9 devices", last
        )
    plugin_bed.bed.emulated.emulator.clear_faults()
    assert plugin_bed.held() == tables(plugin_bed, TRIED)
    with plugin_bed.opensm() as process:
        process.await_done()
        assert plugin_bed.held() == tables(plugin_bed, "gran-2010"), "the next process begins with the base"


def test_after_a_crash_the_next_process_begins_with_the_base(plugin_bed: PluginBed) -> None:
    with plugin_bed.opensm("gran-2010") as process:
        process.await_done()
        begin(process, TRIED, ttl_s=600)
        process.opensm.kill()
    assert plugin_bed.held() == tables(plugin_bed, TRIED)
    with plugin_bed.opensm() as process:
        process.await_line(r"(?:apply|restore) of revision \d+ done: ")
        assert plugin_bed.held() == tables(plugin_bed, "gran-2010")
