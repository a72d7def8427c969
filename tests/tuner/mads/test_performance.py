# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.mads.performance import (
    COUNTERS,
    XMIT_WAIT,
    Ability,
    ability,
    ask_counters,
    clear,
    counters,
    tick_bytes,
)
from tuner.mads.request import packed, unpacked

PLAIN, EXTENDED = Ability(extended=False, waits=True), Ability(extended=True, waits=True)


def test_counters_stand_where_the_specification_has_them() -> None:
    data = bytearray(192)
    data[4:6] = (500).to_bytes(2, "big")
    data[6], data[7] = 3, 4
    data[19] = 0x5A
    data[40:44] = (77).to_bytes(4, "big")
    values = dict(zip(COUNTERS, counters(bytes(data), PLAIN), strict=True))
    assert (values["SymbolErrorCounter"], values["LinkErrorRecoveryCounter"], values["LinkDownedCounter"]) == (500, 3, 4)
    assert (values["LocalLinkIntegrityErrors"], values["ExcessiveBufferOverrunErrors"], values[XMIT_WAIT]) == (5, 10, 77)


def test_extended_counters_stand_where_the_specification_has_them() -> None:
    data = bytearray(192)
    data[72:80], data[168:176] = (2**40).to_bytes(8, "big"), (2**41).to_bytes(8, "big")
    values = dict(zip(COUNTERS, counters(bytes(data), EXTENDED), strict=True))
    assert (values["SymbolErrorCounter"], values[XMIT_WAIT]) == (2**40, 2**41)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (0x0000, 0, Ability(extended=False, waits=False)),
        (0x1200, 0, Ability(extended=False, waits=True)),
        (0x1200, 0b10, Ability(extended=True, waits=True)),
    ],
)
def test_a_device_says_which_counters_it_has(first: int, second: int, expected: Ability) -> None:
    data = bytes([1, 1]) + first.to_bytes(2, "big") + (second << 5 | 8).to_bytes(4, "big")
    assert ability(data) == expected


def test_a_counter_that_a_device_does_not_have_is_none() -> None:
    assert counters(bytes(192), Ability(extended=False, waits=False))[COUNTERS.index(XMIT_WAIT)] is None


@pytest.mark.parametrize(("able", "attribute", "first", "second"), [(PLAIN, 0x12, 5, (18, 1)), (EXTENDED, 0x1D, 0, (4, 4))])
def test_only_counters_that_are_named_are_cleared(able: Ability, attribute: int, first: int, second: tuple[int, int]) -> None:
    request = clear(9, 7, able, ["SymbolErrorCounter", "LinkDownedCounter", XMIT_WAIT])
    assert (request.lid, request.attribute, request.method, request.data[1]) == (9, attribute, 2, 7)
    assert int.from_bytes(request.data[2:4], "big") == first
    at, width = second
    selected = int.from_bytes(request.data[at : at + width], "big")
    assert selected == (1 << 12 if able.extended else 1) | (0b101 if able.extended else 0)


def test_ticks_are_counted_from_one_byte() -> None:
    assert [tick_bytes(bytes([0, 0, tick])) for tick in (0, 7, 31, 255)] == [1, 8, 32, 256]


@given(st.integers(1, 0xFFFFFFFF), st.integers(1, 0xBFFF), st.integers(0, 254))
def test_a_request_is_not_a_response_and_keeps_its_transaction(transaction: int, lid: int, port: int) -> None:
    mad = packed(ask_counters(lid, port, PLAIN), transaction)
    seen, is_response, reply = unpacked(mad)
    assert (len(mad), seen, is_response) == (256, transaction, False)
    assert reply.data[1] == port
