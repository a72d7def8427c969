# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest

from tests.tuner.documents.patterns import bed
from tuner.errors import BadInputError


def ring(**changes: object) -> list[tuple[str, str]]:
    return [(flow.src, flow.dst) for flow in bed.expanded({"kind": "ring", "name": "r", "hosts": ["H[1-3]"], **changes})]


def test_the_last_sends_to_the_first() -> None:
    assert ring() == [("H1", "H2"), ("H2", "H3"), ("H3", "H1")]


def test_both_ways() -> None:
    assert ring(both_ways=True) == [*ring(), ("H2", "H1"), ("H3", "H2"), ("H1", "H3")]


def test_a_ring_of_one_is_none() -> None:
    with pytest.raises(BadInputError, match="pattern 'r' finds 0 flows on this fabric"):
        ring(hosts=["H1"])
