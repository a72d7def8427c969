# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc fabric …` and `ibcc profile …` against OpenSM with the plugin on an emulated fabric."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.emulator.conftest import Emulate
from tests.opensm_plugin.devices import wanted
from tests.opensm_plugin.plugin_process import Load, PluginBed, PluginProcess
from tests.opensm_plugin.test_nvidia import NVIDIA
from tests.tuner.cli.conftest import Command, command
from tuner.documents.congestion_control import CongestionControlRow
from tuner.documents.fabric import load_fabric
from tuner.documents.profile import load_profile
from tuner.opensm.plugin_client import PluginClient

__all__ = ["command"]

DEVICES = 9
"""Two switches and seven hosts."""


@pytest.fixture
def running(plugin_bed: PluginBed, monkeypatch: pytest.MonkeyPatch) -> Iterator[PluginProcess]:
    """The bed with gran-2010 as its base profile, which every device holds."""
    with at_base(plugin_bed) as process:
        monkeypatch.setenv("IBCC_SOCKET", str(process.setup.socket))
        yield process


@contextmanager
def at_base(bed: PluginBed, options: str = "") -> Iterator[PluginProcess]:
    with bed.opensm("gran-2010", options=options) as process:
        process.await_done()
        yield process


def status(process: PluginProcess) -> dict[str, Any]:
    with PluginClient(process.setup.socket) as client:
        return client.status()


def test_status(command: Command, running: PluginProcess) -> None:
    told = command("fabric", "status")
    assert (told.code, told.err) == (0, "")
    assert re.search(r"Base profile +gran-2010 \(revision 1, file, ", told.out)
    assert "2 switches, 7 ports of adapters: 9 applied" in told.out
    document = json.loads(command("fabric", "status", "--output", "json").out)
    assert (document["role"], document["devices"]["states"]["applied"]) == ("master", DEVICES)
    assert document["opensm"].startswith("OpenSM ")
    figures = command("fabric", "status", "--output", "prometheus").out
    assert '\nibcc_devices{state="applied"} 9\n' in figures
    assert '\nibcc_role{role="master"} 1\n' in figures


def test_devices(command: Command, running: PluginProcess) -> None:
    told = command("fabric", "devices")
    assert (told.code, told.err) == (0, "")
    assert len(re.findall(r" 0x[0-9a-f]{16} .* applied ", told.out)) == DEVICES
    rows = json.loads(command("fabric", "devices", "--output", "json").out)["devices"]
    assert {row["description"] for row in rows} == {"S1", "S2", *(f"H{n}" for n in range(1, 8))}
    one = json.loads(command("fabric", "devices", "--guid", rows[0]["guid"], "--output", "json").out)["devices"]
    assert [row | {"as_of_s": None} for row in one] == [rows[0] | {"as_of_s": None}], "it may have been read again meanwhile"
    assert json.loads(command("fabric", "devices", "--state", "drifted", "--output", "json").out) == {"devices": []}
    lines = command("fabric", "devices", "--output", "csv").out.splitlines()
    assert len(lines) == 1 + DEVICES
    wrong = command("fabric", "devices", "--guid", "S1")
    assert (wrong.code, wrong.err) == (2, "ibcc: IBCC0601: guid is 'S1', but must be a GUID, such as \"0x0002c90300000001\"\n")


def test_an_experiment_and_its_end(command: Command, running: PluginProcess, plugin_bed: PluginBed) -> None:
    changed = load_profile("gran-2010", {"ca.ccti_timer": 321})
    setting = ("--set", "profile.ca.ccti_timer=321")
    told = command("profile", "plan", "gran-2010", *setting)
    assert (told.code, told.out) == (0, "0 switches and 7 ports of adapters would receive 7 Sets\n")
    told = command("profile", "apply", "gran-2010", "--ttl", "600", *setting)
    assert (told.code, told.err) == (0, "")
    assert told.out == "revision 2 is in force: all devices that support congestion control hold the wanted values (9 applied)\n"
    assert plugin_bed.held() == wanted(plugin_bed.wanted(changed))
    assert re.search(r"Trial run +gran-2010 \(revision 2, .*for \d+ s more", command("fabric", "status").out)

    second = command("profile", "apply", "off", "--ttl", "600")
    assert second.code == 5
    assert second.out == ""

    told = command("profile", "rollback")
    assert (told.code, told.err) == (0, "")
    assert plugin_bed.held() == wanted(plugin_bed.wanted("gran-2010"))
    assert status(running)["experiment"] is None


def test_whose_experiment_it_is_is_shown(command: Command, running: PluginProcess) -> None:
    with PluginClient(running.setup.socket) as client:
        client.apply(load_profile("off").to_yaml(), ttl_s=600, owner="a campaign on host h")
    assert re.search(r"\n +by a campaign on host h *\n", command("fabric", "status").out)


def test_commit(command: Command, running: PluginProcess, plugin_bed: PluginBed) -> None:
    nothing = command("profile", "commit")
    assert (nothing.code, nothing.out) == (2, "")
    assert command("profile", "apply", "off", "--ttl", "600").code == 0
    assert command("profile", "commit").code == 0
    assert status(running)["base"]["name"] == "off"
    assert plugin_bed.held() == wanted(plugin_bed.wanted("off"))
    assert command("profile", "rollback", "--no-wait").code == 0
    assert status(running)["base"]["name"] == "gran-2010"


def test_for_good(command: Command, running: PluginProcess, plugin_bed: PluginBed, tmp_path: Path) -> None:
    written = tmp_path / "mine.yaml"
    written.write_text("# mine\n" + load_profile("off").to_yaml())
    told = command("profile", "apply", written, "--if-revision", "1", "--output", "json")
    assert told.code == 0
    document = json.loads(told.out)
    assert (document["revision"], document["job"]["state"], document["devices"]["applied"]) == (2, "done", DEVICES)
    with PluginClient(running.setup.socket) as client:
        assert client.profile("base")["document"] == written.read_text(), "as it was written, comments too"
    stale = command("profile", "apply", "gran-2010", "--if-revision", "1")
    assert (stale.code, stale.out) == (5, "")
    assert plugin_bed.held() == wanted(plugin_bed.wanted("off"))


def test_the_time_runs_out(running: PluginProcess, plugin_bed: PluginBed) -> None:
    with PluginClient(running.setup.socket) as client:
        client.subscribe(["applied", "restored"])
        accepted = client.apply(load_profile("off").to_yaml(), ttl_s=1)
        assert accepted.job is not None
        assert client.wait(accepted.job)["state"] == "done"
        restored = next(event for event in client.events() if event["event"] == "restored")
        assert (restored["state"], restored["revision"]) == ("done", 1)
    assert plugin_bed.held() == wanted(plugin_bed.wanted("gran-2010"))


def test_verify(command: Command, running: PluginProcess, plugin_bed: PluginBed) -> None:
    told = command("profile", "verify")
    assert (told.code, told.out, told.err) == (0, "9 of 9 devices hold what they should\n", "")
    plugin_bed.bed.clients.output("ibccconfig", "SwitchCongestionSetting", _row(running, "S1")["lid"], *_SWITCH_SETTING)
    told = command("profile", "verify", "--output", "json")
    assert told.code == 1
    document = json.loads(told.out)
    assert (document["verified"], document["drifted"]) == (False, 1)
    assert command("profile", "verify").code == 0, "it was set again"
    assert plugin_bed.held() == wanted(plugin_bed.wanted("gran-2010"))


_SWITCH_SETTING = ("0x1F", "0x0", "0x0", "7", "8", "0", "0:0", "5")
"""Control_Map, Victim_Mask, Credit_Mask, Threshold, Packet_Size, CS_Threshold, CS_ReturnDelay, Marking_Rate."""


def _row(process: PluginProcess, name: str) -> dict[str, Any]:
    with PluginClient(process.setup.socket) as client:
        return next(row for row in client.devices() if row["description"] == name)


def _await_row(process: PluginProcess, name: str, **expected: object) -> None:
    deadline = time.monotonic() + 600
    while {key: (row := _row(process, name))[key] for key in expected} != expected:
        assert time.monotonic() < deadline, row
        time.sleep(0.02)  # no event tells of it


def _index(bed: PluginBed, name: str) -> int:
    return next(index for index, node in enumerate(bed.bed.fabric.nodes) if node.name == name)


def test_a_device_that_does_not_answer(command: Command, plugin_bed: PluginBed, monkeypatch: pytest.MonkeyPatch) -> None:
    with at_base(plugin_bed, "--timeout-ms 300 --max-timeout-ms 300 --retries 1") as process:
        monkeypatch.setenv("IBCC_SOCKET", str(process.setup.socket))
        plugin_bed.bed.emulated.emulator.add_fault("drop", node=_index(plugin_bed, "H3"), mgmt_class=0x21)
        told = command("profile", "verify")
        assert told.code == 1
        assert re.search(r"H3/1 .* timing-out ", told.out)
        told = command("profile", "apply", "off", "--ttl", "600")
        assert (told.code, told.out.split(":")[0]) == (5, "revision 2 is in force")
        assert "not all devices hold the profile (1 timing-out): H3; `ibcc fabric devices` shows more" in told.err
        told = command("profile", "rollback")
        assert told.code == 5, "the others hold the base, and H3 may hold anything"
        told = command("fabric", "devices", "--state", "timing-out", "--output", "json")
        assert [row["description"] for row in json.loads(told.out)["devices"]] == ["H3"]


def test_a_profile_that_no_device_can_hold(command: Command, plugin_bed: PluginBed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every device of a site may have NVIDIA's attributes alone, and a profile say annex A10's."""
    plugin_bed.bed.emulated.emulator.add_fault("unsupported", mgmt_class=0x21)
    with at_base(plugin_bed) as process:
        monkeypatch.setenv("IBCC_SOCKET", str(process.setup.socket))
        nowhere = "no device holds the profile: all 9 devices have none of the attributes that it writes"
        told = command("profile", "verify")
        assert (told.code, told.out) == (
            1,
            f"0 of 9 devices hold what they should; {nowhere}; `ibcc fabric dialects` says which they have\n",
        )
        told = command("profile", "apply", "gran-2012", "--ttl", "600")
        assert told.code == 5
        assert (
            "is in force: no device holds the profile: 9 have none of the attributes that it writes (9 unsupported)" in told.out
        )
        assert f"IBCC0837: {nowhere}; `ibcc fabric dialects` says which they have" in told.err
        assert command("profile", "rollback").code == 5
        assert command("profile", "apply", "off").code == 0
        assert command("profile", "verify").code == 0


def test_a_host_whose_port_opensm_cannot_bring_up(
    command: Command, plugin_bed: PluginBed, monkeypatch: pytest.MonkeyPatch
) -> None:
    with at_base(plugin_bed) as process:
        monkeypatch.setenv("IBCC_SOCKET", str(process.setup.socket))
        emulator = plugin_bed.bed.emulated.emulator
        host = _index(plugin_bed, "H3")
        fault = emulator.add_fault("drop", node=host, mgmt_class=0x01, attribute=0x15, method="set")
        emulator.reboot(host)
        _await_row(process, "H3", not_ready=True)
        told = command("profile", "verify")
        assert told.code == 1
        assert (
            "8 of 9 devices hold what they should; 1 not ready, as OpenSM has not brought their ports up" in told.out + told.err
        )
        assert re.search(r"H3/1 .* not ready \(was applied, .* OpenSM has not brought its port up", told.out)
        assert re.search(r"Not ready +1\b", command("fabric", "status").out)
        emulator.clear_faults(fault)
        _await_row(process, "H3", not_ready=False, state="applied")


def test_a_device_that_is_away_is_named_and_does_not_count(
    command: Command, running: PluginProcess, plugin_bed: PluginBed
) -> None:
    plugin_bed.bed.emulated.emulator.set_present(_index(plugin_bed, "H3"), False)
    running.opensm.sweep()
    _await_row(running, "H3", present=False)
    for words in (["apply", "off", "--ttl", "600"], ["commit"], ["rollback"], ["verify"]):
        told = command("profile", *words)
        assert told.code == 0, words
        assert told.out.endswith("; 1 is away: H3\n")
    assert json.loads(command("profile", "verify", "--output", "json").out)["away"] == ["H3"]
    assert json.loads(command("profile", "apply", "off", "--output", "json").out)["away"] == ["H3"]


FRAGILE = "--timeout-ms 2000 --max-timeout-ms 2000 --retries 0 --max-errors 0 --error-window-s 60"
"""One request without an answer is too many. The emulated kernel says after 200 ms that there will be none; a shorter time of the
plugin's own would be over before a busy machine has let the emulator answer."""


def test_too_many_failures_bring_the_base_back(command: Command, plugin_bed: PluginBed, monkeypatch: pytest.MonkeyPatch) -> None:
    with at_base(plugin_bed, FRAGILE) as process:
        monkeypatch.setenv("IBCC_SOCKET", str(process.setup.socket))
        plugin_bed.bed.emulated.emulator.add_fault("drop", mgmt_class=0x21, method="set", count=1)
        told = command("profile", "apply", "off", "--ttl", "600")
        assert (told.code, told.out) == (4, "")
        assert "the base profile is in force again" in told.err
        assert plugin_bed.held() == wanted(plugin_bed.wanted("gran-2010"))
        assert status(process)["experiment"] is None


def test_too_many_failures_of_all_there_is_need_a_person(
    command: Command, plugin_bed: PluginBed, monkeypatch: pytest.MonkeyPatch
) -> None:
    with at_base(plugin_bed, FRAGILE) as process:
        monkeypatch.setenv("IBCC_SOCKET", str(process.setup.socket))
        plugin_bed.bed.emulated.emulator.add_fault("drop", mgmt_class=0x21)
        # It is set without a question before: what was never set needs no restoring, so that nothing would fail there.
        told = command("profile", "apply", "gran-2012", "--ttl", "600")
        assert (told.code, told.out) == (5, "")
        assert status(process)["role"] == "halted"


def test_a_job_that_gives_way(running: PluginProcess, plugin_bed: PluginBed) -> None:
    fault = plugin_bed.bed.emulated.emulator.add_fault("drop", mgmt_class=0x21)
    with PluginClient(running.setup.socket) as client:
        client.subscribe(["applied", "restored"])
        accepted = client.apply(load_profile("off").to_yaml(), ttl_s=600)
        assert accepted.revision is not None
        back = client.rollback(accepted.revision)
        assert accepted.job is not None
        assert back.job is not None
        assert client.wait(accepted.job)["state"] == "ended"
        plugin_bed.bed.emulated.emulator.clear_faults(fault)
        assert client.wait(back.job)["state"] == "done"
    assert plugin_bed.held() == wanted(plugin_bed.wanted("gran-2010"))


def test_ctrl_c_leaves_the_experiment_to_its_time(running: PluginProcess, plugin_bed: PluginBed) -> None:
    plugin_bed.bed.emulated.emulator.add_fault("drop", mgmt_class=0x21)
    arguments = [sys.executable, "-m", "tuner.cli.main", "profile", "apply", "off", "--ttl", "600"]
    with PluginClient(running.setup.socket) as watching:
        watching.subscribe(["progress"])
        process = subprocess.Popen(
            arguments, env=os.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        next(watching.events())  # its job runs: it waits
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert "ends by itself 600 s after it began; `ibcc profile rollback` ends it now" in err
    assert status(running)["experiment"]["revision"] == 2


def test_idle_connections_lock_nobody_out(running: PluginProcess, command: Command) -> None:
    """A user has eight places. One who says nothing loses its place, and who comes later waits for it."""
    silent = [socket.socket(socket.AF_UNIX) for _ in range(32)]
    try:
        for one in silent:
            one.connect(str(running.setup.socket))
        began = time.monotonic()
        assert command("fabric", "status").code == 0
        assert time.monotonic() - began < 30
        assert b"your user has 8 connections, the most that a user may have" in silent[-1].recv(1000)
        assert b"this connection is closed: hello did not come within 5 s" in silent[0].recv(1000)
    finally:
        for one in silent:
            one.close()


def test_nobody_there(command: Command, tmp_path: Path) -> None:
    told = command("fabric", "status", "--socket", tmp_path / "none.sock")
    assert (told.code, told.out) == (3, "")
    assert told.err == (
        f"ibcc: IBCC0801: there is no OpenSM plugin at {tmp_path / 'none.sock'} (No such file or directory); check that OpenSM "
        "runs with event_plugin_name ibcc, and that you are root or in its --group\n"
    )


def test_a_wrong_profile_never_reaches_the_plugin(command: Command, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("ibcc_profile: 1\nname: wrong\nnonsense: 1\n")
    told = command("profile", "apply", wrong, "--socket", tmp_path / "none.sock")
    assert told.code == 2
    assert f"{wrong}:3: " in told.err


def test_who_throttles(command: Command, running: PluginProcess) -> None:
    guid = _row(running, "H2")["guid"]
    with PluginClient(running.setup.socket) as client:
        client.set_throttles(guid, 1, "no", by="a test")
    assert re.search(r"H2/1 .* applied .* no ", command("fabric", "devices").out)


def test_log(command: Command, running: PluginProcess) -> None:
    assert command("profile", "apply", "off", "--ttl", "600").code == 0
    assert command("profile", "commit").code == 0
    assert command("profile", "apply", "gran-2012", "--if-revision", "1").code == 5
    lines = json.loads(command("fabric", "log", "--output", "json").out)["changes"]
    told = [(line["what"], line["revision"], line["result"]) for line in lines]
    assert told == [
        ("file", 1, "acknowledged"),
        ("job", 1, "done"),
        ("experiment", 2, "acknowledged"),
        ("job", 2, "done"),
        ("commit", 2, "acknowledged"),
        ("profile.apply", None, "refused"),
    ]
    assert [line["number"] for line in lines] == [1, 2, 3, 4, 5, 6]
    assert {(line["uid"], line["pid"]) for line in lines if line["what"] not in ("file", "job")} == {(os.getuid(), os.getpid())}
    table = command("fabric", "log", "-n", "2").out
    assert re.search(rf"process {os.getpid()} +commit +2 +acknowledged +off", table)
    assert re.search(r"profile\.apply +refused +IBCC\d{4}: if_revision is 1, but the revision in force is 2", table)
    assert len(table.splitlines()) == len(command("fabric", "log", "-n", "1").out.splitlines()) + 1
    assert len(command("fabric", "log", "--output", "csv").out.splitlines()) == 1 + len(lines)


def test_congestion(command: Command, running: PluginProcess) -> None:
    told = command("fabric", "congestion", "--output", "json")
    assert told.code == 0
    assert json.loads(told.out)["interval_s"] >= 0


def test_devices_that_are_not_sent_the_profile_do_not_hold_it(
    command: Command, load: Load, emulate: Emulate, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """All have NVIDIA's attributes alone, and the plugin may not write these."""
    own = (CongestionControlRow(dialect="nvidia-dcqcn"),)
    bed = load(emulate(load_fabric("two-switch").model_copy(update={"congestion_control": own})))
    profile = tmp_path / "mine.yaml"
    profile.write_text(f"ibcc_profile: 2\nname: mine\n{NVIDIA.partition('overrides')[0]}")
    with bed.opensm() as process:
        process.await_line("master: ")
        monkeypatch.setenv("IBCC_SOCKET", str(process.setup.socket))
        for words in (["apply", str(profile)], ["apply", str(profile), "--ttl", "600"], ["commit"], ["rollback"]):
            told = command("profile", *words)
            assert told.code == 5, words
            assert "not all devices hold the profile (9 withheld): " in told.err
