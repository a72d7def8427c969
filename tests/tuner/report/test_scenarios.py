# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The sentence on what a recommendation holds for, from the map of a report."""

from typing import Any

import pytest

from tuner.report.scenarios import cell_text, holds, price_sentences, scenario_map, worst_sentence

MODELS = {"own": "adapters that send CNPs", "acks": "adapters that send BECNs on acknowledgements"}


def document(
    lost: dict[tuple[str, int], list[str]], *, fan_ins: tuple[int, ...] = (2, 4, 8), models: tuple[str, ...] = ("own", "acks")
) -> dict[str, Any]:
    """The report of a recommendation that loses so in some scenarios, by model and contributors."""
    scenarios = [
        {"name": f"{model}, {fan_in}", "model": model, "devices": MODELS[model], "contributors": fan_in}
        for model in models
        for fan_in in fan_ins
    ]
    cells = {
        f"{model}, {fan_in}": {"served": (model, fan_in) not in lost, "broken": lost.get((model, fan_in), [])}
        | {"victims_share": 0.241, "contributors_share": 0.9518}
        for model in models
        for fan_in in fan_ins
    }
    served = len(scenarios) - len(lost)
    row = {"roles": ["recommended"], "origin": "trial 7", "trial": 7, "file": None, "served": served, "of": len(scenarios)}
    row |= {"worst": {"worst_victims_share": 0.98, "worst_contributors_share": 0.96}, "cells": cells}
    prices = [
        {"served": count, "scenarios": [one["name"] for one in scenarios[:count]], "trial": 7}
        | {"worst": {"worst_contributors_share": 0.98} if count <= served else {}}
        for count in range(1, len(scenarios) + 1)
    ]
    return {"scenarios": scenarios, "rows": [row], "prices": prices, "effort": {}}


V, C = ["victims_share"], ["contributors_share"]
SENTENCES = {
    "all": (
        {},
        {},
        "holds for all 2 models of the devices from 2 to 8 contributors",
    ),
    "the end": (
        {("acks", 8): V},
        {},
        "holds for all 2 models of the devices from 2 to 4 contributors; with 8 contributors, victims lose with "
        "adapters that send BECNs on acknowledgements; none of 60 trials serves more than 5 of 6 scenarios",
    ),
    "two ends": (
        {("acks", 2): C, ("acks", 8): V},
        {},
        "holds for all 2 models of the devices with 4 contributors; with 2 contributors, contributors lose with "
        "adapters that send BECNs on acknowledgements; with 8 contributors, victims lose with adapters that send "
        "BECNs on acknowledgements; none of 60 trials serves more than 4 of 6 scenarios",
    ),
    "the middle": (
        {("own", 4): [*V, *C]},
        {"models": ("own",)},
        "holds with 2 and with 8 contributors; with 4 contributors, victims and contributors lose with adapters "
        "that send CNPs; none of 60 trials serves more than 2 of 3 scenarios",
    ),
    "no number of contributors": (
        {("acks", 4): V, ("own", 4): V},
        {"fan_ins": (4, 8)},
        "holds for all 2 models of the devices with 8 contributors; with 4 contributors, victims lose with adapters "
        "that send CNPs and adapters that send BECNs on acknowledgements; none of 60 trials serves more than 2 of "
        "4 scenarios",
    ),
    "one number of contributors": (
        {("acks", 4): V},
        {"fan_ins": (4,)},
        "holds in 1 of 2 scenarios; with 4 contributors, victims lose with adapters that send BECNs on "
        "acknowledgements; none of 60 trials serves more than 1 of 2 scenarios",
    ),
}


@pytest.mark.parametrize("case", SENTENCES)
def test_the_sentence_says_where_it_holds_and_who_loses_elsewhere(case: str) -> None:
    lost, more, sentence = SENTENCES[case]
    assert holds(document(lost, **more), trials=60) == sentence  # type: ignore[arg-type]


def test_who_loses_less_in_the_worst_scenario_is_told_beside_it() -> None:
    found = document({("acks", 8): V})
    other = {**found["rows"][0], "roles": ["best in its worst scenario"], "origin": "trial 9", "served": 4}
    other["cells"] = {name: {**cell, "victims_share": 0.99, "contributors_share": 0.945} for name, cell in other["cells"].items()}
    found["rows"].append(other)
    assert holds(found, trials=60).endswith(
        "serves more than 5 of 6 scenarios; trial 9 serves 4, and leaves victims 99 % and contributors 94.5 % in the worst"
    )
    drawn = scenario_map({"sentence": "", **found})
    assert drawn is not None
    assert [row["role"] for row in drawn["rows"]] == ["recommended", "best in its worst scenario"]


def test_what_serves_more_and_loses_somebody_is_told_beside_it() -> None:
    found = document({("acks", 8): C, ("acks", 2): C})
    other = {**found["rows"][0], "roles": ["serves the most scenarios"], "origin": "trial 9", "served": 5}
    other["cells"] = {name: {**cell, "victims_share": 0.087, "contributors_share": 0.98} for name, cell in other["cells"].items()}
    found["rows"].append(other)
    assert holds(found, trials=60).endswith(
        "none of 60 trials serves more than 5 of 6 scenarios; trial 9 serves 5, and leaves victims 8.7 % and contributors 98 % "
        "in the worst"
    )


def test_that_none_serves_all_is_said_only_where_the_search_found_none() -> None:
    found = document({("acks", 8): V})
    found["prices"][-1]["worst"] = {"worst_contributors_share": 0.9}
    assert "none of" not in holds(found, trials=60)


def test_without_a_recommendation_nothing_is_served() -> None:
    assert holds({**document({}), "rows": []}, trials=60) == "none of 60 trials serves any of 6 scenarios"


def test_cells_say_who_loses_and_what_is_left() -> None:
    cell = {"served": False, "broken": [*V, *C], "victims_share": 0.241, "contributors_share": 0.9596}
    assert cell_text(cell) == "victims 24.1 %, contributors 95.9 %", "96 % are asked"
    assert cell_text({"served": True, "broken": []}) == "served"
    assert cell_text(None) == "–"


def test_prices_are_told_where_they_rise() -> None:
    found = document({("acks", 8): V})
    found["prices"][2]["worst"] = found["prices"][3]["worst"] = found["prices"][4]["worst"] = {"worst_contributors_share": 0.97}
    assert price_sentences(found) == [
        "To serve 'own, 8' as well, contributors give up 1.0 points of their share in the worst case: 97.0 % is left.",
        "No trial that serves the 5 easiest scenarios serves 'acks, 8' too.",
    ]
    assert (
        worst_sentence(found)
        == "It serves 5 of 6 scenarios, and in the worst of them victims keep 98 % and contributors keep 96 %; in the worst of "
        "the others victims keep 24.1 %."
    )
    assert worst_sentence(document({})).endswith("contributors keep 96 %.")


def test_the_map_of_a_page_has_the_same_words() -> None:
    found = document({("acks", 8): V})
    made = scenario_map({"sentence": "holds", **found})
    assert made is not None
    assert made["rows"][0]["cells"] == ["served"] * 5 + ["victims 24.1 %"]
    assert made["prices"][-1] == {"served": 6, "scenario": "acks, 8", "trial": 7, "contributors_share": None}
    found["rows"][0]["roles"] = ["recommended", "best for own", "best for acks"]
    again = scenario_map({"sentence": "holds", **found})
    assert again is not None
    assert (made["rows"][0]["role"], again["rows"][0]["role"]) == (
        "recommended",
        "recommended and best for each model of the devices",
    )
    assert scenario_map(None) is None
