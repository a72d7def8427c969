# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The profiles that are compared: what the searches found, what a rule suggests in no trial, and what is published."""

from collections.abc import Mapping

from ccsim.policy import Profile
from experiments.robust.searches import Found
from tuner.documents.campaign_scenarios import OWN
from tuner.documents.profile import load_profile
from tuner.suggest.devices import DEVICE_MODELS
from tuner.suggest.robust import robust
from tuner.suggest.suggestion import suggest

OFF, RECOMMENDED = "off", "recommended"
SUGGESTED, SUGGESTED_OWN = "suggested", "suggested for the own devices"


def best_for(model: str) -> str:
    """Name of the best profile for one model of the devices."""
    return f"best for {model}"


def contenders(found: Found) -> dict[str, Profile]:
    """Returns by name all profiles that are measured in every scenario; without those that the searches did not find."""
    goal, setup = found.goal, found.compared
    profiles = {OFF: load_profile(OFF), setup.expert.name: setup.expert}
    profiles |= {name: load_profile(name) for name in goal.published if name not in profiles}
    profiles |= _suggestions(found)
    for model in (OWN, *goal.models):
        best = found.best_for(model)
        if best is not None:
            profiles[best_for(model)] = best
    if found.recommended is not None:
        profiles[RECOMMENDED] = found.recommended[0]
    return profiles


def rivals(profiles: Mapping[str, object]) -> list[str]:
    """Returns the names of the published and suggested profiles."""
    return [name for name in profiles if name not in (OFF, RECOMMENDED) and not name.startswith(best_for(""))]


def _suggestions(found: Found) -> dict[str, Profile]:
    """What `ibcc profile suggest` gives for the most contributors: without knowing the devices, and with the goal's own."""
    setup, numbers = found.compared, found.goal.compared
    workload = max(
        (scenario for scenario in setup.scenarios if not scenario.model), key=lambda scenario: scenario.contributors
    ).workload
    built = setup.built[workload.fabric]
    contributors = (min(numbers), max(numbers)) if numbers else None
    unknown = suggest(built, workload=workload, contributors=contributors, variants=list(DEVICE_MODELS.values()))
    own = suggest(built, workload=workload, contributors=contributors, model=setup.backend_settings)
    return {SUGGESTED: robust(unknown).profile, SUGGESTED_OWN: own.profile}
