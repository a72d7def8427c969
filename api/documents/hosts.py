# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The hosts of a fabric as JSON, and what the last check found of each."""

from dataclasses import fields

from pydantic import BaseModel, Field

from api.times import Time
from tuner.hosts.checked_host import Finding, HostSummary, Verdict


class FindingOut(BaseModel):
    what: str = Field(description="Its kind, as `ibcc hosts check` calls it: `unreachable`, `version`, `meter`, ….")
    is_fault: bool = Field(description="Otherwise measurements are possible all the same.")
    sentence: str
    remedy: str = Field(description="What to do about it.")


class GroupedFindingOut(FindingOut):
    nodes: str = Field(description="The hosts that have it, as a NodeSet: `node[01-16]`.")
    count: int = Field(description="How many they are.")


class HostOut(BaseModel):
    node: str = Field(description="Its name for the launcher.")
    host: str = Field(description="Its name on the fabric.")
    address: str = Field(description="Where other hosts reach it by TCP.")
    device: str
    ib_port: int
    gid_index: int | None
    tcp_ports: list[int] = Field(description="The first and the last one.")
    verdict: Verdict | None = Field(description="Of the last check; null: it was not checked.")
    checked_at: Time | None
    state: str | None = Field(description="Of the device's port; `ACTIVE` when all is well.")
    rate: str | None = Field(description="As the kernel writes it.")
    perftest: list[str] = Field(description="Versions of its programs; one, when all is well.")
    meter: bool | None = Field(description="Whether the meter works there.")
    clock_offset_ns: int | None = Field(description="Its clock minus that of the machine which checked.")
    clock_uncertainty_ns: int | None = Field(description="The true offset is not farther away than this.")
    limits: str | None = Field(
        description="What its agent gives to all requests together: memory, queue pairs, programs, seconds. "
        "`not known` of agents that do not tell; null: it was not checked."
    )
    findings: list[FindingOut]

    def summary(self) -> HostSummary | None:
        """As the check left it; None of a host that was not checked."""
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
    """How the hosts of a fabric are, by the last check of each."""

    fabric: str
    inventory: str | None = Field(description="The inventory's own name; null: the fabric has none.")
    hosts: HostCounts
    faults: int
    findings: list[GroupedFindingOut] = Field(description="Faults first; each with all hosts that have it.")
    checked_at: Time | None = Field(description="When the last check ended; null: there was none.")
    checked_by: str | None
    job: str | None = Field(description="That of the last check.")
    is_current: bool | None = Field(description="Whether the inventory is still the one that was checked.")
    running_job: str | None = Field(description="A check that is under way, or waits.")
