# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What one sender does beside the others is a finding by itself, whatever the metrics of all flows say."""

from datetime import date
from typing import Any

import pytest

from tuner.checks.kind import GoodRecord, Night
from tuner.checks.observe import observed
from tuner.checks.symptoms.flow_changes import changed_flows, unseen
from tuner.checks.symptoms.flow_findings import odd_senders, of_enough_nights, seen_before, sender_findings, slower_for
from tuner.checks.symptoms.flow_record import without_odd_nights
from tuner.checks.symptoms.other_traffic import used_by_others
from tuner.documents.check_kinds import Fairness

HOSTS = [f"H{i}" for i in range(1, 9)]


def record(gbps: dict[str, float], becn: dict[str, float] | None = None, *, profile: str = "p") -> dict[str, Any]:
    """Seven nights at 9.26 Gb/s from each of the senders to H9, and the last one as given."""
    usual = {f"F-{host}": 9.26 for host in HOSTS}
    notified = {f"F-{host}": 0.128 for host in HOSTS}
    made = {"duration_s": 1.0, "marked": {}, "foreign": {}}
    nights = [made | {"date": f"2026-01-0{i}", "gbps": usual, "becn": notified} for i in range(1, 8)]
    last = {"date": "2026-01-08", "gbps": usual | gbps, "becn": notified | (becn or {})}
    flows = {f"F-{host}": {"role": "contributor", "src": host, "dst": "H9", "ports": [f"{host}/1", "S1/1"]} for host in HOSTS}
    return {"flows": flows, "workload": "w", "profile": profile, "ibcc": "1", "nights": [*nights, made | last]}


GOOD = record({}) | {"nights": record({})["nights"][:7]}


def test_a_sender_at_less_than_half_of_its_part_is_a_warning_and_then_a_failure() -> None:
    seen = changed_flows(record({"F-H3": 4.0}), GOOD)
    (first,) = sender_findings(seen, seen_before(None))
    assert (first.code, first.place, first.severity) == ("sender-slower", "H3", "warn")
    assert first.sentence == "H3 sends less: F-H3 4 Gb/s instead of 9.26"
    (second,) = sender_findings(seen, seen_before({"odd_senders": odd_senders(seen)}))
    assert (second.severity, second.sentence.partition(", ")[2]) == ("fail", "as in the night before")


@pytest.mark.parametrize("gbps", [{"F-H3": 6.5}, {f"F-{host}": 4.0 for host in HOSTS}, {}])
def test_what_scatter_or_all_senders_show_is_no_finding_of_one(gbps: dict[str, float]) -> None:
    assert list(sender_findings(changed_flows(record(gbps), GOOD), ())) == []


def test_another_profile_is_a_reason_to_send_less() -> None:
    assert list(sender_findings(changed_flows(record({"F-H3": 4.0}, profile="q"), GOOD), ())) == []


@pytest.mark.parametrize(("becn", "named"), [(0.040, True), (0.029, False)])
def test_an_adapter_that_does_not_react_is_told_by_its_becns_in_a_second(becn: float, named: bool) -> None:
    """It sends 4.4 times as much, so each packet has fewer BECNs: 1.36 times as many a second, which none has that reacts."""
    others = {f"F-{host}": 8.0 for host in HOSTS if host != "H4"}
    seen = changed_flows(record(others | {"F-H4": 40.4}, {"F-H4": becn}), GOOD)
    assert ("not-throttled" in {one.name for one in seen}) is named
    assert [one.place for one in sender_findings(seen, ()) if one.code == "not-throttled"] == ["H4"] * named


@pytest.mark.parametrize(("gbps", "becn", "named"), [(18.0, 0.300, True), (11.5, 0.126, False)])
def test_an_adapter_that_does_not_react_is_told_from_a_night_that_varies(gbps: float, becn: float, named: bool) -> None:
    """Rates vary by a fifth from night to night: 4.5 times the BECNs a second are no such night, 1.2 times may be one."""
    varied = record({"F-H4": gbps}, {"F-H4": becn})
    for night, factor in zip(varied["nights"], (0.8, 1.2, 1.0, 0.85, 1.15, 0.9, 1.1), strict=False):
        night["gbps"] = {name: factor * value for name, value in night["gbps"].items()}
    seen = changed_flows(varied, varied | {"nights": varied["nights"][:7]})
    assert ("not-throttled" in {one.name for one in seen}) is named


def test_who_gets_less_beside_one_that_does_not_react_is_not_accused() -> None:
    """It takes their part; elsewhere a host that sends less still is."""
    seen = changed_flows(record({"F-H4": 40.4, "F-H5": 4.0}, {"F-H4": 0.128}), GOOD)
    assert [(one.code, one.place) for one in sender_findings(seen, ())] == [("not-throttled", "H4")]
    apart, good = record({"F-H4": 40.4, "F-H5": 4.0}, {"F-H4": 0.128}), record({})
    for one in (apart, good):
        one["flows"] |= {name: one["flows"][name] | {"dst": "H10"} for name in ("F-H5", "F-H6")}
    seen = changed_flows(apart, good | {"nights": good["nights"][:7]})
    assert {(one.code, one.place) for one in sender_findings(seen, ())} == {("not-throttled", "H4"), ("sender-slower", "H5")}


def test_who_crosses_a_link_of_one_that_does_not_react_is_not_accused() -> None:
    """A victim that sends to another receiver over the same link between switches."""
    shared, good = record({"F-H4": 40.4, "F-H5": 4.0}, {"F-H4": 0.128}), record({})
    for one in (shared, good):
        link = ["S1/19", "S2/19", "S2/9", "H9/1"]
        one["flows"]["F-H4"] = one["flows"]["F-H4"] | {"ports": ["H4/1", "S1/4", *link]}
        one["flows"]["F-H5"] = one["flows"]["F-H5"] | {"ports": ["H5/1", "S1/5", *link[:2], "S2/10", "H10/1"], "dst": "H10"}
    seen = changed_flows(shared, good | {"nights": good["nights"][:7]})
    assert [(one.code, one.place) for one in sender_findings(seen, ())] == [("not-throttled", "H4")]


def test_of_one_that_sends_alone_to_its_receiver_nothing_is_said() -> None:
    """It gets less whenever others send more, in two nights too; causes have it, behind all that fails."""
    lonely, good = record({"F-H5": 4.0}), record({})
    for one in (lonely, good):
        one["flows"]["F-H5"] = one["flows"]["F-H5"] | {"dst": "H10"}
    seen = changed_flows(lonely, good | {"nights": good["nights"][:7]})
    assert [*sender_findings(seen, ["sender-slower H5"])] == [] == odd_senders(seen)
    assert slower_for(seen, None) == {}
    assert {(one.name, one.place): one.weak for one in seen} == {("sender-slower", "H5"): True, ("receiver-slower", "H10"): True}


def test_an_odd_night_does_not_become_what_is_usual() -> None:
    odd = record({"F-H3": 4.0})
    odd["nights"][-1]["odd"] = True
    assert [night["date"] for night in without_odd_nights(odd)["nights"]] == [f"2026-01-0{day}" for day in range(1, 8)]
    alone = odd | {"nights": odd["nights"][-1:]}
    assert without_odd_nights(alone) == alone


def test_symptoms_that_no_counter_tells_are_not_looked_for() -> None:
    assert unseen(record({})) == ("marks-fewer", "marks-more", "traffic-foreign", "host-withholds", "host-stalled")
    bare = record({})
    bare["nights"][-1]["becn"] = {}
    assert "not-throttled" in unseen(bare)


def test_a_record_keeps_the_nights_under_its_profile_alone() -> None:
    """What was under another one is no measure of what flows get."""
    kept, good = [], None
    for day, profile in enumerate(("off", "off", "gran-2010", "gran-2010"), 1):
        seen = observed(
            Fairness(profile=profile, time_scale=0.02), Night(fabric="two-switch", date=date(2026, 1, day), good=good)
        )
        assert seen.record is not None
        good = GoodRecord(date(2026, 1, day), seen.record)
        kept.append(len(seen.record["nights"]))
    assert kept == [1, 2, 1, 2]


@pytest.mark.parametrize(("foreign", "accused"), [(0.0, True), (1.0, True), (4.5, False)])
def test_a_host_that_sends_for_another_tenant_is_not_accused_of_sending_less(foreign: float, accused: bool) -> None:
    """In no night, however long the tenant's job lasts."""
    seen = changed_flows(record({"F-H3": 4.0}) | {"nights": busy_nights(foreign)}, GOOD)
    assert {one.name for one in seen} >= {"sender-slower"}
    assert bool(odd_senders(seen)) is accused
    assert bool(slower_for(seen, None)) is accused


@pytest.mark.parametrize(("busy", "judged"), [(0, True), (1, False), (4, False), (5, True)])
def test_metrics_are_judged_again_when_the_traffic_of_others_has_become_usual(busy: int, judged: bool) -> None:
    """It takes a half of the link to H9. `busy`: how many of the last nights had it, tonight the last of them."""
    now = record({})
    loads = [0.3] * (8 - busy) + [40.0] * busy
    nights = [night | {"others": {"S1/1": load}} for night, load in zip(now["nights"], loads, strict=True)]
    said = used_by_others(now | {"nights": nights}, GOOD | {"nights": nights[:7]})
    assert said == (None if judged else "others send 40 Gb/s through S1/1, usually 0.3")


@pytest.mark.parametrize("counted", [{}, {"others": {}}, {"others": {"S1/2": 50.0}}], ids=["earlier version", "none", "another"])
def test_nights_without_counters_of_the_links_are_judged(counted: dict[str, Any]) -> None:
    now = record({})
    tonight = now["nights"][7] | {"others": {"S1/1": 50.0}}
    assert used_by_others(now | {"nights": [tonight]}, GOOD | {"nights": [one | counted for one in GOOD["nights"]]}) is None


@pytest.mark.parametrize(("nights", "accused"), [(1, False), (3, False), (4, True)])
def test_few_nights_under_a_profile_accuse_nobody(nights: int, accused: bool) -> None:
    """A sender had 0.7 Gb/s in the first night after a promotion, and 1.83 in the third, with as many BECNs a packet."""
    few = GOOD | {"nights": GOOD["nights"][:nights]}
    seen = changed_flows(record({"F-H4": 18.0}, {"F-H4": 0.15}), few)
    assert "not-throttled" in {one.name for one in seen}, "for the causes of what has changed"
    assert bool(odd_senders(of_enough_nights(seen, few))) is accused


def busy_nights(foreign: float) -> list[dict[str, Any]]:
    *nights, last = record({"F-H3": 4.0})["nights"]
    return [*nights, last | {"foreign": {"H3": [foreign, 0.0]}}]
