# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Suggests profiles in a campaign's space."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tuner.campaign.setup import Setup
from tuner.documents.parameter import Scalar
from tuner.search.dialects import has_nvidia
from tuner.suggest.rule import ROOM
from tuner.suggest.several import suggest_for_all
from tuner.suggest.suggestion import Suggestion
from tuner.suggest.values import space_values

SUGGESTION = "suggestion"
FINE = "suggestion, fine steps"
HALF_ROOM = "suggestion, half the room"
FOR_VARIANTS = "suggestion for all variants"
FOR_SCENARIOS = "suggestion for all scenarios"


LITTLE_ROOM = 1.25
"""Room that suffices where nothing is left to chance: below 1 the hotspot stays congested."""


@dataclass(frozen=True, kw_only=True)
class _Form:
    """How a suggestion is put into a space, and what its sentence says of that."""

    increase: int | None = None
    room: float = ROOM
    how: str = ""


FORMS: Mapping[str, _Form] = {
    SUGGESTION: _Form(),
    FINE: _Form(increase=1, how=", with a CCTI_Increase of 1"),
    HALF_ROOM: _Form(increase=1, room=ROOM / 2, how=f", with a room of {ROOM / 2:g} and steps as fine as the space has"),
}
"""Forms by origin. The rule's own comes first, then, if the space leaves CCTI_Increase free, the one with an increase of 1:
contributors are treated more steadily with it where few of them share a receiver, and cost more where many do. The last has half
the room besides: the rule's own is for fabrics where the fan-in is not known, and a weaker table costs contributors less."""


SCENARIO_FORMS: Mapping[str, _Form] = {
    FOR_SCENARIOS: _Form(increase=1, how=", with the devices of each scenario and a CCTI_Increase of 1"),
    f"{FOR_SCENARIOS}, half the room": _Form(
        increase=1, room=ROOM / 2, how=f", with the devices of each scenario, a CCTI_Increase of 1 and a room of {ROOM / 2:g}"
    ),
    f"{FOR_SCENARIOS}, little room": _Form(
        increase=1,
        room=LITTLE_ROOM,
        how=f", with the devices of each scenario, a CCTI_Increase of 1 and a room of {LITTLE_ROOM:g}",
    ),
}
"""Forms of the suggestion for the scenario with the longest time between two packets: the more room, the more it costs where
fewer contributors meet."""


def suggested(setup: Setup) -> dict[str, tuple[Mapping[str, Scalar], str]]:
    """Returns by origin the values, and a sentence on where they are from; only those that differ: each of FORMS, and one that
    serves the devices of the campaign's variants as well, if the recommendation is to. A campaign can afford to measure them.

    Raises BadInputError if there is none for the workloads, or if one cannot be expressed in the space.
    """
    own = _chosen(setup)
    wanted = {origin: (own, form) for origin, form in FORMS.items()}
    if setup.campaign.variants and setup.campaign.recommend.robust:
        variants = [setup.variant_settings(name) for name in setup.campaign.variants]
        wanted[FOR_VARIANTS] = (_chosen(setup, variants=variants), _Form(how=", with the devices of each variant"))
    if setup.searches_scenarios:
        chosen = _for_scenarios(setup)
        wanted |= {origin: (chosen, form) for origin, form in SCENARIO_FORMS.items()}
    return _in_space(setup, wanted)


def _for_scenarios(setup: Setup) -> Suggestion:
    """Returns the suggestion for the devices of all scenarios, and the workload in which a contributor waits longest."""
    workloads = {scenario.workload.name: scenario.workload for scenario in setup.scenarios if not scenario.model}
    placed = [(setup.built[workload.fabric], workload) for workload in workloads.values()]
    models = {
        scenario.point.model: {**setup.backend_settings, **scenario.model} for scenario in setup.scenarios if scenario.model
    }
    return suggest_for_all(placed, model=setup.backend_settings, variants=list(models.values()))


def suggested_for(setup: Setup, model: Mapping[str, Any]) -> dict[str, Mapping[str, Scalar]]:
    """Returns each of FORMS by origin for other devices than the campaign's own, whose settings are `model`. Raises as
    `suggested` does."""
    chosen = _chosen(setup, model=model)
    found = _in_space(setup, {origin: (chosen, form) for origin, form in FORMS.items()})
    return {origin: values for origin, (values, _) in found.items()}


def _in_space(setup: Setup, wanted: Mapping[str, tuple[Suggestion, _Form]]) -> dict[str, tuple[Mapping[str, Scalar], str]]:
    found: dict[str, tuple[Mapping[str, Scalar], str]] = {}
    for origin, (suggestion, form) in wanted.items():
        fitted = space_values(suggestion, setup.space, increase=form.increase, room=form.room)
        setup.space.profile(fitted.params, name=origin)  # the fields may contradict one another
        if any(params == fitted.params for params, _ in found.values()):
            continue
        by_dcqcn = suggestion.dcqcn is not None and has_nvidia(setup.space.base)
        rules = [*(["of balance and room"] if suggestion.kinds.a10 or not by_dcqcn else []), *(["for DCQCN"] if by_dcqcn else [])]
        said = (
            f"By the rule {' and the one '.join(rules)}, for {suggestion.made_for} contributors to a receiver of "
            f"{suggestion.receive_gbps:.4g} Gb/s{form.how}."
        )
        found[origin] = (fitted.params, " ".join([said, *(f"{changed}." for changed in fitted.changed)]))
    return found


def _chosen(setup: Setup, *, model: Mapping[str, Any] | None = None, variants: Sequence[Mapping[str, Any]] = ()) -> Suggestion:
    return suggest_for_all(
        setup.placed,
        model=setup.backend_settings if model is None else model,
        variants=variants,
    )
