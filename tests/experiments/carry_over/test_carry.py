# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Profiles on their way from one fabric to another."""

import pytest

from ccsim.policy import Profile
from experiments.carry_over.balance import balance, room
from experiments.carry_over.beds import BEDS, Ground
from experiments.carry_over.carry import (
    AS_WRITTEN,
    BY_SHARE,
    IN_MICROSECONDS,
    Way,
    by_rule,
    in_packet_times,
    on_link,
    pause_packet_times,
)
from tuner.documents.profile import load_profile


@pytest.fixture(scope="module")
def grounds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ground]:
    return {bed.name: Ground(bed, tmp_path_factory.mktemp(bed.name)) for bed in BEDS if bed.name != "tree-2048"}


@pytest.fixture(scope="module")
def published(grounds: dict[str, Ground]) -> Profile:
    return on_link(in_packet_times(load_profile("gran-2010")), grounds["torus"])


def carried(way: Way, profile: Profile, source: Ground, target: Ground) -> Profile:
    found = way.carried(profile, source, target)
    assert found is not None
    return found


@pytest.mark.parametrize("name", ["gran-2010", "gran-2012"])
def test_a_published_table_in_packet_times_is_the_same_on_the_wire(name: str) -> None:
    profile = load_profile(name)
    assert "full_scale_us" not in in_packet_times(profile).to_dict()["cct"]["curve"]
    assert [(entry.shift, entry.multiplier) for entry in in_packet_times(profile).encode().entries] == [
        (entry.shift, entry.multiplier) for entry in profile.encode().entries
    ]


def test_the_fair_share_of_32_at_16_gbps(grounds: dict[str, Ground]) -> None:
    # 32 packets of 2,048 bytes at 13.6 Gb/s take 38.55 us, of which the packet itself is on the link for 1.037 us.
    assert grounds["torus"].gap_ns == pytest.approx(38_551, abs=1)
    assert pause_packet_times(grounds["torus"]) == pytest.approx(38_551 / 1037 - 1, rel=1e-4)


@pytest.mark.parametrize("way", [AS_WRITTEN, IN_MICROSECONDS], ids=lambda way: way.name)
def test_between_links_alike_nothing_changes_on_the_wire_or_in_microseconds(
    grounds: dict[str, Ground], published: Profile, way: Way
) -> None:
    assert carried(way, published, grounds["two-switch"], grounds["torus"]).diff(published) == []


def test_by_the_fair_share_balance_and_room_stay(grounds: dict[str, Ground]) -> None:
    small, large = grounds["two-switch"], grounds["tree-648"]
    profile = on_link(in_packet_times(load_profile("gran-2010", {"ca.ccti_timer": 3000})), small)
    there = carried(BY_SHARE, profile, small, large)
    assert balance(there, large) == pytest.approx(balance(profile, small), rel=0.01)
    assert room(there, large) == pytest.approx(room(profile, small), rel=0.15)  # the packet itself is a smaller part of a gap
    back = carried(BY_SHARE, there, large, small)
    assert [entry.multiplier for entry in back.encode().entries] == [entry.multiplier for entry in profile.encode().entries]


def test_what_no_table_can_hold_is_not_carried(grounds: dict[str, Ground]) -> None:
    longest = in_packet_times(load_profile("gran-2012", {"cct.curve.full_scale_us": 11_000}))
    assert BY_SHARE.carried(longest, grounds["two-switch"], grounds["torus"]) is None


@pytest.mark.parametrize("times", [1, 2, 4])
def test_the_rule_has_its_balance_and_room(grounds: dict[str, Ground], published: Profile, times: int) -> None:
    ground = grounds["torus"]
    profile = by_rule(published, ground, times=times)
    assert balance(profile, ground) == pytest.approx(2 * times, rel=0.05)  # tori merge unevenly
    assert room(profile, ground) > 4 * times
