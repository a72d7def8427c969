# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The kind `routes` on tables that real OpenSMs have dumped, and on changes to them."""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tuner.checks.fake_plugin import FakePlugin
from tests.tuner.checks.routes.subnet_rows import DUMPS, dumped, dumped_files, links_of, routes_of
from tuner.checks.kind import GoodRecord, Night
from tuner.checks.observation import Finding, Observation
from tuner.checks.observe import observed
from tuner.checks.routes.record import forwarding_of, record_of
from tuner.documents.check_kinds import Routes
from tuner.errors import BadInputError
from tuner.fabric.forwarding import Forwarding

GOOD = date(2026, 1, 30)
TONIGHT = date(2026, 1, 31)
Observe = Callable[..., Observation]


@pytest.fixture
def observe(tmp_path: Path) -> Iterator[Observe]:
    """Observes tables through a plugin. `good`: those of the last good night; `sweep`: what is known of OpenSM's last sweep."""
    fake = FakePlugin([])

    def run(f: Forwarding, good: Forwarding | None = None, unbalanced: float = 100.0, **sweep: Any) -> Observation:
        fake.links, fake.routes = links_of(f), routes_of(f)
        fake.sweep = {"sweep_ok": True, "engine": "minhop", "sl_by_path": False} | sweep
        record = None if good is None else GoodRecord(GOOD, record_of(replace(good, engine=good.engine or "minhop")))
        night = Night(fabric="two-switch", date=TONIGHT, good=record)
        return observed(Routes(socket=str(tmp_path / "s"), unbalanced=unbalanced), night)

    with fake.serving(tmp_path / "s"):
        yield run


def values(observation: Observation) -> dict[str, float | None]:
    return {metric.name: value for metric, value in observation.metrics}


def without_link(f: Forwarding, switch: int, port: int) -> Forwarding:
    """The same without one link between switches; what went there goes by another port of the same switch."""
    other, other_port = int(f.peer[switch, port]), int(f.peer_port[switch, port])
    out = f.out.copy()
    for s, gone in ((switch, port), (other, other_port)):
        rest = [p for p in np.flatnonzero(f.peer[s] >= 0).tolist() if p != gone]
        out[s, out[s] == gone] = rest[0]
    link = frozenset(((f.switches[switch].guid, port), (f.switches[other].guid, other_port)))
    return replace(f, links=f.links - {link}, out=out)


def test_the_first_night_has_nothing_to_compare_with(observe: Observe) -> None:
    seen = observe(dumped("ring", "updn"))
    assert values(seen) == {"changed_entries": None, "unreachable_pairs": 0.0, "credit_loops": 0.0, "imbalance": 1.0}
    assert seen.findings == ()
    assert seen.facts == ("6 switches and 12 host ports, routing engine minhop", "no good night to compare with yet")


def test_a_record_has_all_of_the_tables() -> None:
    f = dumped("torus", "torus-2QoS")
    f = replace(f, engine="torus-2QoS", sl_by_path=True, switches=[replace(f.switches[0], sl2vl=bytes(8)), *f.switches[1:]])
    again = forwarding_of(record_of(f))
    assert (again.out == f.out).all()
    assert (again.switches, again.destinations, again.links) == (f.switches, f.destinations, f.links)
    assert (again.engine, again.sl_by_path) == (f.engine, f.sl_by_path)


def test_the_same_tables_have_not_changed_whatever_their_lids(observe: Observe) -> None:
    f = dumped("fat-tree", "ftree")
    lids = [one.lid for one in f.destinations]
    renumbered = [replace(one, lid=lid) for one, lid in zip(f.destinations, reversed(lids), strict=True)]
    order = np.random.default_rng(1).permutation(len(lids))
    shuffled = replace(f, destinations=[renumbered[i] for i in order], out=f.out[:, order])
    seen = observe(shuffled, good=f)
    assert values(seen)["changed_entries"] == 0.0
    assert seen.findings == ()
    assert seen.facts[1] == f"compared with the night of {GOOD}"


def test_other_tables_on_the_same_links_are_findings_switch_by_switch(observe: Observe) -> None:
    seen = observe(dumped("fat-tree", "ftree"), good=dumped("fat-tree", "minhop"), engine=None)
    assert {(one.code, one.severity) for one in seen.findings} == {("route-changed", "fail")}
    entries = [int(one.evidence.split(" ")[0]) for one in seen.findings]
    assert sum(entries) == values(seen)["changed_entries"]
    assert entries == sorted(entries, reverse=True)
    assert len({one.place for one in seen.findings}) == len(entries) == 9
    assert (
        seen.findings[0].sentence
        == "M0.0 sends what is for 12 adapter ports elsewhere than on 2026-01-30, and no link has changed"
    )
    assert seen.findings[0].evidence == "12 of 27 entries; that for H26 is port 4, and was port 6"
    assert seen.findings[0].next_step.startswith("ibroute -G 0x")


def test_all_findings_are_there(observe: Observe) -> None:
    f = dumped("fat-tree", "ftree")
    before = f.out.copy()
    before[:, 3] = 255
    found = observe(f, good=replace(f, out=before)).findings
    assert len({one.place for one in found}) == 27
    assert {one.severity for one in found} == {"fail"}


def test_what_opensm_has_routed_anew_by_itself_is_a_warning(observe: Observe) -> None:
    now, good = dumped("fat-tree", "ftree"), dumped("fat-tree", "ftree")
    turned = replace(good, out=np.where(good.out == 4, 6, np.where(good.out == 6, 4, good.out)))
    few = replace(good, out=np.where(np.arange(len(good.out))[:, None] < 1, turned.out, good.out))
    (one,) = observe(now, good=turned).findings
    assert (one.severity, one.place) == ("warn", "OpenSM")
    assert one.sentence == "OpenSM has routed anew since 2026-01-30, and links carry their shares as before"
    for other in (observe(now, good=few), observe(now, good=turned, engine=None)):
        assert {finding.severity for finding in other.findings} == {"fail"}


def test_another_routing_engine_is_one_finding(observe: Observe) -> None:
    seen = observe(dumped("fat-tree", "ftree"), good=dumped("fat-tree", "minhop"), engine="ftree")
    (one,) = seen.findings
    assert (one.code, one.severity) == ("route-changed", "fail")
    assert one.sentence == "the routing engine is ftree, and was minhop on 2026-01-30"


def test_routes_that_follow_from_a_link_that_is_gone_are_one_warning(observe: Observe) -> None:
    f = dumped("fat-tree", "ftree")
    leaf = int(np.flatnonzero(f.hosts_at)[0])
    up = int(np.flatnonzero(f.peer[leaf] >= 0)[0])
    now = without_link(f, leaf, up)
    seen = observe(now, good=f)
    gone = [one for one in seen.findings if one.code == "route-changed"]
    assert len(gone) == 1
    assert gone[0].severity == "warn"
    assert gone[0].place == " - ".join(
        sorted((f"{f.switches[leaf].name}/{up}", f"{f.switches[f.peer[leaf, up]].name}/{f.peer_port[leaf, up]}"))
    )
    assert gone[0].sentence == f"routes have changed since 2026-01-30, as link {gone[0].place} is gone"
    count = int(values(seen)["changed_entries"] or 0)
    assert gone[0].evidence == (
        f"{count} entries of 2 switches lead elsewhere than on 2026-01-30, {count} of them by a link that is gone or new; "
        f"links: {gone[0].place} is gone"
    )
    assert observe(f, good=now).findings[0].sentence.endswith(" is new")
    elsewhere = f.out.copy()
    elsewhere[int(f.peer[leaf, up + 1]), 0] = 255
    more = observe(replace(now, out=np.where(elsewhere != f.out, elsewhere, now.out)), good=f)
    (one,) = (one for one in more.findings if one.code == "route-changed")
    assert one.evidence.startswith(f"{count + 1} entries of 3 switches lead elsewhere than on 2026-01-30, {count} of them by ")


def test_many_links_are_counted(observe: Observe) -> None:
    f = dumped("fat-tree", "ftree")
    now = f
    for leaf in np.flatnonzero(f.hosts_at)[:7].tolist():
        now = without_link(now, leaf, int(np.flatnonzero(now.peer[leaf] >= 0)[0]))
    (one,) = (one for one in observe(now, good=f).findings if one.code == "route-changed")
    assert one.sentence.endswith(" is gone, and 6 more links are gone or new")
    assert one.evidence.endswith("; and 2 more")


def test_an_adapter_that_is_gone_changes_no_route_of_others(observe: Observe) -> None:
    f = dumped("ring", "updn")
    rest = replace(f, destinations=f.destinations[1:], out=f.out[:, 1:], links=f.links - _links_to(f, 0))
    seen = observe(rest, good=f)
    assert values(seen)["changed_entries"] == 0.0
    assert seen.findings == ()


def test_other_sl_to_vl_tables_are_findings(observe: Observe) -> None:
    f = dumped("ring", "updn")

    def with_tables(*tables: bytes | None) -> Forwarding:
        rows = [replace(row, sl2vl=sl2vl) for row, sl2vl in zip(f.switches, (*tables, *[bytes(8)] * 6), strict=False)]
        return replace(f, switches=rows)

    other = bytes([0x11] * 8)
    pairs = f.switches[0].ports * (f.switches[0].ports + 1)
    (one,) = observe(with_tables(other), good=with_tables()).findings
    assert (one.code, one.severity, one.place) == ("sl2vl-changed", "fail", f.switches[0].name)
    assert one.evidence == f"the tables of {pairs} pairs of ports differ"
    assert observe(with_tables(bytes(8) * pairs), good=with_tables()).findings == (), "the same, pair by pair"
    (one,) = observe(with_tables(other + bytes(8) * (pairs - 1)), good=with_tables()).findings
    assert one.evidence == "the tables of 1 pair of ports differ"
    (one,) = observe(with_tables(None), good=with_tables()).findings
    assert one.sentence == f"{f.switches[0].name} has no SL-to-VL tables of OpenSM's, and had some on 2026-01-30"
    (one,) = observe(with_tables(), good=with_tables(None)).findings
    assert "and had none" in one.sentence


def test_routes_that_are_missing_name_the_place_where_they_end(observe: Observe) -> None:
    f = dumped("ring", "updn")
    out = f.out.copy()
    s = int(f.peer[f.at_switch[0]][f.out[f.at_switch[0], 5]])
    out[s, 5] = 255
    broken = replace(f, out=out)
    seen = observe(broken)
    (one,) = seen.findings
    assert (one.code, one.severity, one.place) == ("route-missing", "fail", f.switches[s].name)
    assert f"{f.switches[s].name} has no entry for {f.destinations[5].name}" in one.sentence
    assert values(seen)["unreachable_pairs"] == float(one.sentence.split(" ")[0])
    assert one.next_step.startswith("ibtracert ")
    assert one.next_step.endswith(f" {f.destinations[5].lid}")
    assert [one.severity for one in observe(broken, good=broken).findings] == ["warn"], "as it was accepted"
    out = out.copy()
    out[s, 6:9] = 255
    worse = observe(replace(f, out=out), good=broken).findings
    assert "fail" in {one.severity for one in worse if one.code == "route-missing"}


def test_a_credit_loop_is_spelled_out(observe: Observe) -> None:
    f = dumped("ring", "minhop")
    seen = observe(f)
    (one,) = seen.findings
    assert (one.code, one.severity) == ("credit-loop", "fail")
    assert one.sentence == "the routes have a credit loop through 6 links, so they can deadlock"
    assert one.evidence.count(" VL 0 -> ") == 6
    assert values(seen)["credit_loops"] == 1.0
    assert [one.severity for one in observe(f, good=f).findings] == ["warn"], "as it was accepted"


def test_a_loop_is_not_looked_for_where_the_engine_chooses_sls(observe: Observe) -> None:
    seen = observe(dumped("ring", "minhop"), engine="dfsssp", sl_by_path=True)
    assert values(seen)["credit_loops"] is None
    assert seen.findings == ()
    assert "dfsssp chooses the SL of each path" in seen.facts[-1]


def test_links_that_carry_too_much_are_warnings_unless_they_did_before(observe: Observe) -> None:
    f = dumped("fat-tree", "minhop")
    seen = observe(f, unbalanced=2.0)
    assert values(seen)["imbalance"] == 3.0
    found: list[Finding] = list(seen.findings)
    assert {(one.code, one.severity) for one in found} == {("link-unbalanced", "warn")}
    assert found[0].sentence.endswith("pairs of hosts, 3.0 times its fair share of the 3 ports to the next level")
    assert found[0].evidence.endswith("2 of these ports carry none")
    assert observe(f, good=f, unbalanced=2.0).findings == ()
    assert not [one for one in observe(dumped("fat-tree", "ftree"), unbalanced=2.0).findings if one.code == "link-unbalanced"]


def test_tables_that_may_not_be_those_of_the_switches_are_not_judged(observe: Observe) -> None:
    seen = observe(dumped("ring", "updn"), sweep_ok=False)
    assert seen.not_run is not None
    assert "OpenSM's last sweep ended with errors" in seen.not_run


def test_a_fabric_without_switches_has_no_routes(observe: Observe) -> None:
    f = dumped("ring", "updn")
    nothing = Forwarding([], f.destinations[:1], frozenset(), np.zeros((0, 1), dtype=np.uint8))
    assert observe(nothing).not_run == "OpenSM knows no switch with a host, so there are no routes"


def test_a_record_of_something_else_is_said(tmp_path: Path) -> None:
    night = Night(fabric="x", date=TONIGHT, good=GoodRecord(GOOD, {"format": 7}))
    seen = observed(Routes(source="files", **dumped_files(tmp_path)), night)
    assert seen.not_run is not None
    assert "the record of the last good night is none of forwarding tables" in seen.not_run


def test_files_are_read_where_opensm_has_no_plugin(tmp_path: Path) -> None:
    files = dumped_files(tmp_path)
    options, tables = Routes(source="files", **files), Path(files["tables"])
    night = Night(fabric="x", date=TONIGHT)
    seen = observed(options, night)
    assert seen.not_run is None
    assert seen.facts[0] == "27 switches and 27 host ports"
    assert values(seen)["imbalance"] == 1.0
    os.utime(tables, (time.time() - 30 * 3600,) * 2)
    assert observed(options, night).not_run == (f"{tables} is 30 h old, and max_age_h is 24; write it before the check runs")
    tables.unlink()
    assert observed(options, night).not_run == (
        f"{tables} cannot be read: No such file or directory; write it before the check runs"
    )
    shutil.copy(DUMPS / "ring/updn.lfts.dump", tables)
    os.utime(tables)
    not_run = observed(options, night).not_run
    assert not_run is not None
    assert "has no table of 21 of the 27 switches" in not_run


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"topology": "net"}, "topology is 'net'; only source 'files' has it"),
        ({"source": "files", "topology": "net"}, "tables is missing; source 'files' needs it"),
        ({"source": "files", "topology": "n", "tables": "t", "socket": "s"}, "socket is 's'; only source 'plugin' has a socket"),
    ],
)
def test_options_that_contradict_each_other_are_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises((BadInputError, ValueError), match=sentence):
        Routes(**options)


def _links_to(f: Forwarding, destination: int) -> frozenset[frozenset[tuple[int, int]]]:
    return frozenset(link for link in f.links if f.destinations[destination].end in link)
