# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""So many profiles in all: `budget.trials`."""

from typing import Annotated

from tuner.document_base.model import Within
from tuner.search.stop_rules.base import STOP_RULES, SearchState, StopRule


class Trials(StopRule):
    at_most: Annotated[int, Within(1, 1_000_000)]
    """Profiles measured in all, resumed sessions included."""

    def reason(self, state: SearchState) -> str | None:
        return f"all {self.at_most} trials of the budget are used" if state.begun >= self.at_most else None


STOP_RULES.add("trials", Trials)
