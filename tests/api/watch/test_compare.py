# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Events that follow from two looks at a fabric, and what is known after them."""

import itertools
from collections import Counter
from typing import Any

import pytest

from api.events.severities import severity_of
from api.fabric_drivers.sight import NOTHING_BETWEEN, Between, link_key
from api.watch.changes import KINDS, MAX_SINGLE, NAMED, events
from api.watch.compare import FORGET_S, compare
from api.watch.damping import CALM_S
from api.watch.imported import Imported, imported, rebased
from api.watch.known import Known
from api.watch.marks import counts, device_marks, node_marks
from api.watch.settle import settled
from api.watch.states import DEVICE_EVENTS, DEVICE_STATES, REACH_CHANGES, REACHES, DeviceState
from tests.api.watch.fake_fabric import FakeFabric, guid, host, switch
from tuner.documents.fabric import load_fabric

T = 1_000_000.0


class Looks:
    """One look after the other."""

    def __init__(self, fabric: FakeFabric, expected: Imported | None = None) -> None:
        self.fabric, self.expected = fabric, expected
        self.known: Known | None = None
        self.now_s = T

    def look(self) -> list[tuple[str, dict[str, Any]]]:
        self.now_s += 2
        self.known, changes = compare(self.known, self.fabric.sight(), self.expected, self.now_s)
        self.fabric.between = NOTHING_BETWEEN
        self.known, steady = settled(self.known, self.now_s)
        changes += steady
        again = Known.from_json(self.known.devices_json(), self.known.links_json())
        assert again == self.known, "it comes back from the database as it was"
        return list(events(changes, Counter(one.name for one in self.known.devices.values())))

    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.look()]

    def headlines(self) -> list[str]:
        return [data["headline"] for _, data in self.look()]


def expected_of(fabric: FakeFabric) -> Imported:
    """As if the fabric as it is now had been imported."""
    known, _ = compare(None, fabric.sight(), None, T)
    known, _ = compare(known, fabric.sight(), None, T)
    return Imported(known.devices, known.links)


def test_the_tables_have_every_cell_and_every_event_has_words_and_a_severity() -> None:
    cells = set(itertools.permutations(DEVICE_STATES, 2))
    assert DEVICE_EVENTS.keys() == cells
    for (old, new), kinds in DEVICE_EVENTS.items():
        assert ("device.lost" in kinds) == (new == "missing"), (old, new)
        assert ("device.back" in kinds) == (old == "missing"), (old, new)
    for kind in {kind for kinds in DEVICE_EVENTS.values() for kind in kinds} | {"device.new"}:
        assert kind in KINDS
    for kind in (*KINDS, *(kind for _, kind in REACH_CHANGES.values() if kind), "sm.changed", "sm.others"):
        assert severity_of("fabric:x", kind, {}) is not None, kind
    assert {found for _, found in REACH_CHANGES} == set(REACHES) - {"unseen"}


@pytest.mark.parametrize(("old", "new"), list(itertools.permutations(DEVICE_STATES, 2)))
def test_each_change_of_a_device_is_told_as_the_table_says(old: DeviceState, new: DeviceState) -> None:
    looks = Looks(FakeFabric())
    looks.look()
    looks.fabric.conditions[host(3)] = old
    looks.look()
    looks.fabric.conditions[host(3)] = new
    assert sorted(looks.kinds()) == sorted(DEVICE_EVENTS[old, new])
    assert looks.known is not None
    assert looks.known.devices[host(3)].state == new
    assert looks.known.devices[host(3)].since_s == looks.now_s
    assert looks.kinds() == [], "nothing is told twice"


def test_who_is_there_but_not_asked_yet_is_what_it_was() -> None:
    looks = Looks(FakeFabric())
    looks.look()
    looks.fabric.conditions[host(0)] = "timing-out"
    looks.look()
    looks.fabric.conditions[host(0)] = "unknown"
    assert looks.kinds() == []
    looks.fabric.conditions[host(0)] = "missing"
    assert looks.kinds() == ["device.lost"]
    looks.fabric.conditions[host(0)] = "unknown"
    assert looks.kinds() == ["device.back"]


def test_what_was_repaired_between_two_looks_is_told_by_its_count() -> None:
    looks = Looks(FakeFabric(drifts={host(1): 7}))
    assert looks.kinds() == [], "it drifted before anybody looked"
    looks.fabric.drifts[host(1)] = 8
    assert looks.kinds() == ["device.drifted", "device.repaired"]
    looks.fabric.drifts[host(1)] = 0  # OpenSM was started again
    assert looks.kinds() == []
    looks.fabric.drifts[host(1)] = 2
    assert looks.kinds() == ["device.drifted", "device.repaired"]


def test_who_is_lost_and_back_between_two_looks_is_told_in_that_order() -> None:
    looks = Looks(FakeFabric())
    looks.look()
    looks.fabric.between = Between({host(1)[0]: [False, True]}, {looks.fabric.trunk(20): [False, True]})
    assert looks.headlines() == [
        "H1 is lost: OpenSM does not find it",
        "H1 is back",
        "Link S1 port 20 \u2013 S2 port 20 is down",
        "Link S1 port 20 \u2013 S2 port 20 is up",
    ]
    looks.fabric.between = Between({host(1)[0]: [False, True, False]})
    looks.fabric.conditions[host(1)] = "missing"
    assert looks.kinds() == ["device.lost", "device.back", "device.flapping"]
    looks.fabric.between = Between({host(2)[0]: [True, False]})
    looks.fabric.conditions[host(2)] = "missing"
    assert looks.headlines() == ["H2 is lost: OpenSM does not find it"], "it was there before, too"
    looks.fabric.between = Between({host(2)[0]: [True, False]})
    assert looks.kinds() == ["device.back", "device.lost"]
    looks.fabric.between = Between({host(2)[0]: [False]}, {looks.fabric.cable(2): [False]})
    assert looks.kinds() == [], "the look before has told it already"


def test_what_flaps_is_told_once_and_then_as_it_is() -> None:
    looks = Looks(FakeFabric())
    looks.look()
    trunk = looks.fabric.trunk(20)
    for kind in ("down", "up", "down", "up", "flapping"):
        looks.fabric.cut ^= {trunk}
        assert looks.kinds() == [f"link.{kind}"]
    assert looks.known is not None
    assert counts(looks.known)["flapping"] == 1
    for _ in range(5):
        looks.fabric.cut ^= {trunk}
        assert looks.kinds() == []
    looks.now_s += CALM_S - 4
    assert looks.kinds() == []
    looks.now_s += 4
    assert looks.kinds() == ["link.steady"]
    assert counts(looks.known)["flapping"] == 0
    for _ in range(5):
        looks.fabric.conditions[host(4)] = "missing" if host(4) not in looks.fabric.conditions else "present"
        looks.look()
        looks.fabric.conditions = {} if looks.fabric.conditions[host(4)] == "present" else looks.fabric.conditions
    assert device_marks(looks.known)[host(4)] == ["missing", "flapping"]
    looks.now_s += CALM_S
    assert looks.headlines() == [
        "H4 is steady again: it has not come or gone for a minute",
        "H4 is lost: OpenSM does not find it",
    ]


def test_a_host_takes_its_cable_along_and_a_cable_alone_is_told() -> None:
    looks = Looks(FakeFabric())
    looks.look()
    looks.fabric.conditions[host(2)] = "missing"
    assert looks.headlines() == ["H2 is lost: OpenSM does not find it"]
    looks.fabric.conditions.clear()
    assert looks.headlines() == ["H2 is back"]
    looks.fabric.cut.add(looks.fabric.trunk(21))
    assert looks.headlines() == ["Link S1 port 21 – S2 port 21 is down"]
    assert looks.headlines() == []
    looks.fabric.cut.clear()
    assert looks.headlines() == ["Link S1 port 21 – S2 port 21 is up"]
    looks.fabric.rates[looks.fabric.trunk(20)] = "1xNDR"
    assert looks.headlines() == ["Link S1 port 20 – S2 port 20 runs at 1xNDR, not at 4xNDR"]


def test_links_that_cannot_be_read_are_left_as_they_were() -> None:
    looks = Looks(FakeFabric())
    looks.look()
    looks.fabric.sweeping = True
    looks.fabric.cut.add(looks.fabric.trunk(20))
    assert looks.kinds() == []
    looks.fabric.sweeping = False
    assert looks.kinds() == ["link.down"]


@pytest.mark.long
def test_a_rack_that_is_switched_off_is_one_event_with_its_first_names() -> None:
    looks = Looks(FakeFabric(hosts=600))
    looks.look()
    for number in range(100, 600):
        looks.fabric.conditions[host(number)] = "missing"
    [(kind, data)] = looks.look()
    assert (kind, data["count"], len(data["items"])) == ("device.lost", 500, NAMED)
    assert data["headline"] == "500 devices are lost: OpenSM does not find them: H100, H101, H102, H103, H104 and 495 more"
    assert len(str(data)) < 1500
    looks.fabric.conditions[switch(2)] = "missing"
    looks.fabric.conditions |= dict.fromkeys((host(n) for n in range(MAX_SINGLE)), "missing")
    [(kind, data)] = looks.look()
    assert severity_of("fabric:x", kind, data) == "error", "a switch is among them"


def test_names_that_several_have_come_with_the_guid_and_hostile_ones_do_no_harm() -> None:
    looks = Looks(FakeFabric(names={host(0): "node", host(1): "node", host(2): "\x1b[2Jx\u202e" + "<b>" * 30_000, host(3): "\0"}))
    looks.look()
    looks.fabric.conditions = {host(n): "missing" for n in range(4)}
    told = looks.headlines()
    assert f"node ({host(0)[0]}) is lost: OpenSM does not find it" in told
    assert "\\u0000 is lost: OpenSM does not find it" in told
    hostile = next(one for one in told if "<b>" in one)
    assert len(hostile) < 120
    assert "\x1b" not in hostile
    assert "\u202e" not in hostile


def test_what_was_imported_is_expected_at_the_first_look() -> None:
    fabric = FakeFabric()
    expected = expected_of(fabric)
    fabric.conditions[host(0)] = "missing"
    fabric.cut |= {fabric.trunk(21), fabric.cable(1), fabric.cable(3)}
    fabric.more_links = {link_key(host(1), fabric.cable(3)[0]), link_key(host(3), fabric.cable(1)[0])}
    assert host(1) not in fabric.cable(3)
    fabric.more_devices[guid(0x9999), 1] = "stranger"
    fabric.more_links.add(link_key((guid(0x9999), 1), (switch(1)[0], 30)))
    looks = Looks(fabric, expected)
    told = looks.headlines()
    assert "H0 is lost: OpenSM does not find it" in told
    assert "stranger is new" in told
    assert "Link S1 port 21 – S2 port 21 is down" in told
    assert sum("is cabled to" in one for one in told) == 2
    assert len(told) == 5, told
    assert looks.known is not None
    marks = node_marks(looks.known)
    assert marks[host(0)[0]] == ["missing"]
    assert marks[guid(0x9999)] == ["new"]
    assert marks[host(1)[0]] == marks[host(3)[0]] == ["not-cabled-as-imported"]
    assert looks.headlines() == []
    numbers = counts(looks.known)
    assert (numbers["missing"], numbers["new"], numbers["links_down"], numbers["devices"]) == (1, 1, 3, 9)
    fabric.cut.clear()
    fabric.more_links = {link_key((guid(0x9999), 1), (switch(1)[0], 30))}
    assert len(looks.headlines()) == 3, "as imported again: two cables and the trunk"
    assert "not-cabled-as-imported" not in str(device_marks(looks.known))


def test_a_document_of_another_fabric_is_not_compared_with() -> None:
    other = Looks(FakeFabric(), imported(load_fabric("two-switch")))
    assert other.kinds() == []
    assert other.known is not None
    assert node_marks(other.known) == {}


def test_another_import_forgets_what_it_does_not_name_and_expects_what_it_names() -> None:
    fabric = FakeFabric()
    looks = Looks(fabric, expected_of(fabric))
    looks.look()
    fabric.conditions[host(0)] = "missing"
    fabric.more_devices[guid(0x9999), 1] = "stranger"
    looks.look()
    smaller = FakeFabric(hosts=4, conditions={host(0): "missing"}, more_devices={(guid(0x7777), 1): "promised"})
    looks.expected = expected_of(smaller)
    assert looks.known is not None
    looks.known = rebased(looks.expected, looks.known)
    assert looks.kinds() == ["device.lost"], "the one that was promised"
    marks = node_marks(looks.known)
    assert host(0)[0] not in marks, "nobody expects it now"
    assert marks[host(5)[0]] == marks[guid(0x9999)] == ["new"]
    assert marks[guid(0x7777)] == ["missing"]
    looks.expected = None
    looks.known = rebased(None, looks.known)
    assert looks.kinds() == []
    assert "new" not in str(node_marks(looks.known))


def test_who_is_gone_for_a_week_is_forgotten_unless_it_was_imported() -> None:
    fabric = FakeFabric()
    fabric.more_devices[guid(0x9999), 1] = "guest"
    looks = Looks(fabric, expected_of(FakeFabric()))
    looks.look()
    fabric.conditions[host(0)] = "missing"
    del fabric.more_devices[guid(0x9999), 1]
    assert sorted(looks.kinds()) == ["device.lost", "device.lost"]
    looks.now_s += FORGET_S
    assert looks.kinds() == []
    assert looks.known is not None
    assert node_marks(looks.known) == {host(0)[0]: ["missing"]}
