# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The hook for commit messages: a short subject, an empty line, a body."""

import subprocess
from pathlib import Path

import pytest

SCISSORS = "# ------------------------ >8 ------------------------\ndiff --git a/x b/x\n"


def refused(root: Path, folder: Path, message: str) -> str:
    """What the hook says against it; empty if it may be committed."""
    file = folder / "COMMIT_EDITMSG"
    file.write_text(message, encoding="utf-8")
    done = subprocess.run([root / ".githooks/commit-msg", file], capture_output=True, text=True)
    assert (done.returncode == 0) == (done.stderr == ""), done
    return done.stderr


@pytest.mark.parametrize(
    "message",
    [
        "Short\n\nBecause.\n",
        "x" * 72 + "\n\nBecause.\n",
        "ä" * 72 + "\n\nBecause.\n",
        "# a comment\n\nShort\n\nBecause.\n# on branch main\n",
        f"Short\n\nBecause.\n{SCISSORS}",
        "Merge branch 'x'\n",
        'Revert "' + "x" * 80 + '"\n',
    ],
)
def test_such_messages_pass(root: Path, tmp_path: Path, message: str) -> None:
    assert refused(root, tmp_path, message) == ""


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ("x" * 73 + "\n\nBecause.\n", "has 73 characters; at most 72 would be right"),
        ("Short\n", "'Short' has no body"),
        ("Short\n\n# only a comment\n", "has no body"),
        ("Short\n\nSigned-off-by: A <a@example.org>\n", "has no body"),
        (f"Short\n{SCISSORS}", "has no body"),
        ("Short\nand longer\n\nBecause.\n", "the second line 'and longer' should be empty"),
    ],
)
def test_such_messages_do_not(root: Path, tmp_path: Path, message: str, sentence: str) -> None:
    assert sentence in refused(root, tmp_path, message)
