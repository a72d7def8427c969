# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The JSON documents of a fabric's picture: its nodes and links, its congestion, and the path from one host to another."""

from typing import Literal, TypeAlias

from pydantic import BaseModel, Field

from api.base.times import Time
from api.documents.texts import NodeName, Sentence
from api.watch.states import Mark

Measured: TypeAlias = Literal["off", "published", "recommended"]
"""A profile that a campaign confirms: congestion control off, the published profile, or the recommendation."""


class TopologyNode(BaseModel):
    id: str = Field(description="GUID of the node; for a group, the value for `expand`.")
    guid: str | None
    name: NodeName
    ends: tuple[NodeName, NodeName] | None = Field(None, description="Names of the first and the last node of a group.")
    kind: Literal["host", "switch", "group"]
    count: int = Field(description="Number of nodes that it represents.")
    x: float
    y: float
    congestion: float | None = Field(
        description="Congestion from 0 to 1, the worst of the nodes that it represents; null: unknown."
    )
    marks: list[Mark] = Field(description="Marks of the nodes that it represents, each once.")
    marked: int = Field(description="Number of the nodes that it represents that have a mark.")


class TopologyLevel(BaseModel):
    level: int | None = Field(description="Level: 0 for hosts, 1 for switches with hosts, and so on; null: no hosts in reach.")
    kind: str = Field(
        description="Kind of level: `hosts`, `leaf`, `middle`, `spine`, or `unconnected`: switches that reach no host."
    )
    nodes: list[TopologyNode]


class TopologyLink(BaseModel):
    a: str
    b: str
    count: int
    down: int = Field(description="Number of links that are down, by the fabric's watcher.")
    rate_gbps: float = Field(description="Data rate of one link.")
    congestion: float | None


class MeasuredChoice(BaseModel):
    """A profile whose congestion the last campaign measured on this fabric."""

    cc: Measured
    profile: str
    trial: int | None = Field(description="Trial of the campaign; null for a profile that is none.")
    is_base: bool = Field(description="True if the fabric's base profile has the same content.")


class CongestionSource(BaseModel):
    """Where the congestion values of an answer come from."""

    source: Literal["logs", "measurement", "none"]
    unread: str | None = Field(description="Why there are no values, and how to get them; null if there are.")
    choices: list[MeasuredChoice] = Field(description="Values for `cc`; empty unless the source is `measurement`.")
    cc: Measured | None = Field(description="Profile that is shown, of `choices`.")
    profile: str | None = Field(description="Profile that was measured, or that is in force while logs are read.")
    at: Time | None = Field(description="Time of the measurement; of logs, the time of this answer.")
    campaign: str | None = Field(description="Campaign that measured.")
    workload: str | None = Field(description="Workload that was measured.")


class UnplacedDevice(BaseModel):
    """A device on the fabric that the wiring lacks."""

    guid: str
    name: NodeName
    kind: str
    marks: list[Mark]


class PictureOut(BaseModel):
    """A wiring as a picture."""

    levels: list[TopologyLevel]
    links: list[TopologyLink]
    width: float = Field(description="Largest x; the smallest is 0.")
    height: float = Field(description="Largest y; the smallest is 0, and hosts are at the bottom.")
    hosts: int
    switches: int
    undrawn: dict[str, int] = Field(description="Number of nodes that are not drawn, by kind, such as `aggregation`.")
    incomplete: Sentence | None = Field(None, description="Why parts of the fabric may be missing; null: nothing says so.")


class TopologyOut(PictureOut):
    """The picture of a fabric, with what is known of its devices."""

    version: str = Field(description="Value for `since`.")
    unplaced: list[UnplacedDevice] = Field(description="Devices that the wiring lacks, the first 100.")
    unplaced_count: int
    congestion: CongestionSource


class TopologyChanges(BaseModel):
    """Differences of a picture since one that the client has."""

    version: str
    whole: TopologyOut | None = Field(description="The whole picture, if the service no longer has that of `since`.")
    nodes: list[TopologyNode] = Field(description="Nodes that differ. None is added or removed.")
    links: list[TopologyLink] = Field(description="Links that differ. None is added or removed.")
    unplaced: list[UnplacedDevice]
    unplaced_count: int
    congestion: CongestionSource


class FoundNode(BaseModel):
    guid: str
    name: NodeName
    kind: str
    lid: int | None
    expand: list[str] = Field(description="Groups to expand, so that the picture shows it by itself.")


class FoundNodes(BaseModel):
    items: list[FoundNode] = Field(description="At most 20 nodes, those that match exactly first.")
    count: int = Field(description="Number of nodes that match.")


class Hop(BaseModel):
    """A node on a path."""

    guid: str
    name: NodeName
    kind: str
    lid: int | None
    shown: str | None = Field(description="Node of the picture that stands for it; null: not drawn.")
    in_port: int | None = Field(description="Port by which packets come in; null at the source.")
    out_port: int | None = Field(description="Port by which packets go out; null at the destination.")
    rate: str | None = Field(description="Width and speed of the link at `out_port`.")
    congestion: float | None = Field(description="Congestion at `out_port`, 0 to 1; null: unknown.")


class PathOut(BaseModel):
    hops: list[Hop] = Field(description="Nodes from the source to the destination; empty if there is no route.")
    problem: Sentence | None = Field(description="Why there is no route.")
    routing: str = Field(description="Source of the forwarding tables: `tables`, as imported, or the engine that computed them.")


class LinkEnd(BaseModel):
    guid: str
    name: NodeName
    port: int


class LinkRow(BaseModel):
    """A cable."""

    a: LinkEnd
    b: LinkEnd
    up: bool | None = Field(description="False if the link is down, by the fabric's watcher; null: unknown.")
    rate: str
    rate_gbps: float
    congestion: float | None = Field(description="Congestion at the worse end, 0 to 1; null: unknown.")


class CongestedDevice(BaseModel):
    guid: str
    port: int
    name: NodeName
    kind: str
    congestion: float = Field(description="Share of the readings with congestion, 0 to 1.")
    readings: int | None = Field(description="Number of readings; null for a simulated fabric, which is measured, not read.")
    events: int | None


class CongestedPort(BaseModel):
    guid: str
    port: int
    name: NodeName
    peer: LinkEnd | None
    congestion: float
    expand: list[str] = Field(description="Groups to expand, so that the picture shows the node by itself.")


class CongestionOut(CongestionSource):
    devices: list[CongestedDevice]
    ports: list[CongestedPort] = Field(description="The ports with the most congestion, at most 10, the worst first.")
