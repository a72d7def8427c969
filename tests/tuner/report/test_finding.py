# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A campaign says what it found in one sentence, in the odd cases too."""

from collections.abc import Mapping
from typing import Any

import pytest

from tuner.report.finding import finding, finding_so_far

GOALS = [
    {"name": "victim_throughput", "metric": "victim_throughput_gbps", "unit": "Gb/s", "direction": "maximize"},
    {"name": "treatment_variation", "metric": "treatment_variation_gbps2", "unit": "Gb²/s²", "direction": "minimize"},
]


def estimate(value: float, low: float | None = None, high: float | None = None) -> dict[str, float | None]:
    return {"value": value, "low": low, "high": high}


def profile(victim: float, variation: float, **more: Any) -> dict[str, Any]:
    values = {"victim_throughput": estimate(victim), "treatment_variation": estimate(variation)}
    return {"name": "p", "values": values, "changes_from_expert": [{"field": "ca.ccti_timer"}], "trial": 23} | more


def report(recommended: dict[str, Any] | None, **more: Any) -> dict[str, Any]:
    return {
        "campaign": {"name": "c", "document": {}},
        "recommended": recommended,
        "baseline": profile(2.2, 0.5, name="off"),
        "expert": profile(13.0, 0.24, name="gran-2010"),
        "goals": GOALS,
        "counts": {"trials": 24, "feasible": 5, "failed": 0},
        "rejected": [],
        "confirmed": [],
        "trials": [],
        "importance": {"within_noise": []},
    } | more


def by_chance(*metrics: str) -> dict[str, Any]:
    return {metric: estimate(0.0, -1.0, 1.0) for metric in metrics}


def test_a_gain() -> None:
    assert finding(report(profile(12.9, 0.02))) == (
        "Trial 23 is recommended: victim throughput is 12.9 Gb/s, 5.86 times the 2.2 of CC off and 0.8 % less than the 13 of "
        "gran-2010, and treatment variation is 0.02 Gb²/s², 1/25 of the 0.5 of CC off and a twelfth of the 0.24 of gran-2010."
    )


def test_the_published_profile_is_named_and_not_compared_with_itself() -> None:
    sentence = finding(report(profile(13.0, 0.24, changes_from_expert=[])))
    assert sentence.startswith("The recommendation is the published profile gran-2010: victim throughput is 13 Gb/s, 5.91 times")
    assert "of gran-2010" not in sentence


def test_what_holds_in_scenarios_follows_the_figures() -> None:
    """A search in scenarios has no goals on the campaign's own devices, whose figures would say little."""
    scenarios = {"sentence": "holds for all 3 models of the devices with 4 contributors", "effort": None}
    sentence = finding(report(profile(12.9, 0.02), scenarios=scenarios))
    assert sentence.startswith("Trial 23 is recommended: victim throughput is 12.9 Gb/s, 5.86 times the 2.2 of CC off")
    assert sentence.endswith(" of gran-2010; it holds for all 3 models of the devices with 4 contributors.")
    sentence = finding(report(profile(12.9, 0.02), scenarios=scenarios | {"effort": {"runs": 3}}))
    assert sentence == "Trial 23 is recommended: it holds for all 3 models of the devices with 4 contributors."


def test_runs_that_are_too_short_follow_in_a_sentence_of_their_own() -> None:
    short = {"conditions": {"short_runs": {"sentence": "It may not hold in longer runs: --time-scale 0.18 is long enough"}}}
    assert finding(report(profile(12.9, 0.02), **short)).endswith(
        " of the 0.24 of gran-2010. It may not hold in longer runs: --time-scale 0.18 is long enough."
    )
    assert finding(report(profile(12.9, 0.02), conditions={"short_runs": None})) == finding(report(profile(12.9, 0.02)))


def test_nothing_is_better_than_cc_off() -> None:
    worse = report(profile(2.1, 0.6))
    assert finding(worse).startswith(
        "Nothing is better than CC off beyond noise; the recommendation is trial 23: victim throughput is 2.1 Gb/s, "
    )
    chance = by_chance("victim_throughput_gbps", "treatment_variation_gbps2")
    better_by_chance = report(profile(2.3, 0.4, against_baseline=chance))
    assert finding(better_by_chance).startswith("Nothing is better than CC off beyond noise;")
    assert "equal within noise to the 2.2 of CC off" in finding(better_by_chance)
    published = report(profile(2.2, 0.5, changes_from_expert=[]))
    assert finding(published).startswith(
        "Nothing is better than CC off beyond noise; the recommendation is the published profile gran-2010"
    )


def test_all_trials_are_equal_within_noise() -> None:
    both = report(profile(13.5, 0.1), importance={"within_noise": ["victim_throughput", "treatment_variation"]})
    assert finding(both).endswith("; all 24 trials of the search lie within noise of one another.")
    one = report(profile(13.5, 0.1), importance={"within_noise": ["victim_throughput"]})
    assert finding(one).endswith("; in victim throughput all 24 trials of the search lie within noise of one another.")


def test_ratios_that_nobody_reads_the_digits_of_are_words() -> None:
    sentence = finding(report(profile(13.5, 0.24), baseline=profile(0.0, 3e-7, name="off")))
    assert "more than the 0 of CC off" in sentence
    assert "more than the 3.00e-07 of CC off" in sentence


def test_a_constraint_fails_in_every_trial() -> None:
    trials = [{"violations": {"contributor_total": 0.1, "spread": -1.0 if i < 21 else 0.2}, "reason": ""} for i in range(24)]
    counts = {"trials": 24, "feasible": 0, "failed": 0}
    assert finding(report(None, counts=counts, trials=trials)) == (
        "No profile is recommended: none of 24 trials keeps every constraint (contributor total is broken in 24, spread in 3)."
    )


def test_all_trials_fail() -> None:
    counts = {"trials": 2, "feasible": 0, "failed": 2}
    trials = [{"violations": {}, "reason": "host 'H1' is unavailable"}] * 2
    assert finding(report(None, counts=counts, trials=trials)) == (
        "No profile is recommended: all 2 trials failed (host 'H1' is unavailable)."
    )


def test_the_confirmation_keeps_none() -> None:
    assert finding(report(None, rejected=[{}, {}, {}])) == (
        "No profile is recommended: 5 of 24 trials keep every constraint in the search, but none of the 3 that were measured "
        "again with fresh seeds does."
    )
    chosen: Mapping[str, Any] = {"name": "c", "document": {"recommend": {"trial": 7}}}
    assert finding(report(None, campaign=chosen, confirmed=[{"trial": 7, "broken": ["contributor_total"]}])) == (
        "No profile is recommended: trial 7, which a person chose, breaks contributor total with fresh seeds."
    )


BEST = {"number": 7, "values": {"victim_throughput": 12.9, "treatment_variation": 0.02}}


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("running", "so far"),
        ("paused", "so far; the campaign is paused"),
        ("stopped", "when the campaign was stopped; nothing is confirmed"),
        ("failed", "when the campaign failed; nothing is confirmed"),
    ],
)
def test_a_campaign_that_has_not_finished(state: str, words: str) -> None:
    goals = [goal | {"baseline": 2.2, "expert": 13.0} for goal in GOALS[:1]]
    sentence = finding_so_far(state, trials_done=9, trials_total=24, goals=goals, best=BEST)
    assert sentence == (
        f"Trial 7 is the best of 9 of 24 trials {words}: victim throughput is 12.9 Gb/s, 5.86 times the 2.2 of CC off and 0.8 % "
        "less than the 13 of the published profile."
    )
    nothing = finding_so_far(state, trials_done=9, trials_total=24, goals=goals, best=None)
    assert nothing == f"None of 9 of 24 trials keeps every constraint {words}."
    assert finding_so_far(state, trials_done=0, trials_total=24, goals=goals, best=None) == "Nothing is measured yet."


def test_while_the_best_is_confirmed() -> None:
    sentence = finding_so_far("running", trials_done=24, trials_total=24, goals=GOALS, best=BEST, phase="confirmation")
    assert sentence.startswith("Trial 7 is the best of 24 of 24 trials, to be confirmed with fresh seeds: victim")
