# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Text that `ibcc tune --dry-run` prints: the hosts of each workload, and the cost of the campaign."""

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType
from rich.markup import escape

from tuner.campaign.cost import Cost, cost_of
from tuner.campaign.setup import Setup
from tuner.cli import common
from tuner.cli.common import MOST_ROWS
from tuner.placement.on_fabric import OnFabric
from tuner.placement.parts import Parts, parts_of


def plan_document(setup: Setup) -> dict[str, Any]:
    """Returns the plan as JSON. Raises as cost_of."""
    placed = [
        {
            "workload": placement.workload.name,
            "fabric": placement.workload.fabric,
            "placed": placement.placed,
            "time_factor": placement.time_factor,
            "groups": placement.groups,
            "fitted": placement.fitted,
            **parts_of(placement, setup.built[placement.workload.fabric]).to_json(),
        }
        for placement in setup.placements
    ]
    space = {path: one.model_dump(mode="json", exclude_defaults=True) for path, one in setup.campaign.space.items()}
    return {
        "campaign": setup.campaign.name,
        "workloads": placed,
        "scenarios": [scenario.name for scenario in setup.scenarios],
        "space": space,
        "published": setup.expert.name,
        "cost": cost_of(setup).to_json(),
        "warnings": list(_warnings(setup)),
    }


def plan_text(setup: Setup) -> Iterator[RenderableType]:
    """Yields the plan for people. Raises as cost_of."""
    for one in setup.placements:
        yield from _placement(one, parts_of(one, setup.built[one.workload.fabric]))
    if setup.scenarios:
        yield escape(f"Each trial may run in {len(setup.scenarios)} scenarios: {'; '.join(one.name for one in setup.scenarios)}.")
    yield escape(f"It searches {', '.join(setup.campaign.space)}; published values are those of {setup.expert.name}.")
    yield from _cost(cost_of(setup))
    yield from (f"[yellow]Warning:[/yellow] {escape(sentence)}" for sentence in _warnings(setup))


def _warnings(setup: Setup) -> Iterator[str]:
    """Sentences about fabrics whose routing carries little, where that is simulated."""
    from tuner.fabric.capacity import low_capacity  # slow to import

    if setup.campaign.backend == "simulated":
        for built in setup.built.values():
            if (sentence := low_capacity(built)) is not None:
                yield sentence


def _placement(one: OnFabric, parts: Parts) -> Iterator[RenderableType]:
    workload = one.workload
    chosen = "hosts chosen by its roles" if one.placed else "hosts that it names"
    yield escape(f"Workload {workload.name} on {workload.fabric}, {chosen}, {workload.duration_s:.4g} s:")
    table = common.table("role", "from", "to", "Gb/s", right=["Gb/s"])
    for flow in parts.flows[:MOST_ROWS]:
        rate = "" if flow.rate_gbps is None else f"{flow.rate_gbps:.4g}"
        table.add_row(escape(flow.role), escape(flow.src), escape(flow.dst), rate)
    yield table
    if len(parts.flows) > MOST_ROWS:
        yield f"and {len(parts.flows) - MOST_ROWS} flows more."
    if one.fitted is not None:
        yield escape(f"{one.fitted}.")
    for shared in one.shared[:MOST_ROWS]:
        yield escape(f"{shared.flow} shares {', '.join(shared.links)} with {', '.join(shared.contributors)}.")


def _cost(cost: Cost) -> Iterator[RenderableType]:
    yield from (escape(sentence) for sentence in cost.sentences())
