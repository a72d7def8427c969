# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""First contact: OpenSM's own manager has set the fabric, and then OpenSM is started with the plugin and without a profile."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ccsim.policy import Profile
from tests.opensm_plugin.devices import wanted
from tests.opensm_plugin.plugin_process import PluginBed, PluginProcess
from tests.opensm_plugin.test_experiments import TRIED, begin
from tests.opensm_plugin.test_nvidia import WRITE, both_kinds, mixed, rows_of
from tests.tuner.cli.conftest import Command, command
from tuner.documents.profile import load_profile
from tuner.opensm.congestion_options import congestion_options
from tuner.opensm.plugin_client import UNASKED, PluginClient
from tuner.opensm.preload import client_environment
from tuner.opensm.process import OpenSm

__all__ = ["command", "mixed"]

SITE = load_profile("gran-2012").with_settings({"ca.ccti_timer": 777, "ca.ccti_increase": 3, "switch.victim_mask": "all"})
"""The values of the site, of which OpenSM's manager has one set for all."""


def set_by_opensm(bed: PluginBed, profile: Profile) -> str:
    """Has OpenSM's own manager set it; returns its options of opensm.conf."""
    options = congestion_options(bed.wanted(profile), bed.fabric)
    with OpenSm(bed.folder / "own", client_environment(bed.bed.emulated.name, None), more_options=options) as opensm:
        opensm.await_subnet_up()
        opensm.stop()
    return options


@pytest.fixture
def site(plugin_bed: PluginBed) -> PluginBed:
    set_by_opensm(plugin_bed, SITE)
    return plugin_bed


@pytest.fixture
def met(site: PluginBed, monkeypatch: pytest.MonkeyPatch) -> Iterator[PluginProcess]:
    with site.opensm() as process:
        process.await_done("probe")
        monkeypatch.setenv("IBCC_SOCKET", str(process.setup.socket))
        yield process


def test_a_trial_run_and_the_first_apply_end_in_what_each_device_held(
    site: PluginBed, met: PluginProcess, command: Command
) -> None:
    before = site.held()
    assert before == wanted(site.wanted(SITE))
    told = command("fabric", "status")
    assert "none; revision 0, as found" in told.out
    assert "9 applied" in told.out
    assert command("profile", "verify").code == 0
    assert site.held() == before
    planned = command("profile", "plan", "gran-2010", "--output", "json")
    assert '"unknown": 0' in planned.out
    assert '"held": 777' in planned.out
    began = command("profile", "apply", "gran-2010", "--ttl", "60")
    assert (began.code, began.err) == (0, "")
    assert site.held() == wanted(site.wanted("gran-2010"))
    ended = command("profile", "rollback")
    assert (ended.code, ended.err) == (0, "")
    assert "revision 0 is in force" in ended.out
    assert site.held() == before
    assert command("profile", "apply", "gran-2010").code == 0
    assert site.held() == wanted(site.wanted("gran-2010"))
    assert command("profile", "rollback").code == 0
    assert site.held() == before
    again = command("profile", "rollback")
    assert again.code == 2
    assert "no profile is in force" in again.err
    assert met.errors == []


def test_beside_the_other_manager_nothing_is_concluded_about_devices(
    site: PluginBed, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The plugin asks no device then: that none has congestion control does not follow."""
    with site.opensm(opensm_options={"congestion_control": "TRUE"}) as process:
        process.await_line("OpenSM's own congestion control is on")
        monkeypatch.setenv("IBCC_SOCKET", str(process.setup.socket))
        for words in (("adopt",), ("plan", "gran-2010"), ("verify",)):
            done = command("profile", *words)
            assert (done.code, done.err) == (5, f"ibcc: {UNASKED['conflict']}\n"), words
        assert "OpenSM's own congestion control is on" in command("fabric", "devices").err


def test_a_kill_in_the_first_trial_run(site: PluginBed) -> None:
    before = site.held()
    with site.opensm() as process:
        process.await_done("probe")
        begin(process, TRIED, ttl_s=600)
        assert site.held() != before
        process.opensm.kill()
    with site.opensm() as process:
        process.await_done()
        assert site.held() == before
        with PluginClient(process.setup.socket) as client:
            status = client.status()
        assert (status["wanted"], status["on_fabric"], status["base"]) == (0, 0, None)
        assert status["as_found"]["in_force"] is True
        assert process.errors == []


def test_what_was_found_becomes_a_profile(site: PluginBed, met: PluginProcess, command: Command, tmp_path: Path) -> None:
    shown = command("fabric", "devices", "--as-found")
    assert shown.out.count("timer 777 and increase 3") == 7
    made = command("profile", "adopt", "--name", "site", "-o", tmp_path / "site.yaml")
    assert (made.code, made.err) == (0, "")
    assert wanted(site.wanted(load_profile(tmp_path / "site.yaml"))) == wanted(site.wanted(SITE))
    sets = site.count_mads("set")
    assert command("profile", "apply", tmp_path / "site.yaml", "--ttl", "60").code == 0
    assert command("profile", "rollback").code == 0
    assert command("profile", "apply", tmp_path / "site.yaml").code == 0
    assert sets() == 0, "devices hold it already"
    changed = command("profile", "adopt", "--set", "profile.ca.ccti_timer=200", "-o", tmp_path / "slower.yaml")
    assert changed.code == 0
    assert load_profile(tmp_path / "slower.yaml").to_dict()["ca"]["ccti_timer"] == 200


def test_options_of_opensm_are_the_same_profile(site: PluginBed, command: Command, tmp_path: Path) -> None:
    options = congestion_options(site.wanted(SITE), site.fabric)
    (tmp_path / "opensm.conf").write_text(options)
    imported = command("profile", "import", tmp_path / "opensm.conf", "-o", tmp_path / "site.yaml")
    assert imported.code == 0
    assert wanted(site.wanted(load_profile(tmp_path / "site.yaml"))) == wanted(site.wanted(SITE))


@pytest.mark.long
def test_what_others_have_switched_on_gets_no_second_kind(mixed: PluginBed, command: Command) -> None:
    """Another manager has switched NVIDIA's congestion control on, and the first profile has annex A10's values alone."""
    with mixed.opensm(both_kinds(), options=WRITE, state="another") as another:
        another.await_done()
    before = mixed.held()
    mixed.profile.unlink()
    with mixed.opensm(options=WRITE, state="own") as process:
        process.await_done("probe")
        # A trial run of its own, which ends in what they were found with, does not make them its own.
        begin(process, both_kinds().with_settings({"nvidia.adapter.rp.rpg_ai_rate": 9}), ttl_s=600)
        assert command("profile", "rollback", "--socket", process.setup.socket).code == 0
        assert mixed.held() == before
        mixed.write_profile("gran-2010")
        assert command("profile", "apply", "gran-2010", "--socket", process.setup.socket).code == 5
        foreign = {name for name, row in rows_of(process).items() if row["state"] == "foreign"}
        assert foreign == {"S1", "S2", "H1", "H2", "H3", "H5", "H6"}
        of_nvidia = [device for device, tables in before.items() if "nvidia" in tables]
        assert {device: mixed.held()[device] for device in of_nvidia} == {device: before[device] for device in of_nvidia}
        assert command("profile", "verify", "--socket", process.setup.socket).code == 1
