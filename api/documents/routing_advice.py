# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The JSON document of advice on a fabric's routing, as tuner.fabric.routing_advice makes it."""

from pydantic import BaseModel, Field

from api.base.times import Time
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
    of_best: float | None = Field(None, description="Share of the most that any routing could carry; null in older previews.")
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


class OrdersOut(BaseModel):
    """Shares in nine random orders of destinations."""

    median: float
    low: float
    high: float


class CapacityOut(BaseModel):
    """What a routing carries under uniform traffic, beside the most that any could, as shares of what hosts' links allow."""

    routing: str
    share: float = Field(description="Share that the routes carry, in the order in which OpenSM takes destinations.")
    best: float = Field(description="Share that no routing can exceed.")
    limit: Sentence = Field(description="Links that set `best`.")
    of_best: float = Field(description="`share` by `best`.")
    orders: OrdersOut | None = Field(description="Null: routes do not depend on the order, or the fabric is very large.")
    warning: Sentence | None = Field(description="Sentence if `of_best` is below a half; null otherwise.")
    ways_out: list[Sentence] = Field(description="What to do about the warning.")


class LineTrialOut(BaseModel):
    """What came out when OpenSM ran with a line on the emulated twin of the fabric."""

    asked: list[str] = Field(description="Engines of the line, in their order.")
    engine: str = Field(description="Engine whose tables the switches had.")
    fell_back: bool = Field(description="True if that is not the first of the line.")
    share: float = Field(description="Share of what the links of hosts allow that its tables carry under uniform traffic.")
    best: float = Field(description="Share that no routing can exceed.")
    mean_hops: float = Field(description="Links between switches on a route, on average.")
    unreachable_pairs: int = Field(description="Pairs of hosts, in each direction, without a route.")
    credit_loop: Sentence | None = Field(
        description="Buffers that can wait for each other for ever if all routes share a VL; null: none by the tables."
    )
    own_vls: bool = Field(
        description="True if the engine keeps routes apart by VLs, so that `credit_loop` is none of the fabric."
    )
    capped: list[str] = Field(description="Speeds that the open OpenSM does not serve and that the twin had lower.")
    complaints: list[Sentence] = Field(description="Errors that OpenSM logged, the first three.")
    seconds: float
    sentences: list[Sentence] = Field(description="All of it in words.")
    instead_of: "LineTrialOut | None" = Field(
        None, description="Trial of the line that suits the shape, where another engine is taken that carries a tenth more."
    )


class OpensmLineOut(BaseModel):
    text: str = Field(description="Line of OpenSM, with the paths that the files have in `folder`.")
    folder: str
    files: list[str] = Field(description="Names of the files, for `get_fabric_routing_file`.")


class RoutingAdvice(BaseModel):
    """Advice on the routing of a fabric: docs/use/routing.md."""

    fabric: str
    shape: ShapeOut
    opensm: OpenSmEngines
    routing: str
    chosen: ChosenRouting
    engines: list[RoutingLoads] = Field(description="Routings, most uniform throughput first.")
    warnings: list[Sentence] = Field(description="Sentences about an `sl_to_vl` that does not hold.")
    capacity: CapacityOut | None = Field(
        None, description="What the fabric's present routing carries; null: not all hosts reach each other."
    )


class ImportSubnet(BaseModel):
    """One of several subnets."""

    subnet: int = Field(description="Number of the subnet, from 1.")
    switches: int
    hosts: int = Field(description="Adapters of all kinds.")
    ports: int = Field(description="Their linked ports.")
    first: NodeName = Field(description="Name of its first switch.")


class FabricRouting(BaseModel):
    """Routing of a fabric: advice, the advised line of OpenSM, and what came out when it was tried."""

    version: int = Field(description="Version of the wiring.")
    subnets: list[ImportSubnet] = Field(
        description="Subnets of the fabric, one unless it has planes or rails; advice is on the largest."
    )
    advice: RoutingAdvice
    line: OpensmLineOut
    trial: LineTrialOut | None = Field(description="Last trial of the line on this version; null: nobody has tried it.")
    tried_at: Time | None
    untried: Sentence | None = Field(description="Sentence that says so, with the reason if a trial failed; null: it was tried.")
    job: str | None = Field(description="Job that tries it now; null: none.")
