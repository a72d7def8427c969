# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Reads an import of a fabric, in a process with limits (`tuner.fabric.reading`), and leaves its preview."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.database.models.fabric import Fabric
from api.database.models.fabric_import import FabricImport, ImportFile
from api.database.models.job import Job
from api.jobs.lease import own
from api.queue.context import JobContext, Stopped
from api.queue.kind import KINDS
from api.services.fabric_access import connected
from api.services.fabric_imports import IMPORT_JOB
from api.services.fabric_versions import document_of
from tuner.documents.fabric_text import fabric_text
from tuner.errors import BadInputError
from tuner.fabric.importers.base import Imported
from tuner.fabric.reading import Order, Reading, read

AT_ONCE = 2
"""Imports that one process reads at once; each may take the memory of the setting import_memory_bytes."""

_TOLD_EVERY_S = 0.5
_STEPS = {
    "waiting for another import": (0, 0),
    "asking OpenSM": (0, 10),
    "unpacking": (0, 10),
    "reading": (10, 60),
    "unpacking the forwarding tables": (60, 65),
    "reading the forwarding tables": (65, 85),
    "comparing routings": (85, 93),
    "routing": (93, 95),
    "looking for what is wrong": (95, 100),
}
"""Where each step begins and ends, in percent."""


class FabricImportJob:
    """Reading it twice does no harm. It is urgent, since somebody looks at its progress."""

    resumable: bool = True
    urgent: bool = True
    place: Literal["any", "server"] = "any"

    def __init__(self) -> None:
        self._places = threading.BoundedSemaphore(AT_ONCE)

    def run(self, context: JobContext, arguments: dict[str, Any]) -> dict[str, Any]:
        tell = _teller(context)
        with self._place(context, tell):
            order, imported = _order(context, arguments["import"], tell)
            if order is None:
                return {"import": arguments["import"]}
            reading = read(order, on_step=tell, should_stop=context.should_stop)
        if reading is None:
            raise Stopped
        _store(context, arguments["import"], reading, imported)
        return {"import": arguments["import"]}

    def given_up(self, session: Session, job: Job) -> None:
        query = select(FabricImport).where(FabricImport.job == job.id).with_for_update(of=FabricImport)
        if (row := session.scalars(query).one_or_none()) is not None:
            row.state = "cancelled" if job.state == "cancelled" else "failed"
            row.problem = None if job.state == "cancelled" else job.problem

    @contextmanager
    def _place(self, context: JobContext, tell: Callable[[str, float], None]) -> Iterator[None]:
        """One of AT_ONCE places. Raises Stopped."""
        while not self._places.acquire(timeout=0):
            tell("waiting for another import", 0.0)
            if context.wait(0.2):
                raise Stopped
        try:
            yield
        finally:
            self._places.release()


def _teller(context: JobContext) -> Callable[[str, float], None]:
    last = ("", float("-inf"))

    def tell(step: str, fraction: float) -> None:
        nonlocal last
        if step != last[0] or time.monotonic() >= last[1] + _TOLD_EVERY_S:
            begin, end = _STEPS[step]
            last = (step, time.monotonic())
            context.progress(round(begin + (end - begin) * fraction), 100, step)

    return tell


def _order(context: JobContext, import_id: str, tell: Callable[[str, float], None]) -> tuple[Order | None, Imported | None]:
    """Returns the files to read, or OpenSM's answer. Returns None for an import that was read or deleted meanwhile."""
    settings = context.settings
    with context.database.reading() as session:
        row = session.get(FabricImport, import_id)
        if row is None or row.job != context.job_id or row.state != "reading":
            return None, None
        files = {part: session.get(ImportFile, (import_id, part)) for part in ("topology", "routes", "names")}
        fabric = None if row.fabric is None else session.get(Fabric, row.fabric)
    dialect = row.options.get("congestion_control")  # imports of an older service have neither this nor `subnet` and `strict`
    imported = None
    topology, routes, names = files["topology"], files["routes"], files["names"]
    if row.source == "opensm":
        if fabric is None:
            raise BadInputError(f"fabric '{row.fabric}' was deleted meanwhile, so there is nothing to import")
        tell("asking OpenSM", 0.0)
        with connected(context.database, fabric) as driver:
            imported = driver.discovered(fabric.name)
        if dialect is not None:
            imported = imported.with_congestion_control(dialect)
    content = fabric_text(imported.fabric).encode() if imported is not None else b"" if topology is None else topology.content
    before = None if fabric is None else document_of(fabric.options)
    order = Order(
        topology=content,
        source=row.source_name,
        name=row.name,
        mtu_bytes=row.options["mtu_bytes"] or (4096 if imported is None else imported.fabric.mtu_bytes),
        routes=None if routes is None else routes.content,
        routes_source="" if routes is None else routes.name,
        names=None if names is None else names.content,
        names_source="" if names is None else names.name,
        routing=row.options["routing"],
        subnet=row.options.get("subnet"),
        congestion_control=dialect,
        strict=bool(row.options.get("strict")),
        before=None if before is None else fabric_text(before),
        memory_bytes=settings.import_memory_bytes,
        time_s=settings.import_time_s,
        unpacked_limit_bytes=settings.import_unpacked_limit_bytes,
    )
    return order, imported


def _store(context: JobContext, import_id: str, reading: Reading, imported: Imported | None) -> None:
    preview = reading.preview
    if imported is not None:
        remarks = [*(remark.to_json() for remark in imported.remarks), *preview["remarks"]]
        notes = [*imported.notes, *preview["notes"]]
        preview = preview | {"format": imported.format, "notes": notes, "remarks": remarks}
    with context.database.writing() as session:
        if own(session, context.worker, context.job_id) is None:
            raise Stopped
        row = session.get(FabricImport, import_id, with_for_update={"of": FabricImport})
        if row is not None and row.job == context.job_id:
            row.state, row.preview, row.document = "ready", preview, reading.document


KINDS.add(IMPORT_JOB, FabricImportJob())
