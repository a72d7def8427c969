# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Documents about a fabric's devices, as JSON."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from api.base.problems import NotFound
from api.database.models.fabric import Fabric
from api.documents.fabrics import AttributeOut, DeviceDetail, DeviceOut, Peer, PortOut
from api.fabric_drivers.base import Attribute, Congested, Device, FabricPicture, guid_text
from api.services.congestion_documents import port_congestion
from api.services.fabric_documents import moment
from api.watch.states import Mark
from ccsim import link_data_gbps
from tuner.documents.fabric import FabricDocument


@dataclass(frozen=True)
class DeviceFacts:
    """Kind of a device as the wiring tells it, and the rate of its link, or of most links of a switch."""

    kind: str
    rate: str | None


def device_facts(document: FabricDocument | None) -> dict[tuple[str, int], DeviceFacts]:
    """Returns the facts by GUID and port; the port of a switch is 0."""
    if document is None:
        return {}
    rates: dict[tuple[int, int], Counter[str]] = defaultdict(Counter)
    n_switches = len(document.switches)
    for link, *ends in document.ends():
        for end in ends:
            rates[end.node, 0 if end.node < n_switches else end.port][link.rate] += 1
    facts = {}
    for node, described in enumerate(document.nodes):
        guid = guid_text(document.guid_of(node))
        for port in (0,) if node < n_switches else range(1, described.ports + 1):
            known = rates.get((node, port))
            facts[guid, port] = DeviceFacts(described.kind, known.most_common(1)[0][0] if known else None)
    return facts


def device_document(device: Device, facts: Mapping[tuple[str, int], DeviceFacts], marks: Sequence[Mark] = ()) -> DeviceOut:
    known = facts.get((device.guid, device.port), DeviceFacts(device.kind, None))
    throttles = {"yes": True, "no": False}.get(device.throttles) if known.kind in ("host", "ca") else None
    return DeviceOut(
        guid=device.guid,
        port=device.port,
        name=device.name,
        kind=device.kind,
        node_kind=known.kind,
        rate=known.rate,
        vendor_id=device.vendor_id,
        device_id=device.device_id,
        firmware=device.firmware,
        firmware_reason=device.firmware_reason,
        dialect=device.dialect,
        withheld=device.withheld,
        lid=device.lid,
        present=device.present,
        state=device.state,
        throttles=throttles,
        drifts=device.drifts,
        timeouts=device.timeouts,
        applied_at=moment(device.applied_at_s),
        detail="; ".join(device.remarks) or None,
        marks=list(marks),
    )


def device_detail(
    driver: FabricPicture, fabric: Fabric, guid: str, missing: Iterable[Device] = (), marks: Sequence[Mark] = ()
) -> DeviceDetail:
    """All rows of a node together. `missing`: devices that should be there, and that the driver may not know. `marks`: those of
    the node. Raises NotFound."""
    known = [device for device in driver.devices() if device.guid == guid]
    rows = known or [device for device in missing if device.guid == guid]
    if not rows:
        raise NotFound(f"Fabric '{fabric.name}' has no device {guid!r:.40}.")
    readings = [one for one in driver.congestion() if one.guid == guid]
    document = driver.document()
    states = {device.port: device.state for device in rows if device.kind == "ca"}
    tables = [_attribute(device.port, one) for device in known for one in driver.attributes(guid, device.port)]
    return DeviceDetail(
        **device_document(rows[0], device_facts(document), marks).model_dump(),
        ports=_ports(document, guid, readings, states),
        tables=tables,
    )


def _attribute(port: int, one: Attribute) -> AttributeOut:
    return AttributeOut(
        port=port,
        attribute=one.attribute,
        block=one.block,
        wanted=None if one.wanted is None else dict(one.wanted),
        held=None if one.held is None else dict(one.held),
        found=None if one.found is None else dict(one.found),
    )


def _ports(document: FabricDocument | None, guid: str, readings: Sequence[Congested], states: Mapping[int, str]) -> list[PortOut]:
    loads = {port: load for (_, port), load in port_congestion(readings)}
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
