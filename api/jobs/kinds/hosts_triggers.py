# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Watches the switches' ports to a fabric's hosts, and tests those hosts whose counters ask for it."""

import os
from pathlib import Path
from typing import Any, Literal

from sqlalchemy.orm import Session

from api.access.audit import record_audit
from api.database.models.job import Job
from api.jobs.kinds.hosts_paths import tested
from api.queue.context import JobContext
from api.queue.kind import KINDS
from api.services.checks.files import sockets_of
from api.services.fabrics import get_fabric
from api.services.host_paths import keep_watch
from api.services.hosts import TRIGGERS
from api.services.inventories import get_inventory, inventory_of, require_allowed
from tuner.checks.kinds.links import emulated_name
from tuner.documents.node_sets import fold
from tuner.host_triggers.own_counters import own_counters
from tuner.host_triggers.triggers import HostTrigger
from tuner.host_triggers.watched_ports import watched_ports
from tuner.hostping.ping import PingSettings
from tuner.hosts.launchers.base import open_launcher
from tuner.opensm.preload import client_environment

_WATCH_PART = 50


class HostsTriggersJob:
    """It runs on the server's machine, which has the fabric's sockets and its InfiniBand. Doing it twice does no harm."""

    resumable: bool = True
    urgent: bool = False
    place: Literal["any", "server"] = "server"
    settings: PingSettings = PingSettings()

    def run(self, context: JobContext, arguments: dict[str, Any]) -> dict[str, Any]:
        name = arguments["fabric"]
        with context.database.reading() as session:
            row, fabric = get_inventory(session, name), get_fabric(session, name)
            sockets = sockets_of(fabric)
        inventory = inventory_of(row)
        require_allowed(inventory, context.settings)
        hosts = tuple(inventory.by_node.values())
        environment = dict(os.environ)
        if "emulator" in sockets:
            environment = client_environment(emulated_name(sockets["emulator"]))
        context.progress(0, 100, f"watching the ports to {len(hosts)} hosts")
        launcher = open_launcher(inventory.launcher, inventory.agent.command)
        own = own_counters(launcher, hosts, 1.0, should_stop=context.should_stop)
        context.raise_if_stopping()
        seen = watched_ports(
            inventory,
            hosts,
            topology="plugin",
            socket=Path(sockets["plugin"]),
            environment=environment,
            seconds=arguments["seconds"],
            on_progress=lambda done: context.progress(
                round(_WATCH_PART * done), 100, f"watching the ports to {len(hosts)} hosts"
            ),
        )
        context.raise_if_stopping()
        rows = [HostTrigger(host=host, port=seen.get(host.host), own=own.get(host.node)) for host in hosts]
        asking = [watched.host.node for watched in rows if watched.reasons]
        result: dict[str, Any] = {
            "hosts": len(hosts),
            "triggered": len(asking),
            "unknown": sum(not watched.is_known for watched in rows),
        }
        found = {watched.host.node: {"reasons": watched.reasons, "sentence": watched.sentence} for watched in rows}
        with context.database.writing() as session:
            keep_watch(session, row, context.job_id, arguments["by"], found)
            record_audit(session, context.principal, f"{TRIGGERS}.done", f"hosts of {name}", fabric=name, detail=result)
        if asking and arguments["test"]:
            result["tests"] = tested(context, name, fold(asking), self.settings, is_triggered=True)
        return result

    def given_up(self, session: Session, job: Job) -> None:
        """Only the job itself tells of it."""


KINDS.add(TRIGGERS, HostsTriggersJob())
