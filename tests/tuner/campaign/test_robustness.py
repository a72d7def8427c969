# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A profile that is worse than the expert in a variant is recommended only if every trial that may be tried is."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.tuner.campaign.evaluations import PLAIN
from tuner.campaign.confirmation import Confirmation, Findings
from tuner.campaign.evaluation import Evaluation, Plan, Run
from tuner.campaign.pool import Outcome
from tuner.campaign.record import TrialRecord
from tuner.campaign.robustness import Robustness
from tuner.campaign.setup import Setup
from tuner.campaign.variant_bench import VariantBench
from tuner.goals.metrics import Metrics
from tuner.measuring.configuration import Configuration

Load = Callable[..., Setup]

HOME = "home"
OFF: dict[str, float] = {"victim_throughput_gbps": 2.2, "treatment_variation_gbps2": 0.0}
EXPERT: dict[str, float] = {}
"""Metrics with CC off and with gran-2010 under each model. PLAIN has the other metrics."""


class World:
    """Figures by model and profile in place of measurements. Counts runs."""

    def __init__(self, setup: Setup, figures: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> None:
        self.setup = setup
        self.figures = figures
        self.runs: dict[tuple[str, str], int] = {}

    def outcome(self, model: str, configuration: Configuration, plan: Plan) -> Outcome:
        known: Mapping[str, Mapping[str, Any]] = {"off": OFF, "gran-2010": EXPERT}
        found = known[configuration.name] if configuration.name in known else self.figures[model].get(configuration.name, {})
        runs = tuple(
            Run(workload=workload.name, seed=seed, metrics=Metrics(**(PLAIN | dict(found)))) for workload, seed in plan.runs()
        )
        self.runs[model, configuration.name] = self.runs.get((model, configuration.name), 0) + len(runs)
        return Evaluation(runs=runs, duration_s=0.0, packet_hops=0), ()

    def bench(self, name: str) -> VariantBench:
        world = self

        class Measuring:
            def measure(self, configurations: Sequence[Configuration], plan: Plan, kind: str) -> list[Outcome]:
                return [world.outcome(name, one, plan) for one in configurations]

        return VariantBench(self.setup, name, Measuring(), "variant")  # type: ignore[arg-type]

    def confirmed(self, trials: int) -> tuple[Findings, Robustness]:
        setup = self.setup
        timers = [100 + number for number in range(trials)]
        configurations = {
            number: setup.space.configuration({"ca.ccti_timer": timer, "switch.marking_rate": 1}, name=f"trial-{number}")
            for number, timer in enumerate(timers)
        }
        records = []
        for number, one in configurations.items():
            evaluation, _ = self.outcome(HOME, one, setup.search)
            metrics = evaluation.metrics
            values = {
                "victim_throughput": metrics.victim_throughput_gbps or 0.0,
                "treatment_variation": metrics.treatment_variation_gbps2 or 0.0,
            }
            records.append(
                TrialRecord(number=number, origin="sampler", params={}, state="complete", values=values, evaluation=evaluation)
            )
        robustness = Robustness(setup, self.bench)
        confirmation = Confirmation(setup, records, configurations)
        self.runs.clear()
        found = confirmation.run(lambda some: [self.outcome(HOME, one, setup.confirmation) for one in some], robustness)
        return found, robustness


VARIANTS = "variants: {acks: {model.ca.becn_carrier: ack}, flows: {model.ca.ccti_timer: flow}}"

at_home = st.fixed_dictionaries(
    {"victim_throughput_gbps": st.sampled_from([13.0, 13.05]), "treatment_variation_gbps2": st.sampled_from([0.02, 0.05, 0.09])}
)
elsewhere = st.fixed_dictionaries(
    {
        "victim_throughput_gbps": st.sampled_from([2.2, 12.9, 13.0, 14.0]),
        "treatment_variation_gbps2": st.sampled_from([0.05, 0.1, 0.1005, 0.2]),
        "contributor_total_gbps": st.sampled_from([9.0, 13.0]),
    }
)


@pytest.mark.long
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.lists(st.tuples(at_home, elsewhere, elsewhere), min_size=1, max_size=5))
def test_what_is_worse_in_a_variant_is_not_recommended_if_another_is_worse_in_none(
    load: Load, rows: list[tuple[dict[str, float], dict[str, float], dict[str, float]]]
) -> None:
    setup = load(trials=5, extra=f"confirmation: {{seeds: [101, 102, 103], front: 5}}\n{VARIANTS}")
    world = World(
        setup,
        {
            model: {f"trial-{number}": row[index] for number, row in enumerate(rows)}
            for index, model in enumerate((HOME, "acks", "flows"))
        },
    )

    def sound(number: int) -> bool:
        """Applies the definition to the figures: each trial is better than the expert at home."""
        return all(
            found["contributor_total_gbps"] >= 0.98 * 13.0
            and (found["victim_throughput_gbps"] > 13.13 or _within(found["victim_throughput_gbps"], 13.0, 1))
            and (found["victim_throughput_gbps"] > 13.13 or _within(found["treatment_variation_gbps2"], 0.1, -1))
            for found in rows[number][1:]
        )

    found, robustness = world.confirmed(len(rows))
    assert found.recommended is not None
    best = [number for number in range(len(rows)) if sound(number)]
    confirmed_ones = {tried.record.number for tried in found.front}
    if set(best) & confirmed_ones:
        assert found.recommended.record.number in best
        assert found.recommended.refusal is None
    for tried in found.front:
        if tried.refusal is not None:
            assert tried.record.number not in best
    for variant in robustness.findings(found.recommended, [found.recommended]):
        assert (variant.lost == ()) or found.recommended.record.number not in best


def _within(value: float, reference: float, sign: int) -> bool:
    """Not worse by more than 1 %."""
    return sign * (value - reference) >= -0.01 * reference


def test_a_profile_that_is_far_off_is_refused_after_two_seeds_and_in_one_variant(load: Load) -> None:
    setup = load(trials=5, extra=f"confirmation: {{seeds: [101, 102, 103, 104, 105], front: 1}}\n{VARIANTS}")
    good = {"victim_throughput_gbps": 13.0, "treatment_variation_gbps2": 0.05}
    figures = {HOME: {"trial-0": good, "trial-1": good}, "acks": {"trial-0": OFF, "trial-1": good}, "flows": {}}
    world = World(setup, figures)
    found, _ = world.confirmed(2)
    assert found.recommended is not None
    # The other one is not on the front, and nothing tells it from the first one: it is tried as a further trial.
    assert found.recommended.record.number == 1
    assert found.picked_by_rule == 0
    assert found.front[0].refusal is not None
    assert (found.front[0].refusal.variant, found.front[0].refusal.lost) == ("acks", ("victim_throughput",))
    assert world.runs["acks", "trial-0"] == 2
    assert ("flows", "trial-0") not in world.runs
    assert world.runs["acks", "trial-1"] == world.runs["flows", "trial-1"] == 5


def test_a_trial_that_does_nothing_by_forecast_is_not_tried(load: Load) -> None:
    """With BECNs on acknowledgements of 32 packets each, only a CCTI_Timer of the expert's order has a balance of 1."""
    setup = load(trials=5, extra=f"start_from: []\n{VARIANTS}")
    robustness = Robustness(setup, World(setup, {}).bench)

    def may_hold(timer: int) -> bool:
        return robustness.may_hold(setup.space.configuration({"ca.ccti_timer": timer, "switch.marking_rate": 1}, name="some"))

    assert not may_hold(20)
    assert may_hold(160)
    assert robustness.may_hold(Configuration(setup.expert))
    assert not robustness.may_hold(Configuration(setup.baseline))


@pytest.mark.parametrize(
    ("profile", "expert", "lost"),
    [
        ({"contributor_total_gbps": 12.7}, {"contributor_total_gbps": 13.0}, ["contributor_total"]),
        ({"contributor_total_gbps": 12.7}, {"contributor_total_gbps": 12.7}, []),
        ({"contributor_total_gbps": 12.4}, {"contributor_total_gbps": 12.7}, ["contributor_total"]),
    ],
)
def test_a_constraint_that_the_expert_breaks_too_may_be_broken_as_much(
    load: Load, profile: dict[str, float], expert: dict[str, float], lost: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    setup = load(extra=VARIANTS)
    world = World(setup, {"acks": {"trial-0": profile}})
    monkeypatch.setitem(EXPERT, "contributor_total_gbps", expert["contributor_total_gbps"])
    # CC off gets 13.0.
    trial = setup.space.configuration({"ca.ccti_timer": 100, "switch.marking_rate": 1}, name="trial-0")
    assert list(world.bench("acks").lost(trial)) == lost
