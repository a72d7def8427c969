# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The history in the database does what the one in a folder does, and its size is bounded."""

import random
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from sqlalchemy import func, select

from api.access.principal import system
from api.background.housekeeping import Housekeeping
from api.base.problems import NotFound
from api.database.models.check import CheckAnswer, CheckNight, CheckRecord, CheckRun, StoredCheck
from api.services.checks import baselines
from api.services.checks.history import MOST_FINDINGS, MOST_RUNS, DatabaseHistory
from tests.api.service import Service
from tests.tuner.checks.nights import DIGEST, night, run
from tuner.checks.observation import Finding
from tuner.checks.store.good_nights import good_record
from tuner.checks.store.history import History
from tuner.checks.store.night_run import NightRun
from tuner.errors import BadInputError

pytestmark = pytest.mark.long

NAME = "made-up"


def stored(service: Service, keep_nights: int = 400) -> DatabaseHistory:
    who = {"created_by": "a", "changed_by": "a"}
    row = StoredCheck(name=NAME, fabric="two-switch", document="", policy={}, keep_nights=keep_nights, **who)
    with service.database.writing() as session:
        session.merge(row)
    return DatabaseHistory(service.database, NAME, keep_nights=keep_nights)


def accept(service: Service, nights: list[date]) -> None:
    with service.database.writing() as session:
        row = session.get_one(StoredCheck, NAME)
        baselines.accept(session, system("test"), row, last=None, first=nights[0], until=nights[-1])


@pytest.mark.parametrize("seed", range(2))
def test_it_does_what_the_folder_does(any_service: Service, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    folder, database = History(tmp_path, NAME, keep_nights=6), stored(any_service, keep_nights=6)
    for _ in range(30):
        day = chance.randrange(14)
        made = run(night(day), chance.random(), not_run="no plugin" if chance.random() < 0.2 else None)
        made = replace(made, entries=(replace(made.entries[0], good=chance.random() < 0.6),))
        records = {"fairness": {"links": chance.randrange(9)}} if made.observed and chance.random() < 0.8 else {}
        assert database.add(made, records) == folder.add(made, records)
        if chance.random() < 0.15:
            nights = sorted({one.date for one in folder.runs() if one.observed})
            if len(nights) >= 5:
                folder.accept(nights, by="ibcc", at="t")
                accept(any_service, nights)
        runs = folder.runs()
        kept = {one.number for one in database.runs()}
        assert [one for one in runs if one.number in kept] == database.runs()
        # If a night was run often, the database keeps its last runs.
        for gone in {one.number for one in runs} - kept:
            of_night = [one.number for one in runs if one.date == next(one.date for one in runs if one.number == gone)]
            assert gone not in of_night[-MOST_RUNS + 1 :]
        assert folder.latest_date() == database.latest_date()
        former, present = folder.baseline(), database.baseline()
        assert (former is None) == (present is None)
        if former is not None and present is not None:
            assert (former.nights, former.up_to) == (present.nights, present.up_to)
        for digest in (DIGEST, "others"):
            assert good_record(folder, "fairness", digest, runs) == good_record(database, "fairness", digest, runs)


def test_nights_of_which_none_is_kept_are_forgotten_too(any_service: Service) -> None:
    history = stored(any_service, keep_nights=5)
    with any_service.database.writing() as session:
        session.add_all(CheckNight(check=NAME, date=night(i), by="a", missed="x") for i in range(20))
    for i in range(20):
        history.add(run(night(i), 1.0), {"fairness": {"i": i}})
    with any_service.database.reading() as session:
        assert session.scalar(select(func.count()).select_from(CheckRun)) == 5
        assert sorted(session.scalars(select(CheckNight.date))) == [night(i) for i in range(15, 20)]
        assert len(session.scalars(select(CheckRecord.number)).all()) <= 2


def test_a_night_that_is_run_all_day_keeps_its_last_runs_and_the_one_that_counts(any_service: Service) -> None:
    history = stored(any_service)
    history.add(run(night(0), 7.0))
    for _ in range(30):
        history.add(run(night(0), None, not_run="no plugin"))
    runs = history.runs()
    assert len(runs) == MOST_RUNS
    assert [one.number for one in runs if one.observed] == [1]
    assert runs[-1].number == 31


def test_findings_of_a_large_fabric_are_kept_the_gravest_first(any_service: Service) -> None:
    def finding(i: int) -> Finding:
        severity = "fail" if i == 5000 else "warn"
        return Finding(code="x", sentence=str(i), place="p", evidence="e", next_step="n", severity=severity)  # type: ignore[arg-type]

    many = run(night(0), 1.0)
    many = replace(many, entries=(replace(many.entries[0], findings=tuple(finding(i) for i in range(MOST_FINDINGS + 5))),))
    (entry,) = stored(any_service).add(many).entries
    assert len(entry.findings) == MOST_FINDINGS
    assert entry.findings[0].sentence == "5000"
    assert entry.facts[-1] == "5 more findings are not kept"


def test_a_run_of_a_check_that_was_deleted_is_not_stored(any_service: Service) -> None:
    with pytest.raises(NotFound):
        DatabaseHistory(any_service.database, "gone", keep_nights=9).add(run(night(0), 1.0))


def test_what_on_add_raises_keeps_the_run_from_being_stored(any_service: Service) -> None:
    stored(any_service)

    def lost(session: object, kept: NightRun) -> None:
        raise BadInputError("another worker has it")

    history = DatabaseHistory(any_service.database, NAME, keep_nights=9, on_add=lost)
    with pytest.raises(BadInputError):
        history.add(run(night(0), 1.0), {"fairness": {}})
    assert history.runs() == []
    assert history.latest_date() is None


def test_a_record_that_cannot_be_read_is_named(any_service: Service) -> None:
    history = stored(any_service)
    made = run(night(0), 1.0)
    history.add(replace(made, entries=(replace(made.entries[0], good=True),)), {"fairness": {"a": 1}})
    with any_service.database.writing() as session:
        session.scalars(select(CheckRecord)).one().content = b"x"
    with pytest.raises(BadInputError, match="the record of 'fairness' of run 1 cannot be read"):
        good_record(history, "fairness", DIGEST, history.runs())


def test_missed_nights_and_answers_that_are_over_do_not_grow_without_end(any_service: Service) -> None:
    history = stored(any_service, keep_nights=5)
    what = {"check": NAME, "fabric": "two-switch", "answer": "reapply", "cause": "x", "sentence": "y", "night": night(0)}
    history.add(run(night(2), 1.0))
    with any_service.database.writing() as session:
        session.add_all(CheckNight(check=NAME, date=night(i), by="a", missed="x") for i in range(20))
        session.add_all(CheckAnswer(id=f"{i:032x}", gone_on=night(1) if i else None, **what) for i in range(20))
        session.flush()
        session.get_one(CheckNight, (NAME, night(2))).number = 1
    Housekeeping(any_service.database, 86400.0).sweep()
    with any_service.database.reading() as session:
        assert sorted(session.scalars(select(CheckNight.date))) == [night(i) for i in (2, *range(15, 20))]
        assert {int(one, 16) for one in session.scalars(select(CheckAnswer.id))} == {0, *range(15, 20)}, "one stands"
