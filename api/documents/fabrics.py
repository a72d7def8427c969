# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The JSON documents that describe a fabric: its state, devices and plans."""

from typing import Any

from pydantic import BaseModel, Field

from api.base.times import Time
from api.documents.jobs import JobDocument
from api.documents.profiles import ProfileDocument
from api.documents.texts import NodeName, Sentence
from api.documents.watches import WatchSummary
from api.watch.states import Mark


class ByWhom(BaseModel):
    by: str
    at: Time


class FabricSummary(BaseModel):
    """A fabric in a list. Its options are abridged: the document of a large fabric has megabytes."""

    name: str
    kind: str = Field(description="`simulated`, `emulated` or `plugin`.")
    description: str
    options_summary: str = Field(description="Options in short, `fabric two-switch`; for a long option, its length.")
    second_person: bool = Field(description="True if a promotion needs the approval of another operator.")
    second_person_off_asked: ByWhom | None = Field(
        description="The admin who asked to switch it off. It is off once another admin sets second_person to false within a "
        "week."
    )
    second_person_reset: ByWhom | None = Field(
        description="Person who switched it off by a command on the machine, without another admin; shown for a week."
    )
    hosted: bool = Field(description="True if the server runs the fabric.")
    created_at: Time
    created_by: str
    etag: str


class FabricDocumentOut(FabricSummary):
    """A fabric as an administrator described it."""

    options: dict[str, Any] = Field(
        description="Options of the fabric. Only admins see paths of the service's machine, such as `socket`."
    )


class ProfileRef(BaseModel):
    """A profile on a fabric."""

    name: str
    version: int | None = Field(description="Version of the profile; null if the service has no version with this content.")
    digest: str = Field(description="SHA-256 of the canonical document.")
    revision: int | None = Field(description="Revision of the profile on the fabric.")
    since: Time | None = None


class ExperimentOut(BaseModel):
    owner: str | None
    ends_at: Time | None = Field(description="End of the trial run; null: it does not end automatically.")


class DeviceCounts(BaseModel):
    total: int
    applied: int
    drifted: int
    unsupported: int
    timing_out: int
    refused: int
    withheld: int
    foreign: int = 0
    clamped: int
    unknown: int


class ClearForeignOut(BaseModel):
    """What became of a request to clear foreign devices."""

    job: JobDocument | None = Field(description="The job that clears them; null: the request waits.")
    needs: str | None = Field(description="What the request waits for; null: nothing.")


class DialectCounts(BaseModel):
    """Number of devices by the congestion-control attributes that they have."""

    a10: int = Field(description="Annex A10's alone.")
    nvidia: int = Field(description="NVIDIA's alone.")
    both: int = Field(description="Both kinds.")
    none: int = Field(description="Neither kind.")
    unknown: int = Field(description="Not asked for both kinds, or no answer yet.")


class Dialects(BaseModel):
    reported: DialectCounts | None = Field(
        description="As devices have answered the plugin; null: there is no plugin, it cannot be reached, or it does not ask."
    )
    documented: DialectCounts | None = Field(
        description="As the document of a simulated or emulated fabric makes its devices; null of other fabrics."
    )


class AsFoundOut(BaseModel):
    """Revision 0: what devices held before ibcc set anything on them."""

    devices: int = Field(description="Number of devices that were read.")
    unread: int = Field(description="Number of devices that were not read yet, as they have not answered.")
    since: Time | None = Field(description="When the first of them was read; null: none was.")
    in_force: bool = Field(description="True if there is no base profile and no trial run.")


class AdoptedOut(BaseModel):
    """A profile of what devices were found with."""

    profile: ProfileDocument
    not_said: list[Sentence] = Field(description="A sentence for each of the first devices that hold what no profile can say.")
    devices_not_said: int = Field(description="Number of devices to which the profile would send something as they were found.")


class FabricStateOut(BaseModel):
    fabric: str
    kind: str
    reachable: bool
    reason: Sentence | None = Field(None, description="Why the fabric is unreachable.")
    sm_state: str | None
    asks: bool = Field(
        True,
        description="False: the plugin asks no device, as another subnet manager is master or may be (`sm_state` is `standby` or "
        "`discovering`) or OpenSM's own congestion control is on (`conflict`), so nobody knows here what devices hold.",
    )
    active_profile: ProfileRef | None = Field(description="Null: there is none, or it is not known, as `asks` is false.")
    base_profile: ProfileRef | None
    former_profile: ProfileRef | None = Field(
        description="The base that a rollback restores; null: there is none, and a rollback of the only base restores `as_found`."
    )
    as_found: AsFoundOut | None = Field(None, description="Null: it is not kept, or there is no OpenSM.")
    experiment: ExperimentOut | None
    devices: DeviceCounts
    dialects: Dialects
    warnings: list[Sentence]
    checked_at: Time
    watch: WatchSummary | None = Field(None, description="What the fabric's watcher knows; null: it is not watched.")


class DeviceOut(BaseModel):
    guid: str
    port: int = Field(description="Port of an adapter, or 0 for a switch.")
    name: NodeName
    kind: str = Field(description="`switch` or `ca`.")
    node_kind: str = Field(
        description="`switch`, `host`, `aggregation` (the adapter inside a switch that reduces data) or `router`; `ca` where the "
        "wiring does not tell what an adapter is in."
    )
    rate: str | None = Field(description="Width and speed of its link; of a switch, of most of its links; null: unknown.")
    vendor_id: str | None = Field(description="OUI of its maker, such as `0x0002c9`; null: unknown.")
    device_id: str | None = Field(description="Number of the device among its maker's, such as `0xd2f2`; null: unknown.")
    firmware: str | None = Field(description="Version of its firmware, such as `31.2012.1024`; null: `firmware_reason` has why.")
    firmware_reason: str | None = Field(
        description="Reason why no version is known: `not applicable` to a simulated device; null: it is known."
    )
    dialect: str | None = Field(
        description="Congestion-control attributes that it has: `a10`, `nvidia`, `both` or `none`; null: not known."
    )
    withheld: Sentence | None = Field(
        description="Reason why it is not sent what the profile's section `nvidia` says; null: it is sent that."
    )
    lid: int | None
    present: bool
    state: str = Field(description="State, as in the counts of the fabric's state.")
    throttles: bool | None = Field(description="True if an adapter was seen to throttle; null: unknown, or no adapter of a host.")
    drifts: int
    timeouts: int
    applied_at: Time | None
    detail: Sentence | None = Field(description="Error of the device.")
    marks: list[Mark] = Field(description="Marks by the fabric's watcher, the gravest first.")


class Peer(BaseModel):
    guid: str
    name: NodeName
    port: int


class PortOut(BaseModel):
    port: int
    peer: Peer | None
    rate: str | None = Field(description="Width and speed of its link.")
    rate_gbps: float | None
    congestion: float | None = Field(description="Share of the readings with congestion, 0 to 1; null: not read.")
    state: str | None = Field(None, description="State of an adapter's port, as of a device.")


class AttributeOut(BaseModel):
    port: int
    attribute: str = Field(description="Attribute, by the specification's name: `CongestionControlTable`.")
    block: int
    wanted: dict[str, Any] | None
    held: dict[str, Any] | None = Field(description="Value on the device; null: unknown.")
    found: dict[str, Any] | None = Field(
        None, description="Value on the device before ibcc set anything on it (revision 0); null: not kept, or not read."
    )


class DeviceDetail(DeviceOut):
    ports: list[PortOut]
    tables: list[AttributeOut]


class PlanDevice(BaseModel):
    guid: str
    port: int
    name: NodeName
    attributes: list[str]
    mads: int


class PlanTotals(BaseModel):
    devices: int
    mads: int
    unknown: int = Field(description="Number of devices whose tables are unknown.")


class PlanNow(BaseModel):
    """Changes from what devices hold now."""

    devices: list[PlanDevice] = Field(description="Devices that applying the profile would send something now, as of the plan.")
    totals: PlanTotals
    current: ProfileRef | None = Field(description="Profile in force: that of the trial run.")


class PlanOut(BaseModel):
    """Changes from a fabric's base to a profile. Nothing is sent to the devices to compute them."""

    digest: str = Field(
        description="Digest of the changes from the base; a promotion refers to it. A trial run leaves it as it is."
    )
    devices: list[PlanDevice] = Field(
        description="Devices on which the profile differs from the base; of OpenSM's plugin the first 4,000. Empty with an older "
        "plugin, which only counts them. The totals are of all."
    )
    totals: PlanTotals
    current: ProfileRef | None = Field(description="Base profile; null: there is none yet.")
    wanted: ProfileRef
    now: PlanNow | None = Field(
        None,
        description="Changes that would be sent now, where they are others: during a trial run, or if devices have drifted. "
        "Null: those of the plan are sent.",
    )
    warnings: list[Sentence]
