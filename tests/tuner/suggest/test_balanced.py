# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""CCTI_Timer is looked for where the balance may be right, and keeps it where a step moves what it depends on."""

from collections.abc import Mapping

import pytest

from tests.tuner.suggest.test_carry import HERE, WIDE
from tuner.documents.parameter import Scalar
from tuner.documents.profile import load_profile
from tuner.search.space import Space
from tuner.suggest.balanced import LEAST, MOST, balanced
from tuner.suggest.rule import balance_of

SPACE = Space(WIDE, load_profile("gran-2010"))
PRIOR = balanced(SPACE, HERE, has_good_starts=True)


def balance(params: Mapping[str, Scalar]) -> float:
    return balance_of(SPACE.profile(params, name="x"), HERE.gap_ns, HERE.notifier)


@pytest.mark.parametrize("rate", [0, 3, 15])
@pytest.mark.parametrize("place", [0.0, 0.5, 0.999])
def test_a_point_has_a_balance_that_may_be_right(rate: int, place: float) -> None:
    assert PRIOR.place is not None
    point = PRIOR.place({"switch.marking_rate": rate, "ca.ccti_timer": 7}, {"switch.marking_rate": 0, "ca.ccti_timer": place})
    assert balance(point) == pytest.approx(LEAST * (MOST / LEAST) ** place, rel=0.05)


def test_the_timer_follows_the_marking_rate_unless_the_step_moved_it_too() -> None:
    assert PRIOR.follow is not None
    before = {"switch.marking_rate": 0, "ca.ccti_timer": 40, "cct.curve.exponent": 2.0}
    after = {**before, "switch.marking_rate": 7}
    assert balance(PRIOR.follow(before, after, ["switch.marking_rate"])) == pytest.approx(balance(before), rel=0.05)
    assert PRIOR.follow(before, after, ["switch.marking_rate", "ca.ccti_timer"]) == after
    assert PRIOR.follow(before, {**before, "cct.curve.exponent": 1.0}, ["cct.curve.exponent"])["ca.ccti_timer"] == 40
    # No further than the range goes.
    assert PRIOR.follow(before | {"ca.ccti_timer": 900}, after, ["switch.marking_rate"])["ca.ccti_timer"] == 1000


def test_a_space_without_a_timer_is_left_alone() -> None:
    space = Space({key: one for key, one in WIDE.items() if key != "ca.ccti_timer"}, load_profile("gran-2010"))
    prior = balanced(space, HERE, has_good_starts=False)
    assert prior.place is not None
    assert prior.place({"switch.marking_rate": 3}, {"switch.marking_rate": 0.5}) == {"switch.marking_rate": 3}
