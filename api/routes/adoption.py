# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Adoption of what a fabric's devices were found with, as a profile."""

from dataclasses import asdict

from fastapi import APIRouter, Response
from pydantic import ConfigDict

from api.access.dependencies import Admin, Writing
from api.base.problems import Conflict, NotFound
from api.documents.fabrics import AdoptedOut
from api.documents.profiles import ProfileDocument
from api.http.openapi import also
from api.http.preconditions import etag
from api.routes.database import CurrentDatabase
from api.routes.fields import Body, FabricName, Name
from api.services.adoption import read_adopted, store_adopted
from api.services.fabric_actions import Deferred

router = APIRouter(tags=["fabrics"])


class AdoptBody(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "site"}]})

    name: Name


@router.post("/fabrics/{fabric}/adopt", status_code=201, responses=also(Conflict, NotFound))
def adopt_fabric(
    principal: Admin, database: CurrentDatabase, session: Writing, fabric: FabricName, body: AdoptBody, response: Response
) -> AdoptedOut:
    """Make a profile of what the devices held before ibcc set anything on them, and store it under a new name. Nothing is sent
    to devices. Applied to the fabric as it was found, it sends nothing to any device that a profile can say; the others are
    named."""
    adopted = Deferred(lambda: read_adopted(database, fabric, body.name)).get()
    profile = store_adopted(session, principal, fabric, adopted)
    response.headers["Location"] = f"/api/v1/profiles/{profile.name}"
    return AdoptedOut(
        profile=ProfileDocument(**asdict(profile), etag=etag(profile.version)),
        not_said=list(adopted.not_said),
        devices_not_said=adopted.devices_not_said,
    )
