# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Documents about a fabric: its state, devices and plans, as JSON."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy.orm import Session

from api.database.models.fabric import Fabric
from api.documents.fabrics import (
    AttributeOut,
    DeviceCounts,
    DeviceDetail,
    DeviceOut,
    ExperimentOut,
    FabricStateOut,
    Peer,
    PlanDevice,
    PlanOut,
    PlanTotals,
    PortOut,
    ProfileRef,
)
from api.fabric_drivers.base import Attribute, Congested, Device, FabricDriver, FabricState, Held, Plan, digest_of, guid_text
from api.problems import NotFound
from api.services.profiles import VersionedProfile, known_versions
from api.times import now
from ccsim import link_data_gbps
from tuner.documents.fabric import FabricDocument

_SHORT = 120
"""Characters of an option that a list shows whole."""


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
        throttles={"yes": True, "no": False}.get(device.throttles),
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
    """Returns how congested each node is, by node: what CongestionLogs have reported, or for a simulated fabric its last
    measurement."""
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
