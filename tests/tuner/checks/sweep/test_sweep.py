# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A sweep has every host and every link in its turn, and says which of them is slow."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from tuner.backends.registry import create_backend
from tuner.checks import recovery
from tuner.checks.alarm import Alarm
from tuner.checks.kind import KINDS, GoodRecord, Night
from tuner.checks.observation import Entry, Observation
from tuner.checks.observe import observed
from tuner.checks.sweep.findings import findings
from tuner.checks.sweep.paths import Paths
from tuner.checks.sweep.probing import (
    FEW,
    MOST_WINDOWS,
    SLOW,
    Slow,
    in_parts,
    limits,
    places,
    probe_windows,
    probes,
    rates_in,
    windows_of,
)
from tuner.checks.sweep.suspects import Suspect, after, from_plain, to_plain
from tuner.checks.sweep.turns import among, turns
from tuner.checks.verdict import signal_of_unseen
from tuner.documents.check_kinds import Sweep
from tuner.documents.fabric import FabricDocument, load_fabric
from tuner.documents.fabric_text import fabric_text
from tuner.documents.host_model import HostModel
from tuner.fabric.built_fabric import build
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.topologies.base import generate

FIRST = date(2026, 1, 31)
TREE = generate("k-ary-n-tree", k=4, n=2, name="tree", mtu_bytes=2048, host_rate="4xDDR", inject_gbps=13.0, receive_gbps=13.3)
OPTIONS = Sweep(profile="gran-2010", nights=3, seconds=0.001)
Nights = Callable[..., list[Observation]]


@pytest.fixture
def nights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Nights:
    """Observes some nights of a fabric that is not as its document says."""

    def run(real: FabricDocument, count: int, document: FabricDocument = TREE, options: Sweep = OPTIONS) -> list[Observation]:
        for name, one in (("document", document), ("real", real)):
            (tmp_path / f"{name}.yaml").write_text(fabric_text(one))
        monkeypatch.setattr(
            "tuner.checks.measured.create_backend",
            lambda name, chosen: create_backend(name, replace(chosen, fabric=str(tmp_path / "real.yaml"))),
        )
        found: list[Observation] = []
        latest = None
        for index in range(count):
            night = Night(fabric=str(tmp_path / "document.yaml"), date=FIRST + timedelta(days=index), latest=latest)
            seen = observed(options, night)
            assert seen.not_run is None
            assert seen.record is not None
            latest = GoodRecord(night.date, seen.record)
            found.append(seen)
        return found

    return run


def with_host(name: str, **limits: float) -> FabricDocument:
    hosts = tuple(host.model_copy(update=limits) if host.name == name else host for host in TREE.hosts)
    return TREE.model_copy(update={"hosts": hosts})


def value(seen: Observation, name: str) -> Any:
    return {metric.name: value for metric, value in seen.metrics}[name]


@pytest.mark.parametrize("name", ["two-switch", "two-switch-16", "fat-tree-648"])
def test_turns_have_every_host_both_ways_and_every_link(name: str) -> None:
    paths = Paths(build(load_fabric(name)))
    dealt = turns(paths, 7)
    pairs = [pair for night in dealt for pair in night]
    hosts = {paths.number(pair.src) for pair in pairs}
    assert hosts == {paths.number(pair.dst) for pair in pairs} == set(range(len(paths.hosts)))
    assert {link for pair in pairs for link in pair.links} == set(range(paths.links))
    assert max(map(len, dealt)) <= 1.5 * len(pairs) / 7 + 1
    for night in dealt[:3]:  # of neighbours; a host that sends to one of another night is one more
        assert len({end for pair in night for end in (pair.src, pair.dst)}) <= len(night) + 2


@pytest.mark.parametrize("count", [3, 4, 5, 7, 12])
@pytest.mark.parametrize("name", ["two-switch-16", "tree", "alone"])
def test_what_is_slow_is_measured_again_within_the_turn(name: str, count: int) -> None:
    """Every sender, receiver and link has two nights, so that what the first one suspects the turn's last one confirms at the
    latest. In `alone` each switch has one host, which has no neighbour."""
    alone = generate("torus", name="alone", dims=[3, 3], hosts_per_switch=1)
    paths = Paths(build({"tree": TREE, "alone": alone}.get(name) or load_fabric(name)))
    seen = dict[str, set[int]]()
    for index, pairs in enumerate(turns(paths, count)):
        for pair in pairs:
            for place in (f"from {pair.src}", f"to {pair.dst}", *(f"over {link}" for link in pair.links)):
                seen.setdefault(place, set()).add(index)
    assert len([place for place in seen if place.startswith("over ")]) >= 0.9 * paths.links
    assert [place for place, found in seen.items() if len(found) < 2] == []


@pytest.mark.long
@pytest.mark.parametrize("name", ["tree-qdr-8sw-144ca", "superpod-ndr-40sw-582ca", "director-edr-174sw-1470ca"])
def test_turns_of_real_fabrics_leave_no_link_out_that_routes_use(name: str, shared: Path) -> None:
    built = build(import_fabric(shared / f"data/fabrics/{name}.ibnetdiscover").fabric)
    paths = Paths(built)
    pairs = [pair for night in turns(paths, 7) for pair in night]
    assert {paths.number(pair.src) for pair in pairs} == set(range(len(paths.hosts)))
    crossed = {link for pair in pairs for link in pair.links}
    some = paths.hosts[:: max(1, len(paths.hosts) // 60)]
    used = {link for src in some for dst in some if (pair := paths.pair(src, dst)) is not None for link in pair.links}
    assert len(used - crossed) <= 0.02 * len(used)


def test_no_link_is_asked_for_more_than_it_carries() -> None:
    paths = Paths(build(TREE))
    for night in turns(paths, 2):
        rates = paths.rates_gbps(night)
        over: dict[tuple[int, int], float] = {}
        for pair, rate in zip(night, rates, strict=True):
            for way in pair.ways:
                over[way] = over.get(way, 0.0) + rate
        assert max(over.values()) <= 16.0
        assert min(rates) > 1.0


def test_a_modelled_host_is_asked_for_what_it_takes_while_idle() -> None:
    hosts = tuple(host.model_copy(update={"receive_gbps": None}) if host.name == "H11" else host for host in TREE.hosts)
    slow = HostModel(pcie_gbps=2.0, hosts=("H11",))
    paths = Paths(build(TREE.model_copy(update={"hosts": hosts, "host_models": {"slow": slow}})))
    asked = [
        sum(rate for pair, rate in zip(night, paths.rates_gbps(night), strict=True) if pair.dst == "H11")
        for night in turns(paths, 2)
    ]
    assert 1.0 < max(asked) <= 2.0


@pytest.mark.long
def test_a_report_says_what_was_covered_tonight_and_in_seven_nights(nights: Nights) -> None:
    found = nights(TREE, 4)
    assert [one.findings for one in found] == [()] * 4
    first, last = found[0], found[-1]
    assert 0 < value(first, "links_tonight") < 32
    assert (value(last, "hosts_in_7_nights"), value(last, "links_in_7_nights")) == (16, 32)
    assert last.facts[1].startswith("covered tonight: ")
    assert last.facts[1].endswith("; in 7 nights: 16 of 16 hosts and 32 of 32 links")


@pytest.mark.long
@pytest.mark.parametrize(
    ("limits", "code", "verb"),
    [({"inject_gbps": 9.0}, "sender-slower", "sends"), ({"receive_gbps": 9.0}, "receiver-slower", "receives")],
)
def test_a_slow_host_outside_all_panels_is_named_within_the_turn(
    nights: Nights, limits: dict[str, float], code: str, verb: str
) -> None:
    found = nights(with_host("H11", **limits), 4)
    told = [finding for seen in found for finding in seen.findings]
    assert [(one.code, one.place, one.severity) for one in told[:2]] == [(code, "H11", "warn"), (code, "H11", "fail")]
    assert told[0].sentence.startswith(f"H11 {verb} less than it is to: ")
    assert told[1].sentence.endswith(", as the last time")


@pytest.mark.long
def test_a_host_with_a_quarter_of_its_rate_fails_at_once(nights: Nights) -> None:
    found = nights(with_host("H11", inject_gbps=3.0), 3)
    assert next(one.severity for seen in found for one in seen.findings) == "fail"


@pytest.mark.long
def test_of_more_slow_pairs_than_can_be_measured_again_nothing_is_concluded(
    nights: Nights, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("tuner.checks.kinds.sweep", "tuner.checks.sweep.probing"):
        monkeypatch.setattr(f"{module}.MOST", 1)
    slow = {"H4": 3.0, "H11": 5.0}
    hosts = tuple(host.model_copy(update={"inject_gbps": slow.get(host.name, host.inject_gbps)}) for host in TREE.hosts)
    (seen,) = nights(TREE.model_copy(update={"hosts": hosts}), 1, options=OPTIONS.model_copy(update={"nights": 1}))
    assert [finding.place for finding in seen.findings] == ["H4"]
    assert any(fact.startswith("1 more got less than their rate, as others do tonight, or beyond the ") for fact in seen.facts)
    assert seen.measured is not None
    assert "H11" not in seen.measured
    assert seen.record is not None
    assert [src for src, _ in seen.record["untold"]] == ["H11"]  # the next night measures it once more
    assert {"H4", "H5"} <= seen.measured


@pytest.mark.long
def test_a_slow_link_between_switches_is_told_from_its_hosts(nights: Nights) -> None:
    slow = next(link for link in TREE.links if not {"H"} & {link.a[0], link.b[0]})
    links = tuple(link.model_copy(update={"rate": "1xSDR"}) if link == slow else link for link in TREE.links)
    found = nights(TREE.model_copy(update={"links": links}), 3)
    (first, *_) = [finding for seen in found for finding in seen.findings]
    assert (first.code, first.severity) == ("link-flows-slower", "fail")
    assert {slow.a, slow.b} <= set(first.place.replace(", ", " – ").split(" – "))  # and one that tonight cannot be told from it


@pytest.mark.long
@pytest.mark.parametrize("begins", range(3))
def test_a_link_at_half_its_rate_fails_within_three_nights(nights: Nights, begins: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever night of the turn the fault begins with."""
    monkeypatch.setattr(f"{__name__}.FIRST", FIRST + timedelta(days=begins))
    inner = [link for link in TREE.links if not {"H"} & {link.a[0], link.b[0]}]
    for slow in inner[::5]:
        links = tuple(link.model_copy(update={"rate": "4xSDR"}) if link == slow else link for link in TREE.links)
        found = nights(TREE.model_copy(update={"links": links}), 3)
        told = [finding for seen in found for finding in seen.findings if finding.severity == "fail"]
        assert told, slow
        assert {one.code for one in told} == {"link-flows-slower"}, slow


def test_a_fabric_without_two_hosts_cannot_be_swept(tmp_path: Path) -> None:
    alone = TREE.model_copy(
        update={"hosts": TREE.hosts[:1], "links": tuple(one for one in TREE.links if "H" not in one.a[0] + one.b[0])}
    )
    (tmp_path / "f.yaml").write_text(fabric_text(alone))
    seen = observed(OPTIONS, Night(fabric=str(tmp_path / "f.yaml"), date=FIRST))
    assert seen.not_run is not None
    assert "no two hosts that reach each other" in seen.not_run


@pytest.mark.long
@pytest.mark.parametrize("begins", [0, 1])
def test_a_quarter_less_is_found_where_all_cross_one_link(nights: Nights, begins: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neighbours at a switch are asked for all that they can, whichever night the fault begins with."""
    bed = load_fabric("two-switch-16")
    hosts = tuple(host.model_copy(update={"receive_gbps": 9.9}) if host.name == "H15" else host for host in bed.hosts)
    monkeypatch.setattr(f"{__name__}.FIRST", FIRST + timedelta(days=begins))
    found = nights(bed.model_copy(update={"hosts": hosts}), 3, bed, OPTIONS.model_copy(update={"nights": 2}))
    told = [(one.code, one.place, one.severity) for seen in found for one in seen.findings]
    assert told[-1] == ("receiver-slower", "H15", "fail")


def test_pairs_that_send_at_once_share_no_link_and_neighbours_send_by_themselves() -> None:
    paths = Paths(build(TREE))
    pairs = [pair for night in turns(paths, 2) for pair in night]
    windows = windows_of(paths, pairs, 8)
    assert max(windows) < 8
    for window in set(windows):
        mine = [pair for pair, one in zip(pairs, windows, strict=True) if one == window]
        assert len({bool(paths.inner(pair)) for pair in mine}) == 1
        ways = [way for pair in mine for way in pair.ways]
        assert len(ways) == len(set(ways))
    assert set(rates_in(windows, paths, pairs)) == {max(paths.rates_gbps(pairs[:1]))}
    assert max(windows_of(paths, pairs, 2)) == 1  # the others share a window


def test_limits_follow_how_much_pairs_of_a_kind_vary() -> None:
    paths = Paths(build(TREE))
    near, across = turns(paths, 2)
    quiet, throttled = [1.0] * len(near), [0.7, 0.8, 0.9, 1.0] * (len(across) // 4)
    least = limits(paths, [*near, *across[: len(throttled)]], [*quiet, *throttled])
    assert least[False] == SLOW
    assert least[True] < 0.5
    assert limits(paths, near[: FEW - 1], [0.1, *quiet[: FEW - 2]]) == {False: SLOW, True: SLOW}


def test_a_host_is_cleared_only_by_more_than_the_pair_got() -> None:
    paths = Paths(build(TREE))
    pair = next(one for one in among(paths, paths.hosts) if paths.inner(one))
    least = dict.fromkeys((False, True), SLOW)
    near = turns(paths, 2)[0][0]
    (link,) = places(paths, [pair] * 3, [11.7] * 3, [0.8, 1.0, 1.0], [0.8] * 3, least)
    (asked_for_less,) = places(paths, [pair] * 3, [11.7, 3.9, 11.7], [0.8, 1.0, 1.0], [0.8] * 3, least)
    assert (link.where, asked_for_less.where) == (("link",), ("sender",))
    assert (
        places(paths, [near] * 3, [11.7] * 3, [0.8, 1.0, 1.0], [0.8] * 3, least) == []
    )  # two hosts that have their rates with others


@pytest.mark.parametrize(
    ("found", "worst", "where"),
    [
        ([0.93, 0.88, 1.0], [0.89, 0.88, 1.0], ["sender"]),
        ([0.93, 1.0, 0.88], [0.89, 1.0, 0.88], ["receiver"]),
        ([0.93, 0.88, 1.0], [0.93, 0.88, 1.0], []),
        ([0.93, 0.95, 1.0], [0.89, 0.88, 1.0], []),
        ([0.93, 0.88, 0.88], [0.89, 0.88, 0.88], []),
    ],
)
def test_a_pair_that_was_slow_in_one_round_needs_an_end_that_is_with_others_too(
    found: list[float], worst: list[float], where: list[str]
) -> None:
    paths = Paths(build(TREE))
    near = turns(paths, 2)[0][0]
    slow = places(paths, [near] * 3, [11.7] * 3, found, worst, dict.fromkeys((False, True), SLOW))
    assert [end for one in slow for end in one.where] == where


def test_pairs_over_one_slow_link_have_one_finding_with_its_name() -> None:
    """Whichever way they cross it, and whatever else they cross."""
    paths = Paths(build(generate("torus", name="torus", dims=[3, 3], hosts_per_switch=2)))
    links = {pair: {" – ".join(sorted(paths.link_name(way))) for way in paths.inner(pair)} for pair in chain(*turns(paths, 2))}
    over_link = {link: [pair for pair in links if link in links[pair]] for link in chain(*links.values())}
    link, over = next((link, over) for link, over in over_link.items() if len(set(chain(*(links[one] for one in over)))) > 2)
    slow = [Slow(pair, 11.7, 0.6, ("link",)) for pair in over]
    (found,) = findings(paths, slow, [], {(over[-1].src, over[-1].dst): Suspect(("link",))})
    assert (found.place, found.severity) == (link, "fail")
    (alone,) = findings(paths, slow[:1], [], {})
    assert set(alone.place.split(", ")) == links[over[0]]  # one pair cannot tell them apart


@pytest.mark.long
def test_a_fabric_of_many_pairs_is_measured_in_parts(nights: Nights, monkeypatch: pytest.MonkeyPatch) -> None:
    """As an emulated fabric reports of no more in one message. What is found is the same."""
    monkeypatch.setattr("tuner.checks.sweep.probing.MOST_AT_ONCE", 5)
    assert [len(part) for part in in_parts([1, 0, 0, 1, 0, 2, 0])] == [5, 2]
    found = nights(with_host("H11", inject_gbps=9.0), 3)
    told = [(one.code, one.place, one.severity) for seen in found for one in seen.findings]
    assert told[:2] == [("sender-slower", "H11", "warn"), ("sender-slower", "H11", "fail")]


def test_the_plan_says_how_many_pairs_send(tmp_path: Path) -> None:
    sentence = KINDS.get("sweep").plan(Sweep(profile="off"), Night(fabric="two-switch-16", date=FIRST))
    assert sentence.endswith("under profile 'off'; all hosts and links take turns within 7 nights")


def test_a_host_that_sends_nothing_is_off_and_a_warning() -> None:
    paths = Paths(build(TREE))
    pair = among(paths, paths.hosts)[0]
    for share, severity in ((0.0, "warn"), (0.3, "fail")):
        slow = Slow(pair, 11.7, share, ("sender",))
        assert [one.severity for one in findings(paths, [slow], [], {(pair.src, pair.dst): Suspect(("sender",))})] == [severity]


def test_hosts_of_one_name_are_told_apart() -> None:
    """As adapters are that nobody has given a description: each has its own findings and nights in which it was measured."""
    alike = {"H3", "H4", "H11"}
    hosts = tuple(host.model_copy(update={"guid": 0x100 + i}) for i, host in enumerate(TREE.hosts))
    renamed = tuple(host.model_copy(update={"name": "MT4129"}) if host.name in alike else host for host in hosts)
    guid_of = {host.name: f"guid:0x{host.guid:016x}" for host in hosts}

    def end(name: str) -> str:
        host, _, port = name.rpartition("/")
        return f"{guid_of[host]}/{port}" if host in alike else name

    links = tuple(link.model_copy(update={"a": end(link.a), "b": end(link.b)}) for link in TREE.links)
    document = TREE.model_dump() | {"hosts": [one.model_dump() for one in renamed], "links": [one.model_dump() for one in links]}
    paths = Paths(build(FabricDocument.model_validate(document)))
    near = next(pair for pair in turns(paths, 2)[0] if (pair.src, pair.dst) == (guid_of["H3"], guid_of["H4"]))
    slow = [Slow(near, 11.7, 0.3, ("sender",)), Slow(near, 11.7, 0.3, ("receiver",))]
    assert [one.place for one in findings(paths, slow, [], {})] == [guid_of["H3"], guid_of["H4"]]
    assert paths.places([near]) == {guid_of["H3"], guid_of["H4"]}
    assert paths.machine(near.src) != paths.machine(near.dst)


def test_a_pair_that_was_slow_is_measured_until_its_alarm_has_ended() -> None:
    paths = Paths(build(TREE))
    slow, good, away = among(paths, paths.hosts)[:3]
    ends = {(pair.src, pair.dst): Suspect(("receiver",)) for pair in (slow, away)}
    (of_slow, of_away) = ends
    suspects = after({of_away: replace(ends[of_away], good_nights=1)}, [Slow(slow, 11.7, 0.6, ("receiver",))], [slow, good])
    assert suspects == {of_slow: ends[of_slow], of_away: replace(ends[of_away], good_nights=1)}
    for nights in range(1, recovery.NIGHTS):
        suspects = after(from_plain(to_plain(suspects)), [], [slow, good])
        assert suspects == {of_slow: replace(ends[of_slow], good_nights=nights), of_away: replace(ends[of_away], good_nights=1)}
    assert list(after(suspects, [], [slow, good])) == [of_away]


def test_an_end_that_the_last_night_has_cleared_does_not_fail() -> None:
    """A fault of the sender, and in the second night other tenants at the host that was to clear the receiver."""
    paths = Paths(build(TREE))
    pair = among(paths, paths.hosts)[0]
    suspects = after({}, [Slow(pair, 11.7, 0.6, ("sender",))], [pair])
    both = Slow(pair, 11.7, 0.6, ("sender", "receiver"))
    told = {one.code: one.severity for one in findings(paths, [both], [], suspects)}
    assert told == {"sender-slower": "fail", "receiver-slower": "warn"}
    as_link = findings(paths, [replace(both, where=("link",))], [], suspects)
    assert [one.severity for one in as_link] == ["warn"]
    third = after(suspects, [both], [pair])
    assert [one.severity for one in findings(paths, [both], [], third)] == ["fail", "fail"]


@pytest.mark.parametrize("row", [["H1", "H2"], ["H1", "H2", 0]])
def test_of_a_suspect_of_an_older_version_any_part_was_slow(row: list[Any]) -> None:
    assert from_plain([row]) == {("H1", "H2"): Suspect(("sender", "receiver", "link"))}


def test_an_alarm_where_a_night_has_measured_nothing_does_not_end() -> None:
    paths = Paths(build(TREE))
    pairs = among(paths, paths.hosts)
    pair = next(one for one in pairs if paths.inner(one))
    measured = paths.places([pair])
    link = Alarm(subject="sweep", code="link-flows-slower", place=" – ".join(paths.link_name(paths.inner(pair)[0])))
    host = Alarm(subject="sweep", code="sender-slower", place=pair.src)
    away = replace(link, place="S9/1 – S8/1"), replace(host, place="H99"), replace(link, place=link.place.replace("/", "/9"))
    entry = Entry(name="sweep", options="", observation=Observation(measured=measured))
    assert [signal_of_unseen(one, [entry], []) for one in (link, host)] == ["absent"] * 2
    assert [signal_of_unseen(one, [entry], []) for one in away] == ["unmeasured"] * 3


def test_who_sends_to_a_host_that_takes_nothing_is_not_accused(nights: Nights) -> None:
    """What it still has for that host holds up its own link, whoever else it sends to afterwards."""
    for seen in nights(with_host("H11", inject_gbps=0.02, receive_gbps=0.02), 4):
        assert {finding.place for finding in seen.findings} == {"H11"}
        assert {finding.severity for finding in seen.findings} == {"warn"}


def test_slow_pairs_send_after_all_that_judges_their_hosts() -> None:
    paths = Paths(build(TREE))
    slow, *good = turns(paths, 1)[0]
    tried = probes(paths, {slow: 0.1, good[3]: 0.1}, [pair for pair in good if pair != good[3]])
    windows = probe_windows(paths, tried)
    assert min(windows[::3]) > max(windows[1::3] + windows[2::3])
    assert max(windows) < MOST_WINDOWS
