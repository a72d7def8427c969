# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A host whose agent answers nothing of class 0x21 holds up nobody: applies, restores, ends of trial runs, OpenSM's end."""

import re
import time

from tests.opensm_plugin.plugin_process import PluginBed, PluginProcess
from tests.opensm_plugin.test_experiments import TRIED, begin
from tests.opensm_plugin.test_faults import await_held, clear, fault
from tests.patience import within
from tuner.opensm.plugin_client import PluginClient

SILENT = "H6"
FEW_TRIES = "--timeout-ms 50 --max-timeout-ms 100 --retries 2"
"""A host is known as silent after a fifth of a second."""


def fall_silent(bed: PluginBed, process: PluginProcess) -> None:
    fault(bed, "drop", SILENT)
    with PluginClient(process.setup.socket) as client:
        client.subscribe()
        client.wait(client.verify())
        assert {row["description"] for row in client.devices() if row["state"] == "timing-out"} == {SILENT}


def last_job(process: PluginProcess) -> dict[str, object]:
    with PluginClient(process.setup.socket) as client:
        job: dict[str, object] = client.status()["job"]
        return job


def test_a_trial_run_ends_in_time(plugin_bed: PluginBed) -> None:
    with plugin_bed.opensm("gran-2010") as process:
        process.await_done()
        fall_silent(plugin_bed, process)
        begin(process, TRIED, ttl_s=1)
        await_held(plugin_bed, TRIED, but=(SILENT,))
        process.await_done("restore")
        job = last_job(process)
        assert (job["kind"], job["state"]) == ("restore", "done")
        assert within(float(str(job["elapsed_s"])), 2)
        await_held(plugin_bed, "gran-2010", but=(SILENT,))
        assert process.errors == []


def test_stopping_opensm_restores_all_that_answer(plugin_bed: PluginBed) -> None:
    with plugin_bed.opensm("gran-2010") as process:
        process.await_done()
        fall_silent(plugin_bed, process)
        begin(process, TRIED, ttl_s=600)
        before_s = time.monotonic()
        assert process.opensm.stop() == 0
        assert within(time.monotonic() - before_s, 4), "its own end, and not the 5 s that a restore may take"
        assert process.lines[-1] == "unloaded during a trial run: base profile restored"
        await_held(plugin_bed, "gran-2010", but=(SILENT,))


def test_a_host_that_stops_with_the_trial_run_is_told_at_the_end(plugin_bed: PluginBed) -> None:
    with plugin_bed.opensm("gran-2010", options="--restore-on-exit-ms 1000") as process:
        process.await_done()
        begin(process, TRIED, ttl_s=600)
        fault(plugin_bed, "drop", SILENT)
        assert process.opensm.stop() == 0
        assert re.match(r"unloaded during .* could not be restored within 1000 ms: 1 devices may hold", process.errors[-1])
        await_held(plugin_bed, "gran-2010", but=(SILENT,))


def test_what_is_asked_in_vain_is_no_job(plugin_bed: PluginBed) -> None:
    with plugin_bed.opensm("gran-2010", options=FEW_TRIES) as process:
        process.await_done()
        fall_silent(plugin_bed, process)
        begin(process, TRIED, ttl_s=600)
        asked = last_job(process)
        assert asked["kind"] == "apply"
        gets = plugin_bed.count_mads("get")
        deadline = time.monotonic() + 300
        while gets() < 3:  # all tries of one time
            assert time.monotonic() < deadline, "it is not asked again"
            time.sleep(0.02)  # the emulator's counts can be looked at only
        assert last_job(process)["id"] == asked["id"]
        clear(plugin_bed)
        await_held(plugin_bed, TRIED)
        assert process.errors == []
