# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tuner.mads.virtual_port import VirtualPort
from tuner.mads.exchange import Exchange, Manners
from tuner.mads.pacing import Pacer
from tuner.mads.request import PERFORMANCE, Reply, Request


def requests(count: int, *, devices: int = 40) -> list[Request]:
    return [Request(1 + i % devices, PERFORMANCE, 0x12, data=bytes([0, i % 251])) for i in range(count)]


def most_in_a_second(times: list[float]) -> int:
    """Returns the greatest number in any second, its end left out."""
    first, most = 0, 0
    for last, at_s in enumerate(times):
        while times[first] <= at_s - 1.0:
            first += 1
        most = max(most, last - first + 1)
    return most


def run(port: VirtualPort, batch: list[Request], limit: int, manners: Manners | None = None) -> dict[int, Reply]:
    exchange = Exchange(port, Pacer(limit), manners, clock=port.clock)
    replies = list(exchange.run(batch))
    assert sorted(index for index, _ in replies) == list(range(len(batch)))
    assert exchange.tally.sent == len(port.sent)
    return dict(replies)


@settings(max_examples=60)
@given(
    limit=st.integers(1, 600),
    count=st.integers(1, 400),
    loss=st.sampled_from([0.0, 0.1, 1.0]),
    late_s=st.sampled_from([0.0, 0.003, 0.3]),
    loses=st.booleans(),
    seed=st.integers(0, 99),
)
def test_no_second_has_more_than_the_limit_with_time_outs_and_retries(
    limit: int, count: int, loss: float, late_s: float, loses: bool, seed: int
) -> None:
    chance = random.Random(seed)
    port = VirtualPort(
        lambda request, number: None if chance.random() < loss else chance.uniform(1e-5, 0.1),
        lateness_s=lambda: chance.uniform(0.0, late_s),
        loses=loses,
        way=chance.random,
    )
    exchange = Exchange(port, pacer := Pacer(limit), clock=port.clock)
    assert len(list(exchange.run(requests(count)))) == count
    assert len(list(exchange.run(requests(20)))) == 20  # a further batch is under the same limit
    assert most_in_a_second(sorted(port.arrived_s)) <= pacer.greatest <= limit


@pytest.mark.parametrize("stall_s", [0.1, 0.3, 0.45])
def test_devices_that_stall_do_not_get_more_than_the_limit_at_once(stall_s: float) -> None:
    """As where a machine is busy: what was sent meanwhile arrives together, and what is sent then with it within a second."""

    def after_s(request: Request, number: int) -> float:
        in_turn = port.now_s % 1.0
        return max(1e-4, stall_s - in_turn)

    port = VirtualPort(after_s, way=lambda: 1.0)
    assert all(reply.is_good for reply in run(port, requests(3000), 500).values())
    assert most_in_a_second(sorted(port.arrived_s)) <= 500


@pytest.mark.parametrize("late_s", [0.0, 0.002])
def test_nearly_the_whole_limit_is_used(late_s: float) -> None:
    port = VirtualPort(lambda request, number: 0.001, lateness_s=lambda: late_s)
    assert all(reply.is_good for reply in run(port, requests(5000), 500).values())
    assert port.now_s < 5000 / 480


def test_hosts_that_never_answer_keep_no_other_waiting() -> None:
    silent = set(range(1, 11))
    port = VirtualPort(lambda request, number: None if request.lid in silent else 0.001)
    batch = requests(2000)
    replies = run(port, batch, 500)
    assert all(replies[i].is_good == (batch[i].lid not in silent) for i in range(len(batch)))
    silent_s = 0.5 * sum(request.lid in silent for _, request in port.sent)  # what times out may arrive until then
    assert port.now_s < (len(port.sent) + silent_s + 500) / 480  # the rate counts, and at the end the time-outs of the last ones


def test_a_device_is_given_up_after_two_requests_without_an_answer() -> None:
    port = VirtualPort(lambda request, number: None)
    replies = run(port, requests(36, devices=1), 500, Manners(retries=5, in_flight=1))
    assert all(reply.status is None for reply in replies.values())
    assert len(port.sent) < 6 * 36  # retries come behind the other requests, and most are not made


def test_a_device_is_not_given_up_where_each_request_counts() -> None:
    port = VirtualPort(lambda request, number: None)
    run(port, requests(36, devices=1), 500, Manners(retries=1, in_flight=1, gives_up=False))
    assert len(port.sent) == 2 * 36


def test_a_device_that_answers_at_times_is_not_given_up() -> None:
    port = VirtualPort(lambda request, number: None if number % 2 else 0.001)
    replies = run(port, requests(36, devices=1), 500, Manners(retries=0, in_flight=1))
    assert sum(reply.is_good for reply in replies.values()) == 18


def test_a_lost_mad_is_sent_again() -> None:
    port = VirtualPort(lambda request, number: None if number < 2 else 0.001)
    assert run(port, requests(1), 500)[0].is_good
    assert len(port.sent) == 3


def test_at_most_so_many_are_in_flight() -> None:
    port = VirtualPort(lambda request, number: 0.4)
    run(port, requests(300), 500, Manners(in_flight=7))
    assert port.most_in_flight == 7


def test_an_answer_after_its_time_is_not_taken_for_another_one() -> None:
    port = VirtualPort(lambda request, number: 0.001)
    exchange = Exchange(port, Pacer(10), clock=port.clock)
    port._coming.append((0.0, 0, 12345, Reply(0, b"late")))
    assert [reply.data for _, reply in exchange.run(requests(1))] == [bytes([0, 0])]
