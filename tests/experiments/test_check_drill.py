# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""An ordinary month has at most one false failure on a fabric, hard faults are found in their first night, and soft ones within
three.

A short month in the simulator in every run; months of three fabrics with a real OpenSM, slow.
"""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from experiments.nightly_checks import false_alarms, fast_year, hundred, strangers, years
from experiments.nightly_checks.beds import Ground
from experiments.nightly_checks.drill import MONTH, Told, fabrics, told
from experiments.nightly_checks.world import World
from tests.opensm_plugin.conftest import library
from tuner.checks.cause import Cause

__all__ = ["library"]

SOFT_NIGHTS = 3
BEDS = {bed.name: bed for bed in fabrics(None)}


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


@pytest.mark.slow
@pytest.mark.usefixtures("infiniband_programs", "library")
@pytest.mark.parametrize("name", ["two-switch-16", "tree-16", "imported"])
def test_an_ordinary_month(name: str, shared: Path) -> None:
    beds = {bed.name: bed for bed in fabrics(shared / "data/fabrics/tree-qdr-8sw-144ca.ibnetdiscover")}
    month = told(beds[name])
    require(month)
    assert set(month.found) == {event.what for event in MONTH if event.sort != "ordinary"}


def cause(name: str, place: str) -> Cause:
    return Cause(name=name, sentence="", place=place, evidence=(), next_step="", weight=0.0)


@pytest.mark.parametrize(
    ("causes", "rank"),
    [
        ([cause("slow-host", "H1")], 1),
        ([cause("slow-host", "H11")], None),
        ([cause("changed-profile", "the whole fabric"), cause("slow-host", "H1")], 2),
        ([cause("slow-host", "H1, H2, H3 and 4 more")], 7),
        ([cause("changed-profile", "H1")], None),
    ],
)
def test_a_rank_counts_the_names_of_a_place(causes: list[Cause], rank: int | None) -> None:
    fault = next(one for one in strangers.FAULTS if one.name == "host sends less")
    assert strangers.rank_of(causes, fault, ("H1",)) == rank


def test_faults_strike_at_each_strength(tmp_path: Path) -> None:
    bed = next(strangers.fabrics(None))
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
