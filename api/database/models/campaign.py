# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Campaigns, and copies of their trials."""

from datetime import datetime
from typing import Any

from sqlalchemy import Float, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from api.base.identifiers import new_id
from api.base.times import now
from api.database.base import PATH_FREE, Base
from api.database.unreadable import TolerantDict, TolerantList


class StoredCampaign(Base):
    __tablename__ = "campaigns"

    id: Mapped[str] = mapped_column(String(32), primary_key=True, default=new_id)
    name: Mapped[str] = mapped_column(String(64))
    fabric: Mapped[str] = mapped_column(String(64), index=True)
    state: Mapped[str] = mapped_column(String(16), index=True)  # see api.states.campaigns
    requested_action: Mapped[str | None] = mapped_column(String(16))  # while it runs: pause, stop, finish
    template: Mapped[str | None] = mapped_column(String(64))
    spec: Mapped[dict[str, Any]] = mapped_column(TolerantDict)  # the campaign document, without places
    settings: Mapped[dict[str, Any]] = mapped_column(TolerantDict)  # backend.… and model.…
    files: Mapped[dict[str, Any]] = mapped_column(deferred=True)  # all that it names, by path in its folder
    goals: Mapped[list[Any]] = mapped_column(TolerantList)  # objectives with unit and direction
    phase: Mapped[str] = mapped_column(String(16), default="")  # references, search, confirmation
    progress: Mapped[dict[str, Any] | None]  # of the phase: done, total, remaining_s
    finding: Mapped[str | None] = mapped_column(Text, info=PATH_FREE)  # of a finished one; see tuner.report.finding
    trials_done: Mapped[int] = mapped_column(default=0)
    trials_total: Mapped[int]
    best: Mapped[dict[str, Any] | None] = mapped_column(TolerantDict)
    importance: Mapped[dict[str, Any] | None] = mapped_column(TolerantDict)
    ended: Mapped[str | None] = mapped_column(Text, info=PATH_FREE)  # why the search ended
    problem: Mapped[str | None] = mapped_column(Text, info=PATH_FREE)
    recommended: Mapped[int | None]  # the trial
    elapsed_s: Mapped[float] = mapped_column(Float, default=0.0)
    created_at: Mapped[datetime] = mapped_column(default=now)
    created_by: Mapped[str] = mapped_column(String(64))
    started_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    waits_until: Mapped[datetime | None]  # of the last time that it waited
    job: Mapped[str | None] = mapped_column(String(32), index=True)
    revision: Mapped[int] = mapped_column(default=1)
    other_traffic: Mapped[bool] = mapped_column(default=False)  # measured before tuner.simulation.traffic_version changed

    archived: Mapped[bool] = mapped_column(default=False)  # lists leave it out unless asked

    @property
    def resumes_at(self) -> datetime | None:
        """The time at which a waiting campaign continues; None in all other states."""
        return self.waits_until if self.state == "waiting" else None


class CampaignArtifact(Base):
    """A file that a finished campaign leaves: `report.html`, `report.json`, `profile.yaml` or `profile-….yaml`."""

    __tablename__ = "campaign_papers"

    campaign: Mapped[str] = mapped_column(ForeignKey("campaigns.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(String(32), primary_key=True)
    text: Mapped[str] = mapped_column(Text)


class Trial(Base):
    """A copy of the record in the campaign's own store, made by `api.services.campaigns.trials.trial_row`."""

    __tablename__ = "trials"
    __table_args__ = (Index("ix_trials_campaign_state", "campaign", "state"),)

    campaign: Mapped[str] = mapped_column(ForeignKey("campaigns.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    origin: Mapped[str] = mapped_column(String(100))
    state: Mapped[str] = mapped_column(String(16))  # complete, stopped, screened, failed
    feasible: Mapped[bool]
    on_front: Mapped[bool] = mapped_column(default=False)
    params: Mapped[dict[str, Any]]
    outcomes: Mapped[dict[str, Any]]  # by objective
    violations: Mapped[dict[str, Any]]  # by constraint; at most 0 where it is kept
    metrics: Mapped[dict[str, Any] | None]
    hypervolume: Mapped[float | None] = mapped_column(Float)  # of all trials up to this one
    duration_s: Mapped[float | None] = mapped_column(Float)
    reused: Mapped[bool]
    reason: Mapped[str] = mapped_column(Text, info=PATH_FREE)
    ended_at: Mapped[datetime] = mapped_column(default=now)


class TrialSeries(Base):
    """The throughput of each flow of one trial; apart, since lists have no use for it."""

    __tablename__ = "trial_series"

    campaign: Mapped[str] = mapped_column(ForeignKey("campaigns.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    measurements: Mapped[list[Any]]
