# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What is told of a fabric: its state, devices and plans, as JSON."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel, Field
from sqlalchemy.orm import Session

from api.database.models.fabric import Fabric
from api.fabrics.base import Attribute, Congested, Device, FabricDriver, FabricState, Held, Plan, digest_of, guid_text
from api.problems import NotFound
from api.services.profiles import VersionedProfile, known_versions
from api.times import Time, now
from ccsim import link_data_gbps
from tuner.documents.fabric import FabricDocument

_SHORT = 120
"""Characters of an option that a list shows whole."""


class FabricSummary(BaseModel):
    """A fabric in a list. Its options are told in short: the document of a large fabric has megabytes."""

    name: str
    kind: str = Field(description="`simulated`, `emulated` or `plugin`.")
    description: str
    options_summary: str = Field(description="`fabric two-switch`; of a long option, how long it is.")
    second_person: bool = Field(description="A promotion needs the approval of another operator.")
    hosted: bool = Field(description="The server runs it.")
    created_at: Time
    created_by: str
    etag: str


class FabricDocumentOut(FabricSummary):
    """A fabric as an administrator described it."""

    options: dict[str, Any]


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
    reacts: bool | None = Field(description="Whether an adapter was seen to throttle; null: nobody has looked.")
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


_NO_DEVICES = DeviceCounts(total=0, applied=0, drifted=0, unsupported=0, timing_out=0, refused=0, clamped=0, unknown=0)


def options_summary(options: Mapping[str, Any]) -> str:
    """`fabric two-switch, socket /run/x.sock`; of a long value only its length."""
    return ", ".join(f"{key} {_in_short(value)}" for key, value in options.items())


def _in_short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHORT and "\n" not in text else f"of {len(text):,} characters"


def moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def unreachable_document(fabric: Fabric, reason: str) -> FabricStateOut:
    return FabricStateOut(
        fabric=fabric.name,
        kind=fabric.kind,
        reachable=False,
        reason=reason,
        sm_state=None,
        active_profile=None,
        base_profile=None,
        former_profile=None,
        experiment=None,
        devices=_NO_DEVICES,
        warnings=[],
        checked_at=now(),
    )


def state_document(session: Session, fabric: Fabric, state: FabricState) -> FabricStateOut:
    held = [one for one in (state.active, state.base, state.former) if one is not None]
    names = known_versions(session, (one.digest for one in held))
    experiment = state.experiment
    return FabricStateOut(
        fabric=fabric.name,
        kind=fabric.kind,
        reachable=True,
        sm_state=state.sm_state,
        active_profile=profile_ref(state.active, names),
        base_profile=profile_ref(state.base, names),
        former_profile=profile_ref(state.former, names),
        experiment=None if experiment is None else ExperimentOut(owner=experiment.owner, ends_at=moment(experiment.ends_at_s)),
        devices=DeviceCounts(**state.devices),
        warnings=list(state.warnings),
        checked_at=now(),
    )


def profile_ref(held: Held | None, names: Mapping[str, tuple[str, int]]) -> ProfileRef | None:
    if held is None:
        return None
    known = names.get(held.digest)
    version = known[1] if known is not None and known[0] == held.name else None
    return ProfileRef(name=held.name, version=version, digest=held.digest, revision=held.revision, since=moment(held.since_s))


def device_document(device: Device) -> DeviceOut:
    return DeviceOut(
        guid=device.guid,
        port=device.port,
        name=device.name,
        kind=device.kind,
        lid=device.lid,
        present=device.present,
        state=device.state,
        reacts={"yes": True, "no": False}.get(device.reacts),
        drifts=device.drifts,
        timeouts=device.timeouts,
        applied_at=moment(device.applied_at_s),
        detail="; ".join(device.remarks) or None,
    )


def device_detail(driver: FabricDriver, fabric: Fabric, guid: str) -> DeviceDetail:
    """All rows of a node together. Raises NotFound."""
    rows = [device for device in driver.devices() if device.guid == guid]
    if not rows:
        raise NotFound(f"Fabric '{fabric.name}' has no device {guid!r:.40}.")
    readings = [one for one in driver.congestion() if one.guid == guid]
    document = driver.document()
    states = {device.port: device.state for device in rows if device.kind == "ca"}
    tables = [_attribute(device.port, one) for device in rows for one in driver.attributes(guid, device.port)]
    return DeviceDetail(
        **device_document(rows[0]).model_dump(),
        ports=_ports(document, guid, readings, states),
        tables=tables,
    )


def plan_document(session: Session, plan: Plan, profile: VersionedProfile) -> PlanOut:
    names = known_versions(session, [] if plan.current is None else [plan.current.digest])
    return PlanOut(
        digest=plan.digest,
        devices=[
            PlanDevice(guid=one.guid, port=one.port, name=one.name, attributes=list(one.attributes), mads=one.mads)
            for one in plan.changes
        ],
        totals=PlanTotals(devices=plan.devices, mads=plan.mads, unknown=plan.unknown),
        current=profile_ref(plan.current, names),
        wanted=ProfileRef(name=profile.name, version=profile.version, digest=digest_of(plan.wanted), revision=None),
        warnings=list(plan.warnings),
    )


def load_of(driver: FabricDriver, document: FabricDocument, kept: Mapping[str, float] | None) -> dict[int, float]:
    """By node, how congested it is: what CongestionLogs have told, or of a simulated fabric its last measurement."""
    by_guid = dict(kept or {})
    for one in driver.congestion():
        if one.readings:
            by_guid[one.guid] = max(by_guid.get(one.guid, 0.0), one.congested / one.readings)
    node_of = {guid_text(document.guid_of(node)): node for node in range(len(document.nodes))}
    return {node_of[guid]: load for guid, load in by_guid.items() if guid in node_of}


def _attribute(port: int, one: Attribute) -> AttributeOut:
    return AttributeOut(
        port=port,
        attribute=one.attribute,
        block=one.block,
        wanted=None if one.wanted is None else dict(one.wanted),
        held=None if one.held is None else dict(one.held),
    )


def _ports(document: FabricDocument | None, guid: str, readings: Sequence[Congested], states: Mapping[int, str]) -> list[PortOut]:
    loads = dict(_loads(readings))
    found: dict[int, PortOut] = {
        port: PortOut(port=port, peer=None, rate=None, rate_gbps=None, congestion=loads.get(port), state=state)
        for port, state in states.items()
    }
    for link, *ends in () if document is None else document.ends():
        for own, other in (ends, ends[::-1]):
            if document is not None and guid_text(document.guid_of(own.node)) == guid:
                found[own.port] = PortOut(
                    port=own.port,
                    peer=Peer(
                        guid=guid_text(document.guid_of(other.node)), name=document.nodes[other.node].name, port=other.port
                    ),
                    rate=link.rate,
                    rate_gbps=link_data_gbps(link.rate),
                    congestion=loads.get(own.port),
                    state=states.get(own.port),
                )
    return [found[port] for port in sorted(found)]


def _loads(readings: Iterable[Congested]) -> Iterable[tuple[int, float]]:
    for one in readings:
        if not one.readings:
            continue
        if one.port:
            yield one.port, one.congested / one.readings
        for port, count in one.ports.items():
            yield port, count / one.readings
