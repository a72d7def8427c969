# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""So much time in all: `budget.time_s`."""

from typing import Annotated

from tuner.document_base.model import Within
from tuner.search.stop_rules.base import STOP_RULES, SearchState, StopRule


class Time(StopRule):
    at_most_s: Annotated[float, Within(0, above=True)]
    """Seconds of searching in all, resumed sessions included."""

    def reason(self, state: SearchState) -> str | None:
        return f"all {self.at_most_s:g} s of the budget are used" if state.elapsed_s >= self.at_most_s else None


STOP_RULES.add("time", Time)
