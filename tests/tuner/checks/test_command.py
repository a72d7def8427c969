# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc check`: its options, and its exit codes."""

import errno
import json
import os
import re
import shutil
from datetime import date
from pathlib import Path

import pytest

from tests.tuner.checks.fake_plugin import FakePlugin, device
from tests.tuner.checks.nights import night
from tests.tuner.cli.conftest import Command
from tuner.checks.store.lock import locked
from tuner.cli import check_run
from tuner.documents.congestion_control import CongestionControlRow
from tuner.documents.fabric import load_fabric

CHECK = "ibcc_check: 1\nname: mine\nfabric: two-switch\nkinds:\n"
FAIR = "- {kind: fairness, workload: scenario-1, profile: gran-2010, time_scale: 0.02}\n"


def written(folder: Path, kinds: str) -> Path:
    (folder / "mine.yaml").write_text(CHECK + kinds)
    return folder / "mine.yaml"


def test_list_shows_what_comes_with_ibcc(command: Command) -> None:
    assert [row["name"] for row in json.loads(command("check", "list", "--output", "json").out)] == [
        "nightly",
        "quick",
        "tables-only",
    ]
    assert "tables of all devices" in command("check", "list").out


def test_show_says_what_is_observed(command: Command) -> None:
    out = command("check", "show", "nightly").out
    assert "tables: have the OpenSM plugin at" in out
    assert "a false alarm within a year has a chance of at most 0.1" in out
    assert json.loads(command("check", "show", "quick", "--output", "json").out)["kinds"][0]["time_scale"] == 0.1


def test_a_dry_run_does_nothing(command: Command, tmp_path: Path) -> None:
    finished = command("check", "run", "quick", "--dry-run", "--history", tmp_path / "h", "--date", "2026-01-31")
    assert finished.code == 0
    assert "for 0.5 s on backend 'simulated'" in finished.out
    assert "2026-01-31" in finished.out
    assert not (tmp_path / "h").exists()


def test_a_check_that_is_a_file_is_known_by_its_name_once_it_was_run(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the commands that it prints name it."""
    check, history = written(tmp_path, FAIR), ("--history", tmp_path / "h")
    assert "unknown check 'mine'" in command("check", "show", "mine", *history).err
    for day in range(5):
        command("check", "run", check, *history, "--date", night(day))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    for words in (("show",), ("history",), ("report",), ("accept", "--last", "5"), ("run", "--date", night(6))):
        finished = command("check", words[0], "mine", *words[1:], *history)
        assert finished.code == 0, finished.err
    check.rename(tmp_path / "other.yaml")
    assert "unknown check 'mine'" in command("check", "show", "mine", *history).err


def test_a_check_that_was_renamed_says_where_its_nights_are(command: Command, tmp_path: Path) -> None:
    """It would learn anew, and know of no alarm, without a word."""
    check, history = written(tmp_path, FAIR), ("--history", tmp_path / "h")
    for day in range(2):
        command("check", "run", check, *history, "--date", night(day))
    check.write_text(check.read_text().replace("name: mine", "name: ours"))
    told = f"{tmp_path}/h/mine has 2 nights of {check}; for these to count for check 'ours', rename that folder to ours"
    assert told in command("check", "run", check, *history, "--date", night(2)).err
    assert told not in command("check", "run", check, *history, "--date", night(3)).err
    shutil.rmtree(tmp_path / "h/ours")
    (tmp_path / "h/mine").rename(tmp_path / "h/ours")
    renamed = command("check", "run", check, *history, "--date", night(3))
    assert "learning: 3 of 10 nights" in renamed.out
    assert "rename" not in renamed.err


def test_without_a_plugin_the_check_could_not_be_run(command: Command, tmp_path: Path) -> None:
    check = written(tmp_path, f"- {{kind: tables, socket: {tmp_path}/absent}}\n{FAIR}")
    finished = command("check", "run", check, "--history", tmp_path / "h")
    assert finished.code == 3
    assert f"could not be run: there is no OpenSM plugin at {tmp_path}/absent" in finished.out
    assert "fairness.victim_throughput" in finished.out  # what could be measured is printed, and kept
    nagios = command("check", "run", check, "--history", tmp_path / "h", "--nagios")
    assert (nagios.code, nagios.out.count("\n")) == (3, 1)
    assert nagios.out.startswith("IBCC UNKNOWN: mine: there is no OpenSM plugin")
    assert " | 'fairness.victim_throughput'=" in nagios.out


def test_a_device_that_refused_a_value_fails_the_check(command: Command, tmp_path: Path) -> None:
    check = written(tmp_path, f"- {{kind: tables, socket: {tmp_path}/s}}\n")
    with FakePlugin([device("0x1", "refused", refusal="the value is too large")]).serving(tmp_path / "s"):
        finished = command("check", "run", check, "--history", tmp_path / "h")
        assert command("check", "run", check, "--history", tmp_path / "h", "--nagios").code == 2
    assert finished.code == 1
    assert "the value is too large)\n  next: ibcc fabric devices --state refused --guid 0x1" in finished.out


def test_a_warning_passes_unless_strict(command: Command, tmp_path: Path) -> None:
    check = written(tmp_path, f"- {{kind: tables, socket: {tmp_path}/s}}\n")
    with FakePlugin([device("0x1", present=False, not_ready=True)]).serving(tmp_path / "s"):
        codes = [
            command("check", "run", check, "--history", tmp_path / "h", *options).code
            for options in ([], ["--strict"], ["--nagios"])
        ]
    assert codes == [0, 1, 1]


def test_two_checks_do_not_run_at_once(command: Command, tmp_path: Path) -> None:
    with locked(tmp_path, "check 'nightly'"):
        finished = command("check", "run", "quick", "--history", tmp_path)
        assert (finished.code, finished.out) == (3, "")
        assert finished.err.startswith("ibcc: could not be run: check 'nightly' runs since")
        assert command("check", "run", "quick", "--history", tmp_path, "--nagios").out.startswith(
            "IBCC UNKNOWN: quick: could not"
        )


def test_a_full_disk_shows_what_was_measured(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check, original = written(tmp_path, FAIR), os.replace

    def full(source: Path, target: Path) -> None:
        if tmp_path in Path(target).parents:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        original(source, target)

    monkeypatch.setattr(os, "replace", full)
    finished = command("check", "run", check, "--history", tmp_path / "h")
    assert finished.code == 3
    assert "fairness.victim_throughput" in finished.out
    assert finished.err == f"ibcc: could not be run: the night is not stored in {tmp_path}/h/mine: No space left on device\n"
    nagios = command("check", "run", check, "--history", tmp_path / "h", "--nagios")
    assert nagios.code == 3
    assert "No space left on device | " in nagios.out


def test_a_clock_that_went_back_is_noticed(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Clock(date):
        @classmethod
        def today(cls) -> "Clock":
            return cls(2028, 2, 28)

    monkeypatch.setattr(check_run, "date", Clock)
    check, tomorrow = written(tmp_path, FAIR), date(2028, 2, 29)
    assert command("check", "run", check, "--history", tmp_path / "h", "--date", tomorrow).code == 0
    finished = command("check", "run", check, "--history", tmp_path / "h")
    assert finished.code == 3
    assert f"has the night of {tomorrow}; set the clock" in finished.err
    assert command("check", "run", check, "--history", tmp_path / "h", "--date", night(0)).code == 0


def test_a_night_that_has_not_come_yet_is_no_night(command: Command, tmp_path: Path) -> None:
    finished = command("check", "run", written(tmp_path, FAIR), "--history", tmp_path / "h", "--date", "2999-01-01")
    assert finished.code == 2
    assert "--date 2999-01-01 has not come yet; the latest that a night can have is " in finished.err
    assert not (tmp_path / "h").exists()


@pytest.mark.long
def test_nights_on_another_fabric_are_not_learned_from(command: Command, tmp_path: Path) -> None:
    check = written(tmp_path, FAIR)
    for i, fabric in enumerate(["two-switch", "two-switch", "leaf-spine-64"]):
        out = command("check", "run", check, "--history", tmp_path / "h", "--date", night(i), "--fabric", fabric).out
    assert "learning: 1 of 10 nights" in out


@pytest.mark.long
def test_history_has_a_line_a_night_and_acceptance_can_be_undone(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tuner.checks.acceptance._least_change", lambda *given, **more: {1: None, 3: 9.0, 7: 5.0})  # it is slow
    check, history = written(tmp_path, FAIR), ("--history", tmp_path / "h")
    for i in (0, 1, 1, 2, 4, 5, 6):
        command("check", "run", check, *history, "--date", night(i))
    few = command("check", "accept", check, *history, "--from", night(0), "--to", night(4))
    assert (few.code, "4 of these nights were observed" in few.err) == (2, True)
    assert command("check", "accept", check, *history).code == 2
    assert command("check", "accept", check, *history, "--from", night(1)).code == 0
    assert command("check", "accept", check, *history, "--last", 6).code == 0
    rows = json.loads(command("check", "history", check, *history, "--output", "json").out)
    assert [row["date"] for row in rows] == [str(night(i)) for i in (0, 1, 2, 4, 5, 6)]
    assert [row["baseline"] for row in rows] == [True] * 6
    undone = command("check", "undo-accept", check, *history)
    assert undone.out.startswith("the baseline has 5 nights, from 2026-01-02 to 2026-01-07")
    assert command("check", "undo-accept", check, *history).code == 2
    assert "2026-01-02" in command("check", "history", check, *history).out


def test_prometheus_gets_the_state_and_the_values(command: Command, tmp_path: Path) -> None:
    check, prometheus = written(tmp_path, FAIR), tmp_path / "ibcc.prom"
    # With its date, since a night's seed follows from that.
    command("check", "run", check, "--history", tmp_path / "h", "--prometheus", prometheus, "--date", night(0))
    text = prometheus.read_text()
    assert 'ibcc_check_state{check="mine",state="pass"} 1\n' in text
    value = re.search(r'ibcc_check_value\{check="mine",metric="fairness.victim_throughput",unit="Gb/s"\} (.*)\n', text)
    assert value is not None
    assert float(value[1]) == pytest.approx(13.0, rel=0.01)


@pytest.mark.parametrize(
    ("kinds", "sentence"),
    [
        ("- {kind: weather}\n", "mine.yaml:5: kinds[0] has the kind 'weather'; known are "),
        ("- {kind: tables, sockets: a}\n", "mine.yaml:5: unknown key 'sockets'; did you mean 'socket'? (in kinds[0])"),
        ("- {kind: fairness}\n", "profile is missing; backend 'simulated' needs the profile to simulate"),
        ("- {kind: fairness, profile: off, socket: s}\n", "socket is 's'; only backend 'emulated' has a socket"),
        (
            "- {kind: fairness, backend: emulated, socket: s, profile: off}\n",
            "profile is 'off'; backend 'emulated' measures the profile in force, so it must be left out",
        ),
        ("- {kind: tables}\n- {kind: tables}\n", "two of kinds are called 'tables'; give one of them another name"),
        ("- {kind: fairness, profile: off, time_scale: 0}\n", "time_scale is 0.0; it must be above 0 and at most 100"),
        ("  []\n", "kinds is empty; at least one is needed"),
    ],
)
def test_what_is_wrong_in_a_document_is_one_sentence(command: Command, tmp_path: Path, kinds: str, sentence: str) -> None:
    finished = command("check", "run", written(tmp_path, kinds), "--history", tmp_path / "h")
    assert finished.code == 2
    assert sentence in finished.err
    assert finished.err.count("\n") == 1


def test_a_date_that_is_none_is_named(command: Command, tmp_path: Path) -> None:
    finished = command("check", "run", "quick", "--history", tmp_path, "--date", "31.1.2026")
    assert (finished.code, finished.err) == (2, "ibcc: --date is '31.1.2026'; it must be a date such as 2026-01-31\n")


@pytest.mark.long
def test_a_night_is_reported_as_mail_page_and_json(command: Command, tmp_path: Path) -> None:
    check, history = written(tmp_path, FAIR), ("--history", tmp_path / "h")
    mail = command("check", "run", check, *history, "--date", night(0), "--output", "mail", "--report", tmp_path / "out")
    assert mail.out.startswith("Subject: [ibcc] mine 2026-01-01: pass: learning: 1 of 10 nights\n\n")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["report.html", "report.json", "report.txt"]
    command("check", "run", check, *history, "--date", night(3))
    assert command("check", "report", check, *history, "--date", night(0)).out == mail.out
    assert json.loads(command("check", "report", check, *history, "--output", "json").out)["date"] == str(night(3))
    assert command("check", "report", check, *history, "--output", "html").out.startswith("<!DOCTYPE html>")
    nothing = command("check", "report", check, *history, "--date", night(1))
    assert (nothing.code, "no run of the night of 2026-01-02" in nothing.err) == (2, True)
    assert "2 nights, until 2026-01-03" in command("check", "history", check, *history).out


def test_a_simulated_profile_that_no_device_can_hold_is_no_good_night(command: Command, tmp_path: Path) -> None:
    """Figures without congestion control are not to be learned as what is normal under the profile."""
    fabric = tmp_path / "new.yaml"
    document = load_fabric("two-switch").model_copy(
        update={"congestion_control": (CongestionControlRow(dialect="nvidia-dcqcn"),)}
    )
    fabric.write_text(json.dumps(document.model_dump(mode="json", exclude_unset=True)))
    history = ("--history", tmp_path / "h", "--fabric", fabric)
    finished = command("check", "run", written(tmp_path, FAIR), *history, "--date", night(0))
    told = "no device of fabric 'two-switch' has what profile 'gran-2010' writes, so nothing is throttled"
    assert (finished.code, told in finished.out) == (1, True)
    assert "fairness.settle_time" in finished.out
    assert "1000" not in finished.out


def test_a_report_that_cannot_be_written_does_not_fail_the_check(command: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    finished = command("check", "run", written(tmp_path, FAIR), "--history", tmp_path / "h", "--report", tmp_path / "file")
    assert finished.code == 0
    assert "the report cannot be written" in finished.err


def test_outside_of_an_emulated_fabric_there_is_none_to_measure(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("IBSIM_SOCKNAME", raising=False)
    finished = command("check", "run", written(tmp_path, "- {kind: fairness, backend: emulated}\n"), "--history", tmp_path / "h")
    assert finished.code == 3
    assert "not inside `ibcc emulate`; give the name of a fabric that runs" in " ".join(finished.out.split())


def test_entries_that_could_not_be_run_are_named(command: Command, tmp_path: Path) -> None:
    absent = f"socket: {tmp_path}/absent"
    check = written(tmp_path, f"- {{kind: tables, {absent}}}\n- {{kind: routes, {absent}}}\n{FAIR.replace('gran-2010', 'none')}")
    finished = command("check", "run", check, "--history", tmp_path / "h", "--output", "json")
    headline = json.loads(finished.out)["headline"]
    assert finished.code == 3
    assert headline.startswith(f"there is no OpenSM plugin at {tmp_path}/absent")
    assert " (tables, routes, and 1 more); learning: 0 of 10 nights" in headline
    finished = command("check", "history", check, "--history", tmp_path / "h")
    assert "could not be run" in finished.out
    assert "(tables, routes, and 1 more)" in " ".join(finished.out.split())


def test_what_is_said_of_several_entries_is_said_once(command: Command, tmp_path: Path) -> None:
    absent = f"socket: {tmp_path}/absent"
    check = written(tmp_path, f"{FAIR.replace('gran-2010', 'none')}- {{kind: tables, {absent}}}\n- {{kind: routes, {absent}}}\n")
    for output in ("table", "mail"):
        finished = command("check", "run", check, "--history", tmp_path / "h", "--output", output)
        assert "could not be run: tables, routes: there is no OpenSM plugin" in " ".join(finished.out.split())
        assert finished.out.count("no OpenSM plugin") == 1
    page = command("check", "report", check, "--history", tmp_path / "h", "--output", "html").out
    assert "<li>could not be run: tables, routes: there is no OpenSM plugin" in page


@pytest.mark.long
def test_a_damaged_record_is_a_matter_of_its_entry(command: Command, tmp_path: Path) -> None:
    check, history = written(tmp_path, FAIR + FAIR.replace("fairness,", "fairness, name: second,")), ("--history", tmp_path / "h")
    command("check", "run", check, *history, "--date", night(0))
    (tmp_path / "h/mine/000001.second.record.gz").write_bytes(b"x")
    finished = command("check", "run", check, *history, "--date", night(1), "--output", "json")
    first, second = json.loads(finished.out)["entries"]
    assert (finished.code, first["not_run"]) == (3, None)
    assert "000001.second.record.gz: is no record of a check" in second["not_run"]
    assert second["not_run"].endswith("remove the file")
    (tmp_path / "h/mine/000001.second.record.gz").unlink()
    assert command("check", "run", check, *history, "--date", night(2)).code == 0


def test_with_a_damaged_history_the_check_could_not_be_run(command: Command, tmp_path: Path) -> None:
    history = ("--history", tmp_path / "h")
    path = tmp_path / "h/mine/2026-01-01.000001.json"
    path.parent.mkdir(parents=True)
    path.write_text("{")
    finished = command("check", "run", written(tmp_path, FAIR), *history)
    assert finished.code == 3
    assert finished.err.startswith(f"ibcc: could not be run: {path}: is no run of a check")
    assert command("check", "run", written(tmp_path, FAIR), *history, "--nagios").code == 3


def test_a_history_without_nights_is_said_to_be_that(command: Command, tmp_path: Path) -> None:
    finished = command("check", "history", written(tmp_path, FAIR), "--history", tmp_path / "h")
    assert (finished.code, finished.out) == (0, f"there is no night in {tmp_path}/h/mine\n")
