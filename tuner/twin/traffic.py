# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Traffic that congests a fabric: incasts with victims that share links with them, on about a quarter of the hosts."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tuner.document_base.model import build_model
from tuner.documents.flow import Flow
from tuner.documents.roles import Roles, WrittenFor
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.placement.packet_times import packet_ratio
from tuner.placement.place import place, shared_links
from tuner.placement.role_flows import as_roles_send, unplaced

SIZES = ((32, 4, 8), (16, 3, 4), (8, 2, 3), (4, 2, 2), (2, 1, 1))
"""Contributors of one hotspot, those of them that share a link with the first victim, and victims: the largest that fits is
taken."""
MOST_HOTSPOTS = 8
BUSY = 0.25
"""Part of the hosts that traffic is to keep busy."""
_NEAR = 4
"""Hosts among which a hotspot is placed at first, as a multiple of those that it needs; four times as many at the next try."""
_WRITTEN_FOR = WrittenFor(host_gbps=400, mtu_bytes=4096)
_WARM_UP_S, _WINDOW_S, _SAMPLES = 0.01, 0.01, 20
"""Times on a fabric of 400 Gb/s; others get as many packets."""
_LEAST_INTERVAL_S = 1e-6


@dataclass(frozen=True, kw_only=True)
class Hotspot:
    """One receiver that several hosts send to. `shared`: links that victims share with its contributors, in the direction of the
    traffic."""

    receiver: str
    contributors: int
    victims: int
    shared: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Placed:
    """Flows on hosts, whose times `timed` gives."""

    flows: tuple[Flow, ...]
    hotspots: tuple[Hotspot, ...]
    busy: int
    """Hosts that send or receive."""
    hosts: int
    time_factor: float
    """Length of a packet in time, as a multiple of one at 400 Gb/s."""
    fabric: str

    def timed(self, settles_s: float = 0.0) -> Workload:
        """Returns the workload. Victims begin when contributors have had the time to settle, and are judged from then on."""
        interval_s = max(_LEAST_INTERVAL_S, float(f"{_WINDOW_S / _SAMPLES * self.time_factor:.3g}"))
        warm_up = math.ceil(max(_WARM_UP_S * self.time_factor, settles_s) / interval_s)
        flows = [flow.model_dump() | {"start_s": warm_up * interval_s if flow.role == "victim" else 0.0} for flow in self.flows]
        return build_model(Workload, _document(self.fabric, flows, interval_s, warm_up))


def hotspots(built: BuiltFabric, should_stop: Callable[[], None] = lambda: None) -> Placed:
    """Places as many hotspots as keep a quarter of the hosts busy, at least one. `should_stop` may raise. Raises BadInputError if
    not even the smallest can be placed."""
    everyone = [built.hosts.reference(one) for one in built.hosts.endports if one.kind == "host"]
    hosts = f"{len(everyone)} hosts with a link"
    problem = BadInputError(f"fabric '{built.document.name}' has {hosts}, too few for an incast with a victim")
    for contributors, sharing, victims in SIZES:
        needed = contributors + 1 + 2 * victims
        if needed > len(everyone):
            continue
        roles = Roles.model_validate(
            {
                "contributors": {"count": contributors, "sharing": sharing, "name": "C"},
                "victims": {"count": victims, "name": "V"},
                "written_for": _WRITTEN_FOR.model_dump(),
            }
        )
        wanted = max(1, min(MOST_HOTSPOTS, round(BUSY * len(everyone) / needed)))
        found: list[Sequence[Flow]] = []
        for number in range(wanted):
            used = {host for flows in found for flow in flows for host in (flow.src, flow.dst)}
            begin = number * len(everyone) // wanted
            free = [host for host in (*everyone[begin:], *everyone[:begin]) if host not in used]
            should_stop()
            try:
                found.append(_one(built, roles, free, needed, sharing))
            except BadInputError as error:
                problem = error
                break
        if found:
            return _together(built, roles, found, len(everyone))
    raise problem


def _one(built: BuiltFabric, roles: Roles, free: Sequence[str], needed: int, sharing: int) -> Sequence[Flow]:
    workload = unplaced(_roles_alone(built, roles), roles)
    count = _NEAR * needed
    while count < len(free):
        try:
            return place(workload, built, free[:count], fabric=built.document.name, alike=sharing).workload.flows
        except BadInputError:
            count *= 4
    return place(workload, built, free, fabric=built.document.name, alike=sharing).workload.flows


def _together(built: BuiltFabric, roles: Roles, found: Sequence[Sequence[Flow]], hosts: int) -> Placed:
    """The flows of all hotspots; victims ask for the room that the contributors of all leave on their links."""
    name = built.document.name
    flows = [
        flow.model_copy(update={"name": f"H{number}-{flow.name}"})
        for number, hotspot in enumerate(found, start=1)
        for flow in hotspot
    ]
    together = build_model(Workload, _document(name, [flow.model_dump() for flow in flows], _WINDOW_S / _SAMPLES, _SAMPLES))
    sent = as_roles_send(together, roles, built)
    return Placed(
        flows=tuple(sent.flows),
        hotspots=tuple(_described(built, together, number) for number in range(1, len(found) + 1)),
        busy=len({host for flow in flows for host in (flow.src, flow.dst)}),
        hosts=hosts,
        time_factor=packet_ratio(_roles_alone(built, roles), built),
        fabric=name,
    )


def _described(built: BuiltFabric, together: Workload, number: int) -> Hotspot:
    flows = [flow for flow in together.flows if flow.name.startswith(f"H{number}-")]
    own = together.model_copy(update={"flows": tuple(flows)})
    contributors = [flow for flow in flows if flow.role == "contributor"]
    return Hotspot(
        receiver=contributors[0].dst,
        contributors=len(contributors),
        victims=len(flows) - len(contributors),
        shared=tuple(dict.fromkeys(_links(own, built))),
    )


def _links(workload: Workload, built: BuiltFabric) -> Iterator[str]:
    for shared in shared_links(workload, built):
        yield from shared.links


def _roles_alone(built: BuiltFabric, roles: Roles) -> Workload:
    document = _document(built.document.name, [], _WINDOW_S / _SAMPLES, _SAMPLES)
    return build_model(Workload, document | {"roles": roles.model_dump(exclude_unset=True)})


def _document(fabric: str, flows: list[dict[str, object]], interval_s: float, warm_up: int) -> dict[str, object]:
    return {
        "ibcc_workload": 1,
        "name": "hotspots with victims",
        "fabric": fabric,
        "duration_s": (warm_up + _SAMPLES) * interval_s,
        "sample_interval_s": interval_s,
        "warmup_s": warm_up * interval_s,
        "flows": flows,
    }
