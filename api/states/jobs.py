# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""States of jobs, and who may do what in them: queued → running → done, failed or cancelled. A job whose worker is lost, or that
waits for a time, goes back to queued."""

from typing import Literal

from api.access.roles import Role
from api.states.table import Rule, StateTable

JobState = Literal["queued", "running", "done", "failed", "cancelled"]
JobAction = Literal["cancel"]

PENDING = ("queued", "running")
GIVEN_UP = ("failed", "cancelled")

JOBS = StateTable[JobAction]("Job", {"cancel": Rule(Role.OPERATOR, PENDING)})
