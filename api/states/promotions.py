# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""States of promotions, and who may do what in them: pending → rejected, outdated, or running → done or failed. Where no second
person has to approve, a promotion begins as running. One that is outdated has another plan than the one that was shown, since the
base or the fabric has changed: it can only be asked for again."""

from typing import Literal

from api.access.roles import Role
from api.states.table import Rule, StateTable

PromotionState = Literal["pending", "rejected", "outdated", "running", "done", "failed"]
PromotionAction = Literal["approve", "reject", "repeat"]

PROMOTIONS = StateTable[PromotionAction](
    "Promotion",
    {
        "approve": Rule(Role.OPERATOR, ("pending",), by_another=True),
        "reject": Rule(Role.OPERATOR, ("pending",)),
        "repeat": Rule(Role.OPERATOR, ("outdated",)),
    },
)
"""Whoever asked for a promotion may reject it too: they have changed their mind."""
