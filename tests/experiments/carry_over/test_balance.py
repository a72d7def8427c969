# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Balance and room of a profile on a fabric, by hand and against reach."""

import pytest

from experiments.carry_over.balance import balance, notification_ns, room
from experiments.carry_over.beds import BEDS, Ground
from tuner.documents.profile import load_profile
from tuner.documents.profile_reach import reach


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    """32 contributors to 13.6 Gb/s."""
    return Ground(next(bed for bed in BEDS if bed.name == "torus"), tmp_path_factory.mktemp("torus"))


@pytest.mark.parametrize(
    ("gap_ns", "spacing_ns", "marking_rate", "notification"),
    [
        (5_000, 0, 0, 5_000),  # each packet brings one
        (5_000, 0, 3, 20_000),  # each fourth, on average
        (5_000, 22_000, 0, 25_000),  # four packets come too early, the fifth brings one
        (5_000, 22_000, 3, 40_000),  # four come too early, and then it takes four on average
        (40_000, 20_000, 1, 80_000),  # none comes too early
    ],
)
def test_time_between_notifications(gap_ns: float, spacing_ns: float, marking_rate: int, notification: float) -> None:
    assert notification_ns(gap_ns, spacing_ns, marking_rate) == pytest.approx(notification)


def test_balance_by_hand(ground: Ground) -> None:
    # gran-2010: 153.6 us a step back; a packet of the fair share each 38.55 us, every other one marked.
    assert balance(load_profile("gran-2010"), ground) == pytest.approx(150 * 1.024 / (2 * 38.551), rel=1e-4)


@pytest.mark.parametrize("name", ["gran-2010", "gran-2012"])
def test_balance_and_room_are_reach_by_contributor_where_cnps_are_not_too_close(ground: Ground, name: str) -> None:
    profile = load_profile(name)
    bound = reach(profile, receiver_gbps=ground.receive_gbps)
    assert bound is not None
    assert bound.by_recovery == int(balance(profile, ground) * ground.contributors)
    assert bound.by_table == int(room(profile, ground) * ground.contributors)
