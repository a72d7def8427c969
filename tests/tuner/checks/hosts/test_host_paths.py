# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Paths inside hosts in nightly checks, by agents that are scripted: what is slow, since when, and beside what."""

import json
import random
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from tests.tuner.checks.nights import CHECK, DIGEST, night
from tests.tuner.hostping.ping_site import PingSite
from tests.tuner.hostping.test_ping import Rates, Site, full, inventory, slow_node1
from tuner.checks.hosts.paths import PathsSeen, look_inside, seconds_for
from tuner.checks.kind import KINDS, GoodRecord, Night
from tuner.checks.kinds import hosts as kind
from tuner.checks.likely_causes import Seen, causes_of
from tuner.checks.observation import Entry, Observation
from tuner.checks.observe import observed
from tuner.checks.verdict import verdict
from tuner.documents.check_kinds import Hosts
from tuner.hostping.baselines import HostBaselines
from tuner.hostping.link_history import MOST_RUNS
from tuner.hostping.ping import PingSettings
from tuner.hostping.planted import Faults

FIRST = date(2026, 1, 31)


def half(adapter: str, endpoint: str) -> tuple[float, float]:
    return 98.0, 1.0


class Nights:
    """Nights in succession, each with the record of the one before."""

    def __init__(self, site: Site, count: int = 5) -> None:
        self.site, self.count, self.number = site, count, 0
        self.latest: GoodRecord | None = None
        self.good: GoodRecord | None = None

    def run(self, rates: Mapping[str, Rates], *, reached: int | None = None, baselines: HostBaselines | None = None) -> PathsSeen:
        self.site.rates = dict(rates)
        read = inventory(self.count)
        hosts = tuple(read.by_node.values())
        at = Night(fabric="two-switch", date=FIRST + timedelta(days=self.number), latest=self.latest, good=self.good)
        seen = look_inside(
            read,
            hosts,
            at,
            reached={host.node for host in hosts[: self.count if reached is None else reached]},
            name="site.yaml",
            baselines=baselines,
            settings=PingSettings(at_once=3),
            on_progress=lambda done: None,
            should_stop=lambda: False,
        )
        # A record is kept as JSON.
        self.latest = GoodRecord(at.date, json.loads(json.dumps(seen.record)))
        self.number += 1
        return seen


@pytest.fixture
def nights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Nights:
    return Nights(Site(tmp_path, monkeypatch))


def values(seen: PathsSeen) -> dict[str, float]:
    return {metric.name: value for metric, value in seen.metrics}


def test_a_slow_link_is_a_finding_at_the_hosts_link_and_a_sound_fleet_has_none(nights: Nights) -> None:
    sound = nights.run({})
    assert (sound.findings, sound.symptoms, values(sound)) == (
        (),
        (),
        {"paths_slow": 0, "paths_not_judged": 0, "links_flapping": 0},
    )
    assert sound.record["history"] == {}
    seen = nights.run({"n4": slow_node1})
    (finding,) = seen.findings
    assert (finding.code, finding.place, finding.nodes, finding.severity) == (
        "host-path-slow",
        "n4: the memory of node node1",
        ("H4",),
        "fail",
    )
    assert finding.next_step.startswith("ibcc hosts ping site.yaml --nodes n4; look for memory errors")
    assert "2 of 4 paths are slow beside the median of 5 hosts of its model" in finding.evidence
    (symptom,) = seen.symptoms
    assert (symptom.name, symptom.nodes) == ("host-link-failed", ("H4",))
    assert values(seen) == {"paths_slow": 1, "paths_not_judged": 0, "links_flapping": 0}


def test_of_few_hosts_one_only_differs_so_it_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (finding,) = Nights(Site(tmp_path, monkeypatch), count=3).run({"n2": slow_node1}).findings
    assert finding.severity == "warn"


def test_a_link_that_is_slow_in_three_nights_of_five_flaps_also_in_a_normal_one(nights: Nights) -> None:
    for is_slow in (True, False, True, False):
        seen = nights.run({"n4": slow_node1} if is_slow else {})
        assert [finding.code for finding in seen.findings] == ["host-path-slow"] * is_slow
    nights.run({"n4": slow_node1})
    seen = nights.run({})
    (finding,) = seen.findings
    assert (finding.code, finding.place, finding.severity) == ("host-link-flapping", "n4: the memory of node node1", "fail")
    assert "in 3 of the last 6 nights" in finding.evidence
    assert values(seen)["links_flapping"] == 1
    for _ in range(MOST_RUNS):
        seen = nights.run({})
    assert (seen.findings, seen.record["history"]) == ((), {})


def test_a_night_that_is_run_again_counts_once(nights: Nights) -> None:
    for is_slow in (True, False, True):
        nights.run({"n4": slow_node1} if is_slow else {})
    nights.number -= 1
    nights.run({"n4": slow_node1})
    nights.number -= 1
    assert [finding.code for finding in nights.run({"n4": slow_node1}).findings] == ["host-path-slow"]


def test_a_model_that_becomes_slow_as_a_whole_is_found_and_a_person_may_accept_that(nights: Nights) -> None:
    nights.run({})
    slow = {f"n{number}": half for number in range(1, 6)}
    seen = nights.run(slow)
    assert values(seen)["paths_slow"] == 5
    assert {finding.nodes for finding in seen.findings} == {(f"H{number}",) for number in range(1, 6)}
    assert nights.latest is not None
    nights.good = replace(nights.latest, accepted=True)
    assert nights.run(slow).findings == ()
    nights.good = None
    assert nights.run(slow).findings == (), "what a person has accepted stays normal"


def test_a_host_that_was_slow_and_is_not_reached_tonight_is_not_said_to_be_repaired(nights: Nights) -> None:
    assert nights.run({"n5": slow_node1}).unjudged == frozenset()
    seen = nights.run({}, reached=3)
    assert (seen.unjudged, seen.is_any_judged) == (frozenset({"H5"}), True)
    assert "n5" in seen.record["history"]
    assert nights.run({}, reached=0).is_any_judged is False


def test_records_of_other_versions_are_left_out(nights: Nights) -> None:
    nights.latest = GoodRecord(
        FIRST, {"baselines": {"ibcc_host_baselines": 9}, "history": {"n1": [["d", {"l": "odd"}], 7], "n2": 3}}
    )
    assert nights.run({}).findings == ()
    nights.latest = GoodRecord(FIRST, {"history": [], "baselines": []})
    assert nights.run({}).findings == ()


@pytest.mark.parametrize("seed", range(3))
def test_whatever_nights_come_histories_stay_small_and_findings_are_of_slow_hosts(nights: Nights, seed: int) -> None:
    chance = random.Random(seed)
    nights.run({})
    for _ in range(25):
        slow = {f"n{number}" for number in range(1, 6) if chance.random() < 0.15}
        slow = set(sorted(slow)[:2])
        reached = chance.choice([5, 5, 4, 0])
        seen = nights.run(dict.fromkeys(slow, slow_node1), reached=reached)
        judged = {f"n{number}" for number in range(1, reached + 1)}
        named = {finding.place.partition(":")[0] for finding in seen.findings if finding.code == "host-path-slow"}
        flaps = {finding.place.partition(":")[0] for finding in seen.findings if finding.code == "host-link-flapping"}
        assert named | flaps >= slow & judged
        assert named <= slow & judged
        assert flaps <= judged
        history = seen.record["history"]
        assert all(len(runs) <= MOST_RUNS and len({day for day, _ in runs}) == len(runs) for runs in history.values())
        assert all(any("abnormal" in states.values() for _, states in runs) for runs in history.values())
        assert seen.unjudged == frozenset(f"H{node[1:]}" for node in history.keys() - judged)


@pytest.mark.parametrize(
    ("rates", "nights_before", "cause", "step"),
    [
        (slow_node1, [], "host-link-failed", "memory errors"),
        (slow_node1, [slow_node1, full, slow_node1, full], "host-link-flapping", "reseat or replace the part"),
    ],
)
def test_the_hosts_link_is_the_place_of_the_likeliest_cause(
    nights: Nights, rates: Rates, nights_before: list[Rates], cause: str, step: str
) -> None:
    nights.run({})
    for before in nights_before:
        nights.run({"n4": before})
    seen = nights.run({"n4": rates})
    options = Hosts(inventory="site", paths=True)
    check = CHECK.model_copy(update={"kinds": (options,)})
    entries = [Entry(name="hosts", options=DIGEST, observation=Observation(findings=seen.findings, symptoms=seen.symptoms))]
    first = causes_of(Seen(check=check, entries=entries, verdict=verdict(check, entries, [], None, night(0))))[0]
    assert (first.name, first.place) == (cause, "n4: the memory of node node1")
    assert step in first.next_step


@pytest.mark.thorough
def test_the_kind_tests_paths_by_real_agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = PingSite(tmp_path, 3, {1: Faults(links_gbps={"memory:node1": 60})})
    monkeypatch.setattr(kind, "PATHS", PingSettings(seconds=0.1, lead_s=1))
    options = Hosts(inventory=str(site.write_inventory()), paths=True, busy_cores=1)
    progress: list[float] = []
    night_ = Night(fabric="two-switch", date=FIRST, on_progress=progress.append)
    seen = observed(options, night_)
    assert seen.not_run is None, seen.not_run
    (finding,) = [finding for finding in seen.findings if finding.code == "host-path-slow"]
    assert (finding.place, finding.severity) == ("n1: the memory of node node1", "warn")
    assert [metric.name for metric, _ in seen.metrics] == [
        "ready",
        "to_mend",
        "unreachable",
        "paths_slow",
        "paths_not_judged",
        "links_flapping",
    ]
    assert progress == sorted(progress)
    assert progress[-1] == 1.0
    assert "loop-back tests judged 3 of 3 hosts" in seen.facts
    without = observed(options.model_copy(update={"paths": False}), night_)
    assert "host-path-slow" in without.unseen
    assert without.record is None
    absent = observed(options.model_copy(update={"baselines": str(tmp_path / "none.json")}), night_)
    assert absent.not_run is not None
    assert "paths inside the hosts could not be tested" in absent.not_run
    assert "none.json" in absent.not_run


def test_without_an_inventory_tonights_idle_hosts_are_asked_for_with_the_time_of_the_tests() -> None:
    """Which of them are idle, Slurm or the inventory says (tests/tuner/checks/hosts/test_slurm_hosts.py)."""
    at = Night(fabric="two-switch", date=FIRST)
    need, without = (KINDS.get("hosts").hosts(Hosts(paths=paths), at) for paths in (True, False))
    assert need is not None
    assert without is not None
    assert need.seconds - without.seconds == seconds_for(64) == 80
    assert KINDS.get("hosts").hosts(Hosts(inventory="site", paths=True), at) is None
    assert "tonight's hosts check them, and test the paths inside them by loop-back" in KINDS.get("hosts").plan(
        Hosts(paths=True), at
    )


def test_baselines_without_paths_are_refused() -> None:
    with pytest.raises(ValueError, match=r"baselines is 'b\.json'; only paths: true"):
        Hosts(baselines="b.json")
