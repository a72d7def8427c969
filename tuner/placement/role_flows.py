# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Roles as flows between hosts that are not chosen yet."""

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from tuner.document_base.model import build_model
from tuner.documents.roles import Contributors, RoleCounts, Roles, Victims
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.placement.room import victims_room


def counted(workload: Workload, counts: RoleCounts | None) -> Roles | None:
    """Returns a workload's roles with other counts. Raises BadInputError for a workload without roles that are to be counted,
    and for counts that do not go together."""
    if counts is None or not counts.model_dump(exclude_none=True):
        return workload.roles
    if workload.roles is None:
        given = ", ".join(counts.model_dump(exclude_none=True))
        raise BadInputError(f"workload '{workload.name}' has no roles, so their number ({given}) cannot be changed")
    try:
        changed = workload.roles.counted(counts)
        return workload.roles if changed.model_dump() == workload.roles.model_dump() else changed
    except ValidationError as error:
        raise BadInputError(f"workload '{workload.name}': roles {error.errors()[0]['ctx']['error']}") from error
    except ValueError as error:
        raise BadInputError(f"workload '{workload.name}': {error}") from error


def unplaced(workload: Workload, roles: Roles) -> Workload:
    """Returns single flows for contributors and victims, between hosts called by their parts. Victims of a ping-pong are one
    flow each. Raises BadInputError."""
    contributors, victims = roles.contributors, roles.victims or Victims(count=0)
    assert contributors is not None
    after = victims.count if victims.name == contributors.name and victims.traffic == "stream" else 0
    flows = [*_victims(victims), *_contributors(contributors, after)]
    return build_model(
        Workload,
        workload.model_dump(exclude={"roles", "flows", "patterns"}) | {"flows": flows},
        source=f"workload {workload.name}",
    )


def single_flows(workload: Workload) -> Workload:
    """Returns a workload as single flows to be placed: its own, or those of its roles if it has patterns or nothing else."""
    roles = workload.roles
    if roles is None or roles.contributors is None or (workload.flows and not workload.patterns):
        return workload
    return unplaced(workload, roles)


def as_roles_send(placed: Workload, roles: Roles, built: BuiltFabric) -> Workload:
    """Returns placed single flows with the rates of their roles, and the victims of a ping-pong as its pattern."""
    contributors, victims = roles.contributors, roles.victims or Victims(count=0)
    assert contributors is not None
    loads = {"contributor": contributors.load, "victim": victims.load}
    stream = victims.traffic == "stream"
    room = victims_room(placed, built) if stream and victims.load is None else {}
    flows: list[dict[str, Any]] = []
    pairs = [] if stream else [(flow.src, flow.dst) for flow in placed.flows if flow.role == "victim"]
    for flow in placed.flows:
        if flow.role == "victim" and not stream:
            continue
        load = loads[flow.role]
        rate = None if load is None else float(f"{load * built.hosts.capacity_gbps(flow.src, flow.message_bytes):.6g}")
        rate = room.get(flow.name) if rate is None else rate
        flows.append(flow.model_dump() | ({} if rate is None else {"rate_gbps": rate}))
    document = placed.model_dump() | {"flows": flows}
    if pairs:
        ends = {"sources": [src for src, _ in pairs], "destinations": [dst for _, dst in pairs]}
        traffic = victims.model_dump(include={"message_bytes", "sl"})
        document["patterns"] = [{"kind": "ping-pong", "name": victims.name, **ends, **traffic}]
    return build_model(Workload, document, source=f"workload {placed.name}")


def _victims(victims: Victims) -> Iterator[dict[str, Any]]:
    for i in range(victims.count):
        ends = {"src": f"victim {i + 1}", "dst": f"receiver of victim {i + 1}", "role": "victim"}
        yield _traffic(victims, i) | ends | {"name": f"{victims.name}{i + 1}"}


def _contributors(contributors: Contributors, after: int) -> Iterator[dict[str, Any]]:
    for i in range(contributors.count):
        receiver = "hotspot" if contributors.receivers == "one" else f"receiver of contributor {i + 1}"
        ends = {"src": f"contributor {i + 1}", "dst": receiver, "role": "contributor"}
        yield _traffic(contributors, i) | ends | {"name": f"{contributors.name}{after + i + 1}"}


def _traffic(group: Contributors | Victims, i: int) -> dict[str, Any]:
    values = group.model_dump(include={"stop_s", "message_bytes", "qps", "sl", "rate_gbps"})
    return values | {"start_s": round(group.start_s + i * group.stagger_s, 12)}
