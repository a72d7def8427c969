# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Workloads: those that ship, which nobody changes, and people's own."""

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.access.audit import record_audit
from api.access.principal import Principal
from api.base.problems import Conflict, NotFound
from api.base.times import now
from api.database.models.workload import StoredWorkload
from api.services.belonging import changed_owner, owner_of_new, require_readable, require_writable
from tuner.document_base.model import DocumentProblem, validate
from tuner.document_base.yaml_core import parse_document
from tuner.documents import catalogue
from tuner.documents.workload import Workload
from tuner.errors import BadInputError

MAX_DOCUMENT_BYTES = 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class AnyWorkload:
    """A workload of either kind: it comes with ibcc, or somebody has stored it."""

    name: str
    document: str
    builtin: bool
    belongs_to: str | None = None
    revision: int = 1
    created_at: datetime | None = None
    created_by: str | None = None
    changed_at: datetime | None = None

    @property
    def workload(self) -> Workload:
        return read_workload(self.document)


@lru_cache(maxsize=1)
def builtin_workloads() -> dict[str, AnyWorkload]:
    """Returns the workloads that come with ibcc, by name."""
    return {
        name: AnyWorkload(name=name, document=catalogue.find("workload", name).read_text(encoding="utf-8"), builtin=True)
        for name in catalogue.names("workload")
    }


def read_workload(document: str, *, name: str | None = None) -> Workload:
    """Raises BadInputError with the line; also if it has another name than `name`, or refers to files."""
    if len(document.encode(errors="surrogatepass")) > MAX_DOCUMENT_BYTES:
        raise BadInputError(f"document has {len(document):,} characters; a workload has at most {MAX_DOCUMENT_BYTES:,} bytes")
    parsed = parse_document(document, source="document")
    read = validate(Workload, parsed)
    if refusals := workload_refusals(read, name):
        raise BadInputError(refusals[0].sentence, source="document", line=parsed.line_of(refusals[0].place))
    return read


def workload_refusals(read: Workload, name: str | None) -> list[DocumentProblem]:
    """Returns what the service refuses in a workload that is none of ibcc's. `name`: of the workload in the service; None: of one
    that ibcc brings, which may read files."""
    found = []
    if name is not None and read.name != name:
        sentence = f"the document's name is '{read.name}'; it must be '{name}', the name of the workload in the service"
        found.append(DocumentProblem(("name",), sentence))
    if catalogue.is_path(read.fabric):
        sentence = f"fabric is '{read.fabric}', a path; a workload of the service names a fabric by its name"
        found.append(DocumentProblem(("fabric",), sentence))
    if name is not None:
        for i, pattern in enumerate(read.patterns):
            if (file := getattr(pattern, "file", None)) is not None:
                sentence = f"patterns[{i}] reads a file, '{file}'; only workloads that come with ibcc may"
                found.append(DocumentProblem(("patterns", i, "file"), sentence))
    return found


def all_workloads(session: Session) -> list[AnyWorkload]:
    own = [_own(row) for row in session.scalars(select(StoredWorkload).order_by(StoredWorkload.name))]
    return [*builtin_workloads().values(), *own]


def get_workload(session: Session, name: str) -> AnyWorkload:
    """Raises NotFound."""
    if name in builtin_workloads():
        return builtin_workloads()[name]
    row = session.get(StoredWorkload, name)
    if row is None:
        raise NotFound(f"There is no workload {name!r:.80}.")
    return _own(row)


def locked_workload(session: Session, principal: Principal, name: str) -> StoredWorkload:
    """The row, for a change. Raises NotFound, Conflict for one that ships, and Forbidden for one that is not the token's."""
    if name in builtin_workloads():
        raise Conflict(f"'{name}' comes with ibcc and cannot be changed; make a copy under another name.")
    row = session.get(StoredWorkload, name, with_for_update=True)
    if row is None:
        raise NotFound(f"There is no workload {name!r:.80}.")
    require_readable(principal, "workload", name, row.fabric)
    require_writable(principal, f"workload '{name}'", row.fabric)
    return row


def create_workload(
    session: Session, principal: Principal, name: str, document: str, belongs_to: str | None = None
) -> AnyWorkload:
    """`belongs_to`: a fabric. Raises Conflict, BadInputError, and Forbidden where a token may not."""
    fabric = owner_of_new(session, principal, f"workload '{name}'", belongs_to)
    if name in builtin_workloads() or session.get(StoredWorkload, name) is not None:
        raise Conflict(f"There is a workload '{name}' already; choose another name.")
    read_workload(document, name=name)
    row = StoredWorkload(name=name, document=document, fabric=fabric, created_by=principal.username)
    session.add(row)
    session.flush()
    detail = None if fabric is None else {"belongs_to": fabric}
    record_audit(session, principal, "workload.create", f"workload {name}", fabric=fabric, detail=detail)
    return _own(row)


def change_workload(
    session: Session, principal: Principal, row: StoredWorkload, document: str, belongs_to: str | None
) -> AnyWorkload:
    """`belongs_to`: from now on. Raises BadInputError. Campaigns that were made before keep what they were made with."""
    owner = changed_owner(session, principal, f"workload '{row.name}'", row.fabric, belongs_to)
    moved = {} if owner == row.fabric else {"belongs_to": {"from": row.fabric, "to": owner}}
    row.fabric = owner
    read_workload(document, name=row.name)
    row.document, row.changed_at = document, now()
    row.revision += 1
    detail = {"revision": row.revision} | moved
    record_audit(session, principal, "workload.change", f"workload {row.name}", fabric=row.fabric, detail=detail)
    return _own(row)


def delete_workload(session: Session, principal: Principal, row: StoredWorkload) -> None:
    session.delete(row)
    record_audit(session, principal, "workload.delete", f"workload {row.name}", fabric=row.fabric)


def _own(row: StoredWorkload) -> AnyWorkload:
    return AnyWorkload(
        name=row.name,
        document=row.document,
        builtin=False,
        belongs_to=row.fabric,
        revision=row.revision,
        created_at=row.created_at,
        created_by=row.created_by,
        changed_at=row.changed_at,
    )
