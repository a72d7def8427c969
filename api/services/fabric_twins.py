# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Twins of imports and fabrics. `api.jobs.kinds.twin` makes them."""

import gzip
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from api.access.audit import record_audit
from api.access.principal import Principal
from api.base.problems import Conflict, NotFound
from api.base.times import now
from api.database.models.fabric import Fabric
from api.database.models.fabric_import import FabricImport
from api.database.models.fabric_twin import FabricTwin
from api.database.models.job import Job
from api.documents.fabric_twins import TwinOut, TwinVerdict
from api.queue.table import enqueue, request_cancel
from api.services.fabric_access import publish_change
from api.services.fabric_versions import current_version, document_of
from api.states.jobs import JOBS

TWIN_JOB = "twin"
"""The kind of job."""

MOST_BYTES = 8 * 2**20
"""Most bytes of a report, page and JSON, as they are stored. That of 1,470 adapters has less than a tenth."""


def of_import(session: Session, row: FabricImport) -> FabricTwin | None:
    """Returns the twin of an import; of one that was kept, that of its fabric."""
    if row.state == "kept" and row.fabric is not None:
        return of_fabric(session, row.fabric)
    return session.scalars(select(FabricTwin).where(FabricTwin.import_id == row.id)).one_or_none()


def of_fabric(session: Session, fabric: str) -> FabricTwin | None:
    return session.scalars(select(FabricTwin).where(FabricTwin.fabric == fabric)).one_or_none()


def found(row: FabricTwin | None, of: str) -> FabricTwin:
    """Raises NotFound for None."""
    if row is None:
        raise NotFound(f"{of} has no twin; make one by POST.")
    return row


def begin_of_import(session: Session, principal: Principal, row: FabricImport) -> FabricTwin:
    """Begins the twin of an import that is ready, or, of one that was kept, of its fabric. Raises Conflict."""
    if row.state == "kept" and row.fabric is not None:
        fabric = session.get(Fabric, row.fabric)
        if fabric is not None:
            return begin_of_fabric(session, principal, fabric)
    if row.state != "ready":
        raise Conflict(f"Import {row.id} is {row.state}; to make its twin, it must be ready or kept.")
    twin = of_import(session, row) or FabricTwin(import_id=row.id, source_name=row.source_name, created_by=principal.username)
    return _begin(session, principal, twin, f"import {row.id}", row.name, row.fabric)


def begin_of_fabric(session: Session, principal: Principal, fabric: Fabric) -> FabricTwin:
    """Begins the twin of a fabric as its wiring is now. Raises Conflict for one without wiring."""
    if document_of(fabric.options) is None:
        raise Conflict(f"The wiring of fabric '{fabric.name}' is not known; import it first.")
    twin = of_fabric(session, fabric.name) or FabricTwin(
        fabric=fabric.name, source_name=fabric.name, created_by=principal.username
    )
    return _begin(session, principal, twin, f"fabric {fabric.name}", fabric.name, fabric.name)


def _begin(session: Session, principal: Principal, twin: FabricTwin, what: str, name: str, fabric: str | None) -> FabricTwin:
    """The report that it has stays until there is another one."""
    if twin.state == "running":
        raise Conflict(f"The twin of {what} is being made by job {twin.job}; cancel that first.")
    session.add(twin)
    twin.state, twin.problem, twin.created_by = "running", None, principal.username
    session.flush()
    twin.job = enqueue(session, principal, TWIN_JOB, {"twin": twin.id, "name": name}).id
    record_audit(session, principal, "fabric.twin", what, fabric=fabric)
    return twin


def store(session: Session, twin: FabricTwin, version: int | None, document: dict[str, Any], page: str, packed: bytes) -> None:
    """Keeps a report. `packed`: the document as `pack` makes it."""
    twin.state, twin.problem, twin.version = "ready", None, version
    twin.findings = {"verdicts": document["verdicts"], "negative": document["negative"]}
    twin.page, twin.document, twin.made_at = pack(page), packed, now()


def pack(text: str) -> bytes:
    return gzip.compress(text.encode(), 6, mtime=0)


def page_of(twin: FabricTwin) -> str:
    """Raises NotFound if no report was made."""
    return _unpacked(twin, twin.page)


def document_text_of(twin: FabricTwin) -> str:
    """As JSON. Raises NotFound if no report was made."""
    return _unpacked(twin, twin.document)


def _unpacked(twin: FabricTwin, content: bytes | None) -> str:
    if content is None:
        raise NotFound(f"The twin of '{twin.source_name}' has no report yet; it is {twin.state}.")
    return gzip.decompress(content).decode()


def move_to_fabric(session: Session, import_id: str, fabric: str, version: int) -> None:
    """The twin of an import is the fabric's from now on, in place of that which the fabric had."""
    twin = session.scalars(select(FabricTwin).where(FabricTwin.import_id == import_id)).one_or_none()
    if twin is None:
        return
    session.execute(delete(FabricTwin).where(FabricTwin.fabric == fabric))
    twin.import_id, twin.fabric, twin.version = None, fabric, version
    publish_change(session, fabric, "twin")


def forget_import(session: Session, import_id: str) -> None:
    """Deletes the twin of an import, which is read again or gone, and cancels the job that makes it."""
    twin = session.scalars(select(FabricTwin).where(FabricTwin.import_id == import_id)).one_or_none()
    if twin is None:
        return
    job = None if twin.job is None else session.get(Job, twin.job, with_for_update=True)
    session.delete(twin)
    session.flush()
    if job is not None and not JOBS.refusal("cancel", job.state, job.id):
        request_cancel(session, job)


def given_up(session: Session, job: Job) -> None:
    """Ends the twin that a job worked for, and keeps the report of before."""
    twin = session.scalars(select(FabricTwin).where(FabricTwin.job == job.id).with_for_update()).one_or_none()
    if twin is not None:
        twin.state = "cancelled" if job.state == "cancelled" else "failed"
        twin.problem = None if job.state == "cancelled" else job.problem


def twin_document(session: Session, twin: FabricTwin) -> TwinOut:
    findings = twin.findings or {}
    outdated = twin.fabric is not None and twin.version is not None and twin.version != current_version(session, twin.fabric)
    names = (
        "id",
        "import_id",
        "fabric",
        "version",
        "source_name",
        "state",
        "problem",
        "job",
        "made_at",
        "created_at",
        "created_by",
    )
    return TwinOut(
        **{name: getattr(twin, name) for name in names},
        outdated=outdated,
        verdicts=[TwinVerdict.model_validate(one) for one in findings.get("verdicts", [])],
        negative=bool(findings.get("negative")),
    )
