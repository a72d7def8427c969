# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""New checks, and changes of them."""

from functools import lru_cache

import yaml
from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.base.problems import Conflict, NotFound
from api.base.times import now
from api.database.models.check import StoredCheck
from api.database.models.fabric import Fabric
from api.documents.checks import PolicyDocument
from api.services.checks.events import record_change
from api.services.checks.files import require_place
from api.services.checks.present import state_of
from api.services.checks.schedule import Schedule
from api.states.checks import CHECKS, CheckAction
from tuner.documents import catalogue
from tuner.documents.check import Check, load_check
from tuner.errors import BadInputError


@lru_cache(maxsize=1)
def templates() -> dict[str, tuple[Check, str]]:
    """Returns the checks that come with ibcc, by name, and their texts."""
    found = {}
    for name in catalogue.names("check"):
        text = catalogue.find("check", name).read_text(encoding="utf-8")
        found[name] = (load_check(name), text)
    return found


def create_check(
    session: Session,
    principal: Principal,
    *,
    name: str,
    fabric: Fabric,
    template: str | None,
    document: str | None,
    schedule: Schedule | None,
    keep_nights: int,
) -> StoredCheck:
    """Raises Conflict if the name is taken, and BadInputError, InvalidInput or NotFound for a document that the service could not
    run."""
    if session.get(StoredCheck, name) is not None:
        raise Conflict(f"There is a check '{name}' already; choose another name.")
    text = _document(name, fabric, template, document)
    require_place(session, principal, fabric, name, text)
    row = StoredCheck(
        name=name,
        fabric=fabric.name,
        document=text,
        schedule=None if schedule is None else schedule.model_dump(mode="json"),
        schedule_since=None if schedule is None else now(),
        policy=PolicyDocument(rules=[]).model_dump(mode="json"),
        keep_nights=keep_nights,
        created_by=principal.username,
        changed_by=principal.username,
    )
    session.add(row)
    session.flush()
    record_change(session, principal, row, "create", {"template": template})
    return row


def change_check(
    session: Session, principal: Principal, row: StoredCheck, fabric: Fabric, *, document: str, keep_nights: int
) -> None:
    """Raises Conflict while a night is at work, and as create_check."""
    require_action(session, row, "change")
    require_place(session, principal, fabric, row.name, document)
    row.document, row.keep_nights = document, keep_nights
    _changed(principal, row)
    record_change(session, principal, row, "change", {"revision": row.revision})


def change_schedule(session: Session, principal: Principal, row: StoredCheck, schedule: Schedule) -> None:
    """Nights that the former schedule has missed are not counted any more, unless only the time for late runs has changed."""
    former = None if row.schedule is None else Schedule(**row.schedule)
    same = former is not None and former.model_copy(update={"late_by_h": 0, "when_busy": "wait"}) == schedule.model_copy(
        update={"late_by_h": 0, "when_busy": "wait"}
    )
    row.schedule = schedule.model_dump(mode="json")
    if not same:
        row.schedule_since = now()
    _changed(principal, row)
    record_change(session, principal, row, "schedule", dict(row.schedule))


def set_policy(session: Session, principal: Principal, row: StoredCheck, policy: PolicyDocument) -> None:
    row.policy = policy.model_dump(mode="json")
    _changed(principal, row)
    record_change(session, principal, row, "policy", dict(row.policy))


def delete_check(session: Session, principal: Principal, row: StoredCheck) -> None:
    """With its nights, its baseline and its answers. Raises Conflict while a night is at work."""
    require_action(session, row, "delete")
    record_change(session, principal, row, "delete", {})
    session.delete(row)


def require_action(session: Session, row: StoredCheck, action: CheckAction) -> None:
    """Raises Conflict."""
    if refusal := CHECKS.refusal(action, state_of(session, row), f"'{row.name}'"):
        raise Conflict(refusal)


def _document(name: str, fabric: Fabric, template: str | None, document: str | None) -> str:
    if (template is None) == (document is None):
        raise BadInputError("give either template, the name of a check that comes with ibcc, or document; not both")
    if document is not None:
        return document
    assert template is not None
    known = templates()
    if template not in known:
        raise NotFound(f"There is no check template {template!r:.80}; there are {', '.join(known)}.")
    value = yaml.safe_load(known[template][1]) | {"name": name, "fabric": fabric.name}
    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True)


def _changed(principal: Principal, row: StoredCheck) -> None:
    row.changed_at, row.changed_by = now(), principal.username
    row.revision += 1
