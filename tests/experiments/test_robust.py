# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One profile for device models and fan-in: every goal can be searched, and how profiles are judged; a tiny whole run."""

import csv
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from experiments._common import run_places
from experiments._common.findings import Findings
from experiments._common.run import Run
from experiments.registry import Options
from experiments.robust.__main__ import main
from experiments.robust.adversary import Challenged
from experiments.robust.claims import claims, is_better
from experiments.robust.compare import Cell, Compared
from experiments.robust.contenders import OFF, RECOMMENDED, SUGGESTED, best_for, rivals
from experiments.robust.experiment import ROWS, run_on
from experiments.robust.front import Front, FrontPoint
from experiments.robust.goals import ACK, GOALS
from experiments.robust.searches import setup_of
from tuner.campaign.challenge.findings import Challenge, Find
from tuner.campaign.scenarios.axes import Point
from tuner.campaign.scenarios.yardsticks import silent
from tuner.documents.campaign_scenarios import OWN, VICTIMS_SHARE
from tuner.errors import BadInputError

RUNS = 60
"""The fewest that a challenge takes."""
TINY = replace(
    GOALS["scenario-1"],
    models={"becns-on-acknowledgements": ACK},
    searched=(2, 4),
    compared=(2, 3),
    trials=3,
    published=(),
    changes={**GOALS["scenario-1"].changes, "time_scale": 0.02},
)


@pytest.mark.parametrize("name", GOALS)
def test_each_goal_can_be_searched(name: str) -> None:
    goal = GOALS[name]
    fabric = Path("two-switch-16") if goal.needs_fabric else None
    setup = setup_of(goal, 1, goal.searched[-2:], fabric=fabric)
    models = {scenario.point.model for scenario in setup.scenarios}
    assert models == {OWN, *goal.models}
    assert len(setup.scenarios) == len(models) * len(goal.searched[-2:] or [1]) * len(setup.workloads)
    assert not setup.campaign.variants


def test_victims_of_a_pattern_can_run_without_its_contributors() -> None:
    """Such a workload is expanded: its victims send to drawn destinations, which no document can say."""
    goal = GOALS["incast-32-dcqcn"]
    setup = setup_of(goal, 1, (2, 8), model=OWN)
    workload = setup.scenarios[0].workload
    quiet = silent(workload.scaled(0.5), setup.built[workload.fabric])
    assert {flow.role for flow in quiet.flows} == {"victim"}
    assert Run(workload=quiet).documents()[0] == quiet


def test_a_search_for_one_model_has_its_devices_and_no_others() -> None:
    setup = setup_of(TINY, 1, TINY.searched, model="becns-on-acknowledgements")
    assert setup.backend_settings == {"ca.becn_carrier": "ack"}
    assert [scenario.model for scenario in setup.scenarios] == [{}, {}]


def test_a_goal_for_the_callers_fabric_needs_one() -> None:
    with pytest.raises(BadInputError, match="goal 'director' is for a fabric of your own; give one by --fabric FILE"):
        setup_of(GOALS["director"], 1, (2, 4))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--goals", "director"), "goal 'director' is for a fabric of your own; give one by --fabric FILE"),
        (("--goals", "fairness", "--time-scale", "-1"), "time_scale"),
        (("--goals", "fairness", "--trials", "-3"), "trials"),
    ],
)
def test_what_cannot_be_run_is_said_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], sentence: str
) -> None:
    assert main([str(tmp_path), "--seeds", "1", "--workers", "1", *words]) == 2
    (line,) = [line for line in capsys.readouterr().err.replace("\r", "\n").splitlines() if "%" not in line[:5]]
    assert sentence in line


def compared(shares: Mapping[str, tuple[float | None, float]], *, origin: str = "sampler", seed: int = 1) -> Compared:
    """One scenario, with each profile's shares of victims and contributors."""
    cells = [
        Cell(
            goal=TINY.name,
            seed=seed,
            profile=name,
            scenario="own devices",
            model=OWN,
            contributors=2,
            victims=1.0,
            victims_of_best=victims,
            victims_of_alone=victims,
            contributors_of_off=contributors,
            variation_gbps2=None,
            spread_gbps=None,
        )
        for name, (victims, contributors) in shares.items()
    ]
    profiles: Any = dict.fromkeys(shares)
    return Compared(goal=TINY, seed=seed, profiles=profiles, origin=origin, cells=cells)


def test_a_profile_is_short_by_the_worse_of_victims_and_contributors() -> None:
    here = compared({"both": (0.90, 0.90), "victims": (0.5, 1.0), "neither": (0.99, 0.97), "none to look at": (None, 0.95)})
    short = {cell.profile: round(cell.short, 6) for cell in here.cells}
    assert short == {"both": 0.06, "victims": 0.45, "neither": -0.01, "none to look at": 0.01}
    assert [here.served(name) for name in here.profiles] == [0, 0, 1, 0]


@pytest.mark.parametrize(
    ("recommended", "rival", "origin", "better"),
    [
        ((0.97, 0.97), (0.2, 1.0), "sampler", True),
        ((0.90, 0.97), (0.2, 1.0), "sampler", True),
        ((0.97, 0.97), (0.2, 1.0), "suggestion for all scenarios", False),  # it was put in
        ((0.99, 0.99), (0.96, 0.97), "sampler", False),  # both have what is asked
        ((0.90, 0.97), (0.96, 0.97), "sampler", False),
    ],
)
def test_better_is_nearer_to_what_is_asked_and_found_by_the_search(
    recommended: tuple[float, float], rival: tuple[float, float], origin: str, better: bool
) -> None:
    here = compared({OFF: (0.0, 1.0), "gran-2010": rival, RECOMMENDED: recommended}, origin=origin)
    assert is_better(here, "gran-2010") is better


def test_one_seed_that_is_short_denies_a_claim() -> None:
    good, bad = compared({RECOMMENDED: (0.97, 0.97)}), compared({RECOMMENDED: (0.94, 0.97)}, seed=2)
    assert claims([good])[0].holds
    assert not claims([good, bad])[0].holds
    assert not claims([compared({OFF: (0.0, 1.0)})])[0].holds


def test_the_front_is_the_cheapest_trial_that_serves_so_many_or_more() -> None:
    def point(trial: int, served: int, cost: float) -> FrontPoint:
        return FrontPoint(trial=trial, origin="sampler", served=served, cost=cost, balance=1, room=1, most_balance=2)

    front = Front(scenarios=4, points=[point(0, 0, 0.0), point(1, 1, 0.02), point(2, 3, 0.01), point(3, 3, 0.05)])
    assert {count: best.trial for count, best in front.least_cost.items()} == {1: 2, 2: 2, 3: 2}


def challenged(shares: Mapping[str, float], *, seed: int = 1) -> Challenged:
    find = Find(workload="scenario-1", name="own devices", point=Point(), seeds=(1,), shares=shares, violation=0.0)
    found = Challenge(
        profile="",
        trial=1,
        seed=seed,
        runs=60,
        scenarios=10,
        unplaceable=0,
        broken=0,
        limits={"victims_share": 0.95, "contributors_share": 0.96},
        stated=dict(shares),
        worst=find,
    )
    return Challenged(goal=TINY.name, seed=seed, found=found)


def test_the_regret_is_of_whoever_misses_more_in_the_worst_of_all_challenges() -> None:
    good = challenged({"victims_share": 0.99, "contributors_share": 0.955})
    bad = challenged({"victims_share": 0.94, "contributors_share": 0.99}, seed=2)
    nothing = Challenged(goal=TINY.name, seed=3, found=None, why_not="it recommends no profile")
    assert [one.regret for one in (good, bad, nothing)] == [pytest.approx(0.045), pytest.approx(0.06), None]
    here = [compared({RECOMMENDED: (0.97, 0.97)})]
    assert claims(here, [good, nothing])[-1].holds
    denied = claims(here, [good, bad, nothing])[-1]
    assert not denied.holds
    assert denied.here == "1 of 2 challenges; the worst find: 6.0% (scenario-1, seed 2)"
    assert "6.0%" not in "".join(claim.here for claim in claims(here, [nothing]))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("robust")


@pytest.fixture(scope="module")
def findings(folder: Path) -> Findings:
    return run_on([TINY], [1], Options(workers=1, folder=folder), runs=RUNS)


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "searches" / ROWS).open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


@pytest.mark.long
def test_every_profile_is_measured_in_every_scenario(findings: Findings, folder: Path) -> None:
    found = rows(folder)
    profiles = dict.fromkeys(row["profile"] for row in found)
    assert len(found) == 4 * len(profiles)
    assert {OFF, "gran-2010", SUGGESTED, best_for(OWN), RECOMMENDED} <= set(profiles)
    assert "gran-2010" in rivals(profiles)
    assert RECOMMENDED not in rivals(profiles)
    by_key = {(row["profile"], row["scenario"]): row for row in found}
    for row in found:
        if row["profile"] == OFF:
            assert float(row["contributors_of_off"]) == 1.0
            assert float(row["victims_of_alone"]) < VICTIMS_SHARE
        best = by_key.get((best_for(row["model"]), row["scenario"]))
        if best is not None:
            assert float(row["victims_of_best"]) == pytest.approx(float(row["victims"]) / float(best["victims"]))
    assert set(findings.figures) == {"worst", "front"}
    (challenge,) = findings.data["challenges"]
    assert challenge["found"]["runs"] <= RUNS
    assert challenge["regret"] == pytest.approx(1 - min(challenge["found"]["worst"]["shares"].values()))


@pytest.mark.long
def test_what_is_finished_is_not_measured_again(findings: Findings, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any) -> None:
        raise AssertionError("it measures again")

    monkeypatch.setattr(run_places, "measure_one", refuse)
    again = run_on([TINY], [1], Options(workers=1, folder=folder), runs=RUNS)
    assert again.to_json() == findings.to_json()
