# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Adoption: what a fabric's devices held before ibcc set anything becomes a profile of the service."""

from sqlalchemy.orm import Session

from api.access.audit import record_audit
from api.access.principal import Principal
from api.database.engine import Database
from api.fabric_drivers.base import Adopted
from api.services.fabric_access import connected
from api.services.fabrics import get_fabric
from api.services.profiles import VersionedProfile, create_profile


def read_adopted(database: Database, fabric_name: str, profile_name: str) -> Adopted:
    """Asks the fabric, before any transaction. Raises NotFound, UnreachableError, and BadInputError where that is not kept."""
    with database.reading() as session:
        fabric = get_fabric(session, fabric_name)
    with connected(database, fabric) as driver:
        return driver.adopted(profile_name)


def store_adopted(session: Session, principal: Principal, fabric_name: str, adopted: Adopted) -> VersionedProfile:
    """Raises Conflict if there is a profile of that name."""
    comment = f"What the devices of fabric {fabric_name} held before ibcc set anything."
    name = adopted.profile.name
    profile = create_profile(session, principal, name, adopted.profile.to_yaml(), comment)
    detail = {"devices_not_said": adopted.devices_not_said}
    record_audit(session, principal, "fabric.adopt", f"profile {name} version 1", fabric=fabric_name, detail=detail)
    return profile
