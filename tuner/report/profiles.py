# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One profile for each model of the devices, where the recommendation does not serve them all."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tuner.campaign.estimates import metric_estimates
from tuner.campaign.result import CampaignResult
from tuner.campaign.scenarios.findings import Row
from tuner.document_base.words import listed
from tuner.report.text import number

OWN = "own-devices"
_KEPT = (("victims_share", "victims"), ("contributors_share", "contributors"))


def profiles_document(result: CampaignResult, scenarios: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """Returns for each file `{file, variant, settings, devices, origin, trial, gain, profile_yaml}` and the profile's figures in
    the scenarios of that model.

    `scenarios`: of the report. `variant` is the model's name, null for the campaign's own devices, whose `settings` are empty;
    `devices` names the models in words that it is the best for; `origin` is `trial 7`, that of a suggestion, or the expert's
    name; `gain` says what it is worth there. Empty where the recommendation serves all."""
    if result.scenarios is None or scenarios is None:
        return []
    by_digest = {row.configuration.digest: row for row in result.scenarios.by_model.values()}
    found = []
    for document in scenarios["rows"]:
        if document["file"] is None:
            continue
        there = [scenario for scenario in scenarios["scenarios"] if scenario["model"] in document["best_for"]]
        first = there[0]
        names = [scenario["name"] for scenario in there if scenario["model"] == first["model"]]
        found.append(
            {
                "file": document["file"],
                "variant": first["model"] if first["settings"] else None,
                "settings": dict(first["settings"]),
                "devices": listed(list(dict.fromkeys(scenario["devices"] for scenario in there))),
                **{key: document[key] for key in ("origin", "trial", "profile_yaml")},
                "gain": _gain([document["cells"].get(scenario["name"]) for scenario in there]),
                **_figures(by_digest[document["digest"]], names),
            }
        )
    return found


def file_names(variants: list[str]) -> dict[str | None, str]:
    """Returns the file of each variant's profile, and under None that for the campaign's own devices. A name may be any text."""
    taken: dict[str | None, str] = {}
    for name in (None, *variants):
        stem = OWN if name is None else re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:100] or "variant"
        numbered = (stem if number == 1 else f"{stem}-{number}" for number in range(1, len(variants) + 2))
        taken[name] = next(file for one in numbered if (file := f"profile-{one}.yaml") not in taken.values())
    return taken


def _gain(cells: Sequence[Mapping[str, Any] | None]) -> str:
    """Returns what a profile is worth where it is the best: `serves 2 of 2 scenarios there; victims keep at least 97 %`."""
    known = [cell for cell in cells if cell is not None]
    parts = [f"serves {sum(cell['served'] for cell in known)} of {len(cells)} scenario{'' if len(cells) == 1 else 's'} there"]
    for share, who in _KEPT:
        shares = [cell[share] for cell in known if cell[share] is not None]
        parts += [f"{who} keep at least {number(100 * min(shares))} %"] if shares else []
    return "; ".join(parts)


def _figures(row: Row, scenarios: Sequence[str]) -> dict[str, Any]:
    """Returns `name`, `profile`, `metrics` and `estimates`, each as in `recommended`, in the scenarios of one model. Nothing is
    compared with the baseline or the expert there: the map has them beside it."""
    evaluation = row.evaluation.part(workloads=scenarios)
    return {
        "name": row.configuration.profile.name,
        "profile": row.configuration.profile.to_dict(),
        "model": dict(row.configuration.model),
        "metrics": evaluation.metrics.to_json(),
        "estimates": {name: estimate.to_json() for name, estimate in metric_estimates(evaluation).items()},
        "against_baseline": {},
        "against_expert": {},
    }
