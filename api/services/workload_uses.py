# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The campaigns and checks that name a workload."""

from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import ColumnElement, String, cast, select, true
from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.database.models.campaign import StoredCampaign
from api.database.models.check import StoredCheck
from api.documents.workloads import WorkloadUse
from tuner.document_base.yaml_core import parse_document
from tuner.errors import BadInputError

MOST_USES = 200


def workload_uses(session: Session, principal: Principal, name: str) -> list[WorkloadUse]:
    """Checks first, then campaigns, newest first; at most MOST_USES, and none of a fabric that the principal may not use."""
    return [*_checks(session, principal, name), *_campaigns(session, principal, name)][:MOST_USES]


def _checks(session: Session, principal: Principal, name: str) -> Iterator[WorkloadUse]:
    one = StoredCheck
    query = select(one.name, one.fabric, one.document).where(one.document.contains(name), _usable(principal, one.fabric))
    for check, fabric, document in session.execute(query.order_by(one.name)):
        try:
            value: Any = parse_document(document, source="document").value
        except BadInputError:  # written by another release
            continue
        kinds = value.get("kinds") if isinstance(value, dict) else None
        if any(isinstance(entry, dict) and entry.get("workload") == name for entry in kinds or ()):
            yield WorkloadUse(kind="check", id=check, name=check, fabric=fabric, state=None)


def _campaigns(session: Session, principal: Principal, name: str) -> Iterator[WorkloadUse]:
    one = StoredCampaign
    # The text of the column finds few candidates; where in the document the name stands is looked at here.
    query = select(one.id, one.name, one.fabric, one.state, one.spec).where(cast(one.spec, String).contains(f'"{name}"'))
    newest = query.where(_usable(principal, one.fabric)).order_by(one.id.desc()).limit(MOST_USES)
    for identifier, title, fabric, state, spec in session.execute(newest):
        if name in _named(spec):
            yield WorkloadUse(kind="campaign", id=identifier, name=title, fabric=fabric, state=state)


def _named(spec: Mapping[str, Any]) -> list[Any]:
    parts = [spec, *(spec[key] for key in ("screening", "confirm_on") if isinstance(spec.get(key), dict))]
    return [name for part in parts for name in part.get("workloads") or ()]


def _usable(principal: Principal, fabric: Any) -> ColumnElement[bool]:
    return true() if principal.fabrics is None else fabric.in_(sorted(principal.fabrics))
