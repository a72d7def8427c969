# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Makes a campaign ready to run: loads what its document only names, and checks all of it together."""

from collections.abc import Mapping, Sequence
from typing import Any

from ccsim.policy import Profile
from tuner.campaign.setup import PRESENT, Setup
from tuner.campaign.setup_checks import at, check_setup
from tuner.document_base.yaml_core import Document
from tuner.documents.campaign import Campaign
from tuner.documents.campaign_goals import bounds
from tuner.documents.fabric import FabricDocument
from tuner.documents.parameter import Scalar
from tuner.documents.profile import load_profile
from tuner.errors import BadInputError
from tuner.placement.grounds import Grounds
from tuner.placement.on_fabric import OnFabric
from tuner.search.device_support import check_matches
from tuner.search.dialects import check_base, check_dialects
from tuner.search.field_path import GroupField
from tuner.search.model_path import check_model, devices_of
from tuner.search.space import Space, is_of_model


def prepare(
    campaign: Campaign,
    document: Document,
    *,
    base_settings: Mapping[str, Scalar] | None = None,
    backend_settings: Mapping[str, Any] | None = None,
    hosts: Sequence[str] | None = None,
) -> Setup:
    """Loads what a campaign names and checks it against the space. `document` tells the lines.

    `base_settings` replaces fields of the base profile. `hosts`: references of those that may play the workloads' roles; by
    default all of the fabric. Raises BadInputError.
    """
    base = load_profile(campaign.base, base_settings)
    settings = backend_settings or {}
    grounds = Grounds(campaign.fabric, campaign.roles, hosts)
    placements = grounds.load(campaign.workloads)
    workloads = tuple(one.workload for one in placements)
    screening = campaign.screening
    elsewhere = () if campaign.confirm_on is None else campaign.confirm_on.workloads
    screened = () if screening is None else tuple(one.workload for one in grounds.load(screening.workloads)) or workloads
    confirmed = tuple(one.workload for one in grounds.load(elsewhere)) or workloads
    built = {one.fabric: grounds.built(one.fabric) for one in (*workloads, *screened, *confirmed)}
    campaign = campaign.model_copy(update={"hypervolume_reference": _reference(campaign, placements)})
    space = _space(campaign, base, document, [one.document for one in built.values()], settings)
    setup = Setup(
        campaign=campaign,
        space=space,
        baseline=load_profile(campaign.baseline),
        expert=load_profile(campaign.expert),
        starts=_starts(campaign, space, document),
        starts_from_present=PRESENT in campaign.start_from,
        workloads=workloads,
        screening_workloads=screened,
        confirmation_workloads=confirmed,
        fabrics={name: one.document for name, one in built.items()},
        built=built,
        placements=placements,
        objectives=tuple(goal.resolved() for goal in campaign.objectives),
        constraints=bounds(campaign.constraints),
        backend_settings=settings,
    )
    check_setup(setup, document)
    if any(GroupField.parse(path) for path in space.parameters):
        for one in setup.built.values():
            check_matches(space, one)
    return setup


def _space(
    campaign: Campaign, base: Profile, document: Document, fabrics: Sequence[FabricDocument], settings: Mapping[str, Any]
) -> Space:
    """`fabrics`: of all workloads."""
    varied = [path for path in campaign.space if is_of_model(path)]
    try:
        space = Space(campaign.space, base, devices=devices_of(fabrics, settings, varied) if varied else None)
    except BadInputError as error:
        raise at(document, ("space",), f"space: {error.sentence}") from error
    for path in space.parameters:
        try:
            check_base(space, path)
            for fabric in fabrics:
                check_dialects(space, path, fabric)
            space.check(path)
            check_model(space, path, campaign.backend, fabrics, settings)
        except BadInputError as error:
            raise at(document, ("space", path), f"space.{path}: {error.sentence}") from error
    return space


def _starts(campaign: Campaign, space: Space, document: Document) -> dict[str, dict[str, Scalar]]:
    starts = {}
    for index, reference in enumerate(campaign.start_from):
        if reference == PRESENT:
            continue
        profile = load_profile(reference)
        try:
            starts[profile.name] = space.params_of(profile)
        except BadInputError as error:
            raise at(document, ("start_from", index), f"cannot start from '{reference}': {error.sentence}") from error
    for name, values in campaign.start_values.items():
        for path, value in values.items():
            if path not in space.distributions or not space.parameters[path].holds(value):
                raise at(document, ("start_values", name), f"start_values.{name}: the space does not hold {path} {value}")
        starts[name] = dict(values)
    return starts


def _reference(campaign: Campaign, placements: Sequence[OnFabric]) -> dict[str, float]:
    """The reference point of the hypervolume, which documents write for the rates and packet times of their workloads' own
    fabric, for the campaign's."""
    rate, time = placements[0].rate_factor, placements[0].time_factor
    by_unit = {"Gb/s": rate, "Gb²/s²": rate**2, "µs": time}
    units = {goal.resolved().name: goal.resolved().unit for goal in campaign.objectives}
    return {
        name: value if (factor := by_unit.get(units[name], 1.0)) == 1.0 else float(f"{value * factor:.3g}")
        for name, value in campaign.hypervolume_reference.items()
    }
