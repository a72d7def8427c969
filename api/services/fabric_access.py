# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""From a fabric's row to a connection to it, and the memory of those that the service itself holds."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sqlalchemy.orm import Session

from api.database.engine import Database
from api.database.models.fabric import Fabric, FabricRecord
from api.events.publish import publish
from api.fabric_drivers.base import FabricDriver
from api.fabric_drivers.registry import FABRIC_KINDS, FabricKind, FabricSpec, connect


class DatabaseMemory:
    """A fabric's memory in its row. `change` is a transaction of its own: never call it inside another one."""

    def __init__(self, database: Database, fabric: str) -> None:
        self._database, self._fabric = database, fabric

    def read(self) -> dict[str, Any]:
        with self._database.reading() as session:
            record = session.get(FabricRecord, self._fabric)
            return {} if record is None else dict(record.memory)

    def change(self, how: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
        with self._database.writing() as session:
            record = session.get(FabricRecord, self._fabric, with_for_update=True)
            if record is None:  # it was deleted meanwhile: there is nothing to keep
                return how({})
            record.memory = how(dict(record.memory))
            return dict(record.memory)


def spec_of(fabric: Fabric) -> FabricSpec:
    return FabricSpec(name=fabric.name, kind=fabric.kind, options=fabric.options, runtime=fabric.record.runtime)


def kind_of(fabric: Fabric) -> FabricKind:
    return FABRIC_KINDS.get(fabric.kind)


@contextmanager
def connected(database: Database, fabric: Fabric) -> Iterator[FabricDriver]:
    """A connection of the caller's own. Raises UnreachableError."""
    driver = connect(spec_of(fabric), DatabaseMemory(database, fabric.name))
    try:
        yield driver
    finally:
        driver.close()


def publish_change(session: Session, fabric: str, what: str, data: Mapping[str, Any] | None = None) -> None:
    """Publishes to the fabric's topic that its state has changed."""
    publish(session, f"fabric:{fabric}", what, {"fabric": fabric, **(data or {})}, fabric=fabric)
