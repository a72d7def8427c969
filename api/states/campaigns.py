# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""States of campaigns, and who may do what in them.

    draft ─start→ queued ─→ running ─→ finished
                    ↑          ⇅ waiting
                    │          ├─pause, stop→ pausing ─→ paused, stopped
                 resume,       └─→ failed
                 extend

A campaign that is not running when somebody pauses or stops it is paused or stopped at once.
"""

from typing import Literal

from api.access.roles import Role
from api.states.table import Rule, StateTable

CampaignState = Literal["draft", "queued", "running", "waiting", "pausing", "paused", "finished", "failed", "stopped"]
CampaignAction = Literal["change", "start", "pause", "resume", "finish", "stop", "extend", "clone", "archive", "delete"]

WAITING = ("queued", "waiting")
"""Runs when a worker is free, or at a later time."""
RUNS_BY_ITSELF = (*WAITING, "running")
"""Takes its fabric, now or later, without a person's doing."""
ON_FABRIC = ("running", "pausing")
"""May be measuring in this moment."""
AT_WORK = (*RUNS_BY_ITSELF, "pausing")
"""Has a job that is not finished."""
ENDED = ("finished", "failed", "stopped")

CAMPAIGNS = StateTable[CampaignAction](
    "Campaign",
    {
        "change": Rule(Role.OPERATOR, ("draft",)),
        "start": Rule(Role.OPERATOR, ("draft",)),
        "pause": Rule(Role.OPERATOR, RUNS_BY_ITSELF),
        "resume": Rule(Role.OPERATOR, ("paused", "failed", "stopped")),
        "finish": Rule(Role.OPERATOR, ("running", "waiting")),
        "stop": Rule(Role.OPERATOR, ("draft", *AT_WORK, "paused")),
        "extend": Rule(Role.OPERATOR, ("paused", *ENDED)),
        "clone": Rule(Role.OPERATOR, ("draft", *AT_WORK, "paused", *ENDED)),
        "archive": Rule(Role.OPERATOR, ("draft", "paused", *ENDED)),
        "delete": Rule(Role.OPERATOR, ("draft", "paused", *ENDED)),
    },
)
"""`finish`: the route `stop` with `confirm`, which confirms what the search has found, and reports. `archive` also takes a
campaign out of the archive; it does not change the state."""
