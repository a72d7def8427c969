# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Missing Debian packages are named, whatever else is missing with them."""

import shutil
import subprocess
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("group", "packages"),
    [
        ("vm", {"qemu-system-x86", "cpio", "busybox-static", "perftest", "ibverbs-utils"}),
        ("emulator", {"ibutils", "valgrind"}),
        ("package", {"build-essential", "dpkg-dev", "debhelper", "cmake", "git"}),
        ("browser", {"chromium-headless-shell"}),
    ],
)
def test_on_a_machine_with_next_to_nothing(group: str, packages: set[str], root: Path, tmp_path: Path) -> None:
    """apt-get is not there either, so that nothing is installed."""
    for program in ("bash", "id"):
        (tmp_path / program).symlink_to(shutil.which(program) or program)
    asked = subprocess.run(
        ["bash", root / "build_tools/debian_packages.sh", group], env={"PATH": str(tmp_path)}, capture_output=True, text=True
    )
    assert asked.returncode == 1, asked.stderr
    sentence, _, words = asked.stderr.strip().partition("An administrator installs them with: apt-get install ")
    assert sentence.startswith(f"Missing Debian packages ({group}): ")
    assert set(words.split()) >= packages
