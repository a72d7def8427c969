# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Limits of each host's agent for all requests together, and the check that a run keeps within them."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tuner.errors import BadInputError
from tuner.hosts.checked_host import NOT_KNOWN
from tuner.hosts.plan import Plan

# The agent is for other Pythons, and without types. What it computes is computed here by the same lines.
_agent: Any = importlib.import_module("ibcc_agent.limits")


@dataclass(frozen=True, kw_only=True)
class HostLimits:
    """Limits of one host, over all agents that run there at once. None: its agent does not report it, as agents from before the
    limits do not."""

    max_bytes: int | None = None
    """Bytes that programs may register."""
    max_qps: int | None = None
    """Queue pairs."""
    max_processes: int | None = None
    """Programs."""
    max_seconds: int | None = None
    """Longest time that one request may run, in seconds."""

    def __str__(self) -> str:
        """For tables: `5.9 GiB, 4096 QPs, 128 programs, 3600 s`."""
        told = [
            None if self.max_bytes is None else f"{self.max_bytes / 2**30:.3g} GiB",
            None if self.max_qps is None else f"{self.max_qps} QPs",
            None if self.max_processes is None else f"{self.max_processes} programs",
            None if self.max_seconds is None else f"{self.max_seconds} s",
        ]
        return ", ".join(one for one in told if one is not None) or NOT_KNOWN


def limits_of(check: Mapping[str, Any]) -> HostLimits:
    """Returns the limits that an agent's `check` reports. A limit that is no positive whole number counts as not reported."""
    told = check.get("limits")
    found = told if isinstance(told, Mapping) else {}
    values = {name: found.get(name) for name in HostLimits.__dataclass_fields__}
    is_number = {name: isinstance(value, int) and not isinstance(value, bool) and value > 0 for name, value in values.items()}
    return HostLimits(**{name: value for name, value in values.items() if is_number[name]})


def require_within(planned: Plan, limits: Mapping[str, HostLimits], *, lead_s: float) -> None:
    """`limits`: by node; those that are not there are not known. `lead_s`: as for Plan.requests. A node's servers and clients run
    at once, so they count together. Raises BadInputError for the first node of which a run would want more than its agent gives:
    it would refuse, after others have begun."""
    by_node: dict[str, list[Mapping[str, Any]]] = {}
    for process in planned.processes:
        by_node.setdefault(process.node, []).append({"tx_depth": None, **process.request})
    for node, processes in by_node.items():
        allowed = limits.get(node, HostLimits())
        wanted: dict[str, float] = _agent.taken_by(processes)
        wanted["max_seconds"] = planned.limit_s(lead_s)
        for name, value in wanted.items():
            most = getattr(allowed, name)
            if most is not None and value > most:
                unit = _agent.UNITS.get(name, "seconds")
                raise BadInputError(
                    f"node '{node}' would need {value:.12g} {unit}, and its agent allows at most {most}: choose a workload "
                    f"with fewer or smaller flows there, or raise {name} in that host's /etc/ibcc/agent.json"
                )
