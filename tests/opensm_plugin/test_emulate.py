# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc emulate --plugin`: the plugin for people who have no fabric."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest


def emulate(ibcc: Path, library: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    command = [str(ibcc), "emulate", "two-switch", "--socket", f"ibcc-emulate-plugin-{os.getpid()}", *words]
    environment = os.environ | {"IBCC_PLUGIN": str(library)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.usefixtures("infiniband_programs")
def test_the_command_runs_when_the_profile_is_applied(ibcc: Path, library: Path) -> None:
    done = emulate(ibcc, library, "--plugin", "--profile", "gran-2010", "--", "ibccquery", "CACongestionSetting", "1")
    assert done.returncode == 0, done.stderr
    assert re.findall(r"CCTI_Timer:\.+(\d+)\n", done.stdout) == ["150"] * 16
    assert "apply of revision 1 done: 9 of 9 devices settled" in done.stderr
    assert re.search(r"the plugin's control socket is \S+/opensm\.sock\n", done.stderr)


@pytest.mark.usefixtures("infiniband_programs")
def test_commands_of_ours_find_that_plugin(ibcc: Path, library: Path) -> None:
    done = emulate(ibcc, library, "--plugin", "--profile", "gran-2010", "--", str(ibcc), "fabric", "status", "--output", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["role"] == "master"


@pytest.mark.usefixtures("infiniband_programs")
def test_a_profile_that_is_not_there_is_refused_before_anything_starts(ibcc: Path, library: Path) -> None:
    done = emulate(ibcc, library, "--plugin", "--profile", "no-such-profile", "--", "true")
    assert done.returncode == 2
    assert "no-such-profile" in done.stderr


@pytest.mark.usefixtures("infiniband_programs")
@pytest.mark.parametrize("profile", [[], ["--profile", "off"]])
def test_a_plugin_that_is_not_loaded_is_an_error_at_once(ibcc: Path, library: Path, profile: list[str]) -> None:
    done = emulate(ibcc, library, "--plugin", *profile, "--plugin-args", "--audit-interval 5", "--", "echo", "it runs")
    assert (done.returncode, done.stdout) == (2, "")
    assert "ibcc: --plugin-args: ibcc has no option '--audit-interval'; it has --profile, " in done.stderr
    assert "control socket" not in done.stderr


@pytest.mark.usefixtures("infiniband_programs")
def test_a_library_that_is_no_plugin_is_an_error_at_once(ibcc: Path, tmp_path: Path) -> None:
    (tmp_path / "libibcc.so").touch()
    done = emulate(ibcc, tmp_path / "libibcc.so", "--plugin", "--", "echo", "it runs")
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(r"ibcc: OpenSM has not loaded the plugin: .*libibcc\.so: file too short", done.stderr)


@pytest.mark.usefixtures("infiniband_programs")
def test_a_socket_that_cannot_be_opened_is_an_error(ibcc: Path, library: Path) -> None:
    done = emulate(ibcc, library, "--plugin-args", "--group no-such-group", "--", "echo", "it runs")
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(r"ibcc: the plugin has no control socket: .*'no-such-group'", done.stderr)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--plugin-args", "--socket /run/x"], "--plugin-args has --socket, which ibcc emulate sets itself; leave it out"),
        (["--plugin-args", "--state_dir=/run/x"], "--plugin-args has --state-dir, which ibcc emulate sets itself; leave it out"),
        (
            ["--profile", "off", "--plugin-args", "--profile x.yaml"],
            "--plugin-args has --profile, and so is --profile off given twice; leave one of them out",
        ),
    ],
)
def test_options_that_emulate_sets_are_refused_before_anything_starts(
    ibcc: Path, library: Path, words: list[str], sentence: str
) -> None:
    done = emulate(ibcc, library, *words, "--", "echo", "it runs")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"ibcc: {sentence}\n")
