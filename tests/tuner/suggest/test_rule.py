# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The rule: its values by hand, and what must hold for any number of contributors, rate and kind of adapters."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccsim.policy import TIMER_UNIT_NS
from tuner.suggest import rule
from tuner.suggest.notifier import Notifier
from tuner.suggest.path import Path
from tuner.suggest.queue import Queue, chance_cost

DDR = Path(rate_gbps=16, mtu_bytes=2048, receive_gbps=13.6)
BUFFER = Queue(reference_bytes=270336)

notifiers = st.one_of(
    st.builds(Notifier, spacing_ns=st.one_of(st.just(0.0), st.floats(1, 1e6))),
    st.builds(Notifier, carrier=st.just("ack"), ack_every_packets=st.integers(1, 128)),
)


@st.composite
def paths(draw: st.DrawFn) -> Path:
    rate = draw(st.sampled_from([8, 16, 32, 54.5, 100, 200, 400, 800]))
    mtu = draw(st.sampled_from([256, 512, 1024, 2048, 4096]))
    carries = rate * mtu / (mtu + 26)
    return Path(rate_gbps=rate, mtu_bytes=mtu, receive_gbps=carries * draw(st.floats(0.05, 1)))


def test_twelve_contributors_by_hand() -> None:
    # As docs/use/carrying-over.md has it: a gap of 12 * 2048 * 8 / 13.6 ns; of three gaps, two are spent on the spacing of 20 us.
    gap_ns = 12 * 2048 * 8 / 13.6
    values = rule.choose(DDR, 12, [Notifier(spacing_ns=20_000)], BUFFER)
    assert (values.threshold, values.marking_rate, values.ccti_increase) == (15, 1, 2)
    assert values.ccti_timer == round(1.5 * 3 * gap_ns / (2 * 1024))
    assert values.full_scale_packet_times == pytest.approx(4 * (gap_ns / 1037 - 1))


def test_the_slowest_notified_is_not_the_one_at_its_fair_share() -> None:
    # At 21 us between packets each one may bring a CNP; who sends each 20 us has to wait for the next but one.
    notifier = Notifier(spacing_ns=20_000)
    assert notifier.between_ns(21_000, 1) == 21_000
    assert notifier.slowest_ns(21_000, 1) == 40_000


def test_acknowledgements_notify_if_one_of_their_packets_is_marked() -> None:
    notifier = Notifier(carrier="ack", ack_every_packets=32)
    assert notifier.between_ns(100, 1) == 3200
    assert notifier.between_ns(100, 32) == pytest.approx(3200 / (1 - (31 / 32) ** 32))


def test_chance_costs_a_quarter_where_one_mark_in_nine_holds_contributors_back() -> None:
    # Defect D3: 32 contributors at 400 Gb/s, CNPs 20 us apart, Threshold 15 of 4 packets, and a balance of 2.
    gap_ns = 32 * 4096 * 8 / 397.477
    share = Notifier(spacing_ns=20_000).congested_share(gap_ns, 1, 41 * 1024)
    assert share == pytest.approx(1 / 9, rel=0.02)
    assert chance_cost(4, 32, share) == pytest.approx(0.24, abs=0.01)


def test_few_contributors_make_no_chance_queue() -> None:
    assert chance_cost(8, 8, 0.01) == 0


@given(paths(), st.integers(2, 6000), st.lists(notifiers, min_size=1, max_size=4))
def test_every_choice_fits_the_wire_and_has_its_balance_with_every_adapter(path: Path, n: int, of: list[Notifier]) -> None:
    values = rule.choose(path, n, of, BUFFER)
    assert 1 <= values.ccti_timer <= 0xFFFF
    assert 8 <= values.threshold <= 15
    assert values.ccti_increase <= values.mark_every <= rule.MOST_MARK_EVERY
    assert (
        values.full_scale_packet_times * (rule.CCTI_LIMIT / rule.AT_INDEX) ** rule.EXPONENT <= rule.MOST_PACKET_TIMES * 1.000001
    )
    if rule.LEAST_TIMER <= values.ccti_timer < 0xFFFF:
        slowest = max(one.slowest_ns(path.gap_ns(n), values.mark_every) for one in of)
        # Half a unit of CCTI_Timer more or less.
        assert values.holds_ns / slowest == pytest.approx(rule.BALANCE, abs=values.ccti_increase * TIMER_UNIT_NS / slowest)


@given(paths(), st.integers(2, 3000), notifiers)
def test_more_contributors_never_get_less(path: Path, n: int, notifier: Notifier) -> None:
    few, many = (rule.choose(path, number, [notifier], BUFFER) for number in (n, 2 * n))
    assert many.full_scale_packet_times >= few.full_scale_packet_times
    assert many.threshold <= few.threshold


@given(st.floats(1, 1e5), notifiers, st.integers(1, 64), st.floats(1, 100))
def test_nobody_faster_than_the_fair_share_waits_longer_than_the_slowest(
    gap_ns: float, notifier: Notifier, mark_every: int, faster: float
) -> None:
    assert notifier.between_ns(gap_ns / faster, mark_every) <= notifier.slowest_ns(gap_ns, mark_every) * (1 + 1e-9)


@given(st.floats(1, 1e5), notifiers, st.integers(1, 64))
def test_all_packets_must_meet_a_congested_port_for_the_fastest_notifications(
    gap_ns: float, notifier: Notifier, mark_every: int
) -> None:
    fastest_ns = notifier.between_ns(gap_ns, mark_every)
    assert notifier.congested_share(gap_ns, mark_every, fastest_ns) == pytest.approx(1, abs=0.05)
    assert notifier.congested_share(gap_ns, mark_every, 4 * fastest_ns) < 1


@pytest.mark.parametrize(("n", "packets"), [(2, 8), (64, 8), (65, math.sqrt(65)), (1000, math.sqrt(1000))])
def test_a_threshold_stands_for_no_less_than_chance_queues(n: int, packets: float) -> None:
    threshold = BUFFER.threshold(n, DDR.packet_bytes)
    assert BUFFER.packets(threshold, DDR.packet_bytes) >= packets - 1e-6
    assert threshold == 15 or BUFFER.packets(threshold + 1, DDR.packet_bytes) < packets
