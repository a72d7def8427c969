# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Scenarios in a report: the map of profiles and scenarios, the price of each further one, and the sentence on what holds."""

from collections.abc import Mapping, Sequence
from decimal import ROUND_FLOOR, Context
from typing import Any

from tuner.campaign.result import CampaignResult
from tuner.campaign.scenarios.build import asked_of
from tuner.campaign.scenarios.findings import Row, ScenarioFindings
from tuner.document_base.words import listed
from tuner.documents.campaign_scenarios import OWN
from tuner.report.device_names import devices_name, own_name
from tuner.report.profiles import file_names
from tuner.report.text import number, words
from tuner.suggest.holding import Cell, holding

Document = Mapping[str, Any]

_DOWN = Context(prec=3, rounding=ROUND_FLOOR)

RECOMMENDED, EXPERT, BEST_FOR = "recommended", "expert", "best for "
"""Roles of a profile in the map; the last one is followed by a model of the devices."""
GENTLEST, MOST = "best in its worst scenario", "serves the most scenarios"
"""Further roles: of what stands beside a recommendation that misses a scenario by far, and beside one that took such a place."""
LEAST_PRICE = 0.001
"""Share of contributors below which a further scenario costs nothing that a reader would see."""
_LOSERS = {"victims_share": "victims", "contributors_share": "contributors"}
_SHARES = ("victims_share", "contributors_share", "treatment_variation_gbps2")
"""Metrics of a cell of the map."""


def scenarios_document(result: CampaignResult) -> dict[str, Any] | None:
    """Returns None of a campaign without scenarios and variants, or with variants and no recommendation.

    `scenarios`: `{name, model, devices, contributors, place, background, slow_host, slow_receiver, settings}`;
    `rows`: for each profile `{roles,
    origin, trial, served, of, worst, cells, file, profile_yaml}`, where `cells` has by scenario `{served, broken}` and means of
    metrics; `prices`: `{served, scenarios, trial, worst}`; `effort`: the search's runs, null where they were not in scenarios.
    """
    found = result.scenarios
    if found is None:
        return None
    asked = asked_of(result.setup.campaign)
    models = {} if asked is None else asked.models
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
        "effort": None
        if found.effort is None
        else {
            "runs": found.effort.runs,
            "runs_without_race": found.effort.runs_without_race,
            "reference_runs": found.effort.reference_runs,
            "packet_hops": found.effort.packet_hops,
        },
    }
    return {"sentence": holds(document, trials=found.tried), **document}


def holds(document: Document, *, trials: int) -> str:
    """Returns what the recommendation holds for, as a clause that a sentence on it can end with. `trials`: those that were
    measured in scenarios."""
    row = row_of(document, RECOMMENDED)
    if row is None:
        return f"none of {trials} trials serves any of {len(document['scenarios'])} scenarios"
    clauses = holding([_cell(scenario, row["cells"].get(scenario["name"])) for scenario in document["scenarios"]])
    searched = document["effort"] is not None
    more = any(price["worst"] for price in document["prices"][row["served"] :]) or (trials < 2 and not searched)
    others = [other for role in (GENTLEST, MOST) if (other := row_of(document, role)) is not None]
    served = max(one["served"] for one in (row, *others))
    if row["served"] < row["of"] and not more:
        looked_at = "" if searched else " that were measured there"
        clauses.append(f"none of {trials} trials{looked_at} serves more than {served} of {row['of']} scenarios")
    clauses += [_beside(other) for other in others]
    return "; ".join(clauses)


def _beside(row: Document) -> str:
    """Returns a clause on a profile that serves fewer scenarios than the recommendation and loses less in the worst, or the other
    way round."""
    kept = []
    for metric, who in _LOSERS.items():
        shares = [cell[metric] for cell in row["cells"].values() if cell.get(metric) is not None]
        if shares:
            kept.append(f"{who} {number(100 * min(shares))} %")
    leaves = f", and leaves {listed(kept)} in the worst" if kept else ""
    return f"{row['origin']} serves {row['served']}{leaves}"


def row_of(document: Document, role: str) -> Document | None:
    """Returns the row of the map in a role."""
    return next((row for row in document["rows"] if role in row["roles"]), None)


def _too_little(share: float) -> str:
    """Returns a share that is less than asked as a percentage. Rounded down: 95.96 % is not the 96 % that are asked."""
    return f"{number(float(_DOWN.create_decimal_from_float(100 * share + 1e-9)))} %"


def cell_text(cell: Document | None) -> str:
    """Returns a cell of the map for people: `served`, or what is left of whom."""
    if cell is None:
        return "–"
    if cell["served"]:
        return "served"
    parts = []
    for name in cell["broken"]:
        share = cell.get(name)
        kept = "broken" if share is None else _too_little(share)
        parts.append(f"{_LOSERS.get(name, words(name))} {kept}")
    return ", ".join(parts)


def scenario_map(document: Document | None) -> dict[str, Any] | None:
    """Returns what a page shows of scenarios: `sentence`, the `names` of scenarios, for each profile `{role, origin, trial, file,
    served, of, cells}`, where `cells` says in words who loses in each, and `prices`, `{served, scenario, trial,
    contributors_share}`. None of a campaign without scenarios."""
    if document is None:
        return None
    return {
        "sentence": document["sentence"],
        "names": [scenario["name"] for scenario in document["scenarios"]],
        "rows": [
            {
                "role": _roles_text(row["roles"], [scenario["model"] for scenario in document["scenarios"]]),
                **{key: row[key] for key in ("origin", "trial", "file", "served", "of")},
                "cells": [cell_text(row["cells"].get(scenario["name"])) for scenario in document["scenarios"]],
            }
            for row in document["rows"]
        ],
        "prices": [
            {
                "served": price["served"],
                "scenario": price["scenarios"][-1],
                "trial": price["trial"],
                "contributors_share": price["worst"].get("worst_contributors_share"),
            }
            for price in document["prices"]
        ],
    }


def role_text(row: Document) -> str:
    """Returns what a row of the map is: `recommended, trial 7`."""
    return f"{listed([role_words(role) for role in row['roles']])}: {row['origin']}"


def _roles_text(roles: Sequence[str], models: Sequence[str]) -> str:
    """Returns the roles in words; `models`: of the devices, of all scenarios."""
    each = {f"{BEST_FOR}{model}" for model in models}
    if len(each) > 1 and each <= {*roles}:
        return listed([*(role_words(role) for role in roles if role not in each), f"{BEST_FOR}each model of the devices"])
    return listed([role_words(role) for role in roles])


def role_words(role: str) -> str:
    if role in (RECOMMENDED, EXPERT):
        return "published" if role == EXPERT else role
    return f"{BEST_FOR}own devices" if role.removeprefix(BEST_FOR) == OWN else role


def _rows(found: ScenarioFindings) -> list[tuple[Row, list[str]]]:
    """Returns each profile once, with its roles."""
    named = [(RECOMMENDED, found.recommended), *((f"{BEST_FOR}{model}", row) for model, row in found.by_model.items())]
    named += [(GENTLEST, found.gentlest), (MOST, found.most), (EXPERT, found.expert)]
    rows: dict[str, tuple[Row, list[str]]] = {}
    for role, row in named:
        if row is not None:
            rows.setdefault(row.configuration.digest, (row, []))[1].append(role)
    return list(rows.values())


def _row(row: Row, roles: Sequence[str], files: Mapping[str | None, str]) -> dict[str, Any]:
    """`files`: by model of the devices, None standing for the campaign's own."""
    metrics = row.evaluation.by_workload()
    models = [role.removeprefix(BEST_FOR) for role in roles if role.startswith(BEST_FOR)]
    own_file = bool(models) and RECOMMENDED not in roles
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
        "best_for": models,
        "digest": row.configuration.digest,
        "file": files[None if models[0] == OWN else models[0]] if own_file else None,
        "profile_yaml": row.configuration.profile.to_yaml(),
    }


def _cell(scenario: Document, measured: Document | None) -> Cell:
    losers = None
    if measured is None or not measured["served"]:
        broken = ["victims_share"] if measured is None else measured["broken"]
        losers = listed([_LOSERS.get(name, words(name)) for name in broken])
    return Cell(model=scenario["model"], devices=scenario["devices"], contributors=scenario["contributors"], losers=losers)


def worst_sentence(document: Document) -> str:
    """Returns what the recommendation leaves in the worst scenario that it serves and in the worst that it does not, beside how
    many the published profile serves."""
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
    lost = [
        f"{who} keep {_too_little(min(shares))}"
        for metric, who in _LOSERS.items()
        if (shares := [cell[metric] for cell in row["cells"].values() if metric in cell["broken"] and cell[metric] is not None])
    ]
    missed = f"; in the worst of the others {listed(lost)}" if lost else ""
    return f"It serves {row['served']} of {row['of']} scenarios{said}{missed}{against}."


def price_sentences(document: Document) -> list[str]:
    """Returns the price of each further scenario that costs contributors something, in the order of difficulty."""
    sentences, before = [], None
    for price in document["prices"]:
        last = price["scenarios"][-1]
        share = price["worst"].get("worst_contributors_share")
        if not price["worst"]:
            sentences.append(f"No trial that serves the {price['served'] - 1} easiest scenarios serves '{last}' too.")
            break
        if share is not None and before is not None and before - share >= LEAST_PRICE:
            sentences.append(
                f"To serve '{last}' as well, contributors give up {100 * (before - share):.1f} points of their share in the "
                f"worst case: {100 * share:.1f} % is left."
            )
        before = share
    return sentences
