# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Work that outlives a request. See `api.states.jobs` for the states, and `api.jobs.lease` for the lease."""

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Index, String, Text, and_, or_
from sqlalchemy.orm import Mapped, mapped_column

from api.base.identifiers import new_id
from api.base.times import now
from api.database.base import PATH_FREE, Base
from api.database.unreadable import TolerantDict, TolerantTime

MAX_ATTEMPTS = 5
"""Maximum number of attempts at a job; if its worker is lost in the last one, the job is not retried."""


def is_due() -> ColumnElement[bool]:
    """Returns the condition that a job waits in the queue, and not for a later time."""
    return and_(Job.state == "queued", or_(Job.not_before.is_(None), Job.not_before <= now()))


class Job(Base):
    __tablename__ = "jobs"
    __table_args__ = (Index("ix_jobs_state_created_at", "state", "created_at"),)

    id: Mapped[str] = mapped_column(String(32), primary_key=True, default=new_id)
    kind: Mapped[str] = mapped_column(String(64), index=True)
    state: Mapped[str] = mapped_column(String(16))  # see api.states.jobs
    arguments: Mapped[dict[str, Any]] = mapped_column(TolerantDict)
    fabric: Mapped[str | None] = mapped_column(String(64), index=True)

    progress_done: Mapped[int] = mapped_column(default=0)
    progress_total: Mapped[int | None]
    progress_text: Mapped[str] = mapped_column(Text, default="", info=PATH_FREE)
    result: Mapped[dict[str, Any] | None] = mapped_column(TolerantDict, info=PATH_FREE)
    problem: Mapped[str | None] = mapped_column(Text, info=PATH_FREE)
    exit_code: Mapped[int | None]  # what `ibcc` would end with for that problem

    created_at: Mapped[datetime] = mapped_column(TolerantTime, default=now)
    created_by: Mapped[str] = mapped_column(String(64))
    started_at: Mapped[datetime | None] = mapped_column(TolerantTime)
    ended_at: Mapped[datetime | None] = mapped_column(TolerantTime)

    worker: Mapped[str | None] = mapped_column(String(255))
    lease_until: Mapped[datetime | None] = mapped_column(TolerantTime, index=True)
    attempts: Mapped[int] = mapped_column(default=0)
    not_before: Mapped[datetime | None] = mapped_column(TolerantTime)  # a queued one is left alone until then
    cancel_requested: Mapped[bool] = mapped_column(default=False)
