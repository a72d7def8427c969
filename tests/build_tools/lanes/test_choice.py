# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Which lanes run, what is said of it, and what is learnt from how they end."""

import json
from pathlib import Path

import pytest

from build_tools.lanes import __main__ as command
from build_tools.lanes import choice, records, trees
from build_tools.lanes.errors import LanesError
from build_tools.lanes.names import NATIVE, UI
from tests.build_tools.lanes.conftest import git, write

KINDS = "tests/tuner/kinds/test_kinds.py"
ERRORS = "tests/tuner/test_errors.py"
MAIN = "tests/tuner/cli/test_main.py"


LINES = [f"{KINDS}\tfile\tdocs/kinds.md", f"{ERRORS}\tfixture\troot", f"{MAIN}\tfixture\troot"]


def recorded(root: Path) -> None:
    folder = records.new_folder(root)
    (folder / "1.tsv").write_text("".join(f"{line}\n" for line in LINES) + "cut off\tfi")
    records.keep(root, [])


def passed(root: Path) -> None:
    recorded(root)
    state = trees.now(root)
    assert state is not None
    trees.keep_passed(root, state)


def test_all_run_where_nothing_is_known(clone: Path) -> None:
    made = choice.since(clone, None)
    assert made.reasons == ["All lanes run, as it is not known for which commit all of them passed here."]
    assert set(made.lanes) == {"tests/tuner", "tests/tuner/cli", "tests/tuner/kinds", *NATIVE, UI}
    assert made.is_next


def test_all_run_where_no_run_was_recorded_or_git_has_lost_the_state(clone: Path) -> None:
    state = trees.now(clone)
    assert state is not None
    trees.keep_passed(clone, state)
    assert "no run has recorded" in choice.since(clone, None).reasons[0]
    trees.keep_passed(clone, trees.State("0" * 40, state.commit, False))
    assert "git has not kept the state" in choice.since(clone, None).reasons[0]


def test_the_lanes_run_that_a_change_touches(clone: Path) -> None:
    passed(clone)
    write(clone, {"tuner/speed.py": "FASTEST = 1"})
    made = choice.since(clone, None)
    assert made.lanes == {"tests/tuner/kinds": [KINDS]}
    assert made.left_out == ["tests/tuner", "tests/tuner/cli", *NATIVE, UI]
    commit = git(clone, "rev-parse", "HEAD")[:8]
    assert made.reasons == [
        f"Compared with {commit}, for which all lanes passed here: 1 file differs.",
        "  tuner/speed.py: 1 lane",
    ]


def test_a_document_has_the_test_run_that_opened_it(clone: Path) -> None:
    passed(clone)
    write(clone, {"docs/kinds.md": "changed"})
    assert choice.since(clone, None).tests == [KINDS]


def test_nothing_runs_where_nothing_has_changed(clone: Path) -> None:
    passed(clone)
    made = choice.since(clone, None)
    assert made.lanes == {}
    assert made.reasons[0].endswith("nothing differs, so no lane runs.")


def test_a_named_commit_is_compared_with(clone: Path) -> None:
    passed(clone)
    write(clone, {"docs/kinds.md": "changed"})
    git(clone, "commit", "--quiet", "--all", "--message", "The second")
    write(clone, {"tuner/errors.py": "changed"})
    assert KINDS not in choice.since(clone, "HEAD").lanes.get("tests/tuner/kinds", [])[1:]
    made = choice.since(clone, "HEAD~1")
    assert set(made.tests) == {KINDS, ERRORS, MAIN}  # all of them import tests/conftest.py, and that errors.py
    assert not made.is_next
    with pytest.raises(LanesError, match="SINCE is 'HEAD~9'"):
        choice.since(clone, "HEAD~9")


def test_an_unknown_lane_is_refused(clone: Path) -> None:
    with pytest.raises(
        LanesError, match="LANES has 'tests/tunner', which is no lane; all or some of tests/tuner .* would be right"
    ):
        choice.named(clone, ["tests/tunner"])


@pytest.fixture
def here(clone: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The clone in place of ours, for the command."""
    monkeypatch.setattr(command, "ROOT", clone)
    monkeypatch.setattr(command, "FOLDER", clone / "build/lanes")
    monkeypatch.setattr(command, "PYTHON_RESULTS", clone / "build/steps/python.json")
    return clone


def results(root: Path, *failed: str, whole: bool = True) -> None:
    write(root, {"build/steps/python.json": json.dumps({"failed": failed, "whole": whole})})


def run(root: Path, *steps: str, lanes: str = "", whole: bool = True, failed: tuple[str, ...] = (), quick: bool = False) -> int:
    assert command.main(["choose", "--lanes", lanes]) == 0
    (root / "build/lanes/opened/1.tsv").write_text("".join(f"{line}\n" for line in LINES))
    results(root, *failed, whole=whole)
    words = ["settle", "--preset", "installed", *(["--quick"] if quick else [])]
    return command.main([*words, *(word for step in steps for word in ("--failed", step))])


def test_what_passes_whole_is_compared_with_next_time(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded(here)
    assert run(here) == 0
    assert trees.passed(here) == trees.now(here)
    assert "All lanes pass for " in capsys.readouterr().out
    write(here, {"docs/kinds.md": "changed"})
    assert run(here) == 0
    assert (here / "build/lanes/python.txt").read_text() == f"{KINDS}\n"
    assert not (here / "build/lanes/native.txt").exists()
    assert trees.passed(here) == trees.now(here)


@pytest.mark.parametrize("why", ["quick", "named", "in part", "edited meanwhile", "failed"])
def test_what_did_not_all_pass_is_not(why: str, here: Path) -> None:
    passed(here)
    before = trees.passed(here)
    write(here, {"tuner/errors.py": "changed"})
    match why:
        case "quick":
            assert run(here, quick=True) == 0
        case "named":
            assert run(here, lanes="tests/tuner") == 0
        case "in part":
            assert run(here, whole=False) == 0
        case "edited meanwhile":
            assert command.main(["choose"]) == 0
            write(here, {"tuner/errors.py": "again"})
            results(here)
            assert command.main(["settle", "--preset", "installed"]) == 0
        case "failed":
            assert run(here, "python", failed=(f"{ERRORS}::test_it",)) == 1
    assert trees.passed(here) == before


def test_a_lane_that_failed_says_what_repeats_it(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded(here)
    write(here, {"build/installed/Testing/Temporary/LastTestsFailed.log": "3:simulator_2\n7:meter\n"})
    assert run(here, "python", "native", "ui", failed=(f"{ERRORS}::test_it[1]", f"{MAIN}::test_it")) == 1
    said = capsys.readouterr().out
    for lane in ("tests/tuner", "tests/tuner/cli", "native/simulator", "native/meter", "ui"):
        assert f"  {lane}: make test LANES={lane}\n" in said
    assert "native/ccpolicy" not in said.partition("failed, and what repeats")[2]


def test_what_failed_before_it_could_be_collected_is_no_lane(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded(here)
    assert run(here, "python") == 1
    assert "tests in Python: see above" in capsys.readouterr().out


def test_a_file_that_ran_whole_replaces_what_was_known_of_it(clone: Path) -> None:
    recorded(clone)
    folder = records.new_folder(clone)
    (folder / "2.tsv").write_text(f"{KINDS}\tfile\tdocs/others.md\n{ERRORS}\tfile\tdocs/others.md\n")
    records.keep(clone, [KINDS])
    known = records.known(clone)
    assert known[KINDS] == {("file", "docs/others.md")}
    assert known[ERRORS] == {("fixture", "root"), ("file", "docs/others.md")}


def test_what_is_asked_for_wrongly_is_one_sentence(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["choose", "--lanes", "nonsense"]) == 2
    assert command.main(["explain", "tuner/errors.py"]) == 2
    recorded(here)
    assert command.main(["explain", "tuner/nothing.py"]) == 2
    first, second, third = capsys.readouterr().err.splitlines()
    assert first.startswith("lanes: LANES has 'nonsense'")
    assert second == "lanes: no run has recorded here what tests open; `make test` does"
    assert third.startswith("lanes: there is no file 'tuner/nothing.py'")


def test_explain_names_the_lanes(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded(here)
    assert command.main(["explain", "docs/kinds.md"]) == 0
    assert "docs/kinds.md: 1 lane\n  tests/tuner/kinds\n" in capsys.readouterr().out
