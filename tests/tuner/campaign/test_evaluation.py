# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Plans, pairs with the baseline on a fabric that drifts, and evaluations as JSON."""

import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from tests.tuner.campaign.analytic import AnalyticBackend
from tests.tuner.campaign.evaluations import evaluation
from tuner.campaign.evaluation import Evaluation, Plan, evaluate
from tuner.campaign.result import CampaignResult
from tuner.campaign.setup import Setup
from tuner.documents.profile import load_profile
from tuner.documents.workload import load_workload
from tuner.errors import BadInputError
from tuner.measuring.configuration import Configuration

Load = Callable[..., Setup]
Run = Callable[..., CampaignResult]

OFF, EXPERT = load_profile("off"), load_profile("gran-2010")
PLAN = Plan(workloads=(load_workload("scenario-1").scaled(0.1),), seeds=(1, 2, 3))


class Drifting(AnalyticBackend):
    """A real fabric by the look of it: throughput falls by 1 % from one run to the next, whatever is in force."""

    def __init__(self) -> None:
        super().__init__(deterministic=False, concurrent=False)
        self.measured: list[tuple[str, int]] = []

    def _series(self, workload, seed):  # type: ignore[no-untyped-def]
        rows = super()._series(workload, seed)
        assert self._profile is not None
        rows *= 0.99 ** len(self.measured)
        self.measured.append((self._profile.name, seed))
        return rows


def never() -> bool:
    return False


def test_a_profile_and_the_baseline_take_turns_under_the_same_seed() -> None:
    backend = Drifting()
    backend.open()
    found, measurements = evaluate(
        backend, Configuration(EXPERT), Plan(workloads=PLAN.workloads, seeds=PLAN.seeds, beside=OFF), never
    )
    assert backend.measured == [
        ("gran-2010", 1), ("off", 1), ("off", 2), ("gran-2010", 2), ("gran-2010", 3), ("off", 3)
    ]  # fmt: skip
    assert backend.calls.count("apply") == 4  # not between two runs of the same profile
    assert [run.seed for run in found.runs] == [run.seed for run in found.paired] == [1, 2, 3]
    assert {measurement.profile for measurement in measurements} == {"gran-2010"}


def test_the_pieces_of_a_plan_take_the_same_turns() -> None:
    whole = Plan(workloads=PLAN.workloads, seeds=PLAN.seeds, beside=OFF)
    backend = Drifting()
    backend.open()
    parts = [evaluate(backend, Configuration(EXPERT), part, never)[0] for part in whole.single_runs()]
    assert [name for name, _ in backend.measured] == ["gran-2010", "off", "off", "gran-2010", "gran-2010", "off"]
    assert Evaluation.joined(parts).seeds == (1, 2, 3)
    assert len(Evaluation.joined(parts).paired) == 3


@pytest.mark.long
def test_drift_does_not_pass_for_a_broken_constraint(load: Load, run: Run) -> None:
    # The baseline measured once at the beginning would make everything later look bad: 40 runs on, a third is gone.
    backends: list[Drifting] = []

    def backend() -> Drifting:
        backends.append(Drifting())
        return backends[-1]

    result = run(load(trials=6, extra="confirmation: {seeds: [101, 102, 103, 104]}"), backend=backend)
    assert max(len(one.measured) for one in backends) > 40  # another one is asked for the facts of its fabric
    sound = [trial for trial in result.trials if trial.params["switch.marking_rate"] > 3]  # type: ignore[operator]
    assert sound
    assert all(trial.feasible for trial in sound)
    for trial in sound:
        error = trial.violation_standard_errors["contributor_total"]
        assert error is not None
        assert error < 0.015  # the turns change places, so the drift between two neighbours is in it
    assert result.recommended is not None
    # The expert and the others were measured at different times; in pairs they compare all the same.
    others = [tried for tried in result.front if tried.record.origin != "gran-2010"]
    assert others
    for tried in others:
        difference = tried.confirmed.against_expert["contributor_total_gbps"]
        true = 13.3 * 0.04 * (1 / 2 - 1 / (1 + float(tried.record.params["switch.marking_rate"])))
        assert abs(difference.value - true) < 0.15
        plain = tried.confirmed.evaluation.metrics.contributor_total_gbps
        before = result.expert.evaluation.metrics.contributor_total_gbps
        assert plain is not None
        assert before is not None
        assert abs(difference.value - true) < abs(plain - before - true)


def test_a_warm_up_is_cut_from_every_run() -> None:
    # The workload's own: the window begins `warmup_s` after the last contributor has started.
    workload = load_workload("scenario-1")
    assert workload.warmup_s == 0.2
    assert workload.window() == (4.2, 5.0)


def test_json_and_pickle_keep_everything() -> None:
    whole = evaluation(a=[{"victim_throughput_gbps": 12.0}, {}], b=[{}, {"settle_time_s": None}])
    paired = Evaluation(runs=whole.runs, duration_s=1.0, packet_hops=5, paired=whole.runs[:1], stopped="after 1 of 2")
    assert Evaluation.from_json(json.loads(json.dumps(paired.to_json()))) == paired
    assert pickle.loads(pickle.dumps(paired)) == paired
    guarded = Plan(workloads=PLAN.workloads, seeds=(1,), beside=OFF)
    again = pickle.loads(pickle.dumps(guarded))
    assert again.workloads == guarded.workloads
    assert again.beside.to_dict() == OFF.to_dict()


def test_an_evaluation_of_an_older_store_is_read() -> None:
    document: dict[str, Any] = evaluation(a=[{}]).to_json()
    for key in ("paired", "stopped"):
        del document[key]
    assert Evaluation.from_json(document) == evaluation(a=[{}])


def test_parts() -> None:
    whole = evaluation(a=[{}, {}], b=[{}, {}])
    part = whole.part(workloads=["b"], seeds=[2])
    assert [(run.workload, run.seed) for run in part.runs] == [("b", 2)]
    assert whole.part() == whole
    assert whole.compared_with(whole) == whole
    with pytest.raises(StopIteration):
        next(iter(whole.part(workloads=["c"]).runs))


def test_a_model_that_the_backend_cannot_set_is_a_sentence() -> None:
    backend = Drifting()
    backend.open()
    with pytest.raises(BadInputError, match=r"whose model it cannot set, and the trial sets model\.num_vls"):
        evaluate(backend, Configuration(EXPERT, {"num_vls": 2}), PLAN, never)
