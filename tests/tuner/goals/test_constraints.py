# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Constraints: what they read, what their limits are measured by, and that they are kept in every workload."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tuner.campaign.evaluations import evaluation
from tuner.campaign.evaluation import violations
from tuner.documents.campaign_goals import Limit
from tuner.errors import BadInputError
from tuner.goals.constraints import CONSTRAINTS, Bound, Reference
from tuner.goals.metrics import Metrics


def bound(name: str, limit: float, of: Reference | None = None) -> Bound:
    constraint = CONSTRAINTS.get(name)
    return Bound(constraint=constraint, limit=limit, of=of or constraint.default_of)


def test_each_reads_a_metric_that_measurements_have_and_says_what_it_is() -> None:
    for constraint in CONSTRAINTS:
        assert constraint.metric in Metrics.__dataclass_fields__
        assert constraint.meaning
        assert bound(constraint.name, 0.5).sentence.startswith(constraint.meaning)


def test_limits_in_words() -> None:
    assert bound("contributor_total", 0.98).sentence.endswith("at least 98 % of what it is with CC off")
    assert bound("victim_throughput", 0.99).sentence.endswith("at least 99 % of what it is under the expert's profile")
    assert bound("tail_latency", 20).sentence.endswith("at most 20 µs")


def test_a_constraint_looks_at_the_workload_where_it_is_worst() -> None:
    total = bound("contributor_total", 0.98)
    baseline = evaluation(a=[{"contributor_total_gbps": 10.0}], b=[{"contributor_total_gbps": 20.0}])
    found = evaluation(a=[{"contributor_total_gbps": 9.9}], b=[{"contributor_total_gbps": 19.0}])
    assert violations(found, baseline, [total])["contributor_total"] == pytest.approx(0.98 - 0.95)
    kept = evaluation(a=[{"contributor_total_gbps": 9.8}], b=[{"contributor_total_gbps": 20.0}])
    assert violations(kept, baseline, [total])["contributor_total"] <= 1e-12
    # The means over the seeds are compared, not the single runs.
    seeds = evaluation(a=[{"contributor_total_gbps": 9.0}, {"contributor_total_gbps": 11.0}])
    before = evaluation(a=[{"contributor_total_gbps": 10.0}, {"contributor_total_gbps": 10.0}])
    assert violations(seeds, before, [total])["contributor_total"] == pytest.approx(-0.02)


@pytest.mark.parametrize(
    ("name", "limit", "of", "metrics", "violation"),
    [
        ("victim_throughput", 0.99, "expert", {"victim_throughput_gbps": 12.0}, 0.99 - 12 / 12.5),
        ("victim_throughput", 5.0, "baseline", {"victim_throughput_gbps": 12.0}, 5 - 12 / 2),
        ("victim_throughput", 10.0, "value", {"victim_throughput_gbps": 12.0}, -0.2),
        ("total_throughput", 1.0, "baseline", {"total_throughput_gbps": 30.0}, 1 - 30 / 20),
        ("settle_time", 0.5, "value", {"settle_time_s": 0.6}, 0.2),
        ("settle_time", 0.5, "value", {"settle_time_s": None}, 1e3 / 0.5 - 1),
        ("spread", 1.0, "expert", {"spread_gbps": 0.1}, 0.1 / 0.4 - 1),
        ("tail_latency", 20.0, "value", {"round_trip_p99_us": 15.0}, -0.25),
        ("tail_latency", 0.5, "baseline", {"round_trip_p99_us": 15.0}, 15 / 40 - 0.5),
    ],
)
def test_what_a_limit_is_measured_by(name: str, limit: float, of: Reference, metrics: dict[str, Any], violation: float) -> None:
    baseline = evaluation(w=[{"victim_throughput_gbps": 2.0, "total_throughput_gbps": 20.0, "round_trip_p99_us": 40.0}])
    expert = evaluation(w=[{"victim_throughput_gbps": 12.5, "spread_gbps": 0.4}])
    found = violations(evaluation(w=[metrics]), baseline, [bound(name, limit, of)], expert=expert)
    assert found[name] == pytest.approx(violation)


def test_what_the_expert_measures_needs_the_expert() -> None:
    one = evaluation(w=[{}])
    assert violations(one, one, [bound("victim_throughput", 0.99)]) == {}
    assert violations(one, one, [bound("victim_throughput", 0.99)], expert=one) == pytest.approx({"victim_throughput": -0.01})


def test_a_missing_role_is_told() -> None:
    with pytest.raises(BadInputError, match="'tail_latency' has no value under workload 'w'"):
        violations(evaluation(w=[{}]), evaluation(w=[{}]), [bound("tail_latency", 10)])


@given(value=st.floats(0, 1e3), reference=st.floats(0, 1e3), limit=st.floats(0.01, 10), name=st.sampled_from(CONSTRAINTS.names()))
def test_kept_is_at_most_0(value: float, reference: float, limit: float, name: str) -> None:
    for of in ("baseline", "value"):
        one = Bound(constraint=CONSTRAINTS.get(name), limit=limit, of=of)
        wanted = limit if of == "value" else limit * reference
        least = one.constraint.sense == "at_least"
        violation = one.violation(value, reference)
        if value > wanted * (1 + 1e-9) + 1e-9:
            assert (violation <= 0) == least
        elif value < wanted * (1 - 1e-9) - 1e-9:
            assert (violation <= 0) != least


def test_limits_are_taken_by_those_who_know_them() -> None:
    assert Limit(at_most=3.0).bound("settle_time").of == "value"
    assert Limit(at_least=0.9, of="expert").bound("total_throughput").of == "expert"
    with pytest.raises(BadInputError, match="takes at_most, not at_least"):
        Limit(at_least=3.0).bound("settle_time")
