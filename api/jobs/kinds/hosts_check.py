# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Asks the agents of a fabric's hosts whether they are ready to be measured."""

from typing import Any, Literal

from sqlalchemy.orm import Session

from api.access.audit import record_audit
from api.database.models.job import Job
from api.queue.context import JobContext
from api.queue.kind import KINDS
from api.services.hosts import CHECK, keep_check
from api.services.inventories import get_inventory, inventory_of, require_allowed
from tuner.hosts.checked_host import HostSummary
from tuner.hosts.host_check import check_hosts
from tuner.hosts.host_summary import summary_of


class HostsCheckJob:
    """It runs where a campaign on the fabric would run, with the same launcher. Doing it twice does no harm."""

    resumable: bool = True
    urgent: bool = True
    place: Literal["any", "server"] = "any"

    def run(self, context: JobContext, arguments: dict[str, Any]) -> dict[str, Any]:
        name = arguments["fabric"]
        with context.database.reading() as session:
            row = get_inventory(session, name)
        inventory = inventory_of(row)
        require_allowed(inventory, context.settings)
        nodes = arguments["nodes"]
        hosts = tuple(inventory.by_node.values()) if nodes is None else inventory.select(nodes)
        context.progress(0, 100, f"checking {len(hosts)} hosts")
        reports = check_hosts(
            inventory,
            hosts,
            patience_s=arguments["patience_s"],
            on_progress=lambda fraction: context.progress(round(100 * fraction), 100, _STEPS.get(fraction, "")),
            should_stop=context.should_stop,
        )
        context.raise_if_stopping()
        found = [summary_of(report) for report in reports]
        result = _result(found)
        with context.database.writing() as session:
            keep_check(session, row, context.job_id, arguments["by"], found)
            record_audit(session, context.principal, f"{CHECK}.done", f"hosts of {name}", fabric=name, detail=result)
        return result

    def given_up(self, session: Session, job: Job) -> None:
        """Only the job itself tells of it."""


_STEPS = {0.4: "measuring clocks", 0.6: "connecting hosts with each other"}


def _result(found: list[HostSummary]) -> dict[str, Any]:
    verdicts = [one.verdict for one in found]
    counts = {verdict: verdicts.count(verdict) for verdict in ("ready", "to_mend", "unreachable")}
    return {"hosts": len(found), **counts, "faults": sum(one.faults for one in found)}


KINDS.add(CHECK, HostsCheckJob())
