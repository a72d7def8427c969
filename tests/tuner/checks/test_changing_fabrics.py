# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Changes of a fabric that are no faults, or one fault each, and what a check of its tables, links and routes concludes."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tuner.checks.changing_fabric import ChangingFabric, changing, told, with_guids, with_lids, without
from tuner.checks.store.night_run import NightRun
from tuner.fabric.forwarding import End, Forwarding

NEW = 0xABC000
ODD = ("", " ", "a, b to c – d", "x\"y'z", "n" * 64, "knoten-ü 雪", "node/7", "l1 and l2", "S1/19 – S2/19")


@pytest.fixture
def fabric(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChangingFabric]:
    with changing(tmp_path, monkeypatch) as begun:
        yield begun


def guid_of(f: Forwarding, name: str) -> int:
    return next(switch.guid for switch in f.switches if switch.name == name)


def fails(run: NightRun) -> list[str]:
    return [sentence for severity, _, sentence in told(run) if severity == "fail"]


def replace_switches(fabric: ChangingFabric, *names: str) -> None:
    fabric.forwarding = with_guids(fabric.forwarding, {guid_of(fabric.forwarding, name): NEW + i for i, name in enumerate(names)})


def test_other_lids_are_no_news(fabric: ChangingFabric) -> None:
    fabric.forwarding = with_lids(fabric.forwarding, lambda lid: 500 - lid)
    for _ in range(2):
        run = fabric.night()
        assert (run.state, told(run)) == ("pass", [])


def test_a_switch_that_is_renamed_is_no_news(fabric: ChangingFabric) -> None:
    fabric.names[guid_of(fabric.forwarding, "M1.2")] = "spine of row 7"
    run = fabric.night()
    assert (run.state, told(run)) == ("pass", [])


@pytest.mark.parametrize("days", [2, 40, 400])
def test_nights_that_were_missed_are_no_news(fabric: ChangingFabric, days: int) -> None:
    for after in (days, 1):
        run = fabric.night(after=after)
        assert (run.state, told(run)) == ("pass", [])


@pytest.mark.parametrize(("name", "links"), [("L2.2", 6), ("M1.2", 6), ("T2.2", 3)])
def test_a_switch_that_was_replaced_is_one_finding_which_fails_once(fabric: ChangingFabric, name: str, links: int) -> None:
    replace_switches(fabric, name)
    first = fabric.night()
    assert fails(first) == [f"switch {name} was replaced by another one: {links} of its {links} links are there"]
    assert (first.causes[0].name, first.causes[0].place) == ("replaced-node", name)
    assert [fabric.night().state for _ in range(3)] == ["warn", "pass", "pass"]


def test_switches_that_are_replaced_in_one_night_have_a_finding_each(fabric: ChangingFabric) -> None:
    """The cables between them have both ends at new switches."""
    replace_switches(fabric, "L2.2", "M2.0")
    found = fails(fabric.night())
    assert sorted(found) == [
        f"switch {name} was replaced by another one: 6 of its 6 links are there" for name in ("L2.2", "M2.0")
    ]
    assert [fabric.night().state for _ in range(3)] == ["warn", "pass", "pass"]


def test_a_switch_that_was_replaced_and_renamed_says_its_new_name(fabric: ChangingFabric) -> None:
    """The kind `tables` knows devices alone, and misses the former one."""
    fabric.names[NEW] = "MF0;switch-1:MQM8700/U1"
    replace_switches(fabric, "M1.2")
    assert fails(fabric.night()) == [
        "M1.2 is gone, which was there on 2026-01-03",
        "switch M1.2 was replaced by another one, 'MF0;switch-1:MQM8700/U1': 6 of its 6 links are there",
    ]


def test_a_cable_that_a_replaced_switch_lacks_fails_until_it_is_back(fabric: ChangingFabric) -> None:
    replace_switches(fabric, "L2.2")
    whole = fabric.forwarding
    lost = next(
        link
        for link in whole.links
        if NEW in {guid for guid, _ in link} and len({guid for guid, _ in link} & set(switches(whole))) == 2
    )
    fabric.forwarding = replace(whole, links=whole.links - {lost})
    for severity in ("fail", "warn", "warn"):
        found = {code: severity for severity, code, _ in told(fabric.night()) if code in ("node-replaced", "link-gone")}
        assert found == {"node-replaced": severity, "link-gone": "fail"}
    fabric.forwarding = whole
    assert [fabric.night().state for _ in range(2)] == ["warn", "pass"]


def switches(f: Forwarding) -> list[int]:
    return [switch.guid for switch in f.switches]


def test_an_adapter_that_was_replaced_fails_once(fabric: ChangingFabric) -> None:
    fabric.forwarding = with_guids(fabric.forwarding, {fabric.forwarding.destinations[0].guid: NEW})
    assert fails(fabric.night()) == ["the adapter of L2.2/3 – H26/1 was replaced"]
    assert [fabric.night().state for _ in range(2)] == ["warn", "pass"]


def test_a_replaced_adapter_is_not_new_again_while_another_fault_stands(fabric: ChangingFabric) -> None:
    f = with_guids(fabric.forwarding, {fabric.forwarding.destinations[0].guid: NEW})
    trunk = next(link for link in sorted(f.links, key=sorted) if {guid for guid, _ in link} <= set(switches(f)))
    fabric.forwarding = replace(f, links=f.links - {trunk})
    severities = [next(one for one, code, _ in told(fabric.night()) if code == "cable-moved") for _ in range(4)]
    assert severities == ["fail", "warn", "warn", "warn"]


def with_two_ports(f: Forwarding) -> Forwarding:
    """Each two hosts that follow each other are one with two ports."""
    both = list(zip(f.destinations[::2], f.destinations[1::2], strict=False))
    moved: dict[End, End] = {other.end: (first.guid, 2) for first, other in both}
    names = {first.guid: first.name for first, _ in both}
    ends = [moved.get(one.end, one.end) for one in f.destinations]
    return replace(
        f,
        destinations=[
            replace(one, guid=guid, port=port, name=names.get(guid, one.name))
            for one, (guid, port) in zip(f.destinations, ends, strict=True)
        ],
        links=frozenset(frozenset(moved.get(end, end) for end in link) for link in f.links),
    )


def test_hosts_are_counted_and_not_their_ports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with changing(tmp_path, monkeypatch, with_two_ports) as fabric:
        guids = list(dict.fromkeys(one.guid for one in fabric.forwarding.destinations))
        whole = fabric.forwarding
        fabric.forwarding = without(whole, set(guids[:3]))
        three = [sentence for _, code, sentence in told(fabric.night()) if code == "device-gone"]
        assert three[0] == "H26/1 is gone, which was there on 2026-01-03"
        fabric.forwarding = whole
        assert fabric.night().state == "pass"
        fabric.forwarding = without(whole, set(guids[:5]))
        five = [sentence for _, code, sentence in told(fabric.night()) if code == "device-gone"]
        assert five == ["5 adapters are gone, which were there on 2026-01-05, such as H26/1"]


def test_a_rack_more_is_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole: list[Forwarding] = []

    def smaller(f: Forwarding) -> Forwarding:
        whole.append(f)
        return without(f, {one.guid for one in f.destinations[:9]})

    with changing(tmp_path, monkeypatch, smaller) as fabric:
        fabric.forwarding = whole[0]
        assert [fabric.night().state for _ in range(3)] == ["pass"] * 3


def test_any_description_names_one_place(fabric: ChangingFabric) -> None:
    """Descriptions are empty, alike, or have what separates places; each node has alarms of its own, and is found by its name."""
    f = fabric.forwarding
    hosts = f.destinations[: len(ODD) + 2]
    fabric.names |= {one.guid: name for one, name in zip(hosts, (*ODD, "MT4115", "MT4115"), strict=True)}
    fabric.names |= dict.fromkeys(switches(f)[:4], "SwitchX -  Mellanox")
    assert fabric.night().state == "pass"
    fabric.forwarding = without(f, {one.guid for one in hosts})
    run = fabric.night()
    gone = [alarm for alarm in run.alarms or () if alarm.code in ("link-gone", "hosts-gone")]
    assert len({alarm.place for alarm in gone}) == len(hosts)
    assert all(len(alarm.place) > len(" – /1") for alarm in gone)
    fabric.forwarding = f
    assert fabric.night().state in ("pass", "warn")
    assert [fabric.night().state for _ in range(2)] == ["pass"] * 2


def test_a_node_keeps_its_name_while_others_of_its_description_are_off(fabric: ChangingFabric) -> None:
    """Its alarm would be another one, and new."""
    f = fabric.forwarding
    one, other = f.destinations[:2]
    fabric.names |= dict.fromkeys((one.guid, other.guid), "MT4115")
    assert fabric.night().state == "pass"
    fabric.forwarding = without(f, {one.guid})
    places = {alarm.place for alarm in fabric.night().alarms or ()}
    assert any(f"MT4115 0x{one.guid:016x}" in place for place in places)
    fabric.forwarding = without(f, {one.guid, other.guid})
    for _ in range(2):
        places = {alarm.place for alarm in fabric.night().alarms or () if alarm.state == "open"}
        assert {guid for guid in (one.guid, other.guid) if any(f"MT4115 0x{guid:016x}/1" in place for place in places)} == {
            one.guid,
            other.guid,
        }


def test_what_is_gone_stays_so_whatever_the_check_s_options_are(fabric: ChangingFabric) -> None:
    """A limit of errors, or the name of the fabric's document, makes no other fabric of it."""
    whole = fabric.forwarding
    trunk = next(link for link in sorted(whole.links, key=sorted) if {guid for guid, _ in link} <= set(switches(whole)))
    fabric.forwarding = replace(whole, links=whole.links - {trunk})
    assert fabric.night().state == "fail"
    others: dict[str, dict[str, float]] = {
        "links": {"errors_a_day": 20},
        "routes": {"unbalanced": 90.0},
        "tables": {"patience_s": 200.0},
    }
    kinds = tuple(kind.model_copy(update=others[kind.kind]) for kind in fabric.check.kinds)
    fabric.check = fabric.check.model_copy(update={"kinds": kinds})
    for number in range(4):
        if number == 2:
            fabric.check = fabric.check.model_copy(update={"fabric": "two-switch-16"})
        run = fabric.night()
        assert [code for _, code, _ in told(run) if code == "link-gone"] == ["link-gone"]
        assert (run.state, run.is_known) == ("fail", True)
    fabric.forwarding = whole
    assert [fabric.night().state for _ in range(2)][-1] == "pass"
