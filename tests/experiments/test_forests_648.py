# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Windy and moving forests: their mechanisms on a tree of 72 hosts, and, slow, all claims on 648."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from experiments._common.bands import Panel
from experiments._common.runs import measure_one, read_all
from experiments.fat_tree_648.bed import INJECT_GBPS, devices, fabric, forest, run
from experiments.fat_tree_648.reading import Reading
from experiments.forests_648 import moving, windy, windy_claims
from experiments.forests_648.experiment import EXPERIMENT
from experiments.forests_648.moving import FORESTS, Moves
from experiments.forests_648.windy import FROZEN_STATES, STRONGER, Grid, tmax_gbps, turns
from experiments.registry import Options

slow = pytest.mark.slow
FEW = {"hotspots": 2}
"""Two hotspots of 72 hosts, with some 36 contributors each."""


@pytest.fixture(scope="module")
def small() -> Iterator[str]:
    """12-port crossbars, 72 hosts."""
    with fabric(12) as path:
        yield path


@pytest.mark.parametrize("p", [10, 50, 90])
def test_without_cc_traffic_takes_turns_as_p_to_the_rest(small: str, p: int) -> None:
    workload = forest(small, seed=1, duration_s=0.004, b_percent=100, p_percent=p, **FEW)
    reading = Reading.of(measure_one(run(workload, cc=False, seed=1, model=devices())))
    assert turns(reading) == pytest.approx((100 - p) / p, rel=0.15)


@pytest.mark.parametrize(("x", "p"), [(0, 50), (50, 100), (100, 80)])
def test_tmax_is_what_comes_where_only_the_rest_is_sent(small: str, x: int, p: int) -> None:
    """At most a fifth of full load, so that next to nothing is lost by chance."""
    pattern = {"b_percent": x, "p_percent": p, **FEW}
    workload = forest(small, seed=1, duration_s=0.004, **pattern)
    reading = Reading.of(measure_one(run(workload, cc=True, seed=1, model=devices())))
    alone = forest(small, seed=1, duration_s=0.004, **pattern, active=["V"])
    if x < 100:
        v_alone = Reading.of(measure_one(run(alone, cc=False, seed=1, model=devices())))
        assert v_alone.mean_gbps == pytest.approx(tmax_gbps(x, 100), rel=0.04)  # a whole number of V nodes
    assert reading.non_hotspots_gbps < 1.01 * tmax_gbps(x, p)
    assert tmax_gbps(100, 0) == INJECT_GBPS


def test_every_cell_of_the_grid_is_run_once_with_every_seed() -> None:
    grid = Grid()
    runs = grid.runs("fat-tree-648")
    cells = {key for key in runs if key[0] == "windy"}
    assert len(cells) == 4 * 11 * 2 * 3
    assert len(runs) == len(cells) + len(STRONGER) - 1 + len(FROZEN_STATES) * 3
    assert {run.workload.duration_s for run in runs.values() if not isinstance(run.workload, str)} == {0.1}
    assert len(Moves().runs("fat-tree-648")) == 5 * 6 * 2 * 3


GRID = Grid(x_percent=(25, 100), p_percent=(20, 60), duration_s=0.004, seeds=(1,))
MOVING = ("20-v-nodes", "60-v-nodes", "b-nodes-p-30", "b-nodes-p-60", "b-nodes-p-90")
MOVES = Moves(lifetimes_ms=(10, 1), duration_s=0.005, seeds=(1,))


@pytest.fixture(scope="module")
def quick(small: str) -> Mapping[tuple[Any, ...], Reading]:
    runs = {key: run for key, run in (GRID.runs(small) | MOVES.runs(small)).items() if key[0] != "frozen"}
    return read_all(runs, Reading.of)


@pytest.mark.long
def test_tables_have_every_cell(quick: Mapping[tuple[Any, ...], Reading]) -> None:
    assert [row[:2] for row in GRID.table(quick).rows] == [
        ["25 %", "20 %"],
        ["25 %", "60 %"],
        ["100 %", "20 %"],
        ["100 %", "60 %"],
    ]
    assert [row[:2] for row in MOVES.table(quick).rows] == [[name, f"{ms} ms"] for name in FORESTS for ms in (10, 1)]
    published = [row for row in MOVES.table(quick).rows if row[2]]
    assert [row[:5] for row in published] == [["20 % V nodes", "10 ms", "467", "723", "1.55"]]


@pytest.mark.long
def test_figures_have_tmax_and_what_was_published(
    quick: Mapping[tuple[Any, ...], Reading], monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: dict[str, Sequence[Panel]] = {}

    def seen(panels: Sequence[Panel], *, key: str, **_: object) -> str:
        drawn[key] = panels
        return key

    for module in (windy, moving):
        monkeypatch.setattr(module, "bands", seen)
    figures = GRID.figures(quick) | MOVES.figures(quick)
    assert list(figures) == list(drawn) == ["windy-25", "windy-100", *(f"moving-{name}" for name in MOVING)]
    assert drawn["windy-25"][0].curves["tmax"] == {p: [tmax_gbps(25, p)] for p in (20, 60)}
    assert [len(panels) for panels in drawn.values()] == [3, 3, 2, 2, 2, 2, 2]
    rates, gains = drawn["moving-20-v-nodes"]
    assert dict(rates.points["CC on"]) == {10: 723}
    assert dict(gains.points["total"]) == pytest.approx({10: 1.548, 1: 1.04})
    assert not any(panel.points for panel in drawn["moving-60-v-nodes"])


@pytest.mark.long
def test_claims_fail_where_what_they_say_is_not_so(quick: Mapping[tuple[Any, ...], Reading]) -> None:
    """If CC on and off are exchanged, CC costs throughput."""
    frozen = {("frozen", name, 1): quick["windy", 100, 60, settings is not None, 1] for name, settings in FROZEN_STATES.items()}
    swapped = {
        (*key[:3], not key[3], key[4]) if key[0] in ("windy", "moving") else key: value for key, value in quick.items()
    } | frozen
    claims = [*windy_claims.claims(GRID, swapped), *MOVES.claims(swapped)]
    failed = [claim.sentence for claim in claims if not claim.holds]
    assert "windy trees: CC costs total throughput nowhere where there is anything to gain" in failed
    assert "moving trees, 20 % V nodes: CC helps at every lifetime, and the less the shorter it is" in failed
    assert "moving trees, of C and V or of B nodes: CC costs nothing at any lifetime" in failed


@slow
def test_all_claims_hold_that_are_said_to() -> None:
    findings = EXPERIMENT.run(Options())
    assert [claim.sentence for claim in findings.claims if not (claim.holds or claim.known_to_fail)] == []
    assert {claim.sentence for claim in findings.claims if claim.known_to_fail and claim.holds} == set()
