# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Makes a campaign ready to run: loads what its document only names, and checks all of it together."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ccsim.policy import Profile
from tuner.campaign.device_space import device_space
from tuner.campaign.scenarios.build import placed_before, scenarios_of
from tuner.campaign.scenarios.scenario import Scenario
from tuner.campaign.setup import PRESENT, Setup
from tuner.campaign.setup_checks import SIMULATED, at, check_setup
from tuner.document_base.yaml_core import Document
from tuner.documents.campaign import Campaign
from tuner.documents.campaign_goals import bounds
from tuner.documents.fabric import FabricDocument
from tuner.documents.parameter import Scalar
from tuner.documents.profile import load_profile, with_settings
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.fabric.one_subnet import with_subnet
from tuner.placement.grounds import Grounds
from tuner.placement.on_fabric import OnFabric
from tuner.search.device_support import check_matches
from tuner.search.dialects import check_base, check_dialects
from tuner.search.field_path import GroupField
from tuner.search.model_path import check_model, devices_of
from tuner.search.space import Space, is_of_model

_TOTALS = ("contributor_total", "total_throughput")
"""Objectives that are sums over flows."""


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
    asked, settings = campaign, backend_settings or {}
    if campaign.subnet is not None and campaign.fabric is None:
        raise BadInputError(f"subnet is {campaign.subnet}, and no fabric is named; name the one that has it by fabric")
    fabric = None if campaign.fabric is None else with_subnet(campaign.fabric, campaign.subnet)
    grounds = Grounds(fabric, campaign.roles, hosts)
    placements = tuple(
        replace(found, workload=placed_before(campaign, found.workload) or found.workload)
        for found in grounds.load(campaign.workloads)
    )
    workloads = tuple(one.workload for one in placements)
    screening = campaign.screening
    elsewhere = () if campaign.confirm_on is None else campaign.confirm_on.workloads
    screened = () if screening is None else tuple(one.workload for one in grounds.load(screening.workloads)) or workloads
    confirmed = tuple(one.workload for one in grounds.load(elsewhere)) or workloads
    built = {one.fabric: grounds.built(one.fabric) for one in (*workloads, *screened, *confirmed)}
    campaign = campaign.model_copy(update={"hypervolume_reference": _reference(campaign, placements)})
    published: dict[str, Profile] = {}
    if not campaign.space:
        campaign, published = _of_devices(campaign, [(built[one.fabric], one) for one in workloads], settings)
    scenarios = _scenarios(campaign, document, built, workloads, hosts)
    built |= {fabric: grounds.built(fabric) for fabric in dict.fromkeys(one.workload.fabric for one in scenarios)}
    base = with_settings(published.get("base") or load_profile(campaign.base), base_settings)
    space = _space(campaign, base, document, [one.document for one in built.values()], settings)
    setup = Setup(
        campaign=campaign,
        asked=asked,
        space=space,
        baseline=load_profile(campaign.baseline),
        expert=published.get("expert") or load_profile(campaign.expert),
        starts=_starts(campaign, space, document),
        starts_from_present=PRESENT in campaign.start_from,
        workloads=workloads,
        screening_workloads=screened,
        confirmation_workloads=confirmed,
        fabrics={name: one.document for name, one in built.items()},
        built=built,
        placements=placements,
        scenarios=scenarios,
        objectives=tuple(goal.resolved() for goal in campaign.objectives),
        constraints=bounds(campaign.constraints),
        backend_settings=settings,
    )
    check_setup(setup, document)
    if any(GroupField.parse(path) for path in space.parameters):
        for one in setup.built.values():
            check_matches(space, one)
    return setup


def _scenarios(
    campaign: Campaign,
    document: Document,
    built: Mapping[str, BuiltFabric],
    workloads: Sequence[Workload],
    hosts: Sequence[str] | None,
) -> tuple[Scenario, ...]:
    try:
        return scenarios_of(campaign, built, workloads, hosts)
    except BadInputError as error:
        raise at(document, ("variants" if campaign.scenarios is None else "scenarios",), error.sentence) from error


def _of_devices(
    campaign: Campaign, placed: Sequence[tuple[BuiltFabric, Workload]], settings: Mapping[str, Any]
) -> tuple[Campaign, dict[str, Profile]]:
    """The campaign with the space and variants of its fabric's devices, and its base and expert where the document names none."""
    found = device_space(placed, settings)
    given = campaign.model_fields_set
    changes: dict[str, Any] = {"space": dict(found.space)}
    if "variants" not in given and campaign.scenarios is None and campaign.backend == SIMULATED:
        changes["variants"] = found.variants
    published = {key: found.published for key in ("base", "expert") if key not in given}
    return campaign.model_copy(update=changes | {key: profile.name for key, profile in published.items()}), published


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
    first = placements[0]
    by_unit = {"Gb/s": first.rate_factor, "Gb²/s²": first.rate_factor**2, "µs": first.time_factor}
    found = {}
    for goal in campaign.objectives:
        name, value = goal.resolved().name, campaign.hypervolume_reference[goal.resolved().name]
        factor = by_unit.get(goal.resolved().unit, 1.0) * (first.total_factor if goal.objective in _TOTALS else 1.0)
        found[name] = value if factor == 1.0 else float(f"{value * factor:.3g}")
    return found
