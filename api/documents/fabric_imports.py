# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The JSON documents of fabrics' imports and versions."""

from typing import Any

from pydantic import BaseModel, Field

from api.base.times import Time
from api.documents.routing_advice import CapacityOut, ImportSubnet, RoutingAdvice
from api.documents.texts import NodeName, Sentence
from api.states.imports import ImportAction, ImportState


class ImportCounts(BaseModel):
    switches: int
    hosts: int
    aggregation_nodes: int
    routers: int
    links: int


class ImportLevel(BaseModel):
    tree: bool = Field(default=True, description="False: they are in no tree, and levels count from switches with hosts.")
    level: int | None = Field(description="1 is a leaf, which has hosts; null: no host can be reached from there.")
    switches: int
    hosts: int
    links_up: int = Field(description="Links to the next level.")
    oversubscription: float | None = Field(description="Largest ratio of the rate from below to the rate up; null: no links up.")


class ImportRate(BaseModel):
    rate: str
    links: int
    data_gbps: float


class EqualName(BaseModel):
    name: NodeName
    count: int


class UnpluggedPorts(BaseModel):
    switches: int
    hosts: int


class DifferenceOut(BaseModel):
    kind: str = Field(
        description="`switches_added`, `switches_removed`, `hosts_added`, `hosts_removed`, `replaced`, `renamed`, `links_added`, "
        "`links_removed`, `rates_changed` or `settings_changed`."
    )
    count: int
    named: list[Sentence] = Field(description="The first of them.")


class ImportRemark(BaseModel):
    """All odd rows of one kind."""

    kind: str = Field(description="Kind, such as `rate-from-other-end`; docs/use/importing.md lists them.")
    count: int
    lines: list[int] = Field(description="Lines of the first of them, at most three.")
    text: Sentence = Field(description="The remark as a sentence.")


class ImportPreview(BaseModel):
    """The fabric that would be kept."""

    format: str = Field(description="Format that was recognized, such as `ibnetdiscover`, `iblinkinfo` or `OpenSM`.")
    mtu_bytes: int
    routing: str
    counts: ImportCounts
    levels: list[ImportLevel]
    rates: list[ImportRate]
    warnings: list[Sentence] = Field(description="What looks wrong, at most 50 sentences.")
    notes: list[Sentence] = Field(description="What was assumed or left out, at most 50 sentences.")
    remarks: list[ImportRemark] = Field(
        default_factory=list, description="What was odd in the file, by kind, the commonest first; everything sound was read."
    )
    incomplete: Sentence | None = Field(None, description="Why parts of the fabric may be missing; null: nothing says so.")
    subnets: list[ImportSubnet] = Field(
        default_factory=list, description="Subnets of what was read, such as planes or rails; links join the parts of each."
    )
    subnet: int | None = Field(None, description="Subnet that was taken; null: all.")
    equal_names: list[EqualName] = Field(description="Names that several nodes have, at most 20.")
    ports: UnpluggedPorts = Field(description="Numbers of ports without a link.")
    advice: RoutingAdvice | None = Field(None, description="Advice on the routing; null in imports of an older service.")
    capacity: CapacityOut | None = Field(
        None, description="What the routing that was taken carries; null: not all hosts reach each other, or an older import."
    )
    unknown_devices: int = Field(
        0, description="Devices of which nobody has said which congestion control they have; `congestion_control` says it."
    )
    differences: list[DifferenceOut] | None = Field(description="Differences from the fabric's version; null for a new fabric.")


class ImportSummary(BaseModel):
    """An import in a list."""

    id: str
    state: ImportState
    source: str = Field(description="`file` or `opensm`.")
    source_name: NodeName = Field(description="Name of the file, or of the fabric that OpenSM runs.")
    name: str = Field(description="Proposed name of the fabric.")
    fabric: str | None = Field(description="Fabric of which it is to be, or is, a version; null: a new fabric.")
    base_version: int | None = Field(description="Version of that fabric which it was compared with.")
    kept_version: int | None = Field(description="Version that it became.")
    problem: Sentence | None = Field(description="Why it was not read, as a sentence.")
    job: str | None = Field(description="Job that reads it.")
    created_at: Time
    created_by: str
    expires_at: Time = Field(description="Time at which it is deleted.")
    actions: list[ImportAction] = Field(description="Actions that the caller may take now.")


class ImportOut(ImportSummary):
    """An import with its preview."""

    options: dict[str, Any] = Field(
        description="`mtu_bytes`, `routing`, `subnet`, `congestion_control` and `strict`, which it is read with."
    )
    names_name: NodeName | None = Field(description="Name of the file with a node name map.")
    routes_name: NodeName | None = Field(description="Name of the file with forwarding tables.")
    preview: ImportPreview | None = Field(description="Null until it is read.")


class VersionOut(BaseModel):
    """A version of a fabric's wiring."""

    version: int
    origin: Sentence = Field(description="Where it came from, in words.")
    current: bool
    differences: list[DifferenceOut] | None = Field(description="Differences from the version before; null: not compared.")
    created_at: Time
    created_by: str


class PackagedFabric(BaseModel):
    """A fabric that comes with ibcc."""

    name: str
    switches: int
    hosts: int
    links: int
