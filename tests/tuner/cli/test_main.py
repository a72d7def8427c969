# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import os
import signal
import subprocess
import time
from importlib import metadata
from pathlib import Path

import pytest
import typer

from tests.imported import heavy, imported
from tests.tuner.cli.conftest import Command
from tuner.cli.main import GROUP, run
from tuner.errors import ApplyFailedError, BadInputError, NoFeasibleProfileError, UnreachableError


def test_the_version(command: Command) -> None:
    assert command("--version").out == f"ibcc {metadata.version('ibcc')}\n"


def test_help_lists_every_registered_command(command: Command) -> None:
    finished = command("--help")
    assert finished.code == 0
    names = {entry.name for entry in metadata.entry_points(group=GROUP)}
    assert names >= {"fabric", "profile", "simulate"}
    for name in names:
        assert f" {name} " in finished.out


@pytest.mark.parametrize("arguments", [[], ["fabric"], ["profile"]])
def test_without_arguments_there_is_help(command: Command, arguments: list[str]) -> None:
    finished = command(*arguments)
    assert "Usage: ibcc" in finished.out
    assert (finished.code, finished.err) == (2, "")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nonsense"], "nonsense"),
        (["simulate"], "workload"),
        (["simulate", "scenario-1", "--nope"], "--nope"),
        (["simulate", "scenario-1", "--time-scale", "much"], "--time-scale"),
        (["simulate", "scenario-1", "--output", "xml"], "xml"),
    ],
)
def test_wrong_usage_is_one_sentence_and_2(command: Command, arguments: list[str], sentence: str) -> None:
    finished = command(*arguments)
    assert (finished.code, finished.out) == (2, "")
    assert finished.err.startswith("ibcc: ")
    assert finished.err.count("\n") == 1
    assert sentence in finished.err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (NoFeasibleProfileError("none keeps the constraint"), 1),
        (BadInputError("is wrong", source="f.yaml", line=3), 2),
        (UnreachableError("no such socket"), 3),
        (ApplyFailedError("switch S1 refused"), 4),
        (KeyboardInterrupt(), 130),
    ],
)
def test_every_failure_has_its_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: BaseException, code: int
) -> None:
    failing = typer.Typer()

    @failing.command()
    def fail() -> None:
        raise error

    monkeypatch.setattr("tuner.cli.main.app", failing)
    assert run([]) == code
    err = capsys.readouterr().err
    assert err == ("ibcc: interrupted\n" if code == 130 else f"ibcc: {error}\n")


@pytest.mark.parametrize("debug", [False, True])
def test_what_nobody_foresaw_is_a_bug_and_no_verdict(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], debug: bool
) -> None:
    failing = typer.Typer()

    @failing.command()
    def fail() -> None:
        raise ZeroDivisionError("of two\nlines")

    monkeypatch.setattr("tuner.cli.main.app", failing)
    monkeypatch.setenv("IBCC_DEBUG", "1" if debug else "")
    assert run([]) == 70
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines()[-1].startswith("ibcc: this is a bug of ibcc (ZeroDivisionError: of two lines); ")
    assert ("Traceback" in captured.err) == debug
    assert ("IBCC_DEBUG=1" in captured.err) != debug


def _cpu_s(pid: int) -> float:
    """Seconds of CPU that a process has taken."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@pytest.mark.long
def test_ctrl_c_ends_a_simulation_within_moments(ibcc: Path) -> None:
    # An hour of simulated time: no machine finishes that before the signal comes.
    process = subprocess.Popen(
        [ibcc, "simulate", "scenario-1", "--time-scale", "600"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        while _cpu_s(process.pid) < 2:  # by the clock, a busy machine may not have begun
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert (process.returncode, out, err) == (130, "", "ibcc: interrupted\n")


@pytest.mark.long
def test_a_reader_that_leaves_is_no_failure(ibcc: Path) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    process = subprocess.run([ibcc, "profile", "encode", "gran-2010"], stdout=write_end, stderr=subprocess.PIPE, text=True)
    os.close(write_end)
    assert "Traceback" not in process.stderr


@pytest.mark.long
def test_the_command_works_in_an_empty_folder(ibcc: Path, tmp_path: Path) -> None:
    process = subprocess.run(
        [ibcc, "fabric", "show", "two-switch"], cwd=tmp_path, capture_output=True, text=True, check=True, env={"NO_COLOR": "1"}
    )
    assert "two-switch: 2 switches, 7 hosts" in process.stdout
    assert "\x1b" not in process.stdout
    assert process.stderr == ""


@pytest.mark.long
@pytest.mark.parametrize(("arguments", "code"), [(["--help"], 0), (["--server", "http://here", "--help"], 0), ([], 2)])
def test_the_list_of_commands_imports_none_of_them(arguments: list[str], code: int) -> None:
    modules = imported(*arguments, code=code)
    assert heavy(modules) <= {"pydantic"}  # typer reads the options that are given with it
    own = {module for module in modules if module.partition(".")[0] in ("api", "experiments", "tuner")}
    assert own == {"tuner", "tuner.cli", "tuner.cli.main", "tuner.cli.short_texts", "tuner.errors"}


@pytest.mark.long
@pytest.mark.parametrize("words", ["experiment --help", "fabric show two-switch", "profile show gran-2010", "serve --help"])
def test_these_need_no_numbers_drawings_or_databases(words: str) -> None:
    assert heavy(imported(*words.split())) <= {"ccsim", "pydantic"}
