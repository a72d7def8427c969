# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The result in words says what the numbers say."""

from typing import Any

import pytest

from tests.tuner.report.test_scenarios import document as in_scenarios
from tuner.report.headline import headline


def profile(name: str, victim: float, total: float, variation: float, spread: float = 0.3, **more: Any) -> dict[str, Any]:
    metrics = {
        "victim_throughput_gbps": victim,
        "contributor_total_gbps": total,
        "treatment_variation_gbps2": variation,
        "spread_gbps": spread,
    }
    return {"name": name, "metrics": metrics, "feasible": True, "headroom": [None], "trial": 5} | more


def report(recommended: dict[str, Any] | None, **expert: Any) -> dict[str, Any]:
    return {
        "campaign": {"name": "c"},
        "recommended": recommended,
        "baseline": profile("off", 2.2, 13.3, 0.0),
        "expert": profile("gran-2010", 13.0, 13.1, 0.03, **expert),
        "counts": {"trials": 9, "feasible": 0},
        "rejected": [],
    }


def said(document: dict[str, Any]) -> str:
    found = headline(document)
    return " ".join([found["title"], *found["sentences"]])


def test_gain_and_cost() -> None:
    text = said(report(profile("c-5", 12.9, 13.034, 0.015)))
    assert "Victims get 12.9 Gb/s instead of 2.2 Gb/s" in text
    assert "5.9 times as much as without congestion control (2.20), and 0.77 % less than gran-2010 (13.00)" in text
    assert "costs the contributors 2 % of their throughput" in text
    assert "Treatment variation is 0.015 Gb²/s², 50 % less than gran-2010 (0.03)" in text


@pytest.mark.parametrize(
    ("variation", "words"),
    [(0.03, "as much as"), (0.0006, "50 times less than"), (0.06, "100 % more than"), (0.0, "100 % less than")],
)
def test_comparisons(variation: float, words: str) -> None:
    assert f"{words} gran-2010 (0.03)" in said(report(profile("c-5", 13.0, 13.1, variation)))


def test_what_is_worse_than_the_expert_is_said_and_noise_is_not() -> None:
    assert "In treatment variation it is worse than gran-2010" in said(report(profile("c-5", 13.0, 13.1, 0.04)))
    assert "worse" not in said(report(profile("c-5", 12.99, 13.1, 0.03)))
    assert "gran-2010 itself does not keep the constraints" in said(report(profile("c-5", 12.0, 13.2, 0.04), feasible=False))


def test_a_campaign_without_a_pick_says_why() -> None:
    nothing = report(None)
    assert "None of 9 trials keeps every constraint" in said(nothing)
    nothing["counts"]["feasible"], nothing["rejected"] = 3, [{}, {}]
    assert "none of the 2 that were measured again with fresh seeds does" in said(nothing)


def test_without_victims_the_title_names_the_trial() -> None:
    document = report(profile("c-5", 13.0, 13.1, 0.01))
    for one in (document["recommended"], document["baseline"], document["expert"]):
        one["metrics"]["victim_throughput_gbps"] = None
    assert headline(document)["title"] == "Trial 5 of c is recommended"
    assert "victim" not in said(document)


def test_victims_that_catch_up_are_not_better_off() -> None:
    """They ask for 41.7 Gb/s; with gran-2010 they were held back for longer before the window, and receive 55.5 in it."""
    document = report(profile("c-5", 44.6, 13.034, 0.015))
    for role, victims, share in (("recommended", 44.6, 1.0), ("expert", 55.5, 1.0), ("baseline", 16.6, 0.3977)):
        document[role]["metrics"] |= {"victim_throughput_gbps": victims, "victims_share": share}
    text = said(document)
    assert (
        "victims receive 100 % of what they receive while the contributors are silent, with gran-2010 100 %, and without "
        "congestion control 39.8 %"
    ) in text
    assert "worse" not in text
    document["recommended"]["metrics"]["victims_share"] = 0.95
    assert "In victim throughput it is worse than gran-2010" in said(document)


def test_a_search_in_scenarios_claims_no_figure_of_one_of_them_for_all() -> None:
    """A profile frees the victims of the campaign's own devices, and loses those of another generation."""
    scenarios = in_scenarios({("acks", 4): ["victims_share"], ("acks", 8): ["victims_share"]})
    found = headline({**report(profile("c-5", 12.9, 13.034, 0.015)), "scenarios": scenarios})
    assert found["title"] == "Trial 5 serves 4 of 6 scenarios"
    assert found["sentences"][0] == "The next figures are for the campaign's own devices and number of contributors alone."
    assert "in the worst of the others victims keep 24.1 %" in " ".join(found["sentences"])
    table: dict[str, Any] = {"headroom": [{"rate_at_limit_gbps": 1.3, "contributors": 4, "covered": 10}]}
    ample = headline({**report(profile("c-5", 12.9, 13.0, 0.015, **table), **table), "scenarios": scenarios})
    assert (
        "enough for 10 contributors at this bottleneck where notifications come often enough (gran-2010: 10); the search had 8"
        in (" ".join(ample["sentences"]))
    )
    after_search = headline({**report(profile("c-5", 12.9, 13.034, 0.015)), "scenarios": {**scenarios, "effort": None}})
    assert after_search["title"] == "Victims get 12.9 Gb/s instead of 2.2 Gb/s"


def test_what_serves_all_scenarios_says_what_victims_keep_in_the_worst() -> None:
    found = headline({**report(profile("c-5", 12.9, 13.034, 0.015)), "scenarios": in_scenarios({})})
    assert found["title"] == "Victims keep at least 98 % in all 6 scenarios"


def test_what_readers_must_know_comes_first() -> None:
    document = report(None)
    document["conditions"] = {"notes": ["2 of 2 hosts send over Ethernet"]}
    assert headline(document)["sentences"][0] == "2 of 2 hosts send over Ethernet."
