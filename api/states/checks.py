# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""States of checks, of their nights and of answers to what they found, and who may do what in them.

    check:   idle → queued → running → idle
    night:   queued → running → done, failed or cancelled; missed
    answer:  waiting → running → done or failed;  done ─undo→ undoing → undone

All of them follow from the jobs (`api.services.checks.present`), so no job that is lost leaves one behind that is stuck.
"""

from typing import Literal

from api.access.roles import Role
from api.states.table import Rule, StateTable

CheckState = Literal["idle", "queued", "running"]
CheckAction = Literal["run", "cancel", "change", "schedule", "accept", "undo_accept", "decide", "set_policy", "delete"]

NightState = Literal["queued", "running", "done", "failed", "cancelled", "missed"]
Verdict = Literal["pass", "warn", "could not be run", "fail"]

AnswerState = Literal["waiting", "running", "done", "failed", "undoing", "undone"]
AnswerAction = Literal["undo"]

CHECK_JOB = "check"
"""Kind of the jobs that run a night."""

AT_WORK = ("queued", "running")
"""States in which a check, or a night, has a job that has not ended."""
ALL = ("idle", *AT_WORK)

CHECKS = StateTable[CheckAction](
    "Check",
    {
        "run": Rule(Role.OPERATOR, ("idle",)),
        "cancel": Rule(Role.OPERATOR, AT_WORK),
        "change": Rule(Role.OPERATOR, ("idle",)),
        "schedule": Rule(Role.OPERATOR, ALL),
        "accept": Rule(Role.OPERATOR, ALL),
        "undo_accept": Rule(Role.OPERATOR, ALL),
        "decide": Rule(Role.OPERATOR, ALL),
        "set_policy": Rule(Role.ADMIN, ALL),
        "delete": Rule(Role.OPERATOR, ("idle",)),
    },
)
"""A document is not changed under a night that is at work: the night would be compared with others by the wrong options."""

ANSWERS = StateTable[AnswerAction]("Answer", {"undo": Rule(Role.OPERATOR, ("waiting", "done"))})
"""An answer that waits for a maintenance window is withdrawn if somebody undoes it."""
