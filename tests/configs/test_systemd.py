# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The units for systemd, as systemd itself reads them."""

import os
import re
import shutil
import subprocess
from datetime import date, timedelta
from pathlib import Path

import pytest

from api.configuration.settings import Settings

SAFE = 4.0
"""Exposure by `systemd-analyze security`, 0 to 10; below 5 it calls a service OK."""


@pytest.fixture
def systemd_analyze() -> str:
    program = shutil.which("systemd-analyze")
    if program is None:
        reason = "no systemd-analyze: Debian's package systemd has it"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return program


@pytest.mark.parametrize(
    ("unit", "instance"),
    [
        ("ibcc.service", "ibcc.service"),
        ("ibcc-worker@.service", "ibcc-worker@1.service"),
        ("ibcc-check@.service", "ibcc-check@site.service"),
        ("ibcc-check-mail@.service", "ibcc-check-mail@site.service"),
        ("ibcc-handover@.service", "ibcc-handover@sm2.service"),
    ],
)
def test_a_unit_is_valid_and_confined(
    systemd_analyze: str, root: Path, ibcc: Path, tmp_path: Path, unit: str, instance: str
) -> None:
    text = (root / "configs/systemd" / unit).read_text()
    assert "/opt/ibcc/bin/" in text
    file = tmp_path / instance
    file.write_text(text.replace("/opt/ibcc/bin", str(ibcc.parent)))
    done = subprocess.run([systemd_analyze, "verify", "--man=no", file], capture_output=True, text=True, timeout=300)
    assert (done.returncode, [line for line in done.stderr.splitlines() if instance in line]) == (0, [])
    threshold = ["security", "--offline=true", f"--threshold={round(10 * SAFE)}", file]
    done = subprocess.run([systemd_analyze, *map(str, threshold)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-400:]


def test_what_a_unit_runs_is_what_is_installed(root: Path, ibcc: Path) -> None:
    for unit, program in (
        ("ibcc.service", "ibcc"),
        ("ibcc-worker@.service", "ibcc-worker"),
        ("ibcc-check@.service", "ibcc"),
        ("ibcc-handover@.service", "ibcc"),
    ):
        lines = (root / "configs/systemd" / unit).read_text().splitlines()
        command = next(line for line in lines if line.startswith("ExecStart="))
        assert command.split()[0] == f"ExecStart=/opt/ibcc/bin/{program}"
        assert ibcc.with_name(program).exists()


def test_the_timer_of_checks_is_valid_and_starts_their_service(systemd_analyze: str, root: Path, tmp_path: Path) -> None:
    text = (root / "configs/systemd/ibcc-check@.timer").read_text()
    (tmp_path / "ibcc-check@site.timer").write_text(text)
    service = "[Service]\nType=oneshot\nExecStart=/bin/true\n"  # a timer without its service is not valid
    (tmp_path / "ibcc-check@site.service").write_text(service)
    words = [systemd_analyze, "verify", "--man=no", str(tmp_path / "ibcc-check@site.timer")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert (done.returncode, [line for line in done.stderr.splitlines() if "ibcc" in line]) == (0, [])
    (when,) = (line.partition("=")[2] for line in text.splitlines() if line.startswith("OnCalendar="))
    done = subprocess.run([systemd_analyze, "calendar", when], capture_output=True, text=True, timeout=300)
    assert "Next elapse" in done.stdout


@pytest.mark.parametrize("zone", ["UTC", "Europe/London", "Europe/Oslo", "Europe/Athens", "America/New_York", "Africa/Cairo"])
def test_the_timer_has_each_night_where_clocks_are_set(systemd_analyze: str, root: Path, zone: str) -> None:
    """systemd leaves out a time that clocks skip."""
    text = (root / "configs/systemd/ibcc-check@.timer").read_text()
    (when,) = (line.partition("=")[2] for line in text.splitlines() if line.startswith("OnCalendar="))
    words = [systemd_analyze, "calendar", "--base-time=2025-12-31 12:00:00 UTC", "--iterations=366", when]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, env=os.environ | {"TZ": zone})
    nights = re.findall(r"(?:Next elapse|Iteration #\d+|Iter\. #\d+): \w+ (\S+) ", done.stdout)
    first = date.fromisoformat(nights[0])
    assert nights == [(first + timedelta(days=i)).isoformat() for i in range(366)]


def test_the_kernel_ends_opensm_last(root: Path) -> None:
    """OpenSM's unit has the usual score, 0. Of ours, those end first that are missed least."""
    scores = {}
    for unit in ("ibcc.service", "ibcc-worker@.service", "ibcc-check@.service"):
        lines = (root / "configs/systemd" / unit).read_text().splitlines()
        values = dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
        scores[unit] = int(values["OOMScoreAdjust"])
        limit, high = (_bytes(values[name]) for name in ("MemoryMax", "MemoryHigh"))
        assert high == limit * 3 / 4, unit
        if unit != "ibcc-check@.service":  # the largest import, and as much again
            assert limit == 2 * Settings(state_folder=root).import_memory_bytes, unit
            assert values["OOMPolicy"] == "continue", "the end of a child, such as an import's reader, is not the unit's"
    assert 0 < scores["ibcc.service"] < scores["ibcc-worker@.service"] < scores["ibcc-check@.service"]


def _bytes(text: str) -> int:
    return int(text[:-1]) * {"M": 2**20, "G": 2**30}[text[-1]]
