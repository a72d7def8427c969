# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The hosts that played a workload's roles in the last night play them again, so that nights are comparable."""

from dataclasses import replace

from tuner.checks.symptoms.flow_record import Record, workload_digest
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.placement.on_fabric import OnFabric


def with_former_hosts(placed: OnFabric, asked: Workload, built: BuiltFabric, record: Record) -> OnFabric:
    """Returns the placed workload with the hosts of the last night, if all of them are there and reach each other: a fabric to
    which hosts were added would have others. `asked`: the workload before it was placed. `record`: of the last night; one of an
    earlier version does not tell hosts."""
    flows, known = placed.workload.flows, record.get("flows", {})
    ends = {name: flow["ends"] for name, flow in known.items() if "ends" in flow}
    if not placed.placed or record.get("workload") != workload_digest(asked) or ends.keys() != {flow.name for flow in flows}:
        return placed
    if not all(_reach(built, *two) for two in ends.values()):
        return placed
    former = tuple(flow.model_copy(update=dict(zip(("src", "dst"), ends[flow.name], strict=True))) for flow in flows)
    return replace(placed, workload=placed.workload.model_copy(update={"flows": former}))


def _reach(built: BuiltFabric, src: str, dst: str) -> bool:
    try:
        built.fabric.route(*(built.fabric.endport(end.node, end.port) for end in map(built.hosts.find, (src, dst))))
    except (BadInputError, RuntimeError, ValueError):
        return False
    return True
