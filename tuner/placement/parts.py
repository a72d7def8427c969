# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Who plays which part in a workload on a fabric, for people and for the web interface."""

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from tuner.documents.flow import Flow
from tuner.fabric.built_fabric import BuiltFabric
from tuner.placement.on_fabric import OnFabric


@dataclass(frozen=True, kw_only=True)
class Part:
    """One flow."""

    flow: str
    role: str
    src: str
    src_name: str
    """The sender as its description says."""
    dst: str
    """A host, or text for a set of them."""
    dst_name: str
    rate_gbps: float | None
    shares: tuple[str, ...]
    """Links that it shares with contributors."""


@dataclass(frozen=True, kw_only=True)
class Parts:
    flows: tuple[Part, ...]
    hotspots: tuple[str, ...]
    """Hosts to which two contributors or more send, in the order of the flows."""
    roles: dict[str, int]
    """Number of flows by role."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def parts_of(one: OnFabric, built: BuiltFabric) -> Parts:
    """Returns the parts of a placed workload. Raises BadInputError if it does not fit the fabric."""
    flows = one.workload.expanded(built.hosts).flows
    links = {shared.flow: shared.links for shared in one.shared}
    receivers = Counter(flow.dst for flow in flows if flow.role == "contributor" and not _is_drawn(flow))
    return Parts(
        flows=tuple(
            Part(
                flow=flow.name,
                role=flow.role,
                src=flow.src,
                src_name=built.hosts.find(flow.src).name,
                dst=flow.dst,
                dst_name=flow.dst if _is_drawn(flow) else built.hosts.find(flow.dst).name,
                rate_gbps=flow.rate_gbps,
                shares=links.get(flow.name, ()),
            )
            for flow in flows
        ),
        hotspots=tuple(host for host, count in receivers.items() if count > 1),
        roles=dict(Counter(flow.role for flow in flows)),
    )


def _is_drawn(flow: Flow) -> bool:
    return getattr(flow, "destinations", None) is not None
