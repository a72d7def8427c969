# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A workload on a fabric: with the hosts that it names where these suit, and with others that play the same roles elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tuner.document_base.model import build_model
from tuner.documents.roles import RoleCounts, Roles
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.placement.packet_times import packet_ratio, rate_ratio, stretched
from tuner.placement.place import Shared, place, shared_links
from tuner.placement.role_flows import counted, unplaced
from tuner.placement.room import victims_room
from tuner.placement.shape import can_be_placed

_FIRST = 64
"""Hosts among which roles are placed at first, so that those that are near each other are taken; four times as many as roles
need, if that is more."""


@dataclass(frozen=True, kw_only=True)
class OnFabric:
    """A workload as it runs on a fabric, without roles."""

    workload: Workload
    shared: tuple[Shared, ...]
    """Links that victims share with contributors, of single flows and ping-pongs."""
    placed: bool
    """Hosts were chosen; otherwise they are those that the document names."""
    time_factor: float
    """Factor by which its times follow the fabric's packet times."""
    rate_factor: float
    """Factor by which throughputs follow the rate of the fabric's hosts."""


def on_fabric(workload: Workload, built: BuiltFabric, *, fabric: str, counts: RoleCounts | None = None) -> OnFabric:
    """Returns the workload on a fabric. `fabric`: what the result calls it. `counts`: other numbers of hosts than its roles have.

    The hosts that the document names stay on the fabric that it names, and wherever they all are and every victim shares a link
    with a contributor. Others are chosen elsewhere, if the workload has roles, or single flows of a shape that can be placed.
    Deterministic. Raises BadInputError, which names few hosts, if there are no hosts for it.
    """
    roles = counted(workload, counts)
    changed = roles != workload.roles
    if (workload.flows or workload.patterns) and not changed:
        kept = _kept(workload, built, fabric)
        if kept is not None:
            return kept
    if roles is not None and roles.contributors is not None:
        return _of_roles(workload, roles, built, fabric)
    if roles is not None:
        return _of_hosts(workload, roles, built, fabric)
    if not can_be_placed(workload):
        return _as_it_is(workload, built, fabric)
    placed = _near(workload, built, fabric, None)
    return OnFabric(workload=placed, shared=tuple(shared_links(placed, built)), placed=True, time_factor=1.0, rate_factor=1.0)


def _kept(workload: Workload, built: BuiltFabric, fabric: str) -> OnFabric | None:
    """The workload with its own hosts; None if it is to have others."""
    roles = workload.roles
    if fabric == workload.fabric:
        return _as_it_is(workload, built, fabric)
    if roles is not None and roles.hosts is not None:
        return None
    try:
        flows = _require_hosts(workload, built)
    except BadInputError:
        if roles is None and not can_be_placed(workload):
            raise
        return None
    if roles is not None and roles.contributors is not None and not _share(_with_victims(flows, roles), built):
        return None
    factor = packet_ratio(workload, built)
    kept = stretched(_without_roles(workload, fabric), factor)
    return OnFabric(
        workload=kept,
        shared=_shared(flows, roles, built),
        placed=False,
        time_factor=factor,
        rate_factor=rate_ratio(workload, built),
    )


def _as_it_is(workload: Workload, built: BuiltFabric, fabric: str) -> OnFabric:
    shared = _shared(_require_hosts(workload, built), workload.roles, built)
    return OnFabric(workload=_without_roles(workload, fabric), shared=shared, placed=False, time_factor=1.0, rate_factor=1.0)


def _of_roles(workload: Workload, roles: Roles, built: BuiltFabric, fabric: str) -> OnFabric:
    contributors, victims = roles.contributors, roles.victims
    assert contributors is not None
    factor = packet_ratio(workload, built)
    placed = _near(stretched(unplaced(workload, roles), factor), built, fabric, contributors.sharing)
    shared = tuple(shared_links(placed, built))
    loads = {"contributor": contributors.load, "victim": None if victims is None else victims.load}
    stream = victims is None or victims.traffic == "stream"
    room = victims_room(placed, built) if stream and loads["victim"] is None else {}
    flows: list[dict[str, Any]] = []
    pairs: list[tuple[str, str]] = []
    for flow in placed.flows:
        if flow.role == "victim" and not stream:
            pairs.append((flow.src, flow.dst))
            continue
        load = loads[flow.role]
        rate = None if load is None else load * built.hosts.capacity_gbps(flow.src, flow.message_bytes)
        rate = room.get(flow.name) if rate is None else float(f"{rate:.6g}")
        flows.append(flow.model_dump() | ({} if rate is None else {"rate_gbps": rate}))
    document = placed.model_dump() | {"flows": flows}
    if pairs:
        assert victims is not None
        document["patterns"] = [_ping_pong(victims.name, pairs, victims.model_dump(include={"message_bytes", "sl"}))]
    made = build_model(Workload, document, source=f"workload {workload.name}")
    return OnFabric(workload=made, shared=shared, placed=True, time_factor=factor, rate_factor=rate_ratio(workload, built))


def _ping_pong(name: str, pairs: Sequence[tuple[str, str]], traffic: dict[str, Any]) -> dict[str, Any]:
    return {
        "kind": "ping-pong",
        "name": name,
        "sources": [src for src, _ in pairs],
        "destinations": [dst for _, dst in pairs],
        **traffic,
    }


def _of_hosts(workload: Workload, roles: Roles, built: BuiltFabric, fabric: str) -> OnFabric:
    """Patterns over all hosts, on no more than so many, spread over the fabric."""
    assert roles.hosts is not None
    factor = packet_ratio(workload, built)
    document = stretched(_without_roles(workload, fabric), factor).model_dump()
    hosts = [built.hosts.reference(one) for one in built.hosts.endports if one.kind == "host"]
    if len(hosts) > roles.hosts:
        hosts = [hosts[i * len(hosts) // roles.hosts] for i in range(roles.hosts)]
        for pattern in document["patterns"]:
            if list(pattern.get("hosts", ())) == ["*"]:
                pattern["hosts"] = hosts
    made = build_model(Workload, document, source=f"workload {workload.name}")
    made.expanded(built.hosts)
    return OnFabric(workload=made, shared=(), placed=True, time_factor=factor, rate_factor=rate_ratio(workload, built))


def _near(workload: Workload, built: BuiltFabric, fabric: str, sharing: int | None) -> Workload:
    """Tries few hosts at first. Raises BadInputError if all are too few."""
    hosts = [built.hosts.reference(one) for one in built.hosts.endports if one.kind == "host"]
    count = max(_FIRST, 4 * len({host for flow in workload.flows for host in (flow.src, flow.dst)}))
    while count < len(hosts):
        try:
            return place(workload, built, hosts[:count], fabric=fabric, alike=sharing).workload
        except BadInputError:
            count *= 4
    return place(workload, built, hosts, fabric=fabric, alike=sharing).workload


def _require_hosts(workload: Workload, built: BuiltFabric) -> Workload:
    """The workload as single flows between hosts that there are and that reach each other. Raises BadInputError."""
    expanded = workload.expanded(built.hosts)
    for i, flow in enumerate(expanded.flows):
        if getattr(flow, "destinations", None) is None:  # those that a pattern draws from are on the fabric
            try:
                built.require_route(flow.src, flow.dst)
            except BadInputError as error:
                raise expanded.bad_flow(i, error.sentence) from error
    return expanded


def _shared(flows: Workload, roles: Roles | None, built: BuiltFabric) -> tuple[Shared, ...]:
    drawn = [flow for flow in flows.flows if getattr(flow, "destinations", None) is not None]
    return () if drawn else tuple(shared_links(_with_victims(flows, roles), built))


def _share(flows: Workload, built: BuiltFabric) -> bool:
    """Every victim shares a link with a contributor; without victims, and with a receiver each, contributors share one."""
    found = {one.flow: one.contributors for one in shared_links(flows, built)}
    victims = [flow.name for flow in flows.flows if flow.role == "victim"]
    contributors = [flow for flow in flows.flows if flow.role == "contributor"]
    if victims or len({flow.dst for flow in contributors}) == 1:
        return all(name in found for name in victims)
    return len(found.get(contributors[0].name, ())) == len(contributors) - 1


def _with_victims(flows: Workload, roles: Roles | None) -> Workload:
    """Flows of a ping-pong count as victims where the roles say that victims are one."""
    if roles is None or roles.victims is None or roles.victims.traffic == "stream":
        return flows
    there = tuple(
        flow.model_copy(update={"role": "victim"}) if flow.name.startswith(f"{roles.victims.name}-request-") else flow
        for flow in flows.flows
    )
    return flows.model_copy(update={"flows": there})


def _without_roles(workload: Workload, fabric: str) -> Workload:
    changed = workload.model_copy(update={"fabric": fabric, "roles": None})
    changed._document = workload._document
    return changed
