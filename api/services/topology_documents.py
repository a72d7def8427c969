# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric's picture and its congestion, as JSON."""

from typing import Literal

from pydantic import BaseModel, Field

from api.database.models.fabric import Fabric
from api.fabric_drivers.base import FabricDriver, guid_text


class TopologyNode(BaseModel):
    id: str = Field(description="GUID of the node; for a group, the value for `expand`.")
    guid: str | None
    name: str
    kind: Literal["host", "switch", "group"]
    count: int = Field(description="Number of nodes that it represents.")
    x: float
    y: float
    congestion: float | None = Field(
        description="Congestion from 0 to 1, the worst of the nodes that it represents; null: unknown."
    )


class TopologyLevel(BaseModel):
    level: int | None = Field(description="Level: 0 for hosts, 1 for switches with hosts, and so on; null: no hosts in reach.")
    kind: str = Field(description="Kind of level: `hosts`, `leaf`, `middle`, `spine` or `unconnected`.")
    nodes: list[TopologyNode]


class TopologyLink(BaseModel):
    a: str
    b: str
    count: int
    rate_gbps: float = Field(description="Data rate of one link.")
    congestion: float | None


class TopologyOut(BaseModel):
    levels: list[TopologyLevel]
    links: list[TopologyLink]
    width: float = Field(description="Largest x; the smallest is 0.")
    height: float = Field(description="Largest y; the smallest is 0, and hosts are at the bottom.")
    hosts: int
    switches: int


class CongestedDevice(BaseModel):
    guid: str
    port: int
    name: str
    kind: str
    congestion: float = Field(description="Share of the readings with congestion, 0 to 1.")
    readings: int | None = Field(description="Number of readings; null for a simulated fabric, which is measured, not read.")
    events: int | None


class CongestionOut(BaseModel):
    source: Literal["logs", "measurement", "none"]
    devices: list[CongestedDevice]


_MOST = 1000


def congestion_shares(driver: FabricDriver, fabric: Fabric) -> list[float]:
    """Returns the share of readings with congestion, 0 to 1, of each device that was read; of a simulated fabric, of each
    that was measured."""
    read = [one.congested / one.readings for one in driver.congestion() if one.readings]
    return read or list((fabric.record.load or {}).values())


def congestion_document(driver: FabricDriver, fabric: Fabric) -> CongestionOut:
    rows = [
        CongestedDevice(
            guid=one.guid,
            port=one.port,
            name=one.name,
            kind=one.kind,
            congestion=one.congested / one.readings,
            readings=one.readings,
            events=one.events,
        )
        for one in driver.congestion()
        if one.readings
    ]
    if rows:
        return CongestionOut(source="logs", devices=_worst_first(rows))
    document, load = driver.document(), fabric.record.load
    if document is None or not load:
        return CongestionOut(source="none", devices=[])
    n_switches = len(document.switches)
    rows = [
        CongestedDevice(
            guid=guid,
            port=0,
            name=node.name,
            kind="switch" if number < n_switches else "ca",
            congestion=load[guid],
            readings=None,
            events=None,
        )
        for number, node in enumerate(document.nodes)
        if (guid := guid_text(document.guid_of(number))) in load
    ]
    return CongestionOut(source="measurement", devices=_worst_first(rows))


def _worst_first(rows: list[CongestedDevice]) -> list[CongestedDevice]:
    return sorted(rows, key=lambda row: (-row.congestion, row.guid, row.port))[:_MOST]
