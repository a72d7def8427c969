# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from dataclasses import replace

import pytest

from tests.tuner.checks.links.fake_fabric import FakeFabric
from tuner.checks.links.ports import Ability
from tuner.checks.links.waits import Wait, compared_with, tick_ns
from tuner.documents.check_kinds import Links

LINK = FakeFabric().links()[0]


@pytest.mark.parametrize(
    ("tick_bytes", "width", "speed", "expected"),
    [
        (1, 1, "SDR", 4.0),
        (32, 4, "EDR", 10.24),  # Switch-IB: 32 bytes of a lane of 25 Gb/s
        (8, 4, "HDR", 0.32),  # Quantum: 8 bytes of the whole port, 200 Gb/s
        (8, 2, "HDR", 0.64),
        (None, 4, "EDR", 4.0),
        (8, 4, None, 4.0),
    ],
)
def test_a_tick_is_as_long_as_the_device_says(tick_bytes: int | None, width: int, speed: str | None, expected: float) -> None:
    port = replace(LINK.a, active=Ability(width=width, speed=speed))
    assert tick_ns(tick_bytes, port) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("share", "siblings", "good", "is_out"),
    [
        (0.10, 0.01, None, True),
        (0.10, 0.03, None, False),
        (0.10, 0.01, 0.03, False),
        (0.10, 0.03, 0.01, False),
        (0.10, None, 0.01, True),
        (0.10, 0.0, 0.0, True),
        (0.10, None, None, False),
        (0.04, 0.0, 0.0, False),
    ],
)
def test_out_of_proportion_is_beyond_the_siblings_and_the_last_good_night(
    share: float, siblings: float | None, good: float | None, is_out: bool
) -> None:
    wait = Wait(link=LINK, port=LINK.a, share=share, siblings=siblings, good=good)
    assert wait.is_out_of_proportion(Links()) == is_out
    expected = share if not is_out else max(one for one in (siblings, good) if one is not None)
    assert compared_with([wait], Links()) == {LINK.a.key: expected}
