# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A sweep of OpenSM's that ends without SUBNET_UP: it hands the fabric over to another OpenSM, and tells no plugin."""

import pytest

from tests.opensm_plugin.devices import wanted
from tests.opensm_plugin.plugin_process import SOON_TAKEN_OVER, PluginBed
from tests.opensm_plugin.test_experiments import TRIED, begin
from tests.tuner.cli.conftest import Command, command
from tuner.opensm.plugin_client import PluginClient

__all__ = ["command"]

PUT_BACK = r"apply of revision 1 done: 9 of 9 devices settled, (?:[89]|1\d) Sets"
"""What the other master changed: a setting of seven adapters, and one of each switch. All is read, and the rest is as it was."""


def test_who_hands_over_is_silent_and_trusts_nothing_when_it_is_master_again(plugin_bed: PluginBed) -> None:
    with plugin_bed.opensm("gran-2010", more_options=SOON_TAKEN_OVER, node="H7", state="first") as first:
        first.await_done()
        before = len(first.opensm.lines)
        # The second OpenSM has the same priority and the lower GUID, so it ranks above the first.
        with plugin_bed.opensm(more_options=SOON_TAKEN_OVER, node="H1", state="second", up=False) as second:
            first.await_line("standby: another subnet manager is MASTER", after=before)
            second.await_done()
            with PluginClient(first.setup.socket) as client:
                status = client.status()
            assert status["role"] == "standby"
            assert status["sweeps"]["running_s"] is None
            begin(second, TRIED, ttl_s=600)
            second.opensm.kill()
        before = first.await_line("master: the profile in force", after=before)
        first.await_line(PUT_BACK, after=before)
        assert plugin_bed.held() == wanted(plugin_bed.wanted("gran-2010"))
        assert first.errors == []


def test_a_standby_says_that_it_knows_no_devices(
    plugin_bed: PluginBed, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Empty tables would read as a fabric without devices, or without congestion."""
    with (
        plugin_bed.opensm("gran-2010", node="H1", state="first"),
        plugin_bed.opensm(options="--log-interval-s 5", node="H7", state="second", up=False) as second,
    ):
        second.await_line("standby: another subnet manager is MASTER")
        monkeypatch.setenv("IBCC_SOCKET", str(second.setup.socket))
        told = "IBCC0705: this OpenSM is standby; ask the plugin of the one that is master"
        for words in (("devices",), ("devices", "--as-found"), ("congestion",)):
            done = command("fabric", *words)
            assert (done.code, told in done.err) == (0, True), words
        adopted = command("profile", "adopt")
        assert (adopted.code, adopted.err) == (5, f"ibcc: {told}\n")
