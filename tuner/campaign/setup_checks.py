# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a campaign's documents must not say together. It is found before anything is measured, at a line of the campaign's
document."""

from collections.abc import Iterator, Mapping
from typing import Any

import ccsim
from ccsim.policy import Profile
from tuner.campaign.setup import Setup
from tuner.document_base.yaml_core import Document, Place
from tuner.documents.device_model import device_model, nested
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.search.model_path import SCHEME_NAME, are_one_choice, require_simulated
from tuner.simulation.check_run import check_run

SIMULATED = "simulated"
"""The backend whose runs can be refused for a scheme or a dialect."""


def at(document: Document, place: Place, sentence: str) -> BadInputError:
    """The error of something at a place of the campaign's document."""
    return BadInputError(sentence, source=document.source, line=document.line_of(place))


def check_setup(setup: Setup, document: Document) -> None:
    """Raises BadInputError for what no trial, or no stage after the search, could measure."""
    _check_plans(setup)
    _check_varied(setup, document)
    _check_devices(setup, document)
    _check_scenarios(setup, document)


def _check_plans(setup: Setup) -> None:
    scenarios = [scenario.workload for scenario in setup.scenarios]
    for workloads in (setup.workloads, setup.screening_workloads, setup.confirmation_workloads, scenarios):
        names = [workload.name for workload in workloads]
        if len(set(names)) != len(names):
            raise BadInputError(f"two workloads of campaign '{setup.campaign.name}' have the name '{_first_double(names)}'")
    _ = setup.search, setup.screening, setup.confirmation  # raises if a workload cannot be scaled so far


def _check_devices(setup: Setup, document: Document) -> None:
    """The campaign's own devices with each profile that is measured for certain, and each scheme of the space with the base."""
    if setup.campaign.backend != SIMULATED:
        return
    settings = nested(setup.backend_settings)
    schemes = setup.space.parameters.get(SCHEME_NAME)
    for built in _fabrics(setup):
        for key, profile in _measured(setup):
            try:
                check_run(built, _model(built, settings), profile)
            except BadInputError as error:
                raise at(
                    document, (key,), f"{key} '{profile.name}' on fabric '{built.document.name}': {error.sentence}"
                ) from error
        for name in () if schemes is None else schemes.ends:
            try:
                check_run(built, _model(built, settings, {"scheme": {"name": name}}), setup.space.base)
            except BadInputError as error:
                raise at(document, ("space", SCHEME_NAME), f"space.{SCHEME_NAME}: {error.sentence}") from error


def _check_scenarios(setup: Setup, document: Document) -> None:
    """The devices of each scenario with each profile that is measured for certain, and what the space varies besides."""
    for scenario in setup.scenarios:
        models = "scenarios.models" if setup.searches_scenarios else "variants"
        place = (*models.split("."), scenario.point.model)
        for path in scenario.model:
            if both := [one for one in setup.space.model_paths if are_one_choice(one, f"model.{path}")]:
                sentence = f"scenario '{scenario.name}' sets model.{path}, and the space varies {both[0]}; take one of them out"
                raise at(document, place, sentence)
        built = setup.built[scenario.workload.fabric]
        own, what = nested(setup.backend_settings), f"scenario '{scenario.name}'"
        try:
            model = _model(built, own, nested(scenario.model))
            for key, profile in _measured(setup):
                what = f"scenario '{scenario.name}', in which {key} '{profile.name}' is measured"
                check_run(built, model, profile)
        except BadInputError as error:
            raise at(document, place, f"{what}: {error.sentence}") from error
        if setup.searches_scenarios and scenario.model and model.to_dict() == _model(built, own).to_dict():
            sentence = f"{models}.{scenario.point.model} is how the campaign's own devices behave anyway; leave it out"
            raise at(document, place, sentence)


def _fabrics(setup: Setup) -> Iterator[BuiltFabric]:
    for name in dict.fromkeys(workload.fabric for workload in setup.workloads):
        yield setup.built[name]


def _measured(setup: Setup) -> Iterator[tuple[str, Profile]]:
    """Profiles that stand for all that are measured, by their key in the campaign's document."""
    yield "baseline", setup.baseline
    yield "expert", setup.expert


def _model(built: BuiltFabric, *settings: Mapping[str, Any]) -> ccsim.Model:
    return device_model(built.document.model, *settings, mtu_bytes=built.document.mtu_bytes)


def _check_varied(setup: Setup, document: Document) -> None:
    """Raises BadInputError where the confirmation's backend cannot vary what the space varies."""
    varied = setup.space.model_paths
    if not varied:
        return
    elsewhere = setup.campaign.confirm_on
    if elsewhere is not None:
        try:
            require_simulated(varied[0], elsewhere.backend)
        except BadInputError as error:
            raise at(document, ("confirm_on",), f"confirm_on: space.{varied[0]} {error.sentence}") from error


def _first_double(names: list[str]) -> str:
    return next(name for index, name in enumerate(names) if name in names[:index])
