# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Nightly checks, their nights and runs, and answers to what they found."""

from datetime import date, datetime
from typing import Any

from sqlalchemy import Date, ForeignKey, Index, LargeBinary, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from api.base.identifiers import new_id
from api.base.times import now
from api.database.base import PATH_FREE, Base


class StoredCheck(Base):
    __tablename__ = "checks"

    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    fabric: Mapped[str] = mapped_column(String(64), index=True)
    document: Mapped[str] = mapped_column(Text)
    schedule: Mapped[dict[str, Any] | None]
    schedule_since: Mapped[datetime | None]  # nights before it are not missed
    policy: Mapped[dict[str, Any]]
    keep_nights: Mapped[int]
    baseline: Mapped[str | None] = mapped_column(Text, deferred=True)  # as tuner.checks.store.baseline writes it
    decisions: Mapped[str | None] = mapped_column(Text, deferred=True)  # as tuner.checks.decisions writes them
    last_number: Mapped[int] = mapped_column(default=0)  # of its runs
    job: Mapped[str | None] = mapped_column(String(32), index=True)  # of the last run
    created_at: Mapped[datetime] = mapped_column(default=now)
    created_by: Mapped[str] = mapped_column(String(64))
    changed_at: Mapped[datetime] = mapped_column(default=now)
    changed_by: Mapped[str] = mapped_column(String(64))
    revision: Mapped[int] = mapped_column(default=1)


class CheckNight(Base):
    """A night: its date is the key, so that no clock that jumps and no second server runs it twice."""

    __tablename__ = "check_nights"

    check: Mapped[str] = mapped_column(ForeignKey("checks.name", ondelete="CASCADE"), primary_key=True)
    date: Mapped[date] = mapped_column(Date, primary_key=True)
    job: Mapped[str | None] = mapped_column(String(32), index=True)  # None: it was missed
    number: Mapped[int | None]  # of the last run; None: there is none
    verdict: Mapped[str | None] = mapped_column(String(24))
    headline: Mapped[str | None] = mapped_column(Text, info=PATH_FREE)
    public_headline: Mapped[str | None] = mapped_column(Text, info=PATH_FREE)  # without names of jobs and users
    missed: Mapped[str | None] = mapped_column(Text, info=PATH_FREE)  # why it was missed
    late: Mapped[bool] = mapped_column(default=False)
    planned_at: Mapped[datetime | None]
    latest_at: Mapped[datetime | None]  # a run that has not begun by then is missed
    started_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    runs: Mapped[int] = mapped_column(default=0)
    by: Mapped[str] = mapped_column(String(64))


class CheckRun(Base):
    """A run of a night, whole; `tuner.checks.store.night_run` reads it."""

    __tablename__ = "check_runs"
    __table_args__ = (Index("ix_check_runs_check_date", "check", "date"),)

    check: Mapped[str] = mapped_column(ForeignKey("checks.name", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    date: Mapped[date] = mapped_column(Date)
    observed: Mapped[bool]  # at least one entry could be run
    document: Mapped[dict[str, Any]] = mapped_column(info=PATH_FREE)


class CheckRecord(Base):
    """Compressed record of an entry, kept for the last run and for the last good one; number 0 is that of the expected fabric."""

    __tablename__ = "check_records"

    check: Mapped[str] = mapped_column(ForeignKey("checks.name", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    entry: Mapped[str] = mapped_column(String(64), primary_key=True)
    content: Mapped[bytes] = mapped_column(LargeBinary)


class CheckAnswer(Base):
    __tablename__ = "check_answers"

    id: Mapped[str] = mapped_column(String(32), primary_key=True, default=new_id)
    check: Mapped[str] = mapped_column(ForeignKey("checks.name", ondelete="CASCADE"), index=True)
    fabric: Mapped[str] = mapped_column(String(64))
    night: Mapped[date] = mapped_column(Date)
    answer: Mapped[str] = mapped_column(String(16))
    cause: Mapped[str] = mapped_column(Text, info=PATH_FREE)
    keys: Mapped[list[Any] | None]  # all that its night has shown, by `Shown.key`
    sentence: Mapped[str] = mapped_column(Text, info=PATH_FREE)
    before: Mapped[dict[str, Any] | None]  # the base profile as the answer found it
    after: Mapped[dict[str, Any] | None]  # and as it left it
    campaign: Mapped[str | None] = mapped_column(String(32))
    problem: Mapped[str | None] = mapped_column(Text, info=PATH_FREE)
    job: Mapped[str | None] = mapped_column(String(32), index=True)
    undo_job: Mapped[str | None] = mapped_column(String(32), index=True)
    undone_at: Mapped[datetime | None]
    undone_by: Mapped[str | None] = mapped_column(String(64))
    gone_on: Mapped[date | None] = mapped_column(Date)  # the first night that did not show the cause any more
    created_at: Mapped[datetime] = mapped_column(default=now)
