# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Profiles on their way from one fabric to another."""

import pytest

from experiments.carry_over.beds import BEDS, Ground
from experiments.carry_over.carry import (
    AS_WRITTEN,
    BY_SHARE,
    IN_MICROSECONDS,
    in_packet_times,
    on_link,
    pause_packet_times,
)
from tuner.documents.profile import load_profile
from tuner.reach import reach


@pytest.fixture(scope="module")
def grounds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ground]:
    return {bed.name: Ground(bed, tmp_path_factory.mktemp(bed.name)) for bed in BEDS if bed.name != "tree-2048"}


@pytest.mark.parametrize("name", ["gran-2010", "gran-2012"])
def test_a_published_table_in_packet_times_is_the_same_on_the_wire(name: str) -> None:
    published = load_profile(name)
    assert in_packet_times(published).to_dict()["cct"]["curve"].keys() >= {"full_scale_packet_times"}
    assert [(entry.shift, entry.multiplier) for entry in in_packet_times(published).encode().entries] == [
        (entry.shift, entry.multiplier) for entry in published.encode().entries
    ]


def test_the_fair_share_of_32_at_16_gbps(grounds: dict[str, Ground]) -> None:
    # 32 packets of 2,048 bytes at 13.6 Gb/s take 38.55 us, of which the packet itself is on the link for 1.037 us.
    assert grounds["torus"].gap_ns == pytest.approx(38_551, abs=1)
    assert pause_packet_times(grounds["torus"]) == pytest.approx(38_551 / 1037 - 1, rel=1e-4)


def test_as_on_the_wire_changes_nothing_but_the_link(grounds: dict[str, Ground]) -> None:
    profile = in_packet_times(load_profile("gran-2010"))
    carried = AS_WRITTEN.carried(profile, grounds["two-switch"], grounds["torus"])
    assert profile.diff(carried) == []


def test_microseconds_are_kept_where_packets_are_as_long(grounds: dict[str, Ground]) -> None:
    profile = in_packet_times(load_profile("gran-2010"))
    assert IN_MICROSECONDS.carried(profile, grounds["two-switch"], grounds["torus"]).diff(profile) == []


def test_by_the_fair_share_reach_grows_as_contributors_do(grounds: dict[str, Ground]) -> None:
    small, large = grounds["two-switch"], grounds["tree-648"]
    profile = on_link(in_packet_times(load_profile("gran-2010")), small)
    carried = BY_SHARE.carried(profile, small, large)
    reaches = [reach(profile, receiver_gbps=small.receive_gbps), reach(carried, receiver_gbps=large.receive_gbps)]
    per_contributor = [
        bound.contributors / ground.contributors for bound, ground in zip(reaches, (small, large), strict=True) if bound
    ]
    assert per_contributor[1] == pytest.approx(per_contributor[0], rel=0.1)
    assert carried.to_dict()["ca"]["ccti_timer"] == round(150 * large.gap_ns / small.gap_ns)


def test_there_and_back_is_the_same_table(grounds: dict[str, Ground]) -> None:
    profile = on_link(in_packet_times(load_profile("gran-2010")), grounds["two-switch"])
    there = BY_SHARE.carried(profile, grounds["two-switch"], grounds["torus"])
    back = BY_SHARE.carried(there, grounds["torus"], grounds["two-switch"])
    assert [entry.multiplier for entry in back.encode().entries] == [entry.multiplier for entry in profile.encode().entries]
