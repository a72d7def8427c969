# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A job as JSON, in answers and in events."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from api.states.jobs import JobAction, JobState
from api.times import Time


class JobProgress(BaseModel):
    done: int
    total: int | None = Field(description="Null when nobody knows how much there is to do.")
    text: str


class JobStatus(BaseModel):
    """The same for everybody: the data of events."""

    model_config = ConfigDict(from_attributes=True)

    id: str
    kind: str
    state: JobState
    fabric: str | None
    progress: JobProgress
    result: dict[str, Any] | None
    problem: str | None = Field(description="Why it failed: one sentence.")
    exit_code: int | None = Field(description="What the command `ibcc` ends with for that problem.")
    created_at: Time
    created_by: str
    started_at: Time | None
    ended_at: Time | None
    not_before: Time | None = Field(description="A queued one waits until then, such as for a maintenance window.")
    attempts: int = Field(description="How often it was started; more than once after a worker was lost.")
    cancel_requested: bool


class JobDocument(JobStatus):
    actions: list[JobAction] = Field(description="Actions that the caller may take now.")
