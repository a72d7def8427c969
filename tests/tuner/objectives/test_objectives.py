# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Objectives and constraints: what they read, and which way is better."""

import pytest

from tests.tuner.campaign.evaluations import evaluation
from tuner.campaign.evaluation import objective_values, violations
from tuner.constraints.base import CONSTRAINTS
from tuner.errors import BadInputError
from tuner.metrics import Metrics
from tuner.objectives.base import OBJECTIVES


def test_each_reads_a_metric_that_measurements_have_and_says_what_it_is() -> None:
    for objective in OBJECTIVES:
        assert objective.metric in Metrics.__dataclass_fields__
        assert objective.meaning
        assert objective.source
    for constraint in CONSTRAINTS:
        assert constraint.metric in Metrics.__dataclass_fields__


def test_which_way_is_better() -> None:
    assert {objective.name: objective.direction for objective in OBJECTIVES} == {
        "victim_throughput": "maximise",
        "treatment_variation": "minimise",
        "spread": "minimise",
        "jain_index": "maximise",
        "contributor_total": "maximise",
        "settle_time": "minimise",
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


def test_a_constraint_looks_at_the_workload_where_it_is_worst() -> None:
    constraint = CONSTRAINTS.get("contributor_total")
    baseline = evaluation(a=[{"contributor_total_gbps": 10.0}], b=[{"contributor_total_gbps": 20.0}])
    found = evaluation(a=[{"contributor_total_gbps": 9.9}], b=[{"contributor_total_gbps": 19.0}])
    assert violations(found, baseline, [(constraint, 0.98)])["contributor_total"] == pytest.approx(0.98 - 0.95)
    kept = evaluation(a=[{"contributor_total_gbps": 9.8}], b=[{"contributor_total_gbps": 20.0}])
    assert violations(kept, baseline, [(constraint, 0.98)])["contributor_total"] <= 1e-12
    # The means over the seeds are compared, not the single runs.
    seeds = evaluation(a=[{"contributor_total_gbps": 9.0}, {"contributor_total_gbps": 11.0}])
    before = evaluation(a=[{"contributor_total_gbps": 10.0}, {"contributor_total_gbps": 10.0}])
    assert violations(seeds, before, [(constraint, 0.98)])["contributor_total"] == pytest.approx(-0.02)
