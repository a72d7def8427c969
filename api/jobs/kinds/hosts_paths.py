# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests the paths inside a fabric's hosts by loop-back."""

from typing import Any, Literal

from sqlalchemy.orm import Session

from api.access.audit import record_audit
from api.database.models.job import Job
from api.queue.context import JobContext
from api.queue.kind import KINDS
from api.services.host_paths import baselines_of, keep_paths
from api.services.hosts import PATHS
from api.services.inventories import get_inventory, inventory_of, require_allowed
from tuner.errors import InterruptedRunError
from tuner.hostping.ping import PingSettings, ping_hosts
from tuner.hostping.ping_document import host_document


class HostsPathsJob:
    """It runs where a campaign on the fabric would run, with the same launcher. Doing it twice does no harm."""

    resumable: bool = True
    urgent: bool = False
    place: Literal["any", "server"] = "any"
    settings: PingSettings = PingSettings()

    def run(self, context: JobContext, arguments: dict[str, Any]) -> dict[str, Any]:
        return tested(context, arguments["fabric"], arguments["nodes"], self.settings, is_triggered=arguments["is_triggered"])

    def given_up(self, session: Session, job: Job) -> None:
        """Only the job itself tells of it."""


def tested(context: JobContext, name: str, nodes: str | None, settings: PingSettings, *, is_triggered: bool) -> dict[str, Any]:
    """Tests hosts of the fabric's inventory, keeps what was found, and returns it in numbers. Raises as ping_hosts."""
    with context.database.reading() as session:
        row = get_inventory(session, name)
        known = baselines_of(session, name)
    inventory = inventory_of(row)
    require_allowed(inventory, context.settings)
    hosts = tuple(inventory.by_node.values()) if nodes is None else inventory.select(nodes)
    context.progress(0, len(hosts), f"testing {len(hosts)} hosts")
    try:
        rows, batch = ping_hosts(
            inventory,
            hosts,
            PingSettings(**{**vars(settings), "is_triggered": is_triggered}),
            baselines=known,
            on_progress=lambda done: context.progress(round(done * len(hosts)), len(hosts), f"testing {len(hosts)} hosts"),
            should_stop=context.should_stop,
        )
    except InterruptedRunError:
        context.raise_if_stopping()
        raise
    found = [host_document(row) for row in rows]
    verdicts = [document["verdict"] for document in found]
    counts = {verdict.replace("-", "_"): verdicts.count(verdict) for verdict in ("normal", "slow", "unfit", "not-measured")}
    result: dict[str, Any] = {"hosts": len(hosts), **counts}
    with context.database.writing() as session:
        result["flapping"] = len(keep_paths(session, row, context.job_id, found, batch))
        record_audit(session, context.principal, f"{PATHS}.done", f"hosts of {name}", fabric=name, detail=result)
    return result


KINDS.add(PATHS, HostsPathsJob())
