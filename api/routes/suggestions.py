# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Suggested profiles."""

from typing import Annotated, Self

from fastapi import APIRouter
from pydantic import AfterValidator, ConfigDict, Field, model_validator

from api.access.dependencies import Reading, Viewer
from api.base.problems import Conflict
from api.documents.suggestions import SuggestionDocument
from api.http.openapi import also
from api.routes.fields import Body, FabricName, FreeObject, Name, SubnetNumber
from api.routes.role_counts import RoleCountsBody
from api.services import suggestions
from api.services.fabrics import get_fabric
from tuner.suggest.devices import DEVICE_MODELS

router = APIRouter(tags=["profiles"])


def _known(name: str) -> str:
    if name not in DEVICE_MODELS:
        raise ValueError(f"'{name}' is not a kind of devices; there are {', '.join(DEVICE_MODELS)}")
    return name


_Contributors = Annotated[int, Field(ge=2, le=10**9)]
_DeviceKind = Annotated[str, AfterValidator(_known), Field(json_schema_extra={"enum": list(DEVICE_MODELS)})]


class ContributorsBody(Body):
    most: Annotated[_Contributors, Field(description="Most hosts that send to one host at a time.")]
    least: Annotated[_Contributors | None, Field(description="Least of them; by default as many.")] = None

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.least is not None and self.least > self.most:
            raise ValueError(f"least is {self.least}; it must not be above most, {self.most}")
        return self


class SuggestionBody(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"workloads": ["scenario-1"]}, {"contributors": {"most": 4}}]})

    workloads: list[Name] = Field(
        default_factory=list, max_length=32, description="Workloads to read the number of contributors from, as a campaign's."
    )
    contributors: Annotated[
        ContributorsBody | None, Field(description="Number of contributors to one receiver at a time, instead of the workloads'.")
    ] = None
    subnet: SubnetNumber | None = None
    roles: RoleCountsBody | None = Field(None, description="Other numbers of hosts than the workloads' roles have.")
    model: FreeObject = Field(
        default_factory=dict, description="Values of the devices by dotted name, such as `ca.cnp_spacing_ns`."
    )
    devices: Annotated[
        list[_DeviceKind] | None,
        Field(
            max_length=len(DEVICE_MODELS),
            description="Kinds of devices that the profile is to serve, besides what `model` and the fabric say of them. By "
            "default all kinds where neither says how adapters notify.",
        ),
    ] = None


@router.post("/fabrics/{fabric}/suggestion", responses=also(Conflict))
def suggest_profile(principal: Viewer, session: Reading, fabric: FabricName, body: SuggestionBody) -> SuggestionDocument:
    """Suggest a profile for a fabric without any trial, by the rule of balance and room. Nothing is stored or sent."""
    fan_in = body.contributors
    return suggestions.suggestion(
        session,
        principal,
        get_fabric(session, fabric),
        workloads=body.workloads,
        contributors=None if fan_in is None else (fan_in.least or fan_in.most, fan_in.most),
        model=body.model,
        devices=body.devices,
        subnet=body.subnet,
        counts=None if body.roles is None else body.roles.counts(),
    )
