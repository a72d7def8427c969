# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The script for bare Debians says what it does not know, before it needs root or makes anything."""

import subprocess
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--debian", "11", "root"], "there is no test in Debian '11'; 12 or 13 would be right"),
        (["user", "--debian"], "there is no test in Debian ''; 12 or 13 would be right"),
        (["somebody"], "'somebody' is neither --debian, root nor user"),
    ],
)
def test_unknown_arguments_are_named(root: Path, arguments: list[str], said: str) -> None:
    ended = subprocess.run(
        [root / "tests/packaging/chroot_test.sh", *arguments],
        check=False,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    assert (ended.returncode, ended.stderr) == (2, f"chroot_test.sh: {said}\n")
