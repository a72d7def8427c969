# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The search finds nothing better any more: the dominated hypervolume stands still."""

from typing import Annotated

from tuner.document_base.model import Within
from tuner.search.stop_rules.base import STOP_RULES, SearchState, StopRule


class Stagnation(StopRule):
    """Says nothing as long as no feasible profile is better than the reference point: then there is nothing to stand still."""

    trials: Annotated[int, Within(1, 1_000_000)] = 20
    """So many trials one after the other have to bring nothing. More than the sampler's start, which is not a search yet."""
    gain: Annotated[float, Within(0, 1)] = 0.001
    """Fraction of the hypervolume that counts as nothing: 0.001 means 0.1 %."""

    def reason(self, state: SearchState) -> str | None:
        if len(state.hypervolumes) <= self.trials:
            return None
        before, now = state.hypervolumes[-1 - self.trials], state.hypervolumes[-1]
        if before <= 0 or now - before > self.gain * before:
            return None
        return f"the last {self.trials} trials raised the hypervolume by no more than {self.gain:.2%}"


STOP_RULES.add("stagnation", Stagnation)
