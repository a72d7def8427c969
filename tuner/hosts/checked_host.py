# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A host as a check has found it: no more than words, for those who show it."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

PATIENCE_S = 60.0
"""Time limit of each step of a check, by default."""

NOT_KNOWN = "not known"

Verdict: TypeAlias = Literal["ready", "to_mend", "unreachable"]


@dataclass(frozen=True)
class Finding:
    """One thing about one host."""

    what: str
    """Its kind, for programs: `unreachable`, `program`, `version`, `meter`, `device`, `state`, `guid`, `memlock`, `nofile`,
    `limits`, `setup`, `ports`, `reach` or `clock`."""
    sentence: str
    remedy: str
    """Advice on what to do about it."""
    is_fault: bool = True
    """Otherwise measurements are possible all the same."""


@dataclass(frozen=True, kw_only=True)
class HostSummary:
    """One host."""

    node: str
    host: str
    device: str
    ib_port: int
    verdict: Verdict
    state: str | None = None
    """State of the device's port, ACTIVE when all is well."""
    rate: str | None = None
    """As the kernel writes it, `100 Gb/sec (4X EDR)`."""
    perftest: tuple[str, ...] = ()
    """Versions of its programs; one, when all is well."""
    meter: bool | None = None
    """True if the meter works there; None for a host that is unreachable."""
    clock_offset_ns: int | None = None
    """Its clock minus that of the machine which checked."""
    clock_uncertainty_ns: int | None = None
    limits: str | None = None
    """Limits of its agent for all requests together, as people read them; `not known` of agents that do not report them."""
    findings: tuple[Finding, ...] = ()

    @property
    def faults(self) -> int:
        return sum(finding.is_fault for finding in self.findings)


@dataclass(frozen=True)
class GroupedFinding:
    """The same of several hosts."""

    what: str
    is_fault: bool
    sentence: str
    remedy: str
    nodes: str
    """A NodeSet."""
    count: int
