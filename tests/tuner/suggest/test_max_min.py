# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Max-min fair shares by hand, and the two properties that define them."""

import math
from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.suggest.max_min import bottlenecks


def test_three_hosts_that_send_to_one() -> None:
    flows = [(math.inf, [host, "r"]) for host in "abc"]
    assert bottlenecks(flows, {"a": 10, "b": 10, "c": 10, "r": 9}) == {"r": 3}


def test_slow_flows_leave_more_to_the_others() -> None:
    assert bottlenecks([(1, ["r"]), (math.inf, ["r"]), (math.inf, ["r"])], {"r": 9}) == {"r": 4}


def test_who_gets_what_it_asks_for_is_held_back_by_nothing() -> None:
    assert bottlenecks([(3, ["r"]), (3, ["r"]), (3, ["r"])], {"r": 9}) == {}


def test_a_parking_lot() -> None:
    # Two share a trunk of 4; with a third they share the receiver of 10, where that third gets the rest.
    assert bottlenecks([(math.inf, ["t", "r"]), (math.inf, ["t", "r"]), (math.inf, ["r"])], {"t": 4, "r": 10}) == pytest.approx(
        {"t": 2, "r": 6}
    )


LINKS = "abcd"


@given(
    st.lists(
        st.tuples(st.one_of(st.just(math.inf), st.floats(0.1, 20)), st.sets(st.sampled_from(LINKS), min_size=1).map(sorted)),
        min_size=1,
        max_size=12,
    ),
    st.lists(st.floats(1, 20), min_size=4, max_size=4),
)
def test_bottlenecks_are_full_and_nothing_is_overfull(flows: list[tuple[float, list[str]]], capacities: list[float]) -> None:
    capacity = dict(zip(LINKS, capacities, strict=True))
    found = bottlenecks(flows, capacity)
    # A flow gets what it asks for, or the share of the tightest bottleneck on its way.
    rates = [min([asked, *(found[link] for link in links if link in found)]) for asked, links in flows]
    load: dict[str, float] = defaultdict(float)
    for rate, (_, links) in zip(rates, flows, strict=True):
        assert math.isfinite(rate)
        for link in links:
            load[link] += rate
    for link, carried in load.items():
        assert carried <= capacity[link] * (1 + 1e-6)
        if link in found:
            assert carried == pytest.approx(capacity[link], rel=1e-6)
