# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Imports of fabrics: drafts until somebody keeps them. `api.jobs.kinds.fabric_import` reads them."""

import re
from datetime import timedelta
from pathlib import PurePosixPath
from typing import Any, Literal

from sqlalchemy import delete, func, or_, select
from sqlalchemy.orm import Session

from api.access.audit import record_audit
from api.access.principal import Principal
from api.base.problems import Conflict, InvalidInput, NotFound
from api.base.times import now
from api.configuration.settings import Settings
from api.database.models.fabric import Fabric
from api.database.models.fabric_import import FabricImport, ImportFile
from api.database.models.job import Job
from api.http.pages import Key, PageQuery, paginate
from api.queue.table import enqueue, request_cancel
from api.services import fabric_twins
from api.services.fabric_access import kind_of
from api.services.fabric_versions import WIRING, current_version
from api.services.fabrics import change_fabric, create_fabric, get_fabric
from api.states.imports import DRAFTS, IMPORTS, READING, ImportAction

IMPORT_JOB = "fabric_import"
"""The kind of job."""

MOST_DRAFTS = 20
"""Drafts of the whole service, each of which may have files of the largest size."""

_NOT_IN_NAMES = re.compile(r"[^a-z0-9._-]+")
_MOST_CHARACTERS = 64
_SUFFIXES = (".gz", ".txt", ".log", ".net", ".out", ".yaml", ".yml", ".json", ".ibnetdiscover", ".lst", ".db_csv")


def list_imports(session: Session, principal: Principal, page: PageQuery) -> tuple[list[FabricImport], str | None]:
    """Returns a page of the imports, the newest first, without those for fabrics that the principal may not use."""
    query = select(FabricImport)
    if principal.fabrics is not None:
        mine = sorted(principal.fabrics)
        query = query.where(or_(FabricImport.fabric.in_(mine), FabricImport.fabric.is_(None) & FabricImport.name.in_(mine)))
    return paginate(session, query, [Key(FabricImport.id, descending=True)], page)


def get_import(session: Session, principal: Principal, import_id: str, *, locked: bool = False) -> FabricImport:
    """Raises NotFound, also for an import for a fabric that the principal may not use."""
    found = session.get(FabricImport, import_id, with_for_update={"of": FabricImport} if locked else None)
    if found is None or not principal.may_use(found.fabric or found.name):
        raise NotFound(f"There is no import {import_id!r:.80}.")
    return found


def file_name(session: Session, row: FabricImport, part: Literal["routes", "names"]) -> str | None:
    """Returns the name of the file with forwarding tables, or with a node name map; None without one."""
    return session.scalar(select(ImportFile.name).where(ImportFile.import_id == row.id, ImportFile.part == part))


def from_file(
    session: Session,
    principal: Principal,
    settings: Settings,
    content: bytes,
    *,
    file_name: str,
    name: str | None,
    fabric: str | None,
    options: dict[str, Any],
) -> FabricImport:
    """Begins to read a file, as a new fabric or as a version of `fabric`. Raises NotFound, Conflict and Forbidden."""
    shown = plain_name(file_name)
    name = fabric or name or proposed_name(shown)
    principal.require_fabric(name)
    row = _new(session, principal, settings, source="file", source_name=shown, name=name, fabric=fabric, options=options)
    session.add(ImportFile(import_id=row.id, part="topology", name=shown, content=content))
    return row


def from_opensm(session: Session, principal: Principal, settings: Settings, fabric: Fabric) -> FabricImport:
    """Begins to read a fabric as its OpenSM has it, as a version of it. Raises Conflict for a fabric without one."""
    if not kind_of(fabric).has_opensm:
        raise Conflict(f"Fabric '{fabric.name}' is {fabric.kind}, so no OpenSM knows it; import a file instead.")
    values: dict[str, Any] = {"source": "opensm", "source_name": fabric.name, "name": fabric.name, "fabric": fabric.name}
    options = {"mtu_bytes": None, "routing": None, "subnet": None, "congestion_control": None, "strict": False}
    return _new(session, principal, settings, **values, options=options)


def _new(session: Session, principal: Principal, settings: Settings, *, fabric: str | None, **values: Any) -> FabricImport:
    drafts = session.scalar(select(func.count()).select_from(FabricImport).where(FabricImport.state.in_(DRAFTS))) or 0
    if drafts >= MOST_DRAFTS:
        raise Conflict(f"There are {drafts} imports that nobody has kept, the most that are stored; discard one first.")
    row = FabricImport(
        state="reading",
        fabric=fabric,
        created_by=principal.username,
        expires_at=now() + timedelta(seconds=settings.import_kept_s),
        **values,
    )
    session.add(row)
    session.flush()
    _read(session, principal, row)
    record_audit(session, principal, "fabric.import", f"import {row.id}", fabric=fabric, detail={"from": row.source_name})
    return row


def _read(session: Session, principal: Principal, row: FabricImport) -> None:
    """Has a job read it, and compare it with the fabric's version of now. Raises NotFound if that fabric is gone."""
    if row.fabric is not None:
        get_fabric(session, row.fabric)
        row.base_version = current_version(session, row.fabric)
    # Only an import from OpenSM has to run where the fabric is reached.
    where = row.fabric if row.source == "opensm" else None
    job = enqueue(session, principal, IMPORT_JOB, {"import": row.id, "name": row.name}, fabric=where)
    row.state, row.job, row.problem, row.preview, row.document = "reading", job.id, None, None, None
    fabric_twins.forget_import(session, row.id)


def reread(session: Session, principal: Principal, row: FabricImport, options: dict[str, Any]) -> None:
    """Reads it again, with these options in place of the former ones. Raises Conflict."""
    require(row, "reread")
    row.options = row.options | options
    _read(session, principal, row)


def put_routes(session: Session, principal: Principal, row: FabricImport, content: bytes, file_name: str) -> None:
    """Reads it again with these forwarding tables. Raises Conflict."""
    require(row, "reread")
    if row.source != "file":
        raise Conflict("An import from OpenSM has the forwarding tables that OpenSM has; import a file to give others.")
    session.merge(ImportFile(import_id=row.id, part="routes", name=plain_name(file_name), content=content))
    row.options = row.options | {"routing": None}
    _read(session, principal, row)


def put_names(session: Session, principal: Principal, row: FabricImport, content: bytes, file_name: str) -> None:
    """Reads it again with this node name map. Raises Conflict."""
    require(row, "reread")
    session.merge(ImportFile(import_id=row.id, part="names", name=plain_name(file_name), content=content))
    _read(session, principal, row)


def cancel(session: Session, principal: Principal, row: FabricImport) -> None:
    """Ends the reading. Raises Conflict."""
    require(row, "cancel")
    job = session.get(Job, row.job, with_for_update=True)
    assert job is not None, "an import that is read has a job"
    request_cancel(session, job)
    record_audit(session, principal, "fabric.import.cancel", f"import {row.id}", fabric=row.fabric)


def discard(session: Session, principal: Principal, row: FabricImport) -> None:
    """Deletes it; a fabric that it became stays. Raises Conflict."""
    require(row, "discard")
    record_audit(session, principal, "fabric.import.discard", f"import {row.id}", fabric=row.fabric)
    fabric_twins.forget_import(session, row.id)
    session.delete(row)


def keep(session: Session, principal: Principal, settings: Settings, row: FabricImport, new: dict[str, Any] | None) -> Fabric:
    """Makes it a fabric with the arguments `new` of create_fabric, or, without them, the next version of its fabric. Raises
    Conflict, Busy, NotFound, Forbidden and BadInputError, and has then changed nothing."""
    require(row, "keep")
    origin = f"import of {row.source_name}" if row.source == "file" else "import from OpenSM"
    if row.fabric is None:
        if new is None:
            raise InvalidInput.of_field("fabric.name", "is missing; a new fabric has a name, such as " + row.name)
        fabric = _new_fabric(session, principal, row, origin, **new)
    else:
        if new is not None:
            sentence = f"is {new['name']!r:.80}, but this is an import of fabric '{row.fabric}'; leave it out"
            raise InvalidInput.of_field("fabric.name", sentence)
        fabric = _next_version(session, principal, settings, row, row.fabric, origin)
    row.state, row.fabric, row.kept_version = "kept", fabric.name, current_version(session, fabric.name)
    row.document = None
    fabric_twins.move_to_fabric(session, row.id, fabric.name, row.kept_version)
    session.execute(delete(ImportFile).where(ImportFile.import_id == row.id))
    detail = {"from": row.source_name, "version": row.kept_version}
    record_audit(session, principal, "fabric.import.keep", f"import {row.id}", fabric=fabric.name, detail=detail)
    return fabric


def _new_fabric(
    session: Session,
    principal: Principal,
    row: FabricImport,
    origin: str,
    *,
    name: str,
    kind: str,
    options: dict[str, Any],
    **more: Any,
) -> Fabric:
    principal.require_fabric(name)
    if taken := [key for key in WIRING if key in options]:
        raise InvalidInput.of_field(f"fabric.options.{taken[0]}", "is what was imported; leave it out")
    return create_fabric(session, principal, name, kind, options | {"document": row.document}, origin=origin, **more)


def _next_version(
    session: Session, principal: Principal, settings: Settings, row: FabricImport, name: str, origin: str
) -> Fabric:
    fabric = get_fabric(session, name, locked=True)
    if (present := current_version(session, fabric.name)) != row.base_version:
        raise Conflict(
            f"Fabric '{fabric.name}' has version {present} now, and this import was compared with version {row.base_version}; "
            "read it again and look at the differences."
        )
    others = {key: value for key, value in fabric.options.items() if key not in WIRING}
    change_fabric(
        session,
        principal,
        settings,
        fabric,
        description=None,
        options=others | {"document": row.document},
        second_person=None,
        origin=origin,
    )
    return fabric


def require(row: FabricImport, action: ImportAction) -> None:
    """Raises Conflict if the import's state does not allow the action."""
    if refusal := IMPORTS.refusal(action, row.state, row.id):
        raise Conflict(refusal)


def sweep(session: Session) -> None:
    """Deletes imports whose time is over; one that is read ends first."""
    session.execute(delete(FabricImport).where(FabricImport.expires_at < now(), FabricImport.state.not_in(READING)))


def plain_name(file_name: str) -> str:
    """Returns a file's name without folders and without what is not printed."""
    last = PurePosixPath(file_name.replace("\\", "/")).name
    return "".join(character for character in last if character.isprintable())[:255] or "file"


def proposed_name(file_name: str) -> str:
    """Returns a fabric's name made of a file's."""
    name = file_name.lower()
    while any(name.endswith(suffix) for suffix in _SUFFIXES):
        name = name.rpartition(".")[0]
    return _NOT_IN_NAMES.sub("-", name)[:_MOST_CHARACTERS].strip(".-_") or "fabric"
