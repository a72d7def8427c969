# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Versions of a fabric's wiring. Each change of it adds one, and so does going back to an older one: no version ever changes.

Campaigns copy the wiring when they are made (`api.services.campaigns.files`), so versions may go while campaigns stay.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.base.problems import Conflict, NotFound
from api.database.models.fabric import Fabric
from api.database.models.fabric_import import FabricVersion
from api.fabric_drivers.documents import WiringOptions, wiring
from api.http.pages import Key, PageQuery, paginate
from tuner.documents.fabric import FabricDocument
from tuner.documents.fabric_text import fabric_text
from tuner.errors import BadInputError
from tuner.fabric.differences import differences

WIRING = ("fabric", "document")
"""The options that say what a fabric's wiring is."""

MOST = 50
"""Versions of a fabric that are kept; beyond that, the oldest goes."""


def wiring_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns those of a fabric's options that say what its wiring is."""
    return {key: options[key] for key in WIRING if options.get(key) is not None}


def document_of(options: Mapping[str, Any]) -> FabricDocument | None:
    """Returns the wiring's document; None if it is unknown. Raises BadInputError."""
    return wiring(WiringOptions(**wiring_of(options)))


def current_version(session: Session, fabric: str) -> int:
    """Number of the last version."""
    return session.scalar(select(func.max(FabricVersion.version)).where(FabricVersion.fabric == fabric)) or 0


def add_version(session: Session, principal: Principal, fabric: Fabric, before: Mapping[str, Any] | None, origin: str) -> int:
    """Records the wiring that the fabric's options have now, and what differs from the options `before`. Returns its number."""
    number = current_version(session, fabric.name) + 1
    session.add(
        FabricVersion(
            fabric=fabric.name,
            version=number,
            wiring=wiring_of(fabric.options),
            origin=origin[:255],
            changes=None if before is None else _changes(before, fabric.options),
            created_by=principal.username,
        )
    )
    session.flush()
    session.execute(delete(FabricVersion).where(FabricVersion.fabric == fabric.name, FabricVersion.version <= number - MOST))
    return number


def _changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Any] | None:
    try:
        old, new = document_of(before), document_of(after)
    except BadInputError:  # what an older ibcc took for a fabric
        return None
    return None if old is None or new is None else [one.to_json() for one in differences(old, new)]


def other_since(session: Session, fabric: str, moment: datetime) -> str | None:
    """Returns what has changed about the wiring since then, as the end of a sentence about what was made on it; None: nothing. A
    version that has its wiring again is no change."""
    found = list(session.scalars(select(FabricVersion).where(FabricVersion.fabric == fabric).order_by(FabricVersion.version)))
    before = [one for one in found if one.created_at <= moment or one.version == 1]
    if not found or (before and before[-1].wiring == found[-1].wiring):
        return None
    then = f"version {before[-1].version}" if before else "a version that is no longer kept"
    last = found[-1]
    present = f"version {last.version} is present since {last.created_at:%Y-%m-%d}"
    return f"rests on the wiring of fabric '{fabric}' in {then}; {present}, so its values may suit less well"


def list_versions(session: Session, fabric: str, page: PageQuery) -> tuple[list[FabricVersion], str | None]:
    """Returns a page of the versions, the newest first."""
    query = select(FabricVersion).where(FabricVersion.fabric == fabric)
    return paginate(session, query, [Key(FabricVersion.version, descending=True)], page)


def get_version(session: Session, fabric: str, version: int) -> FabricVersion:
    """Raises NotFound."""
    found = session.get(FabricVersion, (fabric, version))
    if found is None:
        raise NotFound(f"Fabric '{fabric}' has no version {version}.")
    return found


def version_document(version: FabricVersion) -> FabricDocument:
    """Raises Conflict for a version whose wiring was unknown."""
    document = document_of(version.wiring)
    if document is None:
        raise Conflict(f"The wiring of version {version.version} of fabric '{version.fabric}' is unknown to the service.")
    return document


def version_text(version: FabricVersion) -> str:
    """Returns the document as YAML. Raises Conflict for a version whose wiring was unknown."""
    text: str | None = version.wiring.get("document")
    return fabric_text(version_document(version)) if text is None else text
