# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""States of a fabric's import, and who may do what in them.

    reading → ready ─keep→ kept
       ↑        │
       └─reread─┴─ failed, cancelled

While it is `reading` it has a job that has not ended. Nothing becomes a fabric, or a version of one, before somebody keeps it.
"""

from typing import Literal

from api.access.roles import Role
from api.states.table import Rule, StateTable

ImportState = Literal["reading", "ready", "failed", "cancelled", "kept"]
ImportAction = Literal["cancel", "reread", "keep", "discard"]

READING = ("reading",)
"""Has a job that has not ended."""
DRAFTS = ("reading", "ready", "failed", "cancelled")
"""Has its uploads, until its end or until somebody keeps or discards it."""
SETTLED = ("ready", "failed", "cancelled")

IMPORTS = StateTable[ImportAction](
    "Import",
    {
        "cancel": Rule(Role.ADMIN, READING),
        "reread": Rule(Role.ADMIN, SETTLED),
        "keep": Rule(Role.ADMIN, ("ready",)),
        "discard": Rule(Role.ADMIN, (*SETTLED, "kept")),
    },
)
"""`reread`: with other options, or with forwarding tables beside the topology."""
