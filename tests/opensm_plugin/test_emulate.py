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
