# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures what a scenario's shares are parts of: victims while the contributors are silent, and contributors with CC off.

No published profile is a yardstick where it fails itself; these two hold for every profile. They are measured once, under the
seeds of the search, and serve for other seeds too: they are means of steady rates.
"""

from collections.abc import Mapping
from dataclasses import replace

from tuner.campaign.evaluation import Evaluation, Plan, Yardstick, with_shares
from tuner.campaign.references import References
from tuner.documents.workload import Workload
from tuner.fabric.built_fabric import BuiltFabric
from tuner.goals.metrics import Metrics
from tuner.measuring.configuration import Configuration

WITH_CC_ONLY = frozenset(
    {"ca.becn_carrier", "ca.ccti_timer", "ca.cnp_spacing_ns", "ca.becn_delay_ns", "ca.cnp_limit", "ca.dcqcn_machine"}
    | {"switch.mark_above_max"}
)
"""Settings of devices that do nothing while congestion control is off: scenarios that differ in them alone share yardsticks."""


def measure_yardsticks(
    references: References, off: Configuration, plan: Plan, built: Mapping[str, BuiltFabric], kind: str
) -> tuple[dict[str, Yardstick], Evaluation]:
    """Returns the yardstick of each workload, and the evaluation of CC off with its shares.

    `off`: the baseline; `built`: the fabrics by name; `kind`: the start of the plans' names in the store. Raises what
    References.measure does.
    """
    stands_for = alike(plan, off)
    plan = replace(plan, workloads=tuple(workload for workload in plan.workloads if workload.name in stands_for))
    ((with_off, _),) = references.measure([off], plan, kind)
    quiet = [
        silent(workload, built[workload.fabric]) for workload in plan.workloads if _has_victims(workload, built[workload.fabric])
    ]
    alone: Mapping[str, Metrics] = {}
    if quiet:
        silently = replace(plan, workloads=tuple(quiet), seeds=plan.seeds[:1])
        ((victims_alone, _),) = references.measure([off], silently, f"{kind}-silent")
        alone = victims_alone.by_workload()
    found = {
        name: Yardstick(
            victims_gbps=alone[first].victim_throughput_gbps if first in alone else None,
            contributors_gbps=metrics.contributor_total_gbps,
        )
        for first, metrics in with_off.by_workload().items()
        for name in stands_for[first]
    }
    runs = [replace(run, workload=name) for run in with_off.runs for name in stands_for[run.workload]]
    return found, replace(with_off, runs=tuple(with_shares(run, found[run.workload]) for run in runs))


def alike(plan: Plan, off: Configuration) -> dict[str, list[str]]:
    """Returns for each workload to measure those that it stands for: the same flows on devices that do the same with CC off."""
    found: dict[str, list[str]] = {}
    first: dict[str, str] = {}
    is_off = not off.profile.to_dict().get("enable", True)
    for workload in plan.workloads:
        model = plan.models.get(workload.name, {})
        decides = {path: value for path, value in model.items() if not is_off or path not in WITH_CC_ONLY}
        key = workload.model_copy(update={"name": ""}).model_dump_json() + repr(sorted(decides.items()))
        found.setdefault(first.setdefault(key, workload.name), []).append(workload.name)
    return found


def silent(workload: Workload, built: BuiltFabric) -> Workload:
    """Returns the workload without its contributors, judged in the same window as before."""
    expanded = workload.expanded(built.hosts)
    start, _ = expanded.window()
    flows = tuple(flow for flow in expanded.flows if flow.role != "contributor")
    return expanded.model_copy(update={"flows": flows, "warmup_s": max(0.0, start - max(flow.start_s for flow in flows))})


def _has_victims(workload: Workload, built: BuiltFabric) -> bool:
    return any(flow.role == "victim" for flow in workload.expanded(built.hosts).flows)
