# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The victim's gain by the size of its messages, against what turns of packets make of it."""

import pytest

from experiments._common.runs import measure_one
from experiments.message_sizes.bed import Case, victim_gbps
from experiments.message_sizes.experiment import EXPERIMENT
from experiments.registry import Options

TURN_US = 2 * 3 * 2048 * 8 / 13.3e3
"""The time from packet to packet of F1: H5 takes 13.3 Gb/s of three inputs, one of which has F2's and F3's packets in turn."""


def gbps(case: Case) -> float:
    return victim_gbps(measure_one(case.run(quick=True)))


@pytest.mark.parametrize("size", [512, 2048])
def test_without_cc_a_victim_gets_a_packet_a_turn(size: int) -> None:
    assert gbps(Case(bytes_=size)) == pytest.approx(size * 8 / TURN_US / 1e3, rel=0.01)


@pytest.mark.long
def test_with_cc_it_gets_what_its_host_sends() -> None:
    case = Case(bytes_=256, overhead_us=0.5, profile="gran-2010")
    assert case.rate_gbps() == pytest.approx(4.096)
    assert gbps(case) == pytest.approx(4.096, rel=0.01)


@pytest.mark.long
@pytest.mark.parametrize(("packet_size", "cured"), [(8, False), (0, True)])
def test_packets_below_packet_size_are_not_marked(packet_size: int, cured: bool) -> None:
    small = Case(bytes_=256, others_bytes=256, profile="gran-2010", packet_size=packet_size)
    assert (gbps(small) > 12) is cured


@pytest.mark.slow
def test_a_quick_look_holds() -> None:
    found = EXPERIMENT.run(Options(quick=True, workers=1))
    assert [claim.holds for claim in found.claims] == [True, False, True, False, True]
    assert found.holds
