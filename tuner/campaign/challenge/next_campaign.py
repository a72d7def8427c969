# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The next campaign after a challenge: the worst find is one of its scenarios."""

from collections.abc import Mapping
from typing import Any

from tuner.campaign.challenge.findings import Challenge, Find
from tuner.document_base.model import build_model
from tuner.documents.campaign import Campaign
from tuner.errors import BadInputError

ENDING = "-challenged"


def next_campaign(document: Mapping[str, Any], campaign: Campaign, found: Challenge) -> dict[str, Any]:
    """Returns the campaign's document with the worst find among its scenarios, and a name of its own.

    `document`: as it was given; `campaign`: the same with what its devices add. Variants become models of the scenarios, and the
    shares that were challenged become constraints, as a campaign with scenarios needs them. Raises BadInputError where the find
    is no worse than what was stated, or is one of the scenarios.
    """
    find = found.worst
    if find is None or not found.is_worse_than_stated:
        raise BadInputError("the worst find is no worse than what was stated, so there is no scenario to add")
    next_one = {key: value for key, value in document.items() if key != "variants"}
    next_one["name"] = f"{document['name']}{ENDING}"
    next_one["scenarios"] = _with(campaign, find)
    if campaign.scenarios is None:
        limits = {name: {"at_least": limit} for name, limit in found.limits.items() if name in find.shares}
        next_one["constraints"] = limits | dict(document.get("constraints", {}))
    build_model(Campaign, next_one, source="the next campaign")
    return next_one


def _with(campaign: Campaign, find: Find) -> dict[str, Any]:
    if campaign.scenarios is None:
        scenarios: dict[str, Any] = {"models": campaign.variants} if campaign.variants else {}
    else:
        scenarios = campaign.scenarios.model_dump(mode="json", exclude_unset=True, exclude={"placed"})
    return {**scenarios, "points": [*scenarios.get("points", ()), find.as_scenario]}
