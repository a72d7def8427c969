# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A master is killed in a trial run of NVIDIA's values, and another OpenSM takes over: with the base file, and without it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ccsim.policy import Profile
from tests.emulator.conftest import Emulate
from tests.opensm_plugin.plugin_process import SOON_TAKEN_OVER, Load, PluginBed, PluginProcess
from tests.opensm_plugin.test_experiments import begin
from tests.opensm_plugin.test_faults import clear, fault, node
from tests.opensm_plugin.test_keys import write_keys
from tests.opensm_plugin.test_nvidia import WRITE, await_that, both_kinds, holds, is_off, mixed, nvidia_of, rows_of
from tests.tuner.cli.conftest import Command, command
from tuner.documents.congestion_control import Algorithm, CongestionControlRow
from tuner.documents.fabric import load_fabric
from tuner.opensm.plugin_client import PluginClient

__all__ = ["command", "mixed"]

PARAMETERS = 0xFF25
POWER_ON = (1, 2)
"""Parameters of algorithm 7 before anybody sets them."""

_PPCC = """
nvidia:
  adapter: {{type: ppcc, ppcc: [{{algo_id: 7, major: 1, minor: 0, sls: [0], parameters: {parameters}}}]}}
"""


@contextmanager
def two_nodes(bed: PluginBed, base: "Profile | str", options: str) -> Iterator[tuple[PluginProcess, PluginProcess]]:
    """The master, and the standby that has the same profile file and a state folder of its own."""
    with (
        bed.opensm(base, options=options, more_options=SOON_TAKEN_OVER, node="H1", state="first") as first,
        bed.opensm(options=options, more_options=SOON_TAKEN_OVER, node="H7", state="second", up=False) as second,
    ):
        first.await_done()
        second.await_line("standby: another subnet manager is MASTER")
        yield first, second


def take_over(first: PluginProcess, second: PluginProcess) -> None:
    """The master is killed with no time for anything."""
    before = len(second.opensm.lines)
    first.opensm.kill()
    before = second.await_line("master: the profile in force", after=before)
    second.await_done(after=before)


def base_file(bed: PluginBed) -> str:
    (bed.folder / "handover").mkdir(mode=0o700)
    return f"--base-file {bed.folder / 'handover' / 'base'}"


@pytest.mark.long
def test_a_trial_run_ends_with_its_master(mixed: PluginBed) -> None:
    keys = write_keys(mixed, "current: 0x1f2e3d\n")
    with two_nodes(mixed, "gran-2010", f"{WRITE} {base_file(mixed)} {keys}") as (first, second):
        begin(first, both_kinds(), ttl_s=600)
        assert holds(mixed, both_kinds())
        take_over(first, second)
        await_that(lambda: is_off(mixed))
        assert holds_a10(mixed, "gran-2010")
        states = {name: row["state"] for name, row in rows_of(second).items()}
        assert set(states.values()) == {"applied", "unsupported"}
        second.await_line("took over from the OpenSM at 0x")
        with PluginClient(second.setup.socket) as client:
            assert client.status()["experiment"] is None
            (line,) = (change for change in client.changes(10) if change["what"] == "takeover")
            assert re.fullmatch(r"this OpenSM took over from the one at 0x\w+: the trial run '.+' ends now", line["why"])


def holds_a10(bed: PluginBed, profile: str) -> bool:
    """Each device that has annex A10's attributes holds that profile."""
    wanted = bed.wanted(profile)
    timers = {ca["setting"]["sls"][0]["ccti_timer"] for ca in wanted.cas}
    held = bed.held()
    own = [held[(node(bed, name), 1)]["setting"]["sls"][0]["ccti_timer"] for name in ("H4", "H5")]
    return set(own) == timers


@pytest.fixture
def ppcc(load: Load, emulate: Emulate) -> PluginBed:
    row = CongestionControlRow(dialect="nvidia-ppcc", algorithms=(Algorithm(algo_id=7, parameters=POWER_ON),))
    return load(emulate(load_fabric("two-switch").model_copy(update={"congestion_control": (row,)})))


@pytest.mark.long
def test_parameters_of_a_trial_run_become_what_they_were(ppcc: PluginBed) -> None:
    """Both nodes have the same base, which says nothing of parameter 0."""
    base = "ibcc_profile: 2\nname: base\n" + _PPCC.format(parameters="{1: 3932}")
    trial = "ibcc_profile: 2\nname: trial\n" + _PPCC.format(parameters="{0: 999, 1: 55}")

    def held() -> dict[int, int]:
        parameters = nvidia_of(ppcc, "H3")["ppcc"][0]["parameters"]
        return {index: parameters[index] for index in (0, 1)}

    with two_nodes(ppcc, Profile.from_text(base), f"{WRITE} {base_file(ppcc)}") as (first, second):
        assert held() == {0: POWER_ON[0], 1: 3932}
        begin(first, Profile.from_text(trial), ttl_s=600)
        assert held() == {0: 999, 1: 55}
        take_over(first, second)
        await_that(lambda: held() == {0: POWER_ON[0], 1: 3932})


@pytest.mark.long
def test_parameters_whose_set_had_no_answer_become_what_they_were(ppcc: PluginBed) -> None:
    """The Set of a trial run is in flight when the restore is over: it has arrived, and what was before is not forgotten."""
    base = "ibcc_profile: 2\nname: base\n" + _PPCC.format(parameters="{1: 3932}")
    trial = "ibcc_profile: 2\nname: trial\n" + _PPCC.format(parameters="{0: 999}")

    def held() -> Any:
        return nvidia_of(ppcc, "H3")["ppcc"][0]["parameters"][0]

    with ppcc.opensm(Profile.from_text(base), options="--nvidia-write --timeout-ms 50 --max-timeout-ms 20000") as process:
        process.await_done()
        fault(ppcc, "drop", "H3", attribute=PARAMETERS, method="set", parameters={"lost": "answer"})
        with PluginClient(process.setup.socket) as client:
            client.apply(trial, ttl_s=600)
            # The next try is so far away that the restore ends before.
            await_that(lambda: ppcc.bed.emulated.emulator.faults()[0]["struck"] >= 6)
            client.rollback(client.status()["wanted"])
            process.await_done("restore")
            assert held() == 999
            clear(ppcc)
            await_that(lambda: held() == POWER_ON[0])


@pytest.mark.long
def test_without_the_file_devices_are_foreign_until_somebody_says_so(
    mixed: PluginBed, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    with two_nodes(mixed, "gran-2010", WRITE) as (first, second):
        begin(first, both_kinds(), ttl_s=600)
        take_over(first, second)
        monkeypatch.setenv("IBCC_SOCKET", str(second.setup.socket))
        states = {name: row["state"] for name, row in rows_of(second).items()}
        assert {name for name, state in states.items() if state == "foreign"} == {"S1", "S2", "H1", "H2", "H3", "H5", "H6"}
        assert nvidia_of(mixed, "H5")["general"]["en_react"]
        verified = command("profile", "verify")
        assert verified.code == 1
        assert "7 obeyed NVIDIA's attributes that somebody else had switched on" in verified.out
        assert "7 foreign" in command("fabric", "status").out
        cleared = command("profile", "clear-foreign")
        assert (cleared.code, cleared.err) == (0, "")
        assert re.match(r"7 devices are to be cleared: ", cleared.out)
        assert is_off(mixed)
        assert command("profile", "verify").code == 0
        again = command("profile", "clear-foreign")
        assert (again.code, again.err) == (2, "ibcc: IBCC0710: no device is foreign\n")
        assert "clear-foreign" in command("fabric", "log").out


@pytest.mark.long
def test_copies_of_the_file_that_are_not_right_change_nothing(mixed: PluginBed, command: Command, tmp_path: Path) -> None:
    """Each node has a file of its own, and a copy goes from one to the other: late, cut, old, unsigned."""
    for name in ("first", "second"):
        (mixed.folder / f"at-{name}").mkdir(mode=0o700)
    here, there = mixed.folder / "at-first/base", mixed.folder / "at-second/base"
    keys = write_keys(mixed, "current: 0x1f2e3d\n")
    key_file = ("--key-file", str(mixed.folder / "keys.yaml"))
    with (
        mixed.opensm(
            "gran-2010", options=f"{WRITE} {keys} --base-file {here}", more_options=SOON_TAKEN_OVER, node="H1", state="a"
        ) as a,
        mixed.opensm(
            options=f"{WRITE} {keys} --base-file {there}", more_options=SOON_TAKEN_OVER, node="H7", state="b", up=False
        ) as b,
    ):
        a.await_done()
        b.await_line("standby: another subnet manager is MASTER")
        old = here.read_bytes()
        assert command("fabric", "handover", "pull", here, there, *key_file).code == 0
        begin(a, both_kinds(), ttl_s=600)
        cut = tmp_path / "cut"
        cut.write_bytes(here.read_bytes()[:-40])
        finished = command("fabric", "handover", "pull", cut, there, *key_file)
        assert (finished.code, "is cut or damaged" in finished.err) == (2, True)
        assert there.read_bytes() == old
        assert command("fabric", "handover", "push", here, there, *key_file).code == 0
        before = tmp_path / "old"
        before.write_bytes(old)
        finished = command("fabric", "handover", "pull", before, there, *key_file)
        assert (finished.code, "is older than" in finished.err) == (1, True)
        assert there.read_bytes() == here.read_bytes()
        take_over(a, b)
        await_that(lambda: is_off(mixed))
        assert rows_of(b)["H1"]["state"] == "unsupported"
