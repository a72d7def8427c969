# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import errno
import json
import os
import re
import tempfile
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tuner.checks.crashes import Crash, crash_before
from tests.tuner.checks.nights import CHECK, DIGEST, fill, night, run
from tuner.check_report.document import night_report
from tuner.check_report.page import report_page
from tuner.checks.acceptance import found_changes
from tuner.checks.could_not_run import CouldNotRunError
from tuner.checks.kind import KINDS
from tuner.checks.store.good_nights import good_record, latest_record
from tuner.checks.store.history import History
from tuner.checks.store.lock import locked
from tuner.errors import BadInputError

NAME = CHECK.name


def stored(history: History) -> list[tuple[date, float | None]]:
    return [(one.date, one.entries[0].values["victim_throughput"]) for one in history.runs()]


def test_a_run_comes_back_as_it_was(tmp_path: Path) -> None:
    added = History(tmp_path, NAME).add(run(night(3), 1.5))
    assert History(tmp_path, NAME).runs() == [added]
    assert added.number == 1


@pytest.mark.long
@settings(deadline=None, max_examples=60)
@given(steps=st.lists(st.tuples(st.integers(-40, 40), st.none() | st.integers(0, 8)), max_size=12), keep=st.integers(1, 6))
def test_whatever_the_clock_does_and_whenever_it_crashes_a_run_is_there_or_not(
    steps: list[tuple[int, int | None]], keep: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        expected: list[tuple[date, float | None]] = []
        for value, (day, crash) in enumerate(steps):
            history = History(Path(folder), NAME, keep_nights=keep)
            new = run(night(day), float(value))
            try:
                with crash_before(1000 if crash is None else crash):
                    history.add(new)
            except Crash:
                pass
            # Sorting is stable, so of one night the later run is behind the earlier one, as in the history.
            with_it = sorted([*expected, (new.date, float(value))], key=lambda one: one[0])
            kept = {new.date, *sorted({one[0] for one in with_it})[-keep:]}
            found = stored(history)
            if crash is None:
                assert found == [one for one in with_it if one[0] in kept]
            else:
                assert found == expected or (
                    (new.date, float(value)) in found
                    and [one for one in found if one[0] in kept] == [one for one in with_it if one[0] in kept]
                )
            assert len({one.number for one in history.runs()}) == len(found)
            expected = found


def test_a_baseline_is_replaced_wholly_or_not_at_all(tmp_path: Path) -> None:
    history = History(tmp_path, NAME)
    fill(history, [1.0] * 12)
    first = history.accept([night(i) for i in range(6)], by="a", at="t")
    operation = 0
    while True:
        try:
            with crash_before(operation):
                second = history.accept([night(i) for i in range(6, 12)], by="b", at="t")
            break
        except Crash:
            present = history.baseline()
            assert present == first or (present is not None and present.by == "b" and present.former == first)
            (history.folder / "baseline.json").write_text(first.to_text())
            operation += 1
    assert operation >= 4
    assert second.former == first
    assert history.undo_accept() == first
    with pytest.raises(BadInputError, match="no former baseline"):
        history.undo_accept()


def test_nights_of_the_baseline_and_of_the_former_one_are_not_removed(tmp_path: Path) -> None:
    history = History(tmp_path, NAME, keep_nights=5)
    fill(history, [1.0] * 5)
    history.accept([night(i) for i in range(5)], by="a", at="t")
    fill(History(tmp_path, NAME, keep_nights=5), [None] * 5 + [2.0] * 5)
    history.accept([night(i) for i in range(5, 10)], by="a", at="t")
    fill(history, [None] * 10 + [3.0] * 20)
    kept = {one.date for one in history.runs()}
    assert kept == {night(i) for i in [*range(10), *range(25, 30)]}


def test_a_repetition_of_an_accepted_night_is_not_in_the_baseline(tmp_path: Path) -> None:
    history = History(tmp_path, NAME)
    fill(history, [1.0] * 5)
    baseline = history.accept([night(i) for i in range(5)], by="a", at="t")
    again = history.add(run(night(2), 9.0))
    assert not baseline.covers(again.date, again.number)


def test_a_full_disk_stores_nothing_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history = History(tmp_path, NAME)
    history.add(run(night(0), 1.0))

    def full(*arguments: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space left"):
        history.add(run(night(1), 1.0))
    monkeypatch.undo()
    assert len(list(history.folder.iterdir())) == 1


def test_a_second_check_says_who_runs(tmp_path: Path) -> None:
    with (
        locked(tmp_path, "check 'nightly'"),
        pytest.raises(CouldNotRunError, match=r"^could not be run: check 'nightly' runs since .*process \d+"),
        locked(tmp_path, "check 'quick'"),
    ):
        pass
    with locked(tmp_path, "check 'quick'"):
        pass


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CouldNotRunError, match="cannot be written"), locked(tmp_path / "file" / "below", "check"):
        pass


def test_a_file_whose_date_is_none_is_named(tmp_path: Path) -> None:
    history = History(tmp_path, NAME)
    history.folder.mkdir()
    (history.folder / "2026-02-30.000001.json").touch()
    with pytest.raises(BadInputError, match=r"2026-02-30\.000001\.json: has no date in its name"):
        history.runs()


def test_a_history_that_is_a_file_is_named(tmp_path: Path) -> None:
    history = History(tmp_path, NAME)
    history.folder.touch()
    with pytest.raises(BadInputError, match=f"{NAME}: cannot be read: Not a directory"):
        history.runs()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"ibcc_check_run": 2}', '{"ibcc_check_run": 1, "entries": 3}'])
def test_a_file_that_is_no_run_is_named(tmp_path: Path, text: str) -> None:
    history = History(tmp_path, NAME)
    path = history.folder / f"{night(0)}.000001.json"
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(BadInputError, match=f"{path.name}: is no run of a check"):
        history.runs()


def good(history: History, day: int, *, good: bool, record: dict[str, int]) -> None:
    made = run(night(day), 1.0)
    history.add(replace(made, entries=(replace(made.entries[0], good=good),)), {"fairness": record})


def test_of_records_the_last_good_one_and_the_last_one_are_kept(tmp_path: Path) -> None:
    history = History(tmp_path, NAME)
    for day, is_good in enumerate([True, True, False, False]):
        good(history, day, good=is_good, record={"links": day})
    assert good_record(history, "fairness", DIGEST, history.runs()) == (night(1), {"links": 1})
    assert len(list(history.folder.glob("*.record.gz"))) == 2
    assert latest_record(history, "fairness", DIGEST, history.runs()) == (night(3), {"links": 3})
    assert good_record(history, "fairness", "others", history.runs()) is None
    assert latest_record(history, "fairness", "others", history.runs()) is None


def test_an_accepted_night_is_good(tmp_path: Path) -> None:
    history = History(tmp_path, NAME)
    for day in range(6):
        good(history, day, good=day == 0, record={"links": day})
    history.accept([night(day) for day in range(1, 6)], by="a", at="t")
    assert good_record(history, "fairness", DIGEST, history.runs()) == (night(5), {"links": 5})


@pytest.mark.parametrize("entry", KINDS.names())
def test_an_entry_that_has_the_name_of_its_kind_has_records(tmp_path: Path, entry: str) -> None:
    history = History(tmp_path, NAME)
    for day in range(4):
        made = run(night(day), 1.0)
        history.add(replace(made, entries=(replace(made.entries[0], name=entry, good=True),)), {entry: {"day": day}})
    assert good_record(history, entry, DIGEST, history.runs()) == (night(3), {"day": 3})
    assert len(list(history.folder.glob("*.record.gz"))) == 1


def test_a_record_that_is_none_is_named(tmp_path: Path) -> None:
    history = History(tmp_path, NAME)
    good(history, 0, good=True, record={})
    (path,) = history.folder.glob("*.record.gz")
    path.write_bytes(b"x")
    with pytest.raises(BadInputError, match=r"000001\.fairness\.record\.gz: is no record of a check"):
        good_record(history, "fairness", DIGEST, history.runs())


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ('"victim_throughput": 1.5', '"victim_throughput": NaN', "is no run of a check: victim_throughput is nan"),
        ('"victim_throughput": 1.5', '"victim_throughput": "a"', "is no run of a check: victim_throughput is 'a'"),
        ('"state": "pass"', '"state": "good"', "is no run of a check: state 'good' is unknown"),
        ('"date": "2026-01-01"', '"date": "2026-01-03"', "is run 1, of the night of 2026-01-03; give the file its name back"),
        ('"entries": [', '"entries": ' + "[" * 100_000, "is no run of a check"),
    ],
)
def test_a_run_that_was_changed_by_hand_is_named(tmp_path: Path, before: str, after: str, sentence: str) -> None:
    history = History(tmp_path, NAME)
    history.add(run(night(0), 1.5))
    path = history.folder / "2026-01-01.000001.json"
    assert before in path.read_text()
    path.write_text(path.read_text().replace(before, after))
    with pytest.raises(BadInputError) as raised:
        history.runs()
    assert str(raised.value).startswith(f"{path}: {sentence}")


@pytest.mark.parametrize("change", [("nights", []), ("nights", ["2026-01-02", "2026-01-01"]), ("up_to", "5"), ("nights", 3)])
def test_a_baseline_that_was_changed_by_hand_is_named(tmp_path: Path, change: tuple[str, object]) -> None:
    history, nights = History(tmp_path, NAME), [night(day) for day in range(5)]
    fill(history, [1.0] * 5)
    history.accept(nights, by="a", at="t")
    path = history.folder / "baseline.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | dict([change])))
    with pytest.raises(BadInputError, match=r"baseline\.json: is no baseline .*; remove the file, and accept nights again"):
        history.accept(nights, by="a", at="t")
    path.unlink()
    assert history.accept(nights, by="a", at="t").up_to == 5


@pytest.mark.long
def test_the_last_day_of_the_calendar_is_a_night(tmp_path: Path) -> None:
    history, last = History(tmp_path, NAME), [date(9999, 12, day) for day in range(27, 32)]
    for one in last:
        history.add(run(one, 1.0))
    baseline = history.accept(last, by="a", at="t")
    assert [found.name for found in found_changes(CHECK, history.runs(), baseline)] == ["fairness.victim_throughput"]
    document = night_report(history.runs(), baseline)
    assert [row["date"] for row in document["nights"]] == [str(one) for one in last]
    assert report_page(document).count('class="pass baseline"') == 5


def test_a_check_may_have_any_name_beside_the_lock(tmp_path: Path) -> None:
    with locked(tmp_path, "a check"):
        assert all(not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", path.name) for path in tmp_path.iterdir())
