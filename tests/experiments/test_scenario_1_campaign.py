# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Why scenario 1's recommendation works: the readings by hand, the mechanism in a short run and, slow, all claims."""

import numpy as np
import pytest

from experiments.registry import Options
from experiments.scenario_1_campaign import ablation, devices
from experiments.scenario_1_campaign.bed import EXPERT
from experiments.scenario_1_campaign.experiment import EXPERIMENT
from experiments.scenario_1_campaign.replicated import SPREAD, TOTAL, VARIATION, VICTIM, Replicated
from experiments.scenario_1_campaign.ripple import INTERVAL_S, relaxation_s, ripple, treatment_variation
from tuner.documents.parameter import Scalar
from tuner.goals.metrics import Metrics

FOUND: dict[str, Scalar] = {
    "switch.marking_rate": 0,
    "ca.ccti_timer": 40,
    "ca.ccti_increase": 1,
    "cct.curve.full_scale_us": 9.4,
    "cct.curve.exponent": 2.9,
}


def metrics(**figures: float) -> Metrics:
    names = ("settle_time_s", "jain_index", VICTIM, TOTAL, VARIATION, SPREAD)
    return Metrics(**{name: figures.get(name, 1.0) for name in names})


def replicated(**figures: tuple[float, ...]) -> Replicated:
    """Returns replicates in which each metric has these values under the seeds 1, 2, …"""
    seeds = range(len(next(iter(figures.values()))))
    return Replicated({seed + 1: metrics(**{name: values[seed] for name, values in figures.items()}) for seed in seeds})


def test_a_ratio_is_taken_in_pairs() -> None:
    expert = replicated(treatment_variation_gbps2=(1.0, 2.0, 3.0))
    half = replicated(treatment_variation_gbps2=(0.5, 1.0, 1.5)).ratio(VARIATION, expert)
    assert half.value == pytest.approx(0.5)
    assert half.interval() == pytest.approx((0.5, 0.5))
    assert expert.estimate(VARIATION).value == pytest.approx(2.0)


def test_rows_change_what_they_name() -> None:
    rows = ablation.rows(FOUND)
    settings = {name: run.profile_settings for name, run in rows.items()}
    assert settings[EXPERT]["switch.marking_rate"] == 1
    assert settings[ablation.FOUND] == FOUND
    assert settings["gran-2010 with ccti_timer 40"] == {**settings[EXPERT], "ca.ccti_timer": 40}
    assert settings["recommended with ccti_timer 150"] == {**FOUND, "ca.ccti_timer": 150}
    assert settings[ablation.WITH_REST] == {**FOUND, "cct.curve.full_scale_us": 7, "cct.curve.exponent": 2}
    assert settings[ablation.WITH_TABLE] == {**settings[EXPERT], "cct.curve.full_scale_us": 9.4, "cct.curve.exponent": 2.9}
    assert not any("ccti_increase" in name for name in rows)  # both have 1


def test_steps_of_two_are_compared_with_steps_of_one_that_balance_alike() -> None:
    runs = list(ablation.finer({"one": FOUND, "two": {**FOUND, "ca.ccti_increase": 2}}).values())
    assert [(run.profile_settings["ca.ccti_increase"], run.profile_settings["ca.ccti_timer"]) for run in runs] == [
        (2, 40),
        (1, 80),
    ]


def test_what_is_steady_has_no_variation_and_what_swings_has() -> None:
    samples = round(1 / INTERVAL_S)
    constant = np.array([[4.0] * samples, [3.0] * samples])
    assert treatment_variation(constant, 0.01) == 0
    slow = np.sin(np.arange(samples) * INTERVAL_S * 2 * np.pi)  # one swing a second
    assert treatment_variation(np.array([slow + 5, np.zeros(samples)]), 0.01) == pytest.approx(0.5, rel=0.01)
    fast = np.tile([1.0, -1.0], samples // 2)  # within each sample as much up as down
    assert treatment_variation(np.array([fast + 5, np.zeros(samples)]), 0.01) == pytest.approx(0, abs=1e-12)


@pytest.mark.long
def test_relaxation_is_the_time_constant_of_a_process_that_has_one() -> None:
    rng, time_s, samples = np.random.default_rng(1), 0.004, 200_000
    keep = np.exp(-INTERVAL_S / time_s)
    rows = np.zeros((2, samples))
    noise = rng.normal(size=(2, samples))
    for k in range(1, samples):
        rows[:, k] = keep * rows[:, k - 1] + noise[:, k]
    assert relaxation_s(rows) == pytest.approx(time_s, rel=0.15)


def test_survival_names_what_is_lost() -> None:
    off = replicated(contributor_total_gbps=(10.0, 10.0))
    expert = replicated(treatment_variation_gbps2=(1.0, 1.1), contributor_total_gbps=(9.9, 9.9))
    good = replicated(treatment_variation_gbps2=(0.3, 0.31), spread_gbps=(0.5, 0.51), contributor_total_gbps=(9.9, 9.9))
    bad = replicated(victim_throughput_gbps=(0.2, 0.2))
    short = replicated(treatment_variation_gbps2=(0.9, 1.1), contributor_total_gbps=(9.7, 9.7))

    def of(found: Replicated) -> devices.Survival:
        measured = {("d", devices.OFF): off, ("d", EXPERT): expert, ("d", devices.FOUND): found}
        return devices.survival(measured, "d")

    assert of(good).holds
    assert (of(bad).holds, of(bad).sentence) == (False, "victim lost")
    assert of(short).sentence.startswith("95% (")
    assert of(short).sentence.endswith(", no better, contributors short")


def test_every_device_can_be_simulated() -> None:
    runs = devices.runs(FOUND, tuple(devices.DEVICES))
    assert len(runs) == 2 * len(devices.DEVICES)
    assert runs.keys().isdisjoint(devices.runs_off(tuple(devices.DEVICES)))


@pytest.mark.long
def test_a_faster_timer_brings_ccti_together_sooner_and_ccti_explains_the_variation() -> None:
    expert, found = ripple({}, seed=1), ripple(FOUND, seed=1)
    assert found.relaxation_ms < expert.relaxation_ms / 2
    assert found.variation_gbps2 < expert.variation_gbps2 / 2
    for one in (expert, found):
        assert one.becn_interval_us == pytest.approx(one.period_us, rel=0.1)  # what BECNs add, the timer takes back
        assert one.variation_from_ccti_gbps2 == pytest.approx(one.variation_gbps2, rel=0.4)


@pytest.mark.slow
def test_a_quick_run_searches_takes_apart_and_compares() -> None:
    fractions: list[float] = []
    findings = EXPERIMENT.run(Options(quick=True, on_progress=fractions.append))
    assert findings.claims[0].holds
    assert findings.data["searches"].keys() == {10}
    assert {"ablation", "timers", "ccti-gran-2010", "ccti-recommended"} <= findings.figures.keys()
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0


@pytest.mark.slow
def test_all_claims_hold_that_are_not_known_to_fail() -> None:
    findings = EXPERIMENT.run(Options())
    assert [claim.sentence for claim in findings.claims if not claim.holds and not claim.known_to_fail] == []
