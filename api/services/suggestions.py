# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A profile for a fabric of the service without any trial. Nothing is stored, and no device is asked."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.base.problems import Conflict, InvalidInput
from api.database.models.fabric import Fabric
from api.documents.suggestions import DeviceOutlookDocument, FanIn, KeptPoint, SuggestionDocument
from api.fabric_drivers.documents import WiringOptions, built_wiring
from api.services.belonging import require_usable
from api.services.fabric_routing import low_capacity
from api.services.workloads import get_workload, read_workload
from ccsim.policy import Profile
from tuner.documents.device_model import device_model, leaves
from tuner.documents.roles import RoleCounts
from tuner.documents.workload import Workload, load_workload
from tuner.errors import BadInputError, NoCongestionError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.placement.on_fabric import on_fabric
from tuner.suggest.devices import DEVICE_MODELS
from tuner.suggest.kept import kept_by_contributors
from tuner.suggest.outlook import DeviceOutlook, outlook
from tuner.suggest.receivers import paths, require_alike_subnets
from tuner.suggest.robust import robust
from tuner.suggest.several import are_unknown, suggest_for_all, unsaid_devices
from tuner.suggest.suggestion import Suggestion, suggest

MOST_FLOWS = 100_000
"""Flows of all workloads of one request together. On a tree of 11,664 hosts so many take seconds."""
MOST_NAME = 64


def suggestion(
    session: Session,
    principal: Principal,
    fabric: Fabric,
    *,
    workloads: Sequence[str],
    contributors: tuple[int, int] | None,
    model: Mapping[str, Any],
    devices: Sequence[str] | None,
    counts: RoleCounts | None = None,
    subnet: int | None = None,
) -> SuggestionDocument:
    """`counts`: of the workloads' roles. `subnet`: the one to take of several. `contributors`: least and most, instead of the
    workloads'. `devices`: kinds to serve as well; None: all of them, where neither the fabric nor `model` says what adapters do.
    Raises NotFound, Conflict where the fabric allows no suggestion, and InvalidInput of the field that is wrong."""
    built = _built(fabric, subnet)
    said = {**dict(leaves(fabric.options.get("model") or {})), **_model(built, fabric, model)}
    kinds = unsaid_devices(built, said) if devices is None else [DEVICE_MODELS[name] for name in devices]
    placed = [(built, one) for one in _workloads(session, principal, fabric, built, workloads, counts)]
    if contributors is not None or not placed:
        try:
            made = suggest(built, contributors=contributors, model=said, variants=kinds)
            return _document(fabric, robust(made) if are_unknown(made, kinds) else made)
        except BadInputError as error:
            raise InvalidInput.of_field("contributors", error.sentence) from error
    try:
        made = suggest_for_all(placed, model=said, variants=kinds)
        made.require_congestion()
        return _document(fabric, robust(made) if are_unknown(made, kinds) else made)
    except NoCongestionError as error:
        raise Conflict(f"{str(error)[0].upper()}{str(error)[1:]}.") from error
    except BadInputError as error:
        raise InvalidInput.of_field("workloads", error.sentence) from error


def _built(fabric: Fabric, subnet: int | None) -> BuiltFabric:
    options = WiringOptions(**{key: fabric.options.get(key) for key in ("fabric", "document")})
    try:
        built = built_wiring(options, subnet=subnet)
    except BadInputError as error:
        raise InvalidInput.of_field("subnet", error.sentence) from error
    if built is None:
        raise Conflict(
            f"The wiring of fabric '{fabric.name}' is unknown to the service, so no profile can be suggested for it; "
            "give it as options.document (ibcc fabric import)."
        )
    try:
        found = paths(built)
    except BadInputError as error:
        raise Conflict(f"{error.sentence[0].upper()}{error.sentence[1:]}.") from error
    try:
        require_alike_subnets(built.document, found)
    except BadInputError as error:
        raise InvalidInput.of_field("subnet", error.sentence) from error
    return built


def _model(built: BuiltFabric, fabric: Fabric, model: Mapping[str, Any]) -> dict[str, Any]:
    """The settings by dotted name. They may contradict others, of the fabric's."""
    document = built.document
    settings = dict(leaves(model))
    try:
        device_model(document.model, fabric.options.get("model") or {}, settings, mtu_bytes=document.mtu_bytes)
    except BadInputError as error:
        raise InvalidInput.of_field("model", error.sentence) from error
    return settings


def _workloads(
    session: Session,
    principal: Principal,
    fabric: Fabric,
    built: BuiltFabric,
    names: Sequence[str],
    counts: RoleCounts | None,
) -> list[Workload]:
    """The workloads on that fabric, as a campaign would measure them, with their patterns expanded."""
    found: list[Workload] = []
    for name in names:
        one = get_workload(session, name)
        require_usable(principal, "workload", name, "workloads", one.belongs_to, fabric.name)
        most = MOST_FLOWS // len(names)
        try:
            read = load_workload(name) if one.builtin else read_workload(one.document)
            place = str(fabric.options.get("fabric", f"the wiring of {fabric.name}"))
            on = on_fabric(read, built, fabric=place, counts=counts, most_flows=most)
            found.append(on.workload.expanded(built.hosts, most_flows=most))
        except BadInputError as error:
            raise InvalidInput.of_field("workloads", f"workload '{name}': {error.sentence}") from error
    return found


def _document(fabric: Fabric, made: Suggestion) -> SuggestionDocument:
    found = outlook(made) if made.kinds.a10 else None  # no rule forecasts DCQCN
    ending = f"-{made.made_for}-contributors"
    name = fabric.name[: MOST_NAME - len(ending)] + ending
    profile = Profile.from_dict(made.document | {"name": name})
    return SuggestionDocument(
        name=name,
        document=profile.to_yaml(),
        resolved=profile.to_dict(),
        contributors=FanIn(least=made.contributors[0], most=made.contributors[1], made_for=made.made_for),
        most_contributors=made.expected.most,
        receiver_gbps=made.receive_gbps,
        reasons=list(made.reasons),
        unknowns=list(made.unknowns),
        holds=None if found is None else found.holds,
        stops=[] if found is None else found.stops,
        warnings=low_capacity(fabric),
        devices=[] if found is None else [_device(made, one) for one in found.devices],
    )


def _device(made: Suggestion, one: DeviceOutlook) -> DeviceOutlookDocument:
    line = [KeptPoint(contributors=n, kept=kept) for n, kept in kept_by_contributors(made, one)]
    return DeviceOutlookDocument.model_validate(one.to_json() | {"line": line})
