# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Decides which jobs a worker may take: by their kind, and by whether the worker's machine can reach their fabric."""

from typing import Literal, TypeAlias

from sqlalchemy.orm import Session

from api.database.models.fabric import Fabric
from api.fabric_drivers.registry import FABRIC_KINDS
from api.queue.kind import KINDS
from api.services.fabric_access import spec_of

Place: TypeAlias = Literal["any", "server", "both"]
"""Place of a worker: `any` is `ibcc-worker`, on whatever machine; `server` is the server that leaves jobs to those, and takes
what only it can do; `both` is the server that does everything itself."""


def may_take(session: Session, place: Place, kind: str, fabric: str | None) -> bool:
    """True if a worker of that place may run a job of that kind on that fabric. A job on a fabric that is reached from one
    machine runs on that machine, or in the server, which can best report why the fabric cannot be reached."""
    if kind not in KINDS.names():
        return False
    if place == "both":
        return True
    if KINDS.get(kind).place == "server":
        return place == "server"
    row = None if fabric is None else session.get(Fabric, fabric)
    if row is None or row.kind not in FABRIC_KINDS.names():
        return place == "any"
    here = FABRIC_KINDS.get(row.kind).is_here(spec_of(row))
    return place == "any" if here is None else here or place == "server"
