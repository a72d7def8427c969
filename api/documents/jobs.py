# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A job as JSON, in answers and in events."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from api.base.times import Time
from api.documents.texts import Sentence
from api.states.jobs import JobAction, JobState


class JobProgress(BaseModel):
    done: int
    total: int | None = Field(description="Total amount of work; null: unknown.")
    text: str


class JobStatus(BaseModel):
    """The same for everybody: the data of events."""

    model_config = ConfigDict(from_attributes=True)

    id: str
    kind: str
    title: str = Field(description="The kind in words, such as `Import of a fabric`.")
    state: JobState
    fabric: str | None
    subject: dict[str, str | int] = Field(
        description="The object of the work: `campaign` (an identifier) and its `name`; `import` (an identifier) and its `name`, "
        "that of the fabric; `profile` and `version`; `check` and `date`; `promotion`; or `nodes`, the hosts. Empty if it is the "
        "fabric.",
    )
    progress: JobProgress
    result: dict[str, Any] | None
    problem: Sentence | None = Field(description="Why it failed, as a sentence.")
    exit_code: int | None = Field(description="Exit code of the command `ibcc` for that problem.")
    created_at: Time
    created_by: str
    started_at: Time | None
    ended_at: Time | None
    not_before: Time | None = Field(description="Time until which a queued job waits, such as the start of a maintenance window.")
    attempts: int = Field(description="Number of starts; more than one after a worker was lost.")
    cancel_requested: bool


class JobDocument(JobStatus):
    actions: list[JobAction] = Field(description="Actions that the caller may take now.")
