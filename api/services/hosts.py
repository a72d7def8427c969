# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The hosts of a fabric's inventory, and what the last check found of each."""

from collections.abc import Sequence
from dataclasses import asdict, fields

from pydantic import BaseModel, Field
from sqlalchemy import select
from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.audit import record_audit
from api.database.models.campaign import StoredCampaign
from api.database.models.fabric import Fabric
from api.database.models.inventory import HostCheck, StoredInventory
from api.database.models.job import Job
from api.jobs.queue import enqueue
from api.problems import Busy, InvalidInput
from api.services.campaigns import needs_hosts
from api.services.fabric_access import tell_changed
from api.services.inventories import find_inventory, inventory_of, require_inventory
from api.times import Time, now, rfc3339
from tuner.cluster.host_check import Finding
from tuner.cluster.host_summary import HostSummary, Verdict, grouped
from tuner.errors import BadInputError

CHECK = "hosts.check"
"""The kind of job."""


class FindingOut(BaseModel):
    what: str = Field(description="Its kind, as `ibcc hosts check` calls it: `unreachable`, `version`, `meter`, ….")
    is_fault: bool = Field(description="Otherwise measurements are possible all the same.")
    sentence: str
    remedy: str = Field(description="What to do about it.")


class GroupedFindingOut(FindingOut):
    nodes: str = Field(description="The hosts that have it, as a NodeSet: `node[01-16]`.")
    count: int = Field(description="How many they are.")


class HostOut(BaseModel):
    node: str = Field(description="Its name for the launcher.")
    host: str = Field(description="Its name on the fabric.")
    address: str = Field(description="Where other hosts reach it by TCP.")
    device: str
    ib_port: int
    gid_index: int | None
    tcp_ports: list[int] = Field(description="The first and the last one.")
    verdict: Verdict | None = Field(description="Of the last check; null: it was not checked.")
    checked_at: Time | None
    state: str | None = Field(description="Of the device's port; `ACTIVE` when all is well.")
    rate: str | None = Field(description="As the kernel writes it.")
    perftest: list[str] = Field(description="Versions of its programs; one, when all is well.")
    meter: bool | None = Field(description="Whether the meter works there.")
    clock_offset_ns: int | None = Field(description="Its clock minus that of the machine which checked.")
    clock_uncertainty_ns: int | None = Field(description="The true offset is not farther away than this.")
    findings: list[FindingOut]

    def summary(self) -> HostSummary | None:
        """As the check left it; None of a host that was not checked."""
        if self.verdict is None:
            return None
        values = self.model_dump(include={field.name for field in fields(HostSummary)} - {"findings", "perftest"})
        findings = tuple(Finding(one.what, one.sentence, one.remedy, one.is_fault) for one in self.findings)
        return HostSummary(**values, perftest=tuple(self.perftest), findings=findings)


class HostCounts(BaseModel):
    total: int
    ready: int
    to_mend: int
    unreachable: int
    unchecked: int


class HostsCheckOut(BaseModel):
    """How the hosts of a fabric are, by the last check of each."""

    fabric: str
    inventory: str | None = Field(description="The inventory's own name; null: the fabric has none.")
    hosts: HostCounts
    faults: int
    findings: list[GroupedFindingOut] = Field(description="Faults first; each with all hosts that have it.")
    checked_at: Time | None = Field(description="When the last check ended; null: there was none.")
    checked_by: str | None
    job: str | None = Field(description="That of the last check.")
    is_current: bool | None = Field(description="Whether the inventory is still the one that was checked.")
    running_job: str | None = Field(description="A check that is under way, or waits.")


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
        empty = dict.fromkeys(("verdict", "checked_at", "state", "rate", "meter", "clock_offset_ns", "clock_uncertainty_ns"))
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
    running = _running(session, fabric.name)
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
    row = require_inventory(session, fabric.name)
    _require_free(session, fabric.name)
    if nodes is not None:
        try:
            inventory_of(row).select(nodes)
        except BadInputError as error:
            raise InvalidInput.of_field("nodes", error.sentence) from error
    arguments = {"fabric": fabric.name, "nodes": nodes, "patience_s": patience_s, "by": principal.username}
    job = enqueue(session, principal, CHECK, arguments, fabric=fabric.name)
    detail = {"job": job.id} | ({} if nodes is None else {"nodes": nodes})
    record_audit(session, principal, CHECK, f"hosts of {fabric.name}", fabric=fabric.name, detail=detail)
    tell_changed(session, fabric.name, "hosts", {"action": "check", "job": job.id})
    return job


def keep_check(session: Session, checked: StoredInventory, job: str, by: str, found: Sequence[HostSummary]) -> None:
    """What a check has found. That of other hosts stays, as long as the inventory is the same. `checked`: as it was then."""
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
    tell_changed(session, fabric, "hosts", {"action": "checked", "job": job})


def _running(session: Session, fabric: str) -> Job | None:
    query = select(Job).where(Job.fabric == fabric, Job.kind == CHECK, Job.state.in_(("queued", "running"))).limit(1)
    return session.scalars(query).one_or_none()


def _require_free(session: Session, fabric: str) -> None:
    """A check takes ports and time of the hosts: one at a time, and none beside a measurement."""
    job = _running(session, fabric)
    if job is not None:
        raise Busy(f"Job {job.id} ({CHECK}, of {job.created_by}) is {job.state} on fabric '{fabric}'; wait until it has ended.")
    query = select(StoredCampaign).where(StoredCampaign.fabric == fabric, StoredCampaign.state.in_(("running", "pausing")))
    for campaign in session.scalars(query):
        if needs_hosts(campaign.spec):
            raise Busy(
                f"Campaign '{campaign.name}' ({campaign.id}) measures on the hosts of fabric '{fabric}'; pause it first, as a "
                "check would disturb it."
            )
