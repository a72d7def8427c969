# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Scenarios in a report: the map of profiles and scenarios, the price of each further one, and the sentence on what holds."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from tuner.campaign.result import CampaignResult
from tuner.campaign.scenarios.findings import Row, ScenarioFindings
from tuner.documents.campaign_scenarios import OWN
from tuner.report.device_names import devices_name, own_name
from tuner.report.profiles import file_names
from tuner.report.text import listed, number, words

Document = Mapping[str, Any]

RECOMMENDED, EXPERT, BEST_FOR = "recommended", "expert", "best for "
"""Roles of a profile in the map; the last one is followed by a model of the devices."""
_LOSERS = {"victims_share": "victims", "contributors_share": "contributors"}
_SHARES = ("victims_share", "contributors_share", "treatment_variation_gbps2")
"""Metrics of a cell of the map."""


def scenarios_document(result: CampaignResult) -> dict[str, Any] | None:
    """Returns None of a campaign without scenarios.

    `scenarios`: `{name, model, devices, contributors, place, background, slow_host, settings}`; `rows`: for each profile `{roles,
    origin, trial, served, of, worst, cells, file, profile_yaml}`, where `cells` has by scenario `{served, broken}` and the means of its
    metrics; `prices`: `{served, scenarios, trial, worst}`; `effort`: the search's runs.
    """
    found = result.scenarios
    if found is None:
        return None
    models = {} if result.setup.campaign.scenarios is None else result.setup.campaign.scenarios.models
    files = file_names(list(models))
    own = own_name(result.setup.backend_settings, models)
    document = {
        "scenarios": [
            {
                "name": scenario.name,
                "settings": {f"model.{path}": setting for path, setting in scenario.model.items()},
                "devices": devices_name(scenario.model) if scenario.model else own,
                **scenario.point.to_json(),
                "contributors": scenario.contributors,
            }
            for scenario in found.scenarios
        ],
        "required": list(found.required),
        "rows": [_row(row, roles, files) for row, roles in _rows(found)],
        "prices": [
            {"served": len(price.scenarios), "scenarios": list(price.scenarios), "trial": price.trial, "worst": dict(price.worst)}
            for price in found.prices
        ],
        "effort": {
            "runs": found.effort.runs,
            "runs_without_race": found.effort.runs_without_race,
            "reference_runs": found.effort.reference_runs,
            "packet_hops": found.effort.packet_hops,
        },
    }
    return {"sentence": holds(document, trials=len(result.trials)), **document}


def holds(document: Document, *, trials: int) -> str:
    """Returns what the recommendation holds for, as a clause that a sentence on it can end with. `trials`: of the search."""
    row = row_of(document, RECOMMENDED)
    if row is None:
        return f"none of {trials} trials serves any of {len(document['scenarios'])} scenarios"
    scenarios, cells = document["scenarios"], row["cells"]
    models = list(dict.fromkeys(scenario["model"] for scenario in scenarios))
    fan_ins = sorted({scenario["contributors"] for scenario in scenarios})
    whole = [
        fan_in for fan_in in fan_ins if all(_served(cells, one["name"]) for one in scenarios if one["contributors"] == fan_in)
    ]
    everybody = f"all {len(models)} models of the devices" if len(models) > 1 else ""
    clauses = [
        f"holds {_for(everybody)}{_fan_ins(whole, fan_ins)}" if whole else f"holds in {row['served']} of {row['of']} scenarios"
    ]
    clauses += _losses(scenarios, cells, fan_ins)
    if row["served"] < row["of"] and all(not price["worst"] for price in document["prices"][row["served"] :]):
        clauses.append(f"none of {trials} trials serves more than {row['served']} of {row['of']} scenarios")
    return "; ".join(clauses)


def row_of(document: Document, role: str) -> Document | None:
    """Returns the row of the map in a role."""
    return next((row for row in document["rows"] if role in row["roles"]), None)


def cell_text(cell: Document | None) -> str:
    """Returns a cell of the map for people: `served`, or what is left of whom."""
    if cell is None:
        return "–"
    if cell["served"]:
        return "served"
    parts = []
    for name in cell["broken"]:
        share = cell.get(name)
        kept = "broken" if share is None else f"{number(100 * share)} %"
        parts.append(f"{_LOSERS.get(name, words(name))} {kept}")
    return ", ".join(parts)


def role_text(row: Document) -> str:
    """Returns what a row of the map is: `recommended, trial 7`."""
    return f"{listed([role_words(role) for role in row['roles']])}: {row['origin']}"


def role_words(role: str) -> str:
    if role in (RECOMMENDED, EXPERT):
        return "published" if role == EXPERT else role
    return f"{BEST_FOR}own devices" if role.removeprefix(BEST_FOR) == OWN else role


def _rows(found: ScenarioFindings) -> list[tuple[Row, list[str]]]:
    """Returns each profile once, with its roles."""
    named = [(RECOMMENDED, found.recommended), *((f"{BEST_FOR}{model}", row) for model, row in found.by_model.items())]
    named.append((EXPERT, found.expert))
    rows: dict[str, tuple[Row, list[str]]] = {}
    for role, row in named:
        if row is not None:
            rows.setdefault(row.configuration.digest, (row, []))[1].append(role)
    return list(rows.values())


def _row(row: Row, roles: Sequence[str], files: Mapping[str | None, str]) -> dict[str, Any]:
    """`files`: by model of the devices, None standing for the campaign's own."""
    metrics = row.evaluation.by_workload()
    models = [role.removeprefix(BEST_FOR) for role in roles if role.startswith(BEST_FOR)]
    own_file = bool(models) and RECOMMENDED not in roles and row.trial is not None
    return {
        "roles": list(roles),
        "origin": row.origin,
        "trial": row.trial,
        "served": row.served,
        "of": len(row.broken),
        "worst": dict(row.worst),
        "seeds": list(row.evaluation.seeds),
        "cells": {
            name: {"served": not broken, "broken": list(broken)} | {key: getattr(metrics[name], key) for key in _SHARES}
            for name, broken in row.broken.items()
        },
        "file": files[None if models[0] == OWN else models[0]] if own_file else None,
        "profile_yaml": row.configuration.profile.to_yaml(),
    }


def _served(cells: Document, scenario: str) -> bool:
    return scenario in cells and bool(cells[scenario]["served"])


def _for(everybody: str) -> str:
    return f"for {everybody}" if everybody else ""


def _fan_ins(whole: Sequence[int], fan_ins: Sequence[int]) -> str:
    """Returns ` from 2 to 8 contributors`, ` with 2 and 8 contributors`; both ends of each run of neighbours that hold."""
    runs = [
        [fan_in for _, fan_in in run]
        for held, run in groupby(((fan_in in whole, fan_in) for fan_in in fan_ins), key=lambda pair: pair[0])
        if held
    ]
    said = [f"from {run[0]} to {run[-1]}" if len(run) > 1 else f"with {run[0]}" for run in runs]
    return f" {listed(said)} contributors"


def _losses(scenarios: Sequence[Document], cells: Document, fan_ins: Sequence[int]) -> list[str]:
    """Returns who loses with how many contributors on which devices, a clause for each set of devices and losers."""
    found: dict[tuple[tuple[str, ...], str], list[int]] = {}
    for fan_in in fan_ins:
        by_loser: dict[str, list[str]] = {}
        for scenario in scenarios:
            if scenario["contributors"] == fan_in and not _served(cells, scenario["name"]):
                broken = cells.get(scenario["name"], {}).get("broken", ["victims_share"])
                losers = listed([_LOSERS.get(name, words(name)) for name in broken])
                by_loser.setdefault(losers, []).append(scenario["devices"])
        for losers, devices in by_loser.items():
            found.setdefault((tuple(dict.fromkeys(devices)), losers), []).append(fan_in)
    return [
        f"with {listed([str(fan_in) for fan_in in at])} contributors {losers} lose with {listed(list(devices))}"
        for (devices, losers), at in found.items()
    ]


def worst_sentence(document: Document) -> str:
    """Returns what the recommendation leaves in the worst scenario that it serves, beside the published profile's in its own."""
    row = row_of(document, RECOMMENDED)
    if row is None:
        return ""
    kept = [
        f"{who} keep {number(100 * row['worst'][name])} %"
        for name, who in (("worst_victims_share", "victims"), ("worst_contributors_share", "contributors"))
        if name in row["worst"]
    ]
    expert = row_of(document, EXPERT)
    against = "" if expert is None or expert is row else f"; {expert['origin']} serves {expert['served']} of {expert['of']}"
    said = f", and in the worst of them {listed(kept)}" if kept else ""
    return f"It serves {row['served']} of {row['of']} scenarios{said}{against}."


def price_sentences(document: Document) -> list[str]:
    """Returns the price of each further scenario that costs contributors something, in the order of difficulty."""
    sentences, before = [], None
    for price in document["prices"]:
        last = price["scenarios"][-1]
        share = price["worst"].get("worst_contributors_share")
        if not price["worst"]:
            sentences.append(f"No trial that serves the {price['served'] - 1} easiest scenarios serves '{last}' too.")
            break
        if share is not None and before is not None and before - share >= 0.0005:
            sentences.append(
                f"'{last}' costs contributors {number(100 * (before - share))} % more in the worst case: they keep "
                f"{number(100 * share)} %."
            )
        before = share
    return sentences
