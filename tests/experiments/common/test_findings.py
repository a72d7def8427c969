# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What an experiment found, and how it is written."""

import json
from pathlib import Path

import pytest

from experiments._common.findings import Claim, Findings, Table
from tuner.errors import BadInputError


def claim(*, holds: bool, known_to_fail: bool = False) -> Claim:
    return Claim(sentence="water is wet", published="yes", here="yes", holds=holds, known_to_fail=known_to_fail)


def findings(*claims: Claim) -> Findings:
    return Findings(
        claims=claims, tables=[Table(title="T", columns=["a", "b"], rows=[["1", "2"]])], figures={}, data={"x": [1.5]}
    )


@pytest.mark.parametrize(
    ("holds", "known", "mark", "verdict"),
    [(True, False, "yes", True), (False, False, "NO", False), (False, True, "no (known)", True), (True, True, "yes", True)],
)
def test_a_known_difference_is_shown_but_does_not_count(holds: bool, known: bool, mark: str, verdict: bool) -> None:
    one = claim(holds=holds, known_to_fail=known)
    assert one.mark == mark
    assert findings(claim(holds=True), one).holds is verdict


def test_results_are_written_as_markdown_and_json(tmp_path: Path) -> None:
    paths = findings(claim(holds=False)).write(tmp_path / "a" / "b", title="wetness", question="Is water wet?")
    assert [path.name for path in paths] == ["result.json", "result.md"]
    assert json.loads(paths[0].read_text()) == {
        "holds": False,
        "claims": [{"sentence": "water is wet", "published": "yes", "here": "yes", "holds": False, "known_to_fail": False}],
        "data": {"x": [1.5]},
    }
    text = paths[1].read_text()
    assert text.startswith("# wetness\n\nIs water wet?\n")
    assert "| water is wet | yes | yes | NO |" in text
    assert "## T\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n" in text


def test_a_folder_that_cannot_be_written_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInputError, match="cannot write into"):
        findings().write(tmp_path / "file" / "out", title="", question="")
