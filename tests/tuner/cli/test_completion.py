# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The shell completes commands and options, as bash does it with what `ibcc --show-completion` prints."""

import os
import re
import subprocess
from pathlib import Path

import pytest

_ASK = """
source {script}
COMP_WORDS=({words})
COMP_CWORD={last}
_ibcc_completion ibcc
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture(scope="module")
def script(ibcc: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a person puts into the start file of the shell."""
    # `true` keeps the shell there, which the command looks for among the processes that it is a child of.
    asked = subprocess.run(
        ["bash", "-c", "ibcc --show-completion; true"], capture_output=True, text=True, check=True, env=_environment(ibcc)
    )
    file = tmp_path_factory.mktemp("completion") / "ibcc.bash"
    file.write_text(asked.stdout)
    return file


def _environment(ibcc: Path) -> dict[str, str]:
    return os.environ | {"PATH": f"{ibcc.parent}:{os.environ['PATH']}"}


def completed(ibcc: Path, script: Path, words: str) -> list[str]:
    ask = _ASK.format(script=script, words=words, last=len(words.split()) - 1)
    asked = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, check=True, env=_environment(ibcc))
    assert asked.stderr == ""
    return asked.stdout.split()


@pytest.mark.long
def test_bash_completes_commands_their_commands_and_options(ibcc: Path, script: Path) -> None:
    assert {"simulate", "fabric", "profile"} <= set(completed(ibcc, script, "ibcc ''"))
    assert completed(ibcc, script, "ibcc fabric impo") == ["import"]
    assert "--time-scale" in completed(ibcc, script, "ibcc simulate --ti")


@pytest.mark.long
def test_h_is_help_everywhere(ibcc: Path) -> None:
    for words in ([], ["fabric", "show"]):
        short, long = (
            subprocess.run([ibcc, *words, option], capture_output=True, text=True, check=True, env={"NO_COLOR": "1"}).stdout
            for option in ("-h", "--help")
        )
        assert short == long
        assert "--help" in long


def test_no_color_sends_no_colors_even_to_a_terminal(ibcc: Path) -> None:
    """`script` gives the command a terminal."""
    for variable in ({}, {"NO_COLOR": "1"}):
        environment = {"TERM": "xterm-256color", "PATH": os.environ["PATH"]} | variable
        shown = subprocess.run(
            ["script", "--quiet", "--command", f"{ibcc} --help", "/dev/null"], capture_output=True, check=True, env=environment
        )
        assert bool(re.search(rb"\x1b\[[0-9;]*3[0-7]m", shown.stdout)) == (not variable)
