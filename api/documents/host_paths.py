# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What loop-back tests found inside hosts, as JSON. Agents say part of these texts."""

from typing import Literal, TypeAlias

from pydantic import BaseModel, Field

from api.base.times import Time
from api.documents.texts import NodeName, OneLine, Sentence

PathVerdict: TypeAlias = Literal["normal", "slow", "unfit", "not-measured"]


class PathCellOut(BaseModel):
    """An adapter with an endpoint."""

    adapter: NodeName
    endpoint: NodeName
    bandwidth_gbps: float | None
    latency_us: float | None
    baseline_bandwidth_gbps: float | None = Field(description="Median of the hosts of its model; null: no baseline is known.")
    baseline_latency_us: float | None
    state: Literal["normal", "abnormal", "uncertain"] | None = Field(description="State of the path; null: it was not judged.")


class HostLinkOut(BaseModel):
    """A link inside a host."""

    link: OneLine
    name: Sentence = Field(description="The link in words.")
    state: Literal["normal", "abnormal", "cannot-be-told-apart", "grey", "not-judged"]
    others: list[OneLine] = Field(description="Links that it cannot be told apart from.")
    cause: OneLine | None
    advice: Sentence = Field(description="What to do, as the end of a sentence.")
    is_flapping: bool = Field(description="True if it was slow in three of the last seven runs, with a normal one between.")


class HostPartOut(BaseModel):
    """A memory, an adapter or a GPU, and where it is in its host."""

    name: NodeName
    socket: int
    root_port: OneLine | None = Field(description="Null: it is a memory.")
    links: list[OneLine] = Field(description="Links between the socket and the device, the socket's end first.")


class NotReadableOut(BaseModel):
    what: Sentence
    command: Sentence = Field(description="Command that root runs on the host to read it.")


class PathBaselineOut(BaseModel):
    hosts: int
    date: OneLine


class HostPathsRow(BaseModel):
    """A host of the inventory, with what its last loop-back tests found."""

    node: NodeName
    host: NodeName = Field(description="Name of the host on the fabric.")
    verdict: PathVerdict | None = Field(description="Verdict of the last tests; null: it was not tested.")
    sentence: Sentence = Field(description="Verdict in one sentence; empty: it was not tested.")
    measured_at: Time | None
    is_current: bool | None = Field(description="True if the inventory is unchanged since the tests.")
    model: Sentence | None = Field(description="Vendor, product, processor, NUMA nodes, adapters and GPUs.")
    slow_paths: int
    paths: int = Field(description="Number of measured paths.")
    flapping: list[Sentence] = Field(description="Links that flap, in words.")
    last_try: Sentence | None = Field(description="When tests after these measured nothing, and why; null: there were none.")
    trigger: Sentence | None = Field(description="Why its counters ask for tests, by the last watch; null: they do not.")


class HostPathsOut(HostPathsRow):
    """With the matrix and all links."""

    confidence: Literal["none", "differs", "wrong"] | None = Field(
        description="`differs`: three or four hosts of its model are known; `wrong`: five or more."
    )
    baseline: PathBaselineOut | None
    adapters: list[NodeName]
    endpoints: list[NodeName] = Field(description="Memories of NUMA nodes, then GPUs.")
    gpus: int
    parts: list[HostPartOut] = Field(description="Empty: the tests are older than this field.")
    cells: list[PathCellOut]
    links: list[HostLinkOut]
    not_measured: dict[OneLine, Sentence] = Field(description="Why, by adapter or `adapter, endpoint`.")
    remarks: list[Sentence] = Field(description="PCIe links that are slower than they can be, and bridges with ACS.")
    not_readable: list[NotReadableOut] = Field(description="What only root can read.")


class ModelOut(BaseModel):
    """Hosts of a machine model."""

    model: Sentence
    hosts: int = Field(description="Number of its hosts that were tested.")
    slow: list[NodeName] = Field(description="Nodes that differ from the others, up to 100.")
    baseline: PathBaselineOut | None = Field(description="Null: fewer than three idle hosts were measured.")


class PathCounts(BaseModel):
    total: int
    normal: int
    slow: int
    unfit: int
    not_measured: int
    untested: int


class FleetOut(BaseModel):
    """The inside of a fabric's hosts, by the last tests of each."""

    fabric: str
    inventory: str | None = Field(description="Name of the inventory; null: the fabric has none.")
    hosts: PathCounts
    models: list[ModelOut] = Field(description="By model, those with slow hosts first.")
    measured_at: Time | None = Field(description="End of the last tests; null: there were none.")
    watched_at: Time | None = Field(description="End of the last watch of the ports to hosts; null: there was none.")
    triggered: list[NodeName] = Field(description="Nodes whose counters asked for tests in that watch, up to 100.")
    can_watch: bool = Field(description="True if the fabric has ports that can be watched: it is not simulated.")
    running_job: str | None = Field(description="Job of tests, or of a watch, that is queued or running.")
