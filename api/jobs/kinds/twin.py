# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Makes the twin of an import or a fabric, in a process with limits (`tuner.twin.apart`), and stores its report."""

import json
import threading
import time
from collections.abc import Callable
from typing import Any, Literal

from sqlalchemy.orm import Session

from api.database.models.fabric import Fabric
from api.database.models.fabric_import import FabricImport
from api.database.models.fabric_twin import FabricTwin
from api.database.models.job import Job
from api.jobs.lease import own
from api.queue.context import JobContext, Stopped
from api.queue.kind import KINDS
from api.services import fabric_twins
from api.services.fabric_twins import MOST_BYTES, TWIN_JOB
from api.services.fabric_versions import current_version, document_of
from tuner.documents.fabric_text import fabric_text
from tuner.errors import BadInputError
from tuner.twin.apart import Order, make

AT_ONCE = 1
"""Twins that one process makes at once; each keeps a core busy for a minute or more."""
_TOLD_EVERY_S = 0.5
_READ = ("format", "notes", "remarks")
"""Parts of an import's preview that its document does not have."""


class TwinJob:
    """Making it twice does no harm."""

    resumable: bool = True
    urgent: bool = False
    place: Literal["any", "server"] = "any"

    def __init__(self) -> None:
        self._places = threading.BoundedSemaphore(AT_ONCE)

    def run(self, context: JobContext, arguments: dict[str, Any]) -> dict[str, Any]:
        tell = _teller(context)
        while not self._places.acquire(timeout=0):
            tell("waiting for another twin", 0.0)
            if context.wait(0.2):
                raise Stopped
        try:
            order, version = _order(context, arguments["twin"])
            if order is None:
                return {}
            made = make(order, on_step=tell, should_stop=context.should_stop)
        finally:
            self._places.release()
        if made is None:
            raise Stopped
        packed = fabric_twins.pack(json.dumps(made.document))
        if (size := len(packed) + len(fabric_twins.pack(made.page))) > MOST_BYTES:
            raise BadInputError(
                f"the report of '{order.source}' has {size:,} bytes; at most {MOST_BYTES:,} are stored. 'ibcc twin' has no limit"
            )
        with context.database.writing() as session:
            if own(session, context.worker, context.job_id) is None:
                raise Stopped
            twin = session.get(FabricTwin, arguments["twin"], with_for_update=True)
            if twin is not None and twin.job == context.job_id:
                fabric_twins.store(session, twin, version or twin.version, made.document, made.page, packed)
        return {"negative": made.document["negative"]}

    def given_up(self, session: Session, job: Job) -> None:
        fabric_twins.given_up(session, job)


def _teller(context: JobContext) -> Callable[[str, float], None]:
    last = float("-inf")

    def tell(text: str, fraction: float) -> None:
        nonlocal last
        if time.monotonic() >= last + _TOLD_EVERY_S:
            last = time.monotonic()
            context.progress(round(100 * fraction), 100, text)

    return tell


def _order(context: JobContext, twin_id: str) -> tuple[Order | None, int | None]:
    """Returns what to make the twin of, and the version of the fabric that this is. None for one that was deleted meanwhile."""
    settings = context.settings
    version = None
    read: dict[str, Any] = {}
    with context.database.reading() as session:
        twin = session.get(FabricTwin, twin_id)
        if twin is None or twin.job != context.job_id:
            return None, None
        if twin.fabric is None:
            row = session.get(FabricImport, twin.import_id)
            if row is None or row.document is None:
                raise BadInputError(f"import {twin.import_id} is read again or was kept meanwhile; make its twin again")
            document, preview, name = row.document, row.preview or {}, row.name
            read = {key: preview[key] for key in _READ if key in preview}
        else:
            fabric = session.get(Fabric, twin.fabric)
            wiring = None if fabric is None else document_of(fabric.options)
            if wiring is None:
                raise BadInputError(f"the wiring of fabric '{twin.fabric}' is not known any more; import it again")
            document, name = fabric_text(wiring, ()), twin.fabric
            version = current_version(session, twin.fabric)
        source = twin.source_name
    return (
        Order(
            document=document,
            name=name,
            source=source,
            read=read,
            memory_bytes=settings.twin_memory_bytes,
            time_s=settings.twin_time_s,
        ),
        version,
    )


KINDS.add(TWIN_JOB, TwinJob())
