# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The hosts that played a workload's roles in the last night play them again, so that nights are comparable."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TypeAlias

from tuner.checks.symptoms.flow_record import Record, workload_digest
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.placement.on_fabric import OnFabric
from tuner.placement.place import shared_links

_Ends: TypeAlias = Mapping[str, tuple[str, str]]
"""References of each flow's sender and receiver, by its name."""


def with_former_hosts(
    placed: OnFabric, asked: Workload, built: BuiltFabric, record: Record, off: Collection[str] = ()
) -> OnFabric:
    """Returns the placed workload with the hosts of the last night: a fabric to which hosts were added would have others. Those
    that are gone, or `off`, are replaced by hosts of `placed`, if as many flows share links with contributors then. `asked`: the
    workload before it was placed. `record`: of the last night; one of an earlier version does not tell hosts."""
    known = record.get("flows", {})
    former = {name: tuple(flow["ends"]) for name, flow in known.items() if "ends" in flow}
    now = {flow.name: (flow.src, flow.dst) for flow in placed.workload.flows}
    if not placed.placed or record.get("workload") != workload_digest(asked) or former.keys() != now.keys():
        return placed
    there = {one for ends in former.values() for one in ends if one not in off and _is_there(built, one)}
    ends = _replaced(former, now, there)
    if ends is None or not all(_reach(built, *two) for two in ends.values()):
        return placed
    flows = tuple(
        flow.model_copy(update=dict(zip(("src", "dst"), ends[flow.name], strict=True))) for flow in placed.workload.flows
    )
    workload = placed.workload.model_copy(update={"flows": flows})
    if len(list(shared_links(workload, built))) < len(placed.shared):
        return placed
    return replace(placed, workload=workload)


def _replaced(former: _Ends, now: _Ends, there: Collection[str]) -> _Ends | None:
    """Returns the former hosts, and for those that are not `there` others, of their own flow if they can be had; None if there
    are too few."""
    spare = dict.fromkeys(one for ends in now.values() for one in ends if one not in there)
    instead = {one: one for one in there}
    for name, ends in former.items():
        for host, first in zip(ends, now[name], strict=True):
            if host not in instead:
                chosen = first if first in spare else next(iter(spare), None)
                if chosen is None:
                    return None
                del spare[chosen]
                instead[host] = chosen
    return {name: (instead[src], instead[dst]) for name, (src, dst) in former.items()}


def _is_there(built: BuiltFabric, reference: str) -> bool:
    try:
        built.hosts.find(reference)
    except BadInputError:
        return False
    return True


def _reach(built: BuiltFabric, src: str, dst: str) -> bool:
    try:
        built.fabric.route(*(built.fabric.endport(end.node, end.port) for end in map(built.hosts.find, (src, dst))))
    except (RuntimeError, ValueError):
        return False
    return True
