# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The report of a night: its document, its mail and its page."""

import re
import shlex
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.tuner.checks.nights import CHECK, fill, night, run
from tuner.check_report.document import MOST_ALIKE, night_report, nights_with_missed, other_remarks
from tuner.check_report.mail import WIDTH, mail_text
from tuner.check_report.page import report_page, weeks
from tuner.checks.alarm import CHANGED, Alarm
from tuner.checks.cause import Cause
from tuner.checks.store.history import History
from tuner.checks.store.night_run import NightRun, Remark, StoredJudgement
from tuner.errors import BadInputError

ODD = "H1 <b>&\u2028" + "x" * 60
METRIC = "fairness.victim_throughput"
STEP = "ibcc simulate '/etc/ibcc/a workload with spaces.yaml' --profile gran-2010 --fabric /etc/ibcc/fabrics/bed.yaml --seed 3"


def failed(day: date) -> NightRun:
    sentence = f"{METRIC} is worse: 13 before, 9 Gb/s now, a step since {day}"
    cause = Cause(
        name="slow-sender",
        sentence=f"a host is slow to send: {ODD}",
        place=ODD,
        evidence=(f"{ODD} sends less",),
        next_step=STEP,
        weight=1,
    )
    return replace(
        run(day, 9.0),
        state="fail",
        headline=f"{sentence} (and 1 more)",
        remarks=(
            Remark(subject=METRIC, state="fail", sentence=sentence),
            Remark(subject="tables", state="warn", sentence=ODD),
        ),
        causes=(cause,),
        judged={METRIC: StoredJudgement(changed=True, evidence=3.0, latest=2.0, since=day)},
    )


@pytest.fixture
def document(tmp_path: Path) -> dict[str, Any]:
    """Ten nights, of which the fourth was missed and nine are the baseline; a night that fails, and one that follows."""
    history = History(tmp_path, CHECK.name)
    fill(history, [13.0, 12.9, 13.1, None, 13.0, 13.0, 13.0, 13.0, 13.0, 13.0])
    baseline = history.accept([night(i) for i in range(10)], by="Ada", at="t")
    history.add(failed(night(10)))
    history.add(run(night(11), 13.0))
    return night_report(history.runs(), baseline, night(10))


def test_the_document_has_the_nights_until_then_and_the_baseline_s_bounds(document: dict[str, Any]) -> None:
    assert [one["state"] for one in document["nights"]] == [*["pass"] * 3, "missed", *["pass"] * 6, "fail"]
    (metric,) = document["metrics"]
    assert (metric["low"], metric["middle"], metric["high"], metric["limit"]) == (12.9, 13.0, 13.1, pytest.approx(12.35))
    assert metric["values"][-1] == [str(night(10)), 9.0]
    assert (metric["changed"], metric["since"], document["last_good"]) == (True, str(night(10)), str(night(9)))


def test_a_night_that_is_not_there_is_named(tmp_path: Path) -> None:
    history = History(tmp_path, CHECK.name)
    with pytest.raises(BadInputError, match="the history has no night"):
        night_report(history.runs(), None)
    fill(history, [13.0])
    with pytest.raises(BadInputError, match=r"no run of the night of 2026-01-03; the last one is of 2026-01-01"):
        night_report(history.runs(), None, night(2))


def test_a_metric_that_is_as_before_is_told_once(tmp_path: Path) -> None:
    sentence = f"{METRIC} was worse: 13 before, 9 Gb/s then, 13 tonight"
    metric = Alarm(subject=METRIC, code=CHANGED, place=METRIC, state="waiting", sentence=sentence, opened=night(0), seen=night(0))
    device = replace(metric, subject="tables", code="device-refused", place="switch 0x1", sentence="switch 0x1 refused a value")
    remark = Remark(subject=METRIC, state="warn", sentence=sentence)
    history = History(tmp_path, CHECK.name)
    history.add(replace(run(night(1), 13.0), state="warn", headline=sentence, remarks=(remark,), alarms=(metric, device)))
    text = mail_text(night_report(history.runs(), None))
    body = " ".join(text.split())
    assert body.count(sentence) == 1, text
    assert "Not seen tonight; an alarm ends when its place is as before for some nights - switch 0x1 refused a value" in body


def test_the_mail_has_its_subject_first_and_at_most_78_columns(document: dict[str, Any]) -> None:
    text = mail_text(document)
    lines = text.splitlines()
    assert lines[0].startswith("Subject: [ibcc] made-up 2026-01-11: fail: fairness.victim_throughput is")
    assert lines[0].isascii()
    assert lines[1] == ""
    assert all(len(line) <= WIDTH for line in lines), text
    assert "The last night that passed: 2026-01-10." in lines
    assert text.count("is worse") == 1  # the headline; the remark is not repeated
    assert re.search(r"^fairness.victim_throughput +9 +12.9 to 13.1 +Gb/s +ALARM$", text, re.MULTILINE)


def test_a_command_in_the_mail_is_one_for_the_shell(document: dict[str, Any]) -> None:
    _, _, after = mail_text(document).partition("next: ")
    command = re.match(r"(?:.*\\\n)*.*\n", after)
    assert command is not None
    assert command[0].count("\n") > 1
    assert shlex.split(command[0].replace("\\\n", "")) == shlex.split(STEP)


def test_names_cannot_break_the_mail_or_the_page(document: dict[str, Any]) -> None:
    document["headline"] = "Bcc: all\n\nHello\x1b[2J"
    assert mail_text(document).splitlines()[:2] == ["Subject: [ibcc] made-up 2026-01-11: fail: Bcc: all Hello\\u001b[2J", ""]
    page = report_page(document)
    assert "<b>" not in page
    assert "&lt;b&gt;" in page


def test_the_page_loads_nothing_and_runs_nothing(document: dict[str, Any]) -> None:
    page = report_page(document)
    assert "<script" not in page
    assert not re.search(r"https?://|@import|src=|url\((?!#)", page)
    assert "prefers-color-scheme: dark" in page
    assert page.count("<svg") == 1
    assert page.count('<td class="pass baseline"') == 9
    assert page.count('<td class="fail"') == 1


def test_weeks_begin_on_mondays() -> None:
    days = nights_with_missed({night(0): run(night(0), 1.0), night(10): run(night(10), 1.0)}, None)
    rows = weeks(days)
    assert [row[0]["date"] for row in rows] == ["2025-12-29", "2026-01-05"]
    assert [len(row) for row in rows] == [7, 7]
    assert [one["state"] for one in rows[0]] == ["none", "none", "none", "pass", "missed", "missed", "missed"]


def test_the_page_draws_what_has_varied(tmp_path: Path) -> None:
    history = History(tmp_path, CHECK.name)
    fill(history, [13.0, 13.0])
    page = report_page(night_report(history.runs(), None))
    assert "<svg" not in page
    assert "Not drawn: 1 with the same value in all nights." in page
    fill(history, [None, None, 12.9])
    document = night_report(history.runs(), None)
    page = report_page(document)
    assert page.count("<svg") == 1
    assert "Not drawn" not in page
    assert "Baseline from" not in page  # there is none yet
    assert re.search(r"^Metric +Tonight +Unit$", mail_text(document), re.MULTILINE)


def test_of_many_remarks_of_a_kind_people_read_some_and_programs_all() -> None:
    routes = [
        {"subject": "routes", "state": "fail", "sentence": f"S{i} has other tables", "code": "sl2vl-changed"} for i in range(80)
    ]
    other = {"subject": "links", "state": "warn", "sentence": "a link flaps", "code": "link-flapping", "since": "2026-01-01"}
    told = other_remarks("S0 has other tables (and 79 more)", [*routes, other])
    assert told[:2] == [("fail", "routes: S1 has other tables"), ("fail", "routes: S2 has other tables")]
    assert told[MOST_ALIKE:] == [
        ("fail", "69 more of the kind 'sl2vl-changed'"),
        ("warn", "links: a link flaps (known since 2026-01-01)"),
    ]
