# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""States of promotions, and who may do what in them: pending → rejected, or running → done or failed. Where no second person has
to approve, a promotion begins as running."""

from typing import Literal

from api.access.roles import Role
from api.states.table import Rule, StateTable

PromotionState = Literal["pending", "rejected", "running", "done", "failed"]
PromotionAction = Literal["approve", "reject"]

PROMOTIONS = StateTable[PromotionAction](
    "Promotion",
    {
        "approve": Rule(Role.OPERATOR, ("pending",), by_another=True),
        "reject": Rule(Role.OPERATOR, ("pending",)),
    },
)
"""Whoever asked for a promotion may reject it too: they have changed their mind."""
