# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The agent's modules become one file, or it is said why not."""

import ast
import subprocess
from pathlib import Path

import pytest
from ibcc_agent import join

from tests.perftest_mods.agent.agent_process import AGENT, PYTHON

VALUES = '"""Values."""\n\nimport os\n\nLOW = 1\n'
MAIN = '"""The whole."""\n\nimport sys\n\nfrom ibcc_agent.values import LOW\n\nHIGH = LOW + 1\n\n\nprint(HIGH, len(sys.argv))\n'


def folder(path: Path, **modules: str) -> str:
    for name, text in modules.items():
        (path / f"{name}.py").write_text(text)
    return str(path)


def test_a_module_follows_those_that_it_imports(tmp_path: Path) -> None:
    text = join.joined(folder(tmp_path, main=MAIN, values=VALUES))
    assert text.index("import os\nimport sys\n") < text.index("# ---- Values.") < text.index("LOW = 1") < text.index("HIGH = LOW")
    assert '"""The whole."""' in text
    assert "from ibcc_agent" not in text
    (tmp_path / "whole.py").write_text(text)
    assert subprocess.run([PYTHON, "-IS", tmp_path / "whole.py"], capture_output=True, text=True, check=True).stdout == "2 1\n"


@pytest.mark.parametrize(
    ("main", "values", "sentence"),
    [
        (MAIN, VALUES + "\nHIGH = 3\n", "values.py and main.py both have 'HIGH'"),
        (MAIN, VALUES + "\n\ndef HIGH():\n    pass\n", "both have 'HIGH'"),
        (MAIN, VALUES.replace("import os", "from ibcc_agent.main import HIGH"), "main, values import each other in a circle"),
        (
            MAIN,
            VALUES.replace("import os", "from os import path"),
            "values.py, line 3, imports names that are not the agent's own",
        ),
        (MAIN.replace("import LOW", "import LOW as low"), VALUES, "main.py, line 5, imports names"),
        (MAIN, VALUES.replace("import os", "import os as system"), "values.py, line 3, gives a module another name"),
    ],
)
def test_what_would_not_be_the_same_in_one_file_is_refused(tmp_path: Path, main: str, values: str, sentence: str) -> None:
    with pytest.raises(join.JoinError, match=sentence):
        join.joined(folder(tmp_path, main=main, values=values))


def test_the_file_has_all_modules_of_the_agent_and_can_be_run(root: Path) -> None:
    text = AGENT.read_text()
    modules = {path.stem for path in (root / "perftest_mods/agent").glob("*.py")} - {"__init__", "join"}
    assert text.count("\n# ---- ") == len(modules) - 1
    names = [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    assert len(names) == len(set(names))
    assert subprocess.run([AGENT, "--version"], capture_output=True, text=True, check=True).stdout.startswith("ibcc_agent ")


def test_it_is_written_once(tmp_path: Path) -> None:
    path = tmp_path / "new/agent.py"
    join.write(path)
    first = path.stat()
    join.write(path)
    assert (path.stat().st_ino, path.stat().st_mode & 0o111) == (first.st_ino, 0o111)
    assert [found.name for found in path.parent.iterdir()] == ["agent.py"]
