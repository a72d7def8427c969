# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Where a campaign's workloads run and what it costs, as JSON."""

from typing import Any

from pydantic import BaseModel, Field

from api.documents.texts import NodeName, Sentence


class PlannedFlow(BaseModel):
    flow: NodeName
    role: str = Field(description="`contributor`, `victim` or `other`.")
    src: NodeName = Field(
        description="Reference of the sender on the fabric: its description, or a GUID where that is not unique."
    )
    src_name: NodeName = Field(description="Description of the sender.")
    dst: NodeName = Field(description="Reference of the receiver, or text for hosts that are drawn.")
    dst_name: NodeName
    rate_gbps: float | None = Field(description="Payload that it asks for; null: all that it can get.")
    shares: list[Sentence] = Field(
        description="Links between switches that it shares with contributors, in the order of its path."
    )


class SharedLinks(BaseModel):
    flow: NodeName = Field(description="The victim; in a workload without victims, the first contributor.")
    links: list[Sentence] = Field(description="Links in the direction of the traffic: `S1/19 → S2/19`.")
    contributors: list[Sentence] = Field(description="Flows of contributors that use one of them.")


class RoleNumbers(BaseModel):
    contributors: int | None
    victims: int | None
    sharing: int | None
    hosts: int | None


class PlannedWorkload(BaseModel):
    workload: NodeName
    placed: bool = Field(description="Hosts were chosen by the workload's roles; false: its document names them.")
    time_factor: float = Field(description="Factor by which its times follow the fabric's packet times.")
    duration_s: float = Field(description="Length of a run, before the campaign's time scale.")
    counts: RoleNumbers | None = Field(description="Numbers that can be changed; null for a workload without roles.")
    roles: dict[str, int] = Field(description="Number of flows by role.")
    hotspots: list[Sentence] = Field(description="Hosts to which two contributors or more send.")
    flows: list[PlannedFlow]
    flows_total: int = Field(description="Number of flows; only the first of them are returned.")
    shared: list[SharedLinks]
    groups: int = Field(description="Groups of the roles, each with a hotspot.")
    fitted: Sentence | None = Field(
        description="What of the roles does not fit, and what is taken instead; null: all of them fit."
    )


class CostDocument(BaseModel):
    """An estimate. Early stops save some runs; further attempts at the confirmation cost more."""

    runs: int
    simulated_s: float = Field(description="Length of all runs together, in seconds of the fabric's time.")
    packet_hops: float | None = Field(description="Packets times links that they cross; null where nothing is simulated.")
    hops_per_cpu_s: float | None = Field(description="Packet-hops that the service's machine makes in a second, just measured.")
    cpu_s: float | None = Field(description="Processor seconds of all runs; null where nothing is simulated.")
    search_s: float | None = Field(description="Seconds after which the search ends; the confirmation comes on top.")
    parallel: int = Field(description="Runs at once.")


class CampaignPlan(BaseModel):
    workloads: list[PlannedWorkload]
    space: dict[str, Any] = Field(description="Fields that are searched, as a campaign document has them.")
    published: Sentence = Field(description="Profile that the search starts from and is compared with.")
    cost: CostDocument
