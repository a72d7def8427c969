# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Single flows of a workload on a fabric, and what their paths share."""

from tuner.documents.roles import Roles
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.placement.place import Shared, shared_links


def required_flows(workload: Workload, built: BuiltFabric, most_flows: int | None = None) -> Workload:
    """Returns the workload as single flows. Raises BadInputError for a host that the fabric lacks, or that another does not
    reach, and as Workload.expanded."""
    expanded = workload.expanded(built.hosts, most_flows=most_flows)
    for i, flow in enumerate(expanded.flows):
        if getattr(flow, "destinations", None) is None:  # those that a pattern draws from are on the fabric
            try:
                built.require_route(flow.src, flow.dst)
            except BadInputError as error:
                raise expanded.bad_flow(i, error.sentence) from error
    return expanded


def shared_by(flows: Workload, roles: Roles | None, built: BuiltFabric) -> tuple[Shared, ...]:
    """Returns the links that victims share with contributors; none where patterns draw destinations."""
    if any(getattr(flow, "destinations", None) is not None for flow in flows.flows):
        return ()
    return tuple(shared_links(_with_victims(flows, roles), built))


def all_share(flows: Workload, roles: Roles, built: BuiltFabric) -> bool:
    """Every victim shares a link with a contributor; without victims, and with a receiver each, contributors share one."""
    flows = _with_victims(flows, roles)
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
