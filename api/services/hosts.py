# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The hosts of a fabric's inventory, and what the last check found of each."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.access.audit import record_audit
from api.access.principal import Principal
from api.base.problems import Busy, InvalidInput
from api.base.times import now, rfc3339
from api.database.models.campaign import StoredCampaign
from api.database.models.fabric import Fabric
from api.database.models.inventory import HostCheck, StoredInventory
from api.database.models.job import Job
from api.documents.hosts import GroupedFindingOut, HostCounts, HostOut, HostsCheckOut
from api.queue.table import enqueue
from api.services.campaigns.backend import needs_hosts
from api.services.fabric_access import publish_change
from api.services.inventories import find_inventory, inventory_of, require_inventory
from api.states.campaigns import ON_FABRIC
from api.states.jobs import PENDING
from tuner.errors import BadInputError
from tuner.hosts.checked_host import HostSummary
from tuner.hosts.host_summary import grouped

CHECK = "hosts.check"
"""The kind of job."""
PATHS, TRIGGERS = "hosts.paths", "hosts.triggers"
"""Kinds of jobs that test the inside of hosts, and watch the ports to them."""


def list_hosts(session: Session, fabric: Fabric) -> list[HostOut]:
    """In the inventory's order; none without an inventory."""
    row = find_inventory(session, fabric.name)
    if row is None:
        return []
    check = session.get(HostCheck, fabric.name)
    told = {} if check is None else check.hosts
    found = []
    for host in inventory_of(row).by_node.values():
        known = told.get(host.node, {})
        place = {key: getattr(host, key) for key in ("node", "host", "address", "device", "ib_port", "gid_index")}
        empty = dict.fromkeys(
            ("verdict", "checked_at", "state", "rate", "meter", "clock_offset_ns", "clock_uncertainty_ns", "limits")
        )
        values = {"perftest": [], "findings": [], **empty, **known, **place, "tcp_ports": list(host.tcp_ports)}
        found.append(HostOut.model_validate(values))
    return found


def last_check(session: Session, fabric: Fabric) -> HostsCheckOut:
    """A fabric without inventory, and one that was never checked, are answers too."""
    row = find_inventory(session, fabric.name)
    check = None if row is None else session.get(HostCheck, fabric.name)
    hosts = list_hosts(session, fabric)
    counts = {verdict: sum(host.verdict == verdict for host in hosts) for verdict in ("ready", "to_mend", "unreachable")}
    summaries = [one for host in hosts if (one := host.summary()) is not None]
    running = running_job(session, fabric.name, (CHECK,))
    return HostsCheckOut(
        fabric=fabric.name,
        inventory=None if row is None else inventory_of(row).name,
        hosts=HostCounts(total=len(hosts), unchecked=len(hosts) - sum(counts.values()), **counts),
        faults=sum(one.faults for one in summaries),
        findings=[GroupedFindingOut.model_validate(asdict(one)) for one in grouped(summaries)],
        checked_at=None if check is None else check.checked_at,
        checked_by=None if check is None else check.checked_by,
        job=None if check is None else check.job,
        is_current=None if check is None or row is None else check.inventory_revision == row.revision,
        running_job=None if running is None else running.id,
    )


def request_check(session: Session, principal: Principal, fabric: Fabric, nodes: str | None, patience_s: float) -> Job:
    """Raises Conflict without an inventory, Busy while a check or a measurement on the hosts is under way, and InvalidInput for
    nodes that the inventory has not."""
    require_nodes(session, fabric.name, nodes)
    return begun(session, principal, CHECK, fabric.name, {"nodes": nodes, "patience_s": patience_s}, {"nodes": nodes})


def require_nodes(session: Session, fabric: str, nodes: str | None) -> None:
    """Raises Conflict without an inventory, Busy while something else uses the hosts, and InvalidInput for nodes that the
    inventory has not. `nodes`: None for all."""
    row = require_inventory(session, fabric)
    require_free(session, fabric)
    if nodes is not None:
        try:
            inventory_of(row).select(nodes)
        except BadInputError as error:
            raise InvalidInput.of_field("nodes", error.sentence) from error


def begun(
    session: Session, principal: Principal, kind: str, fabric: str, arguments: Mapping[str, Any], detail: Mapping[str, Any]
) -> Job:
    """Queues a job on the hosts, and says so in the audit log, with what of `detail` is not None."""
    job = enqueue(session, principal, kind, {"fabric": fabric, **arguments, "by": principal.username}, fabric=fabric)
    told = {"job": job.id, **{name: value for name, value in detail.items() if value is not None}}
    record_audit(session, principal, kind, f"hosts of {fabric}", fabric=fabric, detail=told)
    publish_change(session, fabric, "hosts", {"action": kind.partition(".")[2], "job": job.id})
    return job


def keep_check(session: Session, checked: StoredInventory, job: str, by: str, found: Sequence[HostSummary]) -> None:
    """Stores the results of a check. Those of other hosts stay while the inventory is the same. `checked`: as it was then."""
    fabric, revision = checked.fabric, checked.revision
    row = find_inventory(session, fabric)
    if row is None or row.created_at != checked.created_at:  # deleted meanwhile
        return
    moment = now()
    hosts = {one.node: asdict(one) | {"checked_at": rfc3339(moment)} for one in found}
    old = session.get(HostCheck, fabric, with_for_update=True)
    if old is not None and old.inventory_revision == revision:
        hosts = old.hosts | hosts
    if old is None:
        session.add(HostCheck(fabric=fabric, inventory_revision=revision, checked_at=moment, checked_by=by, job=job, hosts=hosts))
    else:
        old.inventory_revision, old.checked_at, old.checked_by, old.job, old.hosts = revision, moment, by, job, hosts
    session.flush()
    publish_change(session, fabric, "hosts", {"action": "checked", "job": job})


def running_job(session: Session, fabric: str, kinds: Collection[str]) -> Job | None:
    query = select(Job).where(Job.fabric == fabric, Job.kind.in_(kinds), Job.state.in_(PENDING)).order_by(Job.id).limit(1)
    return session.scalars(query).one_or_none()


def require_free(session: Session, fabric: str) -> None:
    """Checks and tests take ports and time of the hosts: one at a time, and none beside a measurement. Raises Busy."""
    job = running_job(session, fabric, (CHECK, PATHS, TRIGGERS))
    if job is not None:
        raise Busy(
            f"Job {job.id} ({job.kind}, of {job.created_by}) is {job.state} on fabric '{fabric}'; wait until it has ended."
        )
    query = select(StoredCampaign).where(StoredCampaign.fabric == fabric, StoredCampaign.state.in_(ON_FABRIC))
    for campaign in session.scalars(query):
        if needs_hosts(campaign.spec):
            raise Busy(
                f"Campaign '{campaign.name}' ({campaign.id}) measures on the hosts of fabric '{fabric}'; pause it first, as a "
                "check would disturb it."
            )
