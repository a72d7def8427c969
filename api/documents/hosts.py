# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The hosts of a fabric as JSON, and what the last check found of each."""

from dataclasses import fields

from pydantic import BaseModel, Field

from api.base.times import Time
from api.documents.texts import NodeName, OneLine, Sentence
from tuner.hosts.checked_host import Finding, HostSummary, Verdict


class FindingOut(BaseModel):
    what: str = Field(description="Kind of the finding, as in `ibcc hosts check`: `unreachable`, `version`, `meter`, ….")
    is_fault: bool = Field(description="True for a fault. Otherwise measurements are still possible.")
    sentence: Sentence
    remedy: Sentence = Field(description="Remedy.")


class GroupedFindingOut(FindingOut):
    nodes: OneLine = Field(description="Hosts that have the finding, as a NodeSet: `node[01-16]`.")
    count: int = Field(description="Number of these hosts.")


class HostOut(BaseModel):
    node: NodeName = Field(description="Name of the host for the launcher.")
    host: NodeName = Field(description="Name of the host on the fabric.")
    address: NodeName = Field(description="Address at which other hosts reach it by TCP.")
    device: NodeName
    ib_port: int
    gid_index: int | None
    tcp_ports: list[int] = Field(description="First and last core.")
    verdict: Verdict | None = Field(description="Verdict of the last check; null: not checked.")
    checked_at: Time | None
    state: str | None = Field(description="State of the device's port; `ACTIVE` if it is up.")
    rate: str | None = Field(description="Rate, as the kernel writes it.")
    perftest: list[str] = Field(description="Versions of its programs; one, if all are equal.")
    meter: bool | None = Field(description="True if the meter works on the host.")
    clock_offset_ns: int | None = Field(description="Clock of the host minus the clock of the checking machine.")
    clock_uncertainty_ns: int | None = Field(description="Largest error of the clock offset.")
    limits: str | None = Field(
        description="Limits of its agent for all requests together: memory, queue pairs, programs, seconds. "
        "`not known` of agents that do not tell; null: it was not checked."
    )
    findings: list[FindingOut]

    def summary(self) -> HostSummary | None:
        """The host's verdict in short; None if no check has asked it."""
        if self.verdict is None:
            return None
        values = self.model_dump(include={field.name for field in fields(HostSummary)} - {"findings", "perftest"})
        findings = tuple(Finding(one.what, one.sentence, one.remedy, one.is_fault) for one in self.findings)
        return HostSummary(**values, perftest=tuple(self.perftest), findings=findings)


class HostCounts(BaseModel):
    total: int
    ready: int
    to_mend: int
    unreachable: int
    unchecked: int


class HostsCheckOut(BaseModel):
    """The readiness of a fabric's hosts, by the last check of each."""

    fabric: str
    inventory: str | None = Field(description="Name of the inventory; null: the fabric has none.")
    hosts: HostCounts
    faults: int
    findings: list[GroupedFindingOut] = Field(description="Findings, faults first, each with all hosts that have it.")
    checked_at: Time | None = Field(description="End of the last check; null: there was none.")
    checked_by: str | None
    job: str | None = Field(description="Job of the last check.")
    is_current: bool | None = Field(description="True if the inventory is unchanged since the check.")
    running_job: str | None = Field(description="Job of a check that is queued or running.")
