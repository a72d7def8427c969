# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A trial run of a profile as JSON: what was measured before and during it, beside what a campaign promised."""

from datetime import date

from pydantic import BaseModel, Field

from api.base.times import Time
from api.documents.promotions import Measured, Spread
from api.documents.texts import Sentence


class EntryFigures(BaseModel):
    """An entry of a night that measured under the profile in force."""

    entry: str
    kind: str
    options: str = Field(description="Digest of the entry's options and fabric. Only figures of the same ones are compared.")
    regime: str = Field(description="Revision of the profile under which it measured: the profile's name and a digest.")
    values: dict[str, float | None] = Field(description="Value of each metric; null: it had none.")
    units: dict[str, str]


class NightFigures(BaseModel):
    """What a night of a check measured under the profile in force."""

    check: str
    date: date
    number: int
    at: Time = Field(description="When its run ended.")
    verdict: str
    entries: list[EntryFigures]


class ComparedFigure(BaseModel):
    """A metric of an entry before and during the trial run."""

    check: str
    entry: str
    metric: str
    unit: str
    before: float | None = Field(description="Last value before it; null: not measured, or with other options.")
    during: float | None = Field(description="Last value during it.")
    promised: Spread | None = Field(description="What the campaign's confirmation gave; null: nothing, or of another fabric.")


class TrialRunOutcome(BaseModel):
    job: str = Field(description="Identifier of the job that began it.")
    fabric: str
    profile: str
    version: int
    revision: str = Field(description="Identifier of the profile's content: its name and a digest.")
    by: str
    began_at: Time
    ended_at: Time = Field(description="End, or now while it lasts.")
    is_over: bool
    promised: Measured | None = Field(description="Campaign that measured the profile; null: none that the caller may see.")
    before: list[NightFigures]
    during: list[NightFigures]
    compared: list[ComparedFigure]
    sentence: Sentence = Field(description="What victims got before and during it, and what was promised.")
