# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from tuner.hosts.counting import FlowCounter


def test_one_stay_is_told_as_it_comes() -> None:
    counter = FlowCounter({"a": 1.0})
    assert counter.take() == []
    counter.add("a", 1.1, 100)
    counter.add("a", 1.2, 250)
    assert counter.take() == [(1.1, 100), (1.2, 250)]
    assert counter.take() == []
    counter.end("a")
    assert counter.ended


def test_what_goes_back_is_left_out() -> None:
    counter = FlowCounter({"a": 0.0})
    counter.add("a", 0.2, 100)
    counter.add("a", 0.1, 120)
    counter.add("a", 0.3, 90)
    counter.add("a", 0.4, 130)
    assert counter.take() == [(0.2, 100), (0.4, 130)]


def test_the_next_stay_is_waited_for_only_from_its_start() -> None:
    counter = FlowCounter({"a": 0.0, "b": 1.0})
    counter.add("a", 0.5, 500)
    assert counter.take() == [(0.5, 500)]
    counter.add("a", 1.05, 1050)  # later than the start of b, of which nothing is known yet
    assert counter.take() == []
    counter.end("a")
    counter.add("b", 1.1, 50)
    assert counter.take() == [(1.05, 1075), (1.1, 1100)]


@settings(max_examples=60)
@given(st.integers(1, 5), st.integers(1, 30), st.randoms(use_true_random=False))
def test_bytes_rise_and_all_are_told_whatever_the_order(n_segments: int, n_lines: int, chance: random.Random) -> None:
    lines = []
    total = 0
    for k in range(n_segments):
        own = 0
        for i in range(n_lines):
            own += chance.randrange(1000)
            lines.append((k, k + (i + 1) / n_lines + chance.uniform(0, 0.001), own))
        total += own
    counter = FlowCounter({str(k): float(k) for k in range(n_segments)})
    queues = [[line for line in lines if line[0] == k] for k in range(n_segments)]
    told: list[tuple[float, int]] = []
    while any(queues):
        k, t_s, own = chance.choice([queue for queue in queues if queue]).pop(0)
        counter.add(str(k), t_s, own)
        if not queues[k]:
            counter.end(str(k))
        told += counter.take()
    assert counter.ended
    assert told[-1] == (max(t_s for _, t_s, _ in lines), total)
    assert [t for t, _ in told] == sorted({t for t, _ in told})
    assert [b for _, b in told] == sorted(b for _, b in told)
