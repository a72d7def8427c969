# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Campaigns that somebody asks for: the document, checked whole before anything is stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.base.problems import NotFound
from api.database.models.fabric import Fabric
from api.services.campaigns.backend import SIMULATED, backend_name, needs_hosts
from api.services.campaigns.files import checked, frozen
from api.services.inventories import find_inventory, inventory_of
from tuner.campaign.needed_hosts import require_hosts
from tuner.campaign.setup import Setup
from tuner.campaign.shipped import shipped_campaigns
from tuner.document_base.yaml_core import Document
from tuner.documents.inventory import Inventory
from tuner.documents.overrides import overridden
from tuner.errors import BadInputError


@dataclass(frozen=True, kw_only=True)
class CampaignRequest:
    """What somebody asks for: a template or a document, and its changes."""

    name: str
    fabric: Fabric
    template: str | None = None
    spec: Mapping[str, Any] | None = None
    settings: Mapping[str, Any]
    """Values by dotted path into the document, and `model.…` of simulated devices."""
    on_simulator: bool = False


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A campaign that somebody asks for, checked and not stored."""

    document: dict[str, Any]
    model: dict[str, Any]
    """Parameters of simulated devices."""
    files: dict[str, str]
    setup: Setup


def prepared(session: Session, principal: Principal, request: CampaignRequest) -> Asked:
    """Checks a campaign whole, and finds the hosts of its workloads. Raises BadInputError, NotFound."""
    document, model = campaign_spec(request.name, request.template, request.spec, request.settings)
    document |= ways(request.fabric, document, model, on_simulator=request.on_simulator)
    inventory = required_inventory(session, request.fabric, document)
    files = frozen(session, principal, request.fabric, document)
    setup = checked(files, model, hosts_of(inventory))
    if inventory is not None:
        require_hosts(setup, search=inventory, confirmation=inventory)
    return Asked(document=document, model=model, files=files, setup=setup)


def ways(fabric: Fabric, document: Mapping[str, Any], model: Mapping[str, Any], *, on_simulator: bool) -> dict[str, Any]:
    """How the campaign measures on the fabric: values of its document that the service chooses. Raises BadInputError."""
    backend = backend_name(fabric, on_simulator)
    if backend != SIMULATED and model:
        raise BadInputError(
            f"model.{next(iter(model))} is a parameter of simulated devices; fabric '{fabric.name}' has real ones"
        )
    _check_confirm_on(fabric, document.get("confirm_on"))
    # One real fabric, one profile at a time.
    return {"backend": backend} | ({} if backend == SIMULATED else {"parallel": 1})


def campaign_spec(
    name: str, template: str | None, spec: Mapping[str, Any] | None, settings: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """(document, model settings)."""
    if (template is None) == (spec is None):
        raise BadInputError(
            "give either template, the name of a campaign that comes with ibcc, or spec, a campaign document; not both"
        )
    if template is not None:
        known = shipped_campaigns()
        if template not in known:
            raise NotFound(f"There is no campaign template {template!r:.80}; there are {', '.join(known)}.")
        # The fabric that a template names is its test bed.
        spec = {key: value for key, value in known[template].spec.items() if key != "fabric"}
    model = {key.removeprefix("model."): value for key, value in settings.items() if key.startswith("model.")}
    for key in settings:
        if key.startswith("backend."):
            raise BadInputError(f"settings has '{key}'; the service itself decides how the fabric is reached")
    changes = {key: value for key, value in settings.items() if not key.startswith("model.")}
    changed = overridden(Document(source=None, value=dict(spec or {}), lines={}), changes).value
    assert isinstance(changed, dict)
    return dict(changed) | {"name": name}, model


def _check_confirm_on(fabric: Fabric, confirm_on: object) -> None:
    """Backends have settings that name files and sockets of this machine: those are not for everybody who may make a campaign."""
    if not isinstance(confirm_on, dict):
        return
    known = sorted({SIMULATED, backend_name(fabric, on_simulator=False)})
    if confirm_on.get("backend") not in known:
        raise BadInputError(
            f"confirm_on.backend is {confirm_on.get('backend')!r:.60}; on fabric '{fabric.name}' it may be {', '.join(known)}"
        )
    settings = confirm_on.get("settings") or {}
    for key in settings if isinstance(settings, dict) else ():
        if not str(key).startswith("model."):
            raise BadInputError(f"confirm_on.settings has '{key}'; only model.… of simulated devices may be set")


def hosts_of(inventory: Inventory | None) -> list[str] | None:
    """Hosts on which workloads may be placed; None: all of the fabric."""
    return None if inventory is None else [host.host for host in inventory.by_node.values()]


def required_inventory(session: Session, fabric: Fabric, document: Mapping[str, Any]) -> Inventory | None:
    """None: the campaign needs no hosts. Raises BadInputError where it needs some and the fabric has no inventory."""
    if not needs_hosts(document):
        return None
    row = find_inventory(session, fabric.name)
    if row is None:
        raise BadInputError(
            f"fabric '{fabric.name}' has no inventory, which says where its hosts are, so no campaign can measure on it; an "
            "administrator can add one under Hosts, or measure in the simulator (on_simulator)"
        )
    return inventory_of(row)
