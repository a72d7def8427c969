# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Senders are compared with their siblings of the same night, in a first night too."""

import math
import random
from typing import Any

import pytest

from tests.tuner.checks.test_flow_findings import GOOD, record
from tuner.checks.symptoms.flow_changes import changed_flows
from tuner.checks.symptoms.flow_findings import LONG, sender_findings, slower_for
from tuner.checks.symptoms.siblings import _tail, odd_siblings

SENDERS = [f"H{i}" for i in range(1, 32)]


def night(
    gbps: dict[str, float], becn: dict[str, float] | None = None, *, scatter: float = 0.01, seed: int = 1
) -> dict[str, Any]:
    """31 senders at one switch to one receiver, in a first night."""
    chances = random.Random(seed)
    usual = {host: 9.26 * math.exp(chances.gauss(0, scatter)) for host in SENDERS}
    flows = {host: {"role": "contributor", "src": host, "dst": "R", "ports": [f"{host}/1", "S1/1"]} for host in SENDERS}
    notified = dict.fromkeys(SENDERS, 0.128) | (becn or {})
    return {"flows": flows, "nights": [{"date": "2026-01-01", "gbps": usual | gbps, "becn": notified}]}


def test_a_sender_at_43_percent_of_its_share_fails_in_the_first_night() -> None:
    (found,) = sender_findings((), (), odd_siblings(night({"H8": 4.0})))
    assert (found.code, found.place, found.severity) == ("sender-slower", "H8", "fail")
    assert found.sentence.startswith("H8 sends less than its siblings: H8 4 Gb/s, and 9.")


@pytest.mark.parametrize(("becn", "named"), [(0.040, ["H4"]), (0.029, [])])
def test_an_adapter_that_ignores_becns_is_named_in_the_first_night(becn: float, named: list[str]) -> None:
    assert [one.place for one in odd_siblings(night({"H4": 40.4}, {"H4": becn})) if one.name == "not-throttled"] == named


def test_a_year_of_nights_without_a_fault_has_no_odd_sender() -> None:
    assert not any(odd_siblings(night({}, scatter=0.08, seed=seed)) for seed in range(365))


def test_senders_at_other_switches_are_no_siblings() -> None:
    apart = night({})
    for i, flow in enumerate(apart["flows"].values()):
        flow["ports"][1] = f"S{i // 3}/1"
        apart["nights"][-1]["gbps"][flow["src"]] = 9.26 / (1 + i // 3)
    assert odd_siblings(apart) == ()


def test_tails_are_those_of_tables() -> None:
    assert _tail(0) == 0.5
    assert _tail(2.306) == pytest.approx(0.025, rel=1e-3)
    assert _tail(5.041) == pytest.approx(0.0005, rel=1e-3)


def test_a_fifth_less_fails_in_the_third_night() -> None:
    seen = changed_flows(record({"F-H3": 7.3}), GOOD)
    before: dict[str, Any] | None = None
    for count in range(1, LONG + 1):
        lasting = slower_for(seen, before)
        assert lasting == {"sender-slower H3": count}
        found = list(sender_findings(seen, (), (), lasting))
        before = {"slower_for": lasting}
        assert [one.severity for one in found] == ["fail"] * (count == LONG)
    assert found[0].sentence.endswith(f", for {LONG} nights")
    assert slower_for((), before) == {}


def test_senders_with_links_of_other_rates_are_no_siblings() -> None:
    """Adapters of two generations at one switch, to a receiver that takes all of it."""
    mixed = night(dict.fromkeys(SENDERS, 96.0) | dict.fromkeys(SENDERS[:5], 31.0))
    assert len(odd_siblings(mixed)) == 5
    for host, flow in mixed["flows"].items():
        flow["rate"] = "4xQDR" if host in SENDERS[:5] else "4xEDR"
    assert odd_siblings(mixed) == ()
    mixed["nights"][-1]["gbps"][SENDERS[2]] = 12.0
    assert [one.place for one in odd_siblings(mixed)] == [SENDERS[2]]


@pytest.mark.parametrize(("foreign", "named"), [(0.1, ["H8"]), (5.0, [])])
def test_a_sender_that_sends_to_others_may_send_less(foreign: float, named: list[str]) -> None:
    busy = night({"H8": 4.0})
    busy["nights"][-1]["foreign"] = {"H8": [foreign, 0.0]}
    assert [one.place for one in odd_siblings(busy)] == named
