# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import sys
from pathlib import Path

import pytest

from tuner.cli import common
from tuner.errors import BadInputError


def test_settings_are_read_as_in_documents() -> None:
    items = ["profile.ca.ccti_timer=200", "model.switch.threshold_mode=off", "a.b=1e3", "a.c=true", "a.d=x=y", "a.e="]
    assert common.parse_settings(items) == {
        "profile.ca.ccti_timer": 200,
        "model.switch.threshold_mode": "off",
        "a.b": 1000.0,
        "a.c": True,
        "a.d": "x=y",
        "a.e": None,
    }


@pytest.mark.parametrize("item", ["profile.ca.ccti_timer", "=3", "profile..x=3", ".x=1", ""])
def test_what_is_no_setting_is_refused(item: str) -> None:
    with pytest.raises(BadInputError, match="is not KEY=VALUE"):
        common.parse_settings([item])


def test_a_list_is_a_setting_too() -> None:
    assert common.parse_settings(["campaign.scenarios.contributors=[2, 16]", "a.b=[x,1e3]", "a.c=[]"]) == {
        "campaign.scenarios.contributors": [2, 16],
        "a.b": ["x", 1000.0],
        "a.c": [],
    }
    with pytest.raises(BadInputError, match=r"--set a\.b:\d+: not valid YAML"):
        common.parse_settings(["a.b=[2"])


def test_settings_belong_to_something() -> None:
    settings = {"profile.name": "x", "model.num_vls": 2}
    assert common.settings_under(settings, "profile") == {"name": "x"}
    common.require_known_prefixes(settings, "profile", "model")
    with pytest.raises(BadInputError, match=r"--set model\.num_vls: unknown setting; settings begin with profile\."):
        common.require_known_prefixes(settings, "profile")


def test_a_note_told_once_is_not_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    tell = common.notes_once()
    for sentence in ("a", "b", "a"):
        tell(sentence)
    assert capsys.readouterr().err == "ibcc: a\nibcc: b\n"


def test_results_go_to_standard_output_or_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "out.csv"
    common.write_csv(["a", "b"], [(1, "x,y"), (2.5, None)], None)
    common.write_csv(["a", "b"], [(1, "x,y"), (2.5, None)], file)
    assert capsys.readouterr().out == file.read_text() == 'a,b\n1,"x,y"\n2.5,\n'


def test_json_keeps_letters_and_refuses_nan(capsys: pytest.CaptureFixture[str]) -> None:
    common.write_json({"µ": None}, None)
    assert capsys.readouterr().out == '{\n  "µ": null\n}\n'
    with pytest.raises(ValueError, match="not JSON compliant"):
        common.write_json(float("nan"), None)


def test_a_file_that_cannot_be_written_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"cannot write .*: Is a directory"):
        common.write_text("x", tmp_path)


def test_progress_is_silent_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with common.progress_bar("Working") as on_progress:
        on_progress(0.5)
    assert capsys.readouterr() == ("", "")


def test_progress_shows_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with common.progress_bar("Working") as on_progress:
        on_progress(0.5)
    out, err = capsys.readouterr()
    assert out == ""
    assert "Working" in err


def test_tables_are_not_cut_in_files(tmp_path: Path) -> None:
    table = common.table("Key", "Value")
    table.add_row("x" * 90, "y" * 60)
    common.write_rich([table], tmp_path / "t.txt")
    assert "y" * 60 in (tmp_path / "t.txt").read_text()
