# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Nightly checks with faults: parts in every run; a quick run, an emulated fabric and the month's page, slow."""

import itertools
import json
import math
import random
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from experiments.nightly_checks import false_alarms, hundred, month, years
from experiments.nightly_checks.beds import BEDS, Ground
from experiments.nightly_checks.detection import Cell, Nights, measure
from experiments.nightly_checks.experiment import EXPERIMENT
from experiments.nightly_checks.fault import STRENGTHS, Struck
from experiments.nightly_checks.faults import FAULTS
from experiments.nightly_checks.hundred import Hundred
from experiments.nightly_checks.living_backend import NAME, LivingBackend
from experiments.nightly_checks.nature import SIZES
from experiments.nightly_checks.nights import Stream, living
from experiments.nightly_checks.proportion import interval
from experiments.nightly_checks.world import World, place
from experiments.registry import Options
from tests.opensm_plugin.conftest import library
from tuner.documents.profile import load_profile
from tuner.documents.workload import load_workload
from tuner.measuring.options import BackendOptions

__all__ = ["library"]

NIGHT = date(2026, 1, 7)
BY_NAME = {fault.name: fault for fault in FAULTS}


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    return Ground(BEDS["two-switch"], tmp_path_factory.mktemp("ground"), time_scale=0.05)


def measured(world: World, profile: str = "gran-2010", seed: int = 1) -> dict[str, float | None]:
    with place() as at:
        at.world = world
        backend = LivingBackend(BackendOptions(settings={"backend.socket": at.address}))
        backend.apply(load_profile(profile, {}))
        measurement = backend.measure(load_workload("scenario-1").scaled(0.05), seed=seed)
    assert measurement.backend == NAME
    assert [flow.name for flow in measurement.flows] == ["F1", "F2", "F3", "F4", "F5"]
    assert {row["name"] for row in measurement.counters["flows"]} == {"F1", "F2", "F3", "F4", "F5"}
    return measurement.metrics.to_json()


def test_a_night_is_what_the_stream_says_whoever_looks(ground: Ground) -> None:
    first, again = (ground.nature(7, 3).world(2, NIGHT) for _ in range(2))
    assert first == again
    assert first != ground.nature(8, 3).world(2, NIGHT)
    assert measured(first) == measured(again)


def test_weekends_are_quieter(ground: Ground) -> None:
    saturday, monday = date(2026, 1, 10), date(2026, 1, 12)
    loads = [ground.nature(7, 1).world(0, night).others[0]["load"] for night in (saturday, monday)]
    assert loads[0] == pytest.approx(SIZES.weekend * loads[1], rel=1e-3)


def test_other_tenants_cost_the_victim_something_and_are_not_seen(ground: Ground) -> None:
    alone = measured(World(fabric=ground.fabric))
    load = measured(World(fabric=ground.fabric, others=({"kind": "uniform", "name": "others", "load": 0.1},)))
    assert alone["victim_throughput_gbps"] == pytest.approx(13.0, abs=0.05)
    assert load["victim_throughput_gbps"] is not None
    assert load["victim_throughput_gbps"] < 12.5


@pytest.mark.parametrize("name", [fault.name for fault in FAULTS if "two-switch" not in fault.not_on])
def test_a_fault_changes_the_world_at_each_strength(ground: Ground, name: str) -> None:
    fault, world = BY_NAME[name], World(fabric=ground.fabric)
    worlds = [fault.apply(world, ground, strength, random.Random(1)) for strength in range(STRENGTHS)]
    assert all(one != world for one in worlds)
    assert all(a != b for a, b in itertools.pairwise(worlds))
    assert all(fault.places(ground, strength) for strength in range(STRENGTHS))


def test_a_device_that_does_not_throttle_costs_the_victim_most(ground: Ground) -> None:
    world = World(fabric=ground.fabric)
    struck = measured(BY_NAME["no throttling"].apply(world, ground, 0, random.Random(1)))
    assert struck["victim_throughput_gbps"] is not None
    assert struck["victim_throughput_gbps"] < 3


def test_a_flapping_link_is_down_in_as_many_nights_as_it_says(tmp_path: Path) -> None:
    forest = Ground(BEDS["forest"], tmp_path)
    world, fault = World(fabric=forest.fabric), BY_NAME["flapping link"]
    for strength, share in enumerate((0.25, 0.5, 1.0)):
        down = [len(fault.apply(world, forest, strength, random.Random(i)).fabric.links) for i in range(40)].count(255)
        assert down / 40 == pytest.approx(share, abs=0.2)


@pytest.mark.long
def test_a_stream_finds_a_fault_and_its_branch_leaves_it_alone(ground: Ground, tmp_path: Path) -> None:
    with living(ground) as fabric:
        stream = Stream(fabric, tmp_path, ground.nature(1, 8), seed=1)
        for index in range(6):
            stream.run(index)
        stream.accept(0, 5)
        with stream.branch() as branch:
            found = branch.run(6, Struck(fault=BY_NAME["no throttling"], strength=2))
        assert found.run.state == "fail"
        assert len(stream.history.runs()) == 6
        assert stream.run(6).run.state == "pass"


def test_cells_survive_being_kept(tmp_path: Path) -> None:
    cell = Cell(bed="b", seed=1, baseline=5, alarms=0, quiet={"x": [1.0] * 7}, trials=())
    assert Cell.from_text(cell.to_text()) == cell
    assert cell.watched == 2


def test_intervals_are_those_of_tables() -> None:
    assert interval(0, 10) == pytest.approx((0, 0.3085), abs=1e-4)
    assert interval(10, 10) == pytest.approx((0.6915, 1), abs=1e-4)
    assert interval(50, 1000) == pytest.approx((0.0373, 0.0654), abs=1e-4)
    low, high = interval(7, 20)
    binomial = [math.comb(20, k) * high**k * (1 - high) ** (20 - k) for k in range(8)]
    assert sum(binomial) == pytest.approx(0.025, abs=1e-6)
    assert low < 0.35 < high


def test_years_keep_the_days_of_the_week_and_blocks() -> None:
    drawn = years.draw(100, 385, 50, np.random.default_rng(1))
    assert drawn.shape == (50, 385)
    assert ((drawn - np.arange(385)) % 7 == 0).all()
    assert (np.diff(drawn[:, : years.BLOCK]) == 1).all()
    assert len(np.unique(drawn)) > 90


@pytest.mark.long
def test_the_hundred_nights_are_a_hundred_and_a_change_in_them_is_found() -> None:
    stored = hundred.stored()
    assert Hundred.from_text(stored.to_text()) == stored
    assert len(stored.nights) == hundred.NIGHTS
    assert stored.names == list(stored.nights[1])
    assert 0 < len(stored.again) < hundred.NIGHTS / 2
    name = "fairness.victim_throughput"
    few = Hundred(first=stored.first, nights=[{name: night[name]} for night in stored.nights], again=stored.again)
    steady = years.alarms(few, false_alarms.entries(), years=4)
    drifting = years.alarms(few, false_alarms.entries(), years=2, worse=years.Worse(drift=20.0))
    assert not steady[name].raised.any()
    assert drifting[name].raised.all()
    assert drifting[name].failed.all()


@pytest.mark.long
def test_a_night_that_looks_odd_has_the_middle_value_in_a_year() -> None:
    name = "fairness.victim_throughput"
    values = [12.0 + 0.01 * (index % 5) for index in range(42)]
    values[20] = 1.0
    one = Hundred(first=NIGHT, nights=[{name: value} for value in values], again={20: [{name: 12.0}, {name: 12.01}]})
    assert one.middle(name)[20] == 12.0
    alone = Hundred(first=NIGHT, nights=one.nights)
    changed = [years.alarms(each, false_alarms.entries(), years=3)[name].raised.any() for each in (one, alone)]
    assert changed == [False, True]


@pytest.mark.slow
def test_a_quick_run_holds_and_goes_on_where_it_was(tmp_path: Path) -> None:
    findings = EXPERIMENT.run(Options(quick=True, workers=1, folder=tmp_path))
    assert findings.holds
    assert [table.title for table in findings.tables if not table.rows] == []
    kept = sorted((tmp_path / "nights").glob("*.json"))
    stamps = [path.stat().st_mtime_ns for path in kept]
    assert EXPERIMENT.run(Options(quick=True, workers=1, folder=tmp_path)).to_json() == findings.to_json()
    assert [path.stat().st_mtime_ns for path in kept] == stamps
    json.dumps(findings.to_json())


@pytest.mark.slow
@pytest.mark.usefixtures("infiniband_programs", "library")
def test_an_emulated_fabric_shows_tables_that_another_hand_has_set(tmp_path: Path) -> None:
    nights = Nights(baseline=5, quiet=1, faults=frozenset({"drifted tables"}))
    (cell,) = measure([BEDS["two-switch, emulated"]], tmp_path, streams=1, fabric=None, nights=nights)
    assert cell.alarms == 0
    assert [(one.found_after, one.rank, one.rank_place) for one in cell.trials] == [(1, 1, 1)] * STRENGTHS


@pytest.mark.slow
@pytest.mark.usefixtures("infiniband_programs", "library")
def test_the_page_of_the_month_is_what_the_command_writes() -> None:
    assert month.page() == month.PAGE.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.usefixtures("infiniband_programs", "library")
def test_the_hundred_nights_are_what_the_command_writes() -> None:
    """The first three of them."""
    found, kept = Hundred.from_text(hundred.simulate(3, again=False).to_text()), hundred.stored()
    assert found.nights == kept.nights[:3]
