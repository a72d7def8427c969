# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Coverage is added up by part, and a part that falls is named."""

import json
from pathlib import Path

import pytest

from build_tools.coverage_parts import main, part_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """build/coverage: three files, of two parts."""

    def file(lines: int, branches: int) -> dict[str, dict[str, int]]:
        return {"summary": {"covered_lines": lines, "num_statements": 100, "covered_branches": branches, "num_branches": 50}}

    python = {"files": {"tuner/checks/a.py": file(90, 40), "tuner/checks/kinds/b.py": file(80, 45)}}
    native = {
        "filename": "simulator/src/engine/c.cpp",
        "line_covered": 9,
        "line_total": 10,
        "branch_covered": 0,
        "branch_total": 0,
    }
    (tmp_path / "python.json").write_text(json.dumps(python))
    (tmp_path / "native.json").write_text(json.dumps({"files": [native]}))
    return tmp_path


def test_a_table_has_each_part(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(folder, None) == 0
    engine, checks = capsys.readouterr().out.splitlines()
    assert checks.split() == ["tuner/checks", "85.0", "%", "of", "lines", "85.0", "%", "of", "branches"]
    assert engine.split() == ["simulator/src/engine", "90.0", "%", "of", "lines", "100.0", "%", "of", "branches"]


@pytest.mark.parametrize(("lines", "code"), [(170, 0), (171, 0), (172, 1)])
def test_a_part_that_falls_by_more_than_half_a_percent_fails(
    lines: int, code: int, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = folder / "before.json"
    before.write_text(json.dumps({"tuner/checks": [lines, 200, 85, 100], "tuner/gone": [1, 1, 1, 1]}))
    assert main(folder, before) == code
    said = capsys.readouterr().err
    assert said == (
        "tuner/checks: the tests run 85.0 % of its lines; it was 86.0 %, and at most 0.5 less would be right\n" if code else ""
    )


@pytest.mark.parametrize(
    ("file", "part"),
    [
        ("tuner/errors.py", "tuner"),
        ("api/routes/jobs.py", "api/routes"),
        ("opensm_plugin/src/mad/window.c", "opensm_plugin/src/mad"),
        ("ccpolicy/src/cct.c", "ccpolicy/src"),
        ("perftest_mods/meter/src/meter.c", "perftest_mods/meter/src"),
    ],
)
def test_parts(file: str, part: str) -> None:
    assert part_of(file) == part
