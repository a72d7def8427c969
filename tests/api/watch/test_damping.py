# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What flaps is told once, and what is calm again is told as it is."""

import random
from itertools import product
from typing import get_args

import pytest

from api.watch.damping import CALM_S, FALLS, FALLS_S, QUIET, TURNS, Steadiness, Turn, calmed, damped, is_calm


def test_the_table_has_every_cell() -> None:
    assert TURNS.keys() == set(product(get_args(Steadiness), get_args(Turn)))
    for (before, turn), (after, told) in TURNS.items():
        assert (told == "flapping") == (before == "steady" and after == "flapping"), (before, turn)
        assert (told == "steady") == (before == "flapping" and after == "steady"), (before, turn)
        assert told != "itself" or before == after == "steady"


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(("fall", "rise"), [("device.lost", "device.back"), ("link.down", "link.up")])
def test_a_random_walk_of_one_device_or_link(seed: int, fall: str, rise: str) -> None:
    """`told_up`: what somebody believes who hears the events; None while it flaps."""
    chance, now_s, since_s, up = random.Random(seed), 1_000_000.0, 1_000_000.0, True
    family = fall.partition(".")[0]
    told_up: bool | None = True
    unrest, falls, flapped = QUIET, list[float](), 0
    for _ in range(2_000):
        now_s += chance.choice([0.5, 2, 2, 10, CALM_S, FALLS_S])
        if is_calm(unrest, since_s, now_s):
            unrest = calmed(unrest)
            assert told_up is None
            told_up = up
        if chance.random() < 0.5:
            up, since_s = not up, now_s
            unrest, told = damped(unrest, [rise if up else fall], now_s)
            falls = [at for at in falls if now_s - at < FALLS_S] + [now_s] * (not up)
            if told_up is None:
                assert told == [], "nothing is told of what flaps"
            elif not up and len(falls) >= FALLS:
                assert told in ([f"{family}.flapping"], [fall])  # falls before it was steady again do not count
                told_up = None if told == [f"{family}.flapping"] else up
                flapped += told_up is None
            else:
                assert told == [rise if up else fall]
                told_up = up
        assert told_up in (None, up), "what is told is what is there"
        assert (told_up is None) == unrest.flaps
        assert len(unrest.falls) < FALLS
    assert flapped > 5


def test_other_events_pass() -> None:
    unrest, told = damped(QUIET, ["device.lost", "device.back"] * FALLS + ["device.drifted"], 1.0)
    assert told == ["device.lost", "device.back"] * (FALLS - 1) + ["device.flapping", "device.drifted"]
    assert unrest.flaps
