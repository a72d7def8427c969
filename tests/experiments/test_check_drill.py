# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""An ordinary month has at most one false failure on a fabric, hard faults are found in their first night, and soft ones within
three.

A short month in the simulator in every run; months of three fabrics with a real OpenSM, slow.
"""

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from random import Random

import pytest

from experiments.nightly_checks import drill, false_alarms, fast_year, hundred, strangers, years
from experiments.nightly_checks.beds import Bed, Ground
from experiments.nightly_checks.drill import MONTH, PROFILE, PROMOTED, Told, fabrics, told
from experiments.nightly_checks.living_backend import LivingSweep
from experiments.nightly_checks.world import World, place
from tests.opensm_plugin.conftest import library
from tests.tuner.checks.mixed_fabric import printed
from tuner.checks.cause import Cause
from tuner.checks.run_check import run_check
from tuner.checks.store.history import History
from tuner.documents.check import Check
from tuner.documents.check_kinds import Tables

__all__ = ["library"]

SOFT_NIGHTS = 3
TREE = "tree-qdr-8sw-144ca"
BEDS = {bed.name: bed for bed in fabrics([])}


def require(month: Told) -> None:
    assert len(month.false) <= 1, "\n".join(month.lines)
    sorts = {event.what: event.sort for event in MONTH}
    for what, nights in month.found.items():
        assert nights is not None, (what, "\n".join(month.lines))
        assert nights <= (1 if sorts[what] == "hard" else SOFT_NIGHTS), (what, "\n".join(month.lines))


@pytest.mark.long
def test_a_short_month_of_soft_faults_and_other_jobs() -> None:
    """Jobs for two nights, and then an adapter that ignores BECNs."""
    begins = {"other tenants' jobs last three nights": 1, "an adapter ignores BECNs": 4}
    events = [replace(one, first=begins[one.what], last=begins[one.what] + 1) for one in MONTH if one.what in begins]
    month = told(BEDS["tree-16"], events=events, nights=5, baseline=6, emulated=False)
    require(month)
    assert list(month.found) == ["an adapter ignores BECNs"]


@pytest.mark.long
@pytest.mark.parametrize("seed", [9, 13])
def test_jobs_of_others_on_the_links_of_the_flows_are_no_fault(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Placings in which they take 40 % from the contributors, and a half from the victim."""
    monkeypatch.setattr(drill, "SEED", seed)
    events = [replace(one, first=1, last=2) for one in MONTH if one.what == "other tenants' jobs last three nights"]
    month = told(BEDS["tree-16"], events=events, nights=2, baseline=6, emulated=False)
    assert month.false == [], "\n".join(month.lines)
    assert "fairness is not judged tonight: others send" in "\n".join(month.lines)


@pytest.mark.slow
@pytest.mark.usefixtures("infiniband_programs", "library")
@pytest.mark.parametrize("name", ["two-switch-16", "tree-16", TREE])
def test_an_ordinary_month(name: str, shared: Path) -> None:
    beds = {bed.name: bed for bed in fabrics([shared / f"data/fabrics/{TREE}.ibnetdiscover"])}
    month = told(beds[name])
    require(month)
    assert set(month.found) == {event.what for event in MONTH if event.sort != "ordinary"}


def nights_until_failing(bed: Bed, profile: str, folder: Path, *, places: int) -> list[int | set[str]]:
    """Returns, of hosts at random places that send or receive a fifth less, after how many nights a sweep of two nights fails by
    their name alone; or the names with which it fails after five nights, if these are others."""
    ground, chances, found = Ground(bed, folder), Random(f"{bed.name} {profile}"), list[int | set[str]]()
    nature = ground.nature(3, 6 * places)
    names = [end.name for end in ground.built.hosts.endports if end.kind == "host"]
    with place() as at:
        sweep = LivingSweep(socket=at.address, nights=2, seconds=0.001)
        document = Check(ibcc_check=1, name="site", fabric=str(ground.path), kinds=(Tables(),))
        check = document.model_copy(update={"kinds": (sweep,)})
        for number, name in enumerate(chances.sample([one for one in names if names.count(one) == 1], places)):
            key, failed = chances.choice(("inject_gbps", "receive_gbps")), set[str]()
            for nights in range(1, 6):
                index = 6 * number + nights
                night = date(2026, 1, 1 + number % 2) + timedelta(days=index)
                world = replace(nature.world(index, night), profile=profile)
                hosts = [
                    one.model_copy(update={key: 0.8 * getattr(one, key)}) if one.name == name else one
                    for one in world.fabric.hosts
                ]
                at.world = replace(world, fabric=world.fabric.model_copy(update={"hosts": tuple(hosts)}))
                run = run_check(check, History(folder / str(number), check.name), night).run
                failed |= {one.place for entry in run.entries for one in entry.findings if one.severity == "fail"}
                if name in failed:
                    break
            found.append(nights if failed == {name} else failed)
    return found


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "profile"),
    [
        *((name, profile) for name in ("torus", "tree") for profile in (PROFILE, PROMOTED)),
        ("mixed", PROFILE),
        *(pytest.param(TREE, profile, marks=pytest.mark.thorough) for profile in (PROFILE, PROMOTED)),
    ],
)
def test_a_host_with_a_fifth_less_is_found_on_any_fabric_under_any_profile(
    name: str, profile: str, shared: Path, tmp_path: Path
) -> None:
    """A night in which other tenants leave too little to conclude anything costs a night. Hosts of `mixed` have links of three
    rates: each is measured with such as can show what it lacks."""
    (tmp_path / "mixed.ibnetdiscover").write_text(printed())
    beds = {bed.name: bed for bed in strangers.fabrics([shared / f"data/fabrics/{TREE}.ibnetdiscover"])}
    mixed = drill.read(tmp_path / "mixed.ibnetdiscover").model_copy(update={"routing": "updown"})
    beds["mixed"] = replace(beds[TREE], name="mixed", document=lambda _: mixed)
    found = nights_until_failing(beds[name], profile, tmp_path, places=5)
    assert all(isinstance(one, int) for one in found), found
    assert sum(one in (1, 2, 3) for one in found) >= (5 if profile == PROFILE else 3), found


def cause(name: str, place: str) -> Cause:
    return Cause(name=name, sentence="", place=place, evidence=(), next_step="", weight=0.0)


@pytest.mark.parametrize(
    ("causes", "rank"),
    [
        ([cause("slow-sender", "H1")], 1),
        ([cause("slow-sender", "H11")], None),
        ([cause("changed-profile", "the whole fabric"), cause("slow-sender", "H1")], 2),
        ([cause("slow-sender", "H1, H2, H3 and 4 more")], 7),
        ([cause("changed-profile", "H1")], None),
    ],
)
def test_a_rank_counts_the_names_of_a_place(causes: list[Cause], rank: int | None) -> None:
    fault = next(one for one in strangers.FAULTS if one.name == "host sends less")
    assert strangers.rank_of(causes, fault, ("H1",)) == rank


def test_faults_strike_at_each_strength(tmp_path: Path) -> None:
    bed = next(strangers.fabrics([]))
    ground = Ground(bed, tmp_path)
    world = World(fabric=ground.fabric)
    for fault in strangers.FAULTS:
        places = fault.draw(ground, 0, Random(1))
        worlds = [fault.apply(world, strength, places) for strength in range(3)]
        assert all(one != world for one in worlds)


@pytest.mark.slow
def test_years_of_all_metrics_fail_four_times_at_most_and_have_few_lines_of_mail() -> None:
    found = fast_year.drawn(years.Worse(jobs=3.0, wave=1.0), years=4)
    assert max(one.failures for one in found) <= fast_year.MOST_FAILURES
    assert max(one.lines_a_week for one in found) <= fast_year.MOST_LINES
    (creeping,) = fast_year.drawn(years.Worse(drift=60.0), years=1)
    assert creeping.failures > fast_year.MOST_FAILURES, "it can fail"


@pytest.mark.thorough
def test_a_year_of_jobs_and_seasons_has_at_most_four_failures_on_a_fabric() -> None:
    """Of the metrics of `fairness`, drawn from the hundred nights, with jobs of five nights and a yearly wave."""
    stored, options = hundred.stored(), false_alarms.entries()
    names = [name for name in stored.names if name.startswith("fairness.")]
    nights = [{name: night[name] for name in names} for night in stored.nights]
    again = {night: [{name: one[name] for name in names if name in one} for one in runs] for night, runs in stored.again.items()}
    few = hundred.Hundred(first=stored.first, nights=nights, again=again)
    found = years.alarms(few, options, years=3, worse=years.Worse(jobs=3.0, wave=1.0))
    failures = [sum(bool(one.failed[year]) for one in found.values()) for year in range(3)]
    assert max(failures) <= 4
    drifting = years.alarms(few, options, years=1, worse=years.Worse(drift=60.0))
    assert any(one.failed.any() for one in drifting.values())
