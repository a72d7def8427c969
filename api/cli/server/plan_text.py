# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Text that `ibcc --server URL tune --dry-run` prints."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.markup import escape

from api.documents.campaign_plans import CampaignPlan
from tuner.cli import common
from tuner.cli.common import MOST_ROWS


def plan_of_service(plan: CampaignPlan) -> Iterator[RenderableType]:
    """Yields the plan for people."""
    for workload in plan.workloads:
        chosen = "hosts chosen by its roles" if workload.placed else "hosts that it names"
        yield escape(f"Workload {workload.workload}, {chosen}, {workload.duration_s:.4g} s:")
        table = common.table("role", "from", "to")
        for flow in workload.flows[:MOST_ROWS]:
            table.add_row(escape(flow.role), escape(flow.src), escape(flow.dst))
        yield table
        if workload.flows_total > MOST_ROWS:
            yield f"and {workload.flows_total - MOST_ROWS} flows more."
        if workload.fitted is not None:
            yield escape(f"{workload.fitted}.")
        for shared in workload.shared[:MOST_ROWS]:
            yield escape(f"{shared.flow} shares {', '.join(shared.links)} with {', '.join(shared.contributors)}.")
    yield escape(f"It searches {', '.join(plan.space)}; published values are those of {plan.published}.")
    cost = plan.cost
    yield f"{cost.runs} runs of {cost.simulated_s:.4g} s of the fabric's time in all, {cost.parallel} at a time."
    if cost.cpu_s is not None:
        yield f"About {cost.cpu_s:.2g} s of processor time on the service's machine."
