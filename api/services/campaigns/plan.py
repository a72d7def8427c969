# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Where a campaign's workloads run and what it costs, before anything is stored or started."""

from typing import Any

from api.database.models.campaign import StoredCampaign
from api.documents.campaign_plans import CampaignPlan, CostDocument, PlannedWorkload, RoleNumbers, SharedLinks
from api.services.campaigns.files import checked
from tuner.campaign.cost import cost_of
from tuner.campaign.setup import Setup
from tuner.documents.roles import Roles
from tuner.fabric.built_fabric import BuiltFabric
from tuner.placement.on_fabric import OnFabric
from tuner.placement.parts import parts_of

MOST_FLOWS = 200
"""Flows of a workload that a plan lists."""


def plan_of(setup: Setup) -> CampaignPlan:
    """Raises BadInputError."""
    workloads = [_workload(one, setup.built[one.workload.fabric]) for one in setup.placements]
    return CampaignPlan(
        workloads=workloads,
        space={path: one.model_dump(mode="json", exclude_defaults=True) for path, one in setup.campaign.space.items()},
        published=setup.expert.name,
        cost=CostDocument.model_validate(cost_of(setup).to_json()),
    )


def plan_of_stored(campaign: StoredCampaign) -> CampaignPlan:
    """The plan of a campaign as it was frozen. Raises BadInputError."""
    return plan_of(checked(campaign.files, campaign.settings))


def _workload(one: OnFabric, built: BuiltFabric) -> PlannedWorkload:
    parts = parts_of(one, built).to_json()
    flows = parts.pop("flows")
    more: dict[str, Any] = {
        "workload": one.workload.name,
        "placed": one.placed,
        "time_factor": one.time_factor,
        "duration_s": one.workload.duration_s,
        "counts": None if one.roles is None else _numbers(one.roles),
        "flows": flows[:MOST_FLOWS],
        "flows_total": len(flows),
        "groups": one.groups,
        "fitted": one.fitted,
        "shared": [SharedLinks(flow=x.flow, links=list(x.links), contributors=list(x.contributors)) for x in one.shared],
    }
    return PlannedWorkload.model_validate(parts | more)


def _numbers(roles: Roles) -> RoleNumbers:
    contributors, victims = roles.contributors, roles.victims
    if contributors is None:
        return RoleNumbers(contributors=None, victims=None, sharing=None, hosts=roles.hosts)
    sharing = max(1, contributors.count // 2) if contributors.sharing is None else contributors.sharing
    return RoleNumbers(
        contributors=contributors.count, victims=0 if victims is None else victims.count, sharing=sharing, hosts=None
    )
