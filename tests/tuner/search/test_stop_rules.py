# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Every rule, by hand-made states."""

import pytest

from tuner.documents import campaign_rules
from tuner.search.stop_rules import Person, SearchState, Stagnation, Time, Trials


def state(
    *, begun: int = 0, elapsed_s: float = 0.0, hypervolumes: tuple[float, ...] = (), asked_by: str | None = None
) -> SearchState:
    return SearchState(begun=begun, elapsed_s=elapsed_s, hypervolumes=hypervolumes, asked_by=asked_by)


def test_trials_that_run_count() -> None:
    assert Trials(at_most=5).reason(state(begun=4)) is None
    assert Trials(at_most=5).reason(state(begun=5)) == "all 5 trials of the budget are used"


def test_time() -> None:
    assert Time(at_most_s=1.5).reason(state(elapsed_s=1.4)) is None
    assert Time(at_most_s=1.5).reason(state(elapsed_s=1.5)) == "all 1.5 s of the budget are used"


def test_a_person() -> None:
    assert Person().reason(state()) is None
    assert Person().reason(state(asked_by="ann on head")) == "ann on head asked to finish it"


@pytest.mark.parametrize(
    ("hypervolumes", "stops"),
    [
        ((), False),
        ((0.0, 0.0, 0.0, 0.0), False),  # nothing is worth having yet: that is no standing still
        ((0.0, 5.0, 5.0, 5.0), False),  # the gain is among the last three
        ((5.0, 5.0, 5.0), False),  # too few to say
        ((5.0, 5.0, 5.0, 5.0), True),
        ((1.0, 100.0, 100.0, 100.5, 101.0), True),  # 1 % in three trials, as much as counts as nothing
        ((1.0, 100.0, 100.0, 100.5, 101.1), False),
    ],
)
def test_stagnation_compares_with_some_trials_ago(hypervolumes: tuple[float, ...], stops: bool) -> None:
    rule = Stagnation(options=campaign_rules.Stagnation(trials=3, gain=0.01))
    reason = rule.reason(state(hypervolumes=hypervolumes))
    assert reason == ("the last 3 trials raised the hypervolume by no more than 1.00%" if stops else None)
