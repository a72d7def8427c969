# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric's congestion, from CongestionLogs or from a campaign's measurement, with its source."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from api.base.times import now
from api.database.models.fabric import Fabric
from api.documents.topology import (
    CongestedDevice,
    CongestedPort,
    CongestionOut,
    CongestionSource,
    LinkEnd,
    Measured,
    MeasuredChoice,
)
from api.fabric_drivers.base import Congested, FabricDriver, FabricPicture, guid_text
from api.fabric_drivers.registry import FABRIC_KINDS
from api.fabric_drivers.remembered import RememberedFabric
from api.fabric_drivers.topology import topology_of
from api.services.measured_load import ORDER, shown
from tuner.documents.fabric import End, FabricDocument

_MOST_DEVICES = 1000
_MOST_PORTS = 10


@dataclass(frozen=True)
class Seen:
    """Congestion as it is known, 0 to 1."""

    source: CongestionSource
    devices: Mapping[str, float]
    """Share of congestion by GUID."""
    ports: Mapping[tuple[str, int], float]
    """Share of congestion by GUID and port; a measurement has the worst ports only."""
    readings: Sequence[Congested] = ()

    def by_node(self, document: FabricDocument) -> dict[int, float]:
        """Returns the devices' congestion by number of the document's nodes."""
        if not self.devices:
            return {}
        guids = ((node, guid_text(document.guid_of(node))) for node in range(len(document.nodes)))
        return {node: self.devices[guid] for node, guid in guids if guid in self.devices}


def seen_congestion(driver: FabricPicture, fabric: Fabric, cc: Measured | None = None) -> Seen:
    """`cc`: what to show of a measurement; None: the recommendation, or what there is."""
    if isinstance(driver, RememberedFabric):
        return Seen(_source("none", unread="Congestion is unknown, because the fabric cannot be reached."), {}, {})
    state = driver.state()
    if state.is_unasked:
        why = "another subnet manager is master" if state.sm_state != "conflict" else "OpenSM's own congestion control is on"
        return Seen(
            _source("none", unread=f"Congestion is unknown, because {why}, and the plugin reads no CongestionLogs."), {}, {}
        )
    readings = [one for one in driver.congestion() if one.readings]
    if readings:
        return _read(driver, readings)
    kept = fabric.record.load
    which = shown(kept, cc)
    if kept is None or which is None:
        return Seen(_source("none", unread=FABRIC_KINDS.get(fabric.kind).no_congestion), {}, {})
    base, one = driver.state().base, kept["measured"][which]
    digest = None if base is None else base.digest
    choices = [
        MeasuredChoice(cc=name, profile=of["profile"], trial=of["trial"], is_base=of["digest"] == digest)
        for name in ORDER
        if (of := kept["measured"].get(name)) is not None
    ]
    source = _source("measurement", choices=choices, cc=which, profile=one["profile"]).model_copy(
        update={
            "at": None if kept["at"] is None else datetime.fromisoformat(kept["at"]),
            "campaign": kept["campaign"],
            "workload": kept["workload"],
        }
    )
    return Seen(source, one["devices"], {(guid, port): waited for guid, port, waited in one["ports"]})


def congestion_document(
    driver: FabricPicture, fabric: Fabric, cc: Measured | None = None, *, devices: bool = True
) -> CongestionOut:
    """`devices`: False leaves them out, as of a large fabric they are many."""
    seen = seen_congestion(driver, fabric, cc)
    document = driver.document()
    rows: list[CongestedDevice] = []
    if devices and seen.readings:
        rows = [
            CongestedDevice(
                guid=port_reading.guid,
                port=port_reading.port,
                name=port_reading.name,
                kind=port_reading.kind,
                congestion=port_reading.congested / port_reading.readings,
                readings=port_reading.readings,
                events=port_reading.events,
            )
            for port_reading in seen.readings
        ]
    elif devices and document is not None:
        rows = list(_measured_rows(document, seen))
    rows.sort(key=lambda row: (-row.congestion, row.guid, row.port))
    return CongestionOut(**seen.source.model_dump(), devices=rows[:_MOST_DEVICES], ports=list(_worst_ports(document, seen)))


def congestion_shares(driver: FabricDriver, fabric: Fabric) -> list[float]:
    """Returns the share of readings with congestion, 0 to 1, of each device that was read; of a simulated fabric, of each that
    was measured."""
    return list(seen_congestion(driver, fabric).devices.values())


def port_congestion(readings: Iterable[Congested]) -> Iterable[tuple[tuple[str, int], float]]:
    """Yields ((GUID, port), share of the readings with congestion)."""
    for reading in readings:
        if not reading.readings:
            continue
        if reading.port:
            yield (reading.guid, reading.port), reading.congested / reading.readings
        for port, count in reading.ports.items():
            yield (reading.guid, port), count / reading.readings


def _read(driver: FabricPicture, readings: Sequence[Congested]) -> Seen:
    devices: dict[str, float] = {}
    for one in readings:
        devices[one.guid] = max(devices.get(one.guid, 0.0), one.congested / one.readings)
    active = driver.state().active
    source = _source("logs", profile=None if active is None else active.name).model_copy(update={"at": now()})
    return Seen(source, devices, dict(port_congestion(readings)), readings)


def _source(
    source: str,
    *,
    unread: str | None = None,
    choices: Sequence[MeasuredChoice] = (),
    cc: Measured | None = None,
    profile: str | None = None,
) -> CongestionSource:
    return CongestionSource.model_validate(
        {
            "source": source,
            "unread": unread,
            "choices": choices,
            "cc": cc,
            "profile": profile,
            "at": None,
            "campaign": None,
            "workload": None,
        }
    )


def _measured_rows(document: FabricDocument, seen: Seen) -> Iterable[CongestedDevice]:
    n_switches = len(document.switches)
    for node, load in seen.by_node(document).items():
        yield CongestedDevice(
            guid=guid_text(document.guid_of(node)),
            port=0,
            name=document.nodes[node].name,
            kind="switch" if node < n_switches else "ca",
            congestion=load,
            readings=None,
            events=None,
        )


def _worst_ports(document: FabricDocument | None, seen: Seen) -> Iterable[CongestedPort]:
    worst = sorted((one for one in seen.ports.items() if one[1] > 0), key=lambda one: (-one[1], one[0]))[:_MOST_PORTS]
    if not worst:
        return
    names = {one.guid: one.name for one in seen.readings}
    peers: Mapping[End, End] = {}
    nodes: Mapping[str, int] = {}
    if document is not None:
        wanted = {guid for (guid, _), _ in worst}
        nodes = {guid: i for i in range(len(document.nodes)) if (guid := guid_text(document.guid_of(i))) in wanted}
        peers = {one: other for _, a, b in document.ends() for one, other in ((a, b), (b, a)) if one.node in nodes.values()}
    for (guid, port), load in worst:
        node = nodes.get(guid)
        other = None if node is None else peers.get(End(node, port))
        if document is None or node is None:
            yield CongestedPort(guid=guid, port=port, name=names.get(guid, guid), peer=None, congestion=load, expand=[])
            continue
        yield CongestedPort(
            guid=guid,
            port=port,
            name=document.nodes[node].name,
            peer=None if other is None else link_end(document, other),
            congestion=load,
            expand=topology_of(document).opening(node),
        )


def link_end(document: FabricDocument, end: End) -> LinkEnd:
    return LinkEnd(guid=guid_text(document.guid_of(end.node)), name=document.nodes[end.node].name, port=end.port)
