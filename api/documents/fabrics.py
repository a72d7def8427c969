# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The JSON documents that describe a fabric: its state, devices and plans."""

from typing import Any

from pydantic import BaseModel, Field

from api.times import Time


class ByWhom(BaseModel):
    by: str
    at: Time


class FabricSummary(BaseModel):
    """A fabric in a list. Its options are told in short: the document of a large fabric has megabytes."""

    name: str
    kind: str = Field(description="`simulated`, `emulated` or `plugin`.")
    description: str
    options_summary: str = Field(description="`fabric two-switch`; of a long option, how long it is.")
    second_person: bool = Field(description="A promotion needs the approval of another operator.")
    second_person_off_asked: ByWhom | None = Field(
        description="The admin who wants that switched off: it is when another admin sets second_person to false within a week."
    )
    second_person_reset: ByWhom | None = Field(
        description="Who switched it off on the machine by a command, without another admin; told for a week."
    )
    hosted: bool = Field(description="The server runs it.")
    created_at: Time
    created_by: str
    etag: str


class FabricDocumentOut(FabricSummary):
    """A fabric as an administrator described it."""

    options: dict[str, Any] = Field(description="Places of the service's machine, such as `socket`, are told to admins only.")


class ProfileRef(BaseModel):
    """A profile as a fabric has it."""

    name: str
    version: int | None = Field(description="Null if the service does not know a version with this content.")
    digest: str = Field(description="SHA-256 of the canonical document.")
    revision: int | None = Field(description="The fabric's own count of changes.")
    since: Time | None = None


class ExperimentOut(BaseModel):
    owner: str | None
    ends_at: Time | None = Field(description="Null: it does not end by itself.")


class DeviceCounts(BaseModel):
    total: int
    applied: int
    drifted: int
    unsupported: int
    timing_out: int
    refused: int
    clamped: int
    unknown: int


class FabricStateOut(BaseModel):
    fabric: str
    kind: str
    reachable: bool
    reason: str | None = Field(None, description="Why it cannot be reached.")
    sm_state: str | None
    active_profile: ProfileRef | None
    base_profile: ProfileRef | None
    former_profile: ProfileRef | None = Field(description="The base that a rollback brings back; null: there is none.")
    experiment: ExperimentOut | None
    devices: DeviceCounts
    warnings: list[str]
    checked_at: Time


class DeviceOut(BaseModel):
    guid: str
    port: int = Field(description="Port of an adapter; 0 for a switch.")
    name: str
    kind: str = Field(description="`switch` or `ca`.")
    lid: int | None
    present: bool
    state: str = Field(description="As in the counts of the fabric's state.")
    throttles: bool | None = Field(description="Whether an adapter was seen to throttle; null: nobody has looked.")
    drifts: int
    timeouts: int
    applied_at: Time | None
    detail: str | None = Field(description="What is wrong with it.")


class Peer(BaseModel):
    guid: str
    name: str
    port: int


class PortOut(BaseModel):
    port: int
    peer: Peer | None
    rate: str | None = Field(description="Width and speed of its link.")
    rate_gbps: float | None
    congestion: float | None = Field(description="Share of the readings with congestion, 0 to 1; null: it was not read.")
    state: str | None = Field(None, description="Of an adapter's port: as of a device.")


class AttributeOut(BaseModel):
    port: int
    attribute: str = Field(description="By the specification's name, `CongestionControlTable`.")
    block: int
    wanted: dict[str, Any] | None
    held: dict[str, Any] | None = Field(description="Null: not known.")


class DeviceDetail(DeviceOut):
    ports: list[PortOut]
    tables: list[AttributeOut]


class PlanDevice(BaseModel):
    guid: str
    port: int
    name: str
    attributes: list[str]
    mads: int


class PlanTotals(BaseModel):
    devices: int
    mads: int
    unknown: int = Field(description="Devices of which it is not known what they hold.")


class PlanOut(BaseModel):
    """What applying a profile would change now. Nothing is sent to find out."""

    digest: str = Field(description="Of all that is shown here; a promotion gives it back.")
    devices: list[PlanDevice] = Field(description="Empty where the fabric's wiring is not known here; totals hold all the same.")
    totals: PlanTotals
    current: ProfileRef | None
    wanted: ProfileRef
    warnings: list[str]
