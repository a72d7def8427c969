# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The plugin within an unmodified OpenSM under valgrind: others have faults there, the plugin has none."""

import os
import shutil
from pathlib import Path

import pytest

from tests.opensm_plugin.devices import wanted
from tests.opensm_plugin.plugin_process import PluginBed
from tuner.documents.profile import load_profile
from tuner.opensm.plugin_client import PluginClient
from tuner.opensm.preload import client_path


@pytest.fixture
def valgrind(tmp_path: Path) -> Path:
    """A folder whose `opensm` is the real one under valgrind, which logs into `log` there."""
    opensm = shutil.which("opensm", path=client_path())
    found = shutil.which("valgrind")
    if found is None or opensm is None:
        reason = "valgrind is not installed: Debian's package valgrind has it"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    flags = "--leak-check=full --show-leak-kinds=definite,indirect --num-callers=40"
    flags += f" --keep-debuginfo=yes --fullpath-after= --log-file={tmp_path}/log"
    script = tmp_path / "opensm"
    script.write_text(f'#!/bin/sh\nexec {found} {flags} {opensm} "$@"\n')
    script.chmod(0o755)
    return tmp_path


def is_ours(block: str) -> bool:
    """Whether a stack of calls comes to the plugin before it comes to the client, which reads beyond its own blocks."""
    places = [at for mark in ("/opensm_plugin/", "/ccpolicy/", "libibcc") if (at := block.find(mark)) >= 0]
    return bool(places) and "libumad2sim" not in block[: min(places)]


def test_no_fault_and_no_leak_is_the_plugins(plugin_bed: PluginBed, valgrind: Path) -> None:
    tried = load_profile("gran-2010").with_settings({"ca.ccti_timer": 777})
    with plugin_bed.opensm("gran-2010", executable=str(valgrind / "opensm"), options="--timeout-ms 2000") as process:
        last = process.await_done(timeout_s=120)
        for link_up in (False, True):
            plugin_bed.bed.emulated.emulator.set_link(plugin_bed.bed.emulated.built.hosts.find("H7").node, 1, link_up)
            process.opensm.sweep(timeout_s=120)
        process.await_done(after=last + 1, timeout_s=120)
        with PluginClient(process.setup.socket) as client:
            client.subscribe()
            for call in (client.status, client.devices, client.profile):
                call()
            accepted = client.apply(tried.to_yaml(), ttl_s=600)
            assert accepted.job is not None
            assert client.wait(accepted.job)["state"] == "done"
        process.opensm.stop()
    assert plugin_bed.held() == wanted(plugin_bed.wanted("gran-2010"))
    log = (valgrind / "log").read_text(errors="replace")
    assert "ERROR SUMMARY" in log
    # Blocks are told apart by lines with nothing but the process's number.
    blocks = "".join(line.partition("== ")[2] or "\n" for line in log.splitlines(keepends=True)).split("\n\n")
    assert [block for block in blocks if is_ours(block)] == []
