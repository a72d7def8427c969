# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Heat maps show what was measured where, and nothing else."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tuner.report.heat import MOST_CELLS, axis_of, heat_maps


def report(*trials: dict[str, Any], parameters: tuple[str, ...] = ("ca.ccti_timer", "switch.marking_rate")) -> dict[str, Any]:
    rows = [
        {
            "state": "complete",
            "params": {name: trial[name] for name in parameters if name in trial},
            "metrics": {
                "victim_throughput_gbps": trial.get("victim"),
                "contributor_total_gbps": 13.0,
                "treatment_variation_gbps2": 0.1,
            },
        }
        for trial in trials
    ]
    return {"trials": rows, "parameters": list(parameters), "importance": {"shares": {}}}


def point(timer: float, rate: float, victim: float | None = 13.0) -> dict[str, Any]:
    return {"ca.ccti_timer": timer, "switch.marking_rate": rate, "victim": victim}


def test_a_cell_is_the_median_of_its_trials_and_others_stay_empty() -> None:
    maps = heat_maps(report(point(10, 0, 2), point(10, 0, 4), point(10, 0, 9), point(150, 1, 13), point(150, 0, None)))
    assert [one.objective.name for one in maps] == ["victim_throughput", "contributor_total", "treatment_variation"]
    assert (maps[0].x.name, maps[0].x.labels, maps[0].y.labels) == ("ca.ccti_timer", ("10", "150"), ("0", "1"))
    assert maps[0].cells == {(0, 0): (4, 3), (1, 1): (13, 1)}
    assert maps[1].cells == {(0, 0): (13, 3), (1, 0): (13, 1), (1, 1): (13, 1)}


def test_failed_trials_do_not_count() -> None:
    document = report(point(10, 0), point(20, 1), point(30, 2))
    document["trials"][2] |= {"state": "failed", "metrics": None}
    assert sum(count for _, count in heat_maps(document)[0].cells.values()) == 2


def test_without_the_paper_s_two_the_parameters_that_mattered_most() -> None:
    names = ("switch.threshold", "ca.level", "cct.curve.exponent", "ca.ccti_increase")
    trials = [dict(zip(names, values, strict=True)) for values in ((1, "qp", 0.5, 1), (2, "sl", 1.5, 2), (3, "qp", 2.5, 1))]
    document = report(*trials, parameters=names)
    document["importance"]["shares"] = {"spread": {"ca.ccti_increase": 0.6, "cct.curve.exponent": 0.3, "switch.threshold": 0.1}}
    one = heat_maps(document)[0]
    assert (one.x.name, one.y.name) == ("ca.ccti_increase", "cct.curve.exponent")


def test_less_than_two_numbers_make_no_map() -> None:
    assert heat_maps(report(point(10, 0))) == []
    assert heat_maps(report({"ca.level": "qp"}, {"ca.level": "sl"}, parameters=("ca.level",))) == []


@given(st.lists(st.floats(0.001, 1e4), min_size=1, max_size=60))
def test_every_value_lies_in_its_cell(values: list[float]) -> None:
    axis = axis_of("x", values)
    assert len(axis.labels) == len(axis.edges) - 1 or len(set(values)) == 1
    assert len(axis.labels) <= MOST_CELLS
    for value in values:
        cell = axis.cell_of(value)
        assert 0 <= cell < len(axis.labels)
        if len(set(values)) <= MOST_CELLS:
            assert cell == sorted(set(values)).index(value)
        else:
            assert axis.edges[cell] * (1 - 1e-9) <= value <= axis.edges[cell + 1] * (1 + 1e-9)
