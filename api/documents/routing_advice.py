# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The JSON document of advice on a fabric's routing, as tuner.fabric.routing_advice makes it."""

from pydantic import BaseModel, Field

from api.documents.texts import NodeName, Sentence


class ShapeOut(BaseModel):
    kind: str = Field(description="Shape of the fabric, such as `fat-tree`; `unknown` if it has none that ibcc knows.")
    text: Sentence = Field(description="Shape in words, with its sizes.")
    missing: list[Sentence] = Field(description="Sentences about links, switches and hosts that are missing or odd.")


class OpenSmEngine(BaseModel):
    engine: str = Field(description="Name for `opensm -R`.")
    routing: str | None = Field(description="Routing of the simulator that stands for it; null: none.")
    for_: str = Field(alias="for", description="Fabrics that it is for.")


class OpenSmEngines(BaseModel):
    engines: list[OpenSmEngine] = Field(description="Engines that such clusters run, in the order of `opensm -R`.")
    reason: Sentence


class ChosenRouting(BaseModel):
    routing: str = Field(description="Routing of the simulator that suits the shape.")
    reason: Sentence


class BusiestLink(BaseModel):
    switch: NodeName
    guid: str
    port: int
    to: NodeName
    pairs: int = Field(description="Pairs of hosts whose routes it carries.")


class LinkLoads(BaseModel):
    unreachable_pairs: int = Field(description="Pairs of hosts, in each direction, without a route.")
    directions: int = Field(description="Directions of links between switches.")
    used: int = Field(description="Those that carry anything.")
    upward: int = Field(description="Directions that lead away from hosts.")
    upward_used: int
    busiest: BusiestLink | None = Field(description="The most loaded link for its rate; null without links between switches.")
    mean_pairs: float
    uniform_gbps: float = Field(description="Rate in Gb/s at which all hosts can send to all others at once.")
    uniform_share: float = Field(description="The same as a share of what the links of hosts alone allow.")
    shift_mean: float | None = Field(description="Slowest flow of shift permutations, on average, as a share of a host's link.")
    shift_worst: float | None
    curve: list[float] = Field(description="Loads at full rate as shares of data rates, most loaded first, at most 101.")


class RoutingLoads(BaseModel):
    routing: str
    as_it_is: bool = Field(description="True: with the tables that the fabric's document holds.")
    opensm: list[str] = Field(description="Engines of OpenSM of the kind.")
    refused: Sentence | None = Field(description="Why the routing cannot route the fabric; `loads` is null then.")
    credit_loop: Sentence | None = Field(description="Buffers that can wait for each other for ever; null: none.")
    vls: int = Field(description="Data VLs that it needs.")
    loads: LinkLoads | None


class RoutingAdvice(BaseModel):
    """Advice on the routing of a fabric: docs/routing.md."""

    fabric: str
    shape: ShapeOut
    opensm: OpenSmEngines
    routing: str
    chosen: ChosenRouting
    engines: list[RoutingLoads] = Field(description="Routings, most uniform throughput first.")
    warnings: list[Sentence] = Field(description="Sentences about an `sl_to_vl` that does not hold.")
