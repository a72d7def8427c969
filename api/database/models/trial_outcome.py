# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Outcomes of trial runs: what nights of checks measured before and during each, beside what a campaign promised."""

from datetime import datetime
from typing import Any

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from api.database.base import PATH_FREE, Base


class TrialOutcome(Base):
    """Kept when its job, its nights and its campaign are gone. `revision`: identifier of the profile's content
    (tuner.documents.profile). `promised`: as api.documents.promotions.Measured; None: no campaign of the service recommended it.
    `before`, `during`: as api.documents.trial_runs.NightFigures."""

    __tablename__ = "trial_outcomes"

    job: Mapped[str] = mapped_column(String(32), primary_key=True)  # that has begun it
    fabric: Mapped[str] = mapped_column(String(64), index=True)
    profile: Mapped[str] = mapped_column(String(64), index=True)
    version: Mapped[int]
    revision: Mapped[str] = mapped_column(String(160))
    by: Mapped[str] = mapped_column(String(64))
    began_at: Mapped[datetime]
    until: Mapped[datetime]  # its time limit, or when it was ended
    promised: Mapped[dict[str, Any] | None] = mapped_column(info=PATH_FREE)
    before: Mapped[list[Any]] = mapped_column(info=PATH_FREE)
    during: Mapped[list[Any]] = mapped_column(info=PATH_FREE)
