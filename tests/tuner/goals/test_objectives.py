# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Objectives: what they read, which way is better, and how several workloads become one value."""

import pytest

from tests.tuner.campaign.evaluations import evaluation
from tuner.campaign.evaluation import objective_values
from tuner.errors import BadInputError
from tuner.goals.aggregations import AGGREGATIONS
from tuner.goals.metrics import Metrics
from tuner.goals.objectives import OBJECTIVES


def test_each_reads_a_metric_that_measurements_have_and_says_what_it_is() -> None:
    for objective in OBJECTIVES:
        assert objective.metric in Metrics.__dataclass_fields__
        assert objective.meaning
        assert objective.source


def test_which_way_is_better() -> None:
    assert {objective.name: objective.direction for objective in OBJECTIVES} == {
        "victim_throughput": "maximize",
        "treatment_variation": "minimize",
        "spread": "minimize",
        "jain_index": "maximize",
        "contributor_total": "maximize",
        "settle_time": "minimize",
        "total_throughput": "maximize",
        "tail_latency": "minimize",
        "room": "maximize",
        "victims_share": "maximize",
        "contributors_share": "maximize",
    }


def test_the_value_is_the_mean_over_the_runs() -> None:
    two = evaluation(a=[{"victim_throughput_gbps": 12.0}, {"victim_throughput_gbps": 13.0}])
    assert objective_values(two, [OBJECTIVES.get("victim_throughput")]) == {"victim_throughput": 12.5}


def test_never_settled_is_worse_than_any_run_is_long() -> None:
    settle = OBJECTIVES.get("settle_time")
    one = evaluation(a=[{"settle_time_s": None}, {"settle_time_s": 0.5}])
    assert objective_values(one, [settle])["settle_time"] > 100


def test_a_missing_role_is_told() -> None:
    with pytest.raises(BadInputError, match="'victim_throughput' has no value under workload 'a'"):
        objective_values(evaluation(a=[{"victim_throughput_gbps": None}]), [OBJECTIVES.get("victim_throughput")])


@pytest.mark.parametrize(
    ("over", "number", "throughput", "spread"),
    [("mean", None, 10.0, 2.0), ("worst", None, 6.0, 3.0), ("cvar", 0.5, 7.0, 2.75), ("cvar", 0.25, 6.0, 3.0)],
)
def test_over_several_workloads(over: str, number: float | None, throughput: float, spread: float) -> None:
    """The lowest throughputs and the highest spreads are the worst, each after the mean over its seeds."""
    four = evaluation(
        a=[{"total_throughput_gbps": 5.0, "spread_gbps": 3.0}, {"total_throughput_gbps": 7.0, "spread_gbps": 3.0}],
        b=[{"total_throughput_gbps": 8.0, "spread_gbps": 2.5}],
        c=[{"total_throughput_gbps": 12.0, "spread_gbps": 1.0}],
        d=[{"total_throughput_gbps": 14.0, "spread_gbps": 1.5}],
    )
    objectives = [OBJECTIVES.get(name).aggregated(AGGREGATIONS.get(over)(number)) for name in ("total_throughput", "spread")]
    assert list(objective_values(four, objectives).values()) == pytest.approx([throughput, spread])


def test_the_name_says_what_is_looked_at() -> None:
    spread = OBJECTIVES.get("spread")
    assert spread.aggregated(AGGREGATIONS.get("mean")(None)) == spread
    worst = spread.aggregated(AGGREGATIONS.get("worst")(None))
    assert (worst.name, worst.direction, worst.metric) == ("worst_spread", "minimize", "spread_gbps")
    assert worst.meaning.endswith("under the workload where it is worst")
