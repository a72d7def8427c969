# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import os
import signal
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any

import pytest

from tests.tuner.probe.devices import A10_ADAPTER, A10_SWITCH, BAD, DCQCN, NVIDIA_SWITCH, Device, Fabric
from tuner.documents.probe_report import NotWritten, WriteTest
from tuner.errors import BadInputError, NeedsPersonError, UnreachableError
from tuner.mads.client import Read
from tuner.mads.exchange import Exchange, Manners
from tuner.mads.pacing import Pacer
from tuner.mads.request import GET, SET, UNANSWERED, Reply, Request
from tuner.probe.interview import interview
from tuner.probe.write_test import write_tests

HELD: dict[int, dict[str, Any]] = {
    0xFF08: {"en": 1, "aqs_weight": 3, "aqs_time": 4},
    0x14: {"Control_Map": 0x1F, "Marking_Rate": 0xFFFF},
    0x16: {"Control_Map": 0x30, "CCTI_Timer": [9] * 16},
    0xFF22: {"min_time_between_cnps": 4},
    0xFF21: {"rpg_hai_rate": 100},
}


def switch(*knows: int, **more: Any) -> Device:
    return Device(tuple(knows), values={key: dict(value) for key, value in HELD.items()}, **more)


def all_outcomes(fabric: Fabric) -> list[WriteTest | NotWritten]:
    node = fabric.node(0)
    return list(write_tests(fabric, node, interview(fabric, node), reopen=never, pause=lambda pause_s: None))


def outcomes(fabric: Fabric) -> list[WriteTest]:
    return [one for one in all_outcomes(fabric) if isinstance(one, WriteTest)]


def left_alone(fabric: Fabric) -> list[tuple[str, str]]:
    """Fields that no Set was sent for, with the reason; REQUIRES: none was sent at all."""
    found = all_outcomes(fabric)
    assert all(request.method == GET for device in fabric.devices for request in device.sent)
    return [(one.field, one.why) for one in found if isinstance(one, NotWritten)]


@contextmanager
def never() -> Iterator[Fabric]:
    raise UnreachableError("there is no other one")
    yield


def is_as_before(device: Device) -> bool:
    return all(device.values[key] | value == device.values[key] for key, value in HELD.items())


def test_a_device_that_keeps_what_it_is_sent() -> None:
    fabric = Fabric(switch(*A10_SWITCH, *NVIDIA_SWITCH))
    found = outcomes(fabric)
    assert [(one.field, one.before, one.sent, one.held, one.outcome) for one in found] == [
        ("Marking_Rate by bit 4 of Control_Map", 0xFFFF, 0xFFFE, 0xFFFE, "kept"),
        ("Marking_Rate by bit 0 of Control_Map", 0xFFFF, 0xFFFE, 0xFFFF, "not-kept"),
        ("aqs_weight", 3, 4, 4, "kept"),
        ("profile1_max", 0, 1, 1, "kept"),
    ]
    assert all((one.status, one.restored) == (0, True) for one in found)
    assert is_as_before(fabric.devices[0])
    sets = [request.attribute for request in fabric.devices[0].sent if request.method == SET]
    assert sets == [0x14, 0x14, 0x14, 0x14, 0xFF08, 0xFF08, 0xFF09, 0xFF09]


def test_the_order_of_control_map_shows() -> None:
    fabric = Fabric(switch(*A10_SWITCH, marking_bit=0))
    assert [one.outcome for one in outcomes(fabric)] == ["not-kept", "kept"]
    assert is_as_before(fabric.devices[0])


@pytest.mark.parametrize("control_map", [0, 0x0F])
def test_a_control_map_that_could_not_be_restored_is_left_alone(control_map: int) -> None:
    device = switch(*A10_SWITCH)
    device.values[0x14]["Control_Map"] = control_map
    assert left_alone(Fabric(device)) == [
        (f"Marking_Rate by bit {bit} of Control_Map", f"Control_Map is 0x{control_map:x}, not 0x1f") for bit in (4, 0)
    ]


@pytest.mark.parametrize(("more", "reading"), [({}, "mask"), ({"by_modifier": True}, None), ({"forgets": True}, None)])
def test_the_place_of_the_vl_shows_while_one_vl_alone_is_changed(more: dict[str, Any], reading: str | None) -> None:
    device = switch(*NVIDIA_SWITCH, **more)
    before = {vl: value for vl, value in device.vls.items() if value}
    assert outcomes(Fabric(device))[-1].vl_reading == reading
    assert {vl: value for vl, value in device.vls.items() if value} == before


@pytest.mark.parametrize("vl", [0, 1, 2])
def test_vls_that_a_set_of_vl_0_could_overwrite_for_good_are_left_alone(vl: int) -> None:
    device = switch(*NVIDIA_SWITCH, vls={vl: 7})
    found = all_outcomes(Fabric(device))
    assert [one.attribute for one in found if isinstance(one, WriteTest)] == [0xFF08]
    assert found[-1] == NotWritten(
        attribute=0xFF09, field="profile1_max", why="VLs 0, 1, 2 do not all answer with the same values"
    )
    assert device.vls == {vl: 7}


def test_a_device_that_ignores_the_mask_of_a_set_gets_back_the_values_of_all_vls() -> None:
    device = switch(*NVIDIA_SWITCH, vls=dict.fromkeys(range(16), 7), ignores_mask=True)
    assert [(one.before, one.held) for one in outcomes(Fabric(device)) if one.attribute == 0xFF09] == [(7, 8)]
    assert device.vls == dict.fromkeys(range(16), 7)


@pytest.mark.parametrize(
    ("more", "outcome"),
    [({"clips": "rpg_hai_rate"}, "not-kept"), ({"forgets": True}, "not-kept"), ({"refuses_sets": True}, "refused")],
)
def test_devices_that_do_not(more: dict[str, Any], outcome: str) -> None:
    device = switch(*DCQCN, kind="adapter", num_ports=1, **more)
    found = {one.attribute: one for one in outcomes(Fabric(device))}
    assert found[0xFF21].outcome == outcome
    assert found[0xFF21].restored
    assert is_as_before(device)
    if outcome == "refused":
        assert (found[0xFF22].outcome, found[0xFF22].status) == ("refused", BAD)


def test_one_element_of_a_list_is_changed() -> None:
    device = switch(*A10_ADAPTER, kind="adapter", num_ports=1)
    (found,) = outcomes(Fabric(device))
    assert (found.field, found.before, found.held, found.outcome) == ("CCTI_Timer[5]", 9, 10, "kept")
    (first, _) = (request for request in device.sent if request.method == SET)
    plain = [0, 9, 0, 0, 0, 0, 0, 0]
    assert first.data[:132] == bytes([0, 0, 0, 0x30, *plain * 5, 0, 10, 0, 0, 0, 0, 0, 0, *plain * 10])
    assert is_as_before(device)


def test_a_set_that_would_name_no_value_is_not_sent() -> None:
    device = switch(*A10_ADAPTER, kind="adapter", num_ports=1)
    device.values[0x16]["Control_Map"] = 0
    assert left_alone(Fabric(device)) == [("CCTI_Timer", "Control_Map is 0x0, which names no SL")]


@pytest.mark.parametrize(
    ("device", "part"),
    [
        (switch(*NVIDIA_SWITCH, key=5), "secret-0 (0x02c90300aabb0000) wants a CC_Key; a write test needs a device without one"),
        (switch(*NVIDIA_SWITCH, quirk="echo"), "gives answers that mislead (echo), so nothing is written"),
        (switch(*NVIDIA_SWITCH, dies_after=4), "stopped answering at switch-port-setting; nothing is written to it"),
    ],
)
def test_devices_that_are_not_written_to(device: Device, part: str) -> None:
    with pytest.raises(BadInputError) as raised:
        outcomes(Fabric(device))
    assert part in str(raised.value)
    assert all(request.method == GET for request in device.sent)


class Interrupted(Fabric):
    """Does something at the first Set, after the device has taken it."""

    def __init__(self, device: Device, action: Any) -> None:
        super().__init__(device)
        self._action: Any = action

    def read(self, requests: Sequence[Request]) -> list[Read]:
        replies = super().read(requests)
        if requests[0].method == SET and self._action is not None:
            action, self._action = self._action, None
            action()
        return replies


def raise_interrupt() -> None:
    raise KeyboardInterrupt


def raise_unreachable() -> None:
    raise UnreachableError("lost")


@pytest.mark.parametrize("action", [raise_interrupt, raise_unreachable, lambda: os.kill(os.getpid(), signal.SIGINT)])
def test_what_was_changed_is_undone_when_the_test_is_interrupted(action: Any) -> None:
    device = switch(*NVIDIA_SWITCH)
    with pytest.raises((KeyboardInterrupt, UnreachableError)):
        outcomes(Interrupted(device, action))
    assert [request.method for request in device.sent].count(SET) == 2
    assert is_as_before(device)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_while_it_is_undone_comes_after_that(number: signal.Signals) -> None:
    device = switch(*NVIDIA_SWITCH)

    class Late(Fabric):
        def read(self, requests: Sequence[Request]) -> list[Read]:
            if [request.method for request in device.sent].count(SET) == 1 and requests[0].method == SET:
                os.kill(os.getpid(), number)
            return super().read(requests)

    before = signal.getsignal(number)
    with pytest.raises(KeyboardInterrupt):
        outcomes(Late(device))
    assert signal.getsignal(number) is before
    assert is_as_before(device)


def test_another_reader_undoes_what_the_first_could_not() -> None:
    device = switch(*NVIDIA_SWITCH)

    class Ending(Fabric):
        ended = False

        def read(self, requests: Sequence[Request]) -> list[Read]:
            if self.ended:
                raise UnreachableError("the reader of MADs has ended")
            self.ended = requests[0].method == SET
            return super().read(requests)

    @contextmanager
    def reopen() -> Iterator[Fabric]:
        yield Fabric(device)

    fabric = Ending(device)
    node = fabric.node(0)
    with pytest.raises(UnreachableError):
        list(write_tests(fabric, node, interview(fabric, node), reopen=reopen))
    assert is_as_before(device)


def test_a_device_that_cannot_be_restored_needs_a_person() -> None:
    device = switch(*NVIDIA_SWITCH)
    answer = device.answer

    def once(request: Request) -> Reply:
        sets = [one.method for one in device.sent].count(SET)
        return UNANSWERED if request.method == SET and sets == 1 else answer(request)

    device.answer = once  # type: ignore[method-assign]
    with pytest.raises(NeedsPersonError) as raised:
        outcomes(Fabric(device))
    assert "Set of 0xff08, modifier 0x0, content 01000304" in str(raised.value)


class LosingPort:
    """Loses so many MADs after the first Set, of which the device takes that Set alone."""

    def __init__(self, device: Device, lost: int) -> None:
        self._device, self._lost = device, lost
        self._has_set = False
        self._coming: deque[tuple[int, Reply]] = deque()

    def send(self, request: Request, transaction: int, timeout_s: float) -> None:
        is_first = request.method == SET and not self._has_set
        self._has_set |= is_first
        is_lost = self._has_set and self._lost > 0
        self._lost -= is_lost
        reply = UNANSWERED if is_lost and not is_first else self._device.answer(request)
        self._coming.append((transaction, UNANSWERED if is_lost else reply))

    def receive(self, wait_s: float) -> tuple[int, Reply] | None:
        return self._coming.popleft() if self._coming else None


class Sender:
    """Asks by an exchange, as the reader's process does for a write test."""

    def __init__(self, port: LosingPort) -> None:
        ticks = count()
        self._exchange = Exchange(port, Pacer(500), Manners(retries=1, gives_up=False), clock=lambda: next(ticks) / 100)

    def read(self, requests: Sequence[Request]) -> list[Read]:
        replies = dict(self._exchange.run(requests))
        return [Read(replies[index], 0.0) for index in range(len(requests))]


def test_a_device_that_does_not_answer_for_a_while_gets_its_former_values() -> None:
    device = switch(*NVIDIA_SWITCH)
    sender, node = Sender(LosingPort(device, lost=16)), Fabric(device).node(0)
    pauses_s: list[float] = []
    first, *_ = write_tests(sender, node, interview(sender, node), reopen=never, pause=pauses_s.append)
    assert isinstance(first, WriteTest)
    assert (first.status, first.held, first.restored) == (None, None, True)
    assert pauses_s == [1.0, 2.0]
    assert is_as_before(device)
