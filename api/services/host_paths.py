# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Loop-back tests inside a fabric's hosts, and watches of the ports to them: what they found last, and how they begin.

What is kept is bounded: the last tests of each host, and of hosts with a bad link the states of links in the last seven runs. It
goes with the inventory, with the host's place in it, or KEPT after the tests.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from api.access.audit import record_audit
from api.access.principal import Principal
from api.base.problems import Conflict, NotFound
from api.base.times import now, rfc3339
from api.database.models.fabric import Fabric
from api.database.models.inventory import HostPathBaselines, HostPaths, HostWatch, StoredInventory
from api.database.models.job import Job
from api.documents.host_paths import FleetOut, HostPathsOut, HostPathsRow, ModelOut, PathCounts, PathVerdict
from api.services.fabric_access import publish_change
from api.services.hosts import PATHS, TRIGGERS, begun, require_free, require_nodes, running_job
from api.services.inventories import find_inventory, inventory_of, require_inventory
from tuner.document_base.model import build_model
from tuner.documents.inventory import InventoryHost
from tuner.errors import BadInputError
from tuner.hostping.baselines import Confidence, HostBaselines, standing
from tuner.hostping.link_history import continued_states, flapping_links, read_history

KEPT = timedelta(days=90)
"""Results of older tests are deleted."""
MOST_NAMED = 100
SCHEDULE = "schedule"
"""What a watch was begun by, if the service began it."""
_VERDICTS: tuple[PathVerdict, ...] = ("normal", "slow", "unfit", "not-measured")


def fleet(session: Session, fabric: Fabric) -> FleetOut:
    """A fabric without inventory, and one whose hosts were never tested, are answers too."""
    row = find_inventory(session, fabric.name)
    rows = list_paths(session, fabric)
    verdicts = Counter(host.verdict for host in rows)
    watch = None if row is None else session.get(HostWatch, fabric.name)
    return FleetOut(
        fabric=fabric.name,
        inventory=None if row is None else inventory_of(row).name,
        hosts=PathCounts(
            total=len(rows),
            untested=verdicts[None],
            **{verdict.replace("-", "_"): verdicts[verdict] for verdict in _VERDICTS},
        ),
        models=_models(rows, baselines_of(session, fabric.name)),
        measured_at=max((host.measured_at for host in rows if host.measured_at is not None), default=None),
        watched_at=None if watch is None else watch.watched_at,
        triggered=[host.node for host in rows if host.trigger is not None][:MOST_NAMED],
        can_watch=fabric.kind != "simulated",
        running_job=None if (job := running_job(session, fabric.name, (PATHS, TRIGGERS))) is None else job.id,
    )


def list_paths(session: Session, fabric: Fabric) -> list[HostPathsRow]:
    """In the inventory's order; none without an inventory."""
    row = find_inventory(session, fabric.name)
    if row is None:
        return []
    told = {one.node: one for one in session.scalars(select(HostPaths).where(HostPaths.fabric == fabric.name))}
    triggers = _triggers(session, row)
    return [
        HostPathsRow.model_validate(_summary(host, told.get(host.node), row.revision, triggers.get(host.node)))
        for host in inventory_of(row).by_node.values()
    ]


def get_paths(session: Session, fabric: Fabric, node: str) -> HostPathsOut:
    """Raises NotFound for a node that the inventory has not."""
    row = find_inventory(session, fabric.name)
    host = None if row is None else inventory_of(row).by_node.get(node)
    if row is None or host is None:
        raise NotFound(f"The inventory of fabric '{fabric.name}' has no node {node!r:.80}.")
    kept = session.get(HostPaths, (fabric.name, node))
    values = _summary(host, kept, row.revision, _triggers(session, row).get(node))
    document: Mapping[str, Any] = {} if kept is None else kept.document
    flapping = set() if kept is None else _flapping(kept)
    empty: dict[str, Any] = {"confidence": None, "baseline": None, "gpus": 0, "not_measured": {}}
    details = {key: document.get(key, empty.get(key, [])) for key in ("confidence", "baseline", "adapters", "endpoints", "gpus")}
    return HostPathsOut.model_validate(
        {
            **values,
            **details,
            "parts": document.get("parts", []),
            "cells": document.get("cells", []),
            "links": [{**link, "is_flapping": link["link"] in flapping} for link in document.get("links", [])],
            "not_measured": document.get("not_measured", {}),
            "remarks": [*document.get("degraded", []), *document.get("redirected", [])],
            "not_readable": document.get("not_readable", []),
        }
    )


def baselines_of(session: Session, fabric: str) -> HostBaselines | None:
    row = session.get(HostPathBaselines, fabric)
    if row is None:
        return None
    try:
        return build_model(HostBaselines, row.document)
    except BadInputError:  # another version's
        return None


def request_paths(session: Session, principal: Principal, fabric: Fabric, nodes: str | None, *, is_triggered: bool) -> Job:
    """Raises Conflict without an inventory, Busy while something else uses the hosts, and InvalidInput for nodes that the
    inventory has not."""
    require_nodes(session, fabric.name, nodes)
    detail = {"nodes": nodes, "triggered": is_triggered or None}
    return begun(session, principal, PATHS, fabric.name, {"nodes": nodes, "is_triggered": is_triggered}, detail)


def request_watch(session: Session, principal: Principal, fabric: Fabric, seconds: int, *, test: bool) -> Job:
    """Raises Conflict without an inventory, and for a fabric without ports to watch, and Busy while something else uses the
    hosts. `test`: hosts whose counters ask for it are tested then."""
    require_inventory(session, fabric.name)
    if fabric.kind == "simulated":
        raise Conflict(f"Fabric '{fabric.name}' is simulated and has no ports to watch; an emulated or a real one has.")
    require_free(session, fabric.name)
    asked = {"seconds": seconds, "test": test}
    return begun(session, principal, TRIGGERS, fabric.name, asked, asked)


def forget_baselines(session: Session, principal: Principal, fabric: Fabric) -> None:
    """The next tests say what is normal. Raises NotFound if there are none."""
    row = session.get(HostPathBaselines, fabric.name)
    if row is None:
        raise NotFound(f"Nothing is known yet of what is normal inside the hosts of fabric '{fabric.name}'.")
    session.delete(row)
    record_audit(session, principal, f"{PATHS}.forget", f"baselines of {fabric.name}", fabric=fabric.name)
    publish_change(session, fabric.name, "hosts", {"action": "paths-forgotten"})


def keep_paths(
    session: Session,
    tested: StoredInventory,
    job: str,
    found: Sequence[Mapping[str, Any]],
    batch: HostBaselines,
) -> list[str]:
    """Stores the rows of a run, as tuner.hostping.ping_document has them, and returns the nodes with a link that flaps. Hosts
    that are no more in the inventory are forgotten. `tested`: the inventory as it was then; `batch`: medians of the run."""
    row = find_inventory(session, tested.fabric, locked=True)
    if row is None or row.created_at != tested.created_at:  # deleted meanwhile
        return []
    fabric, moment = row.fabric, now()
    old = {one.node: one for one in session.scalars(select(HostPaths).where(HostPaths.fabric == fabric))}
    flapping = []
    for document in found:
        node = document["node"]
        kept = old.get(node)
        runs = _continued(node, [] if kept is None else kept.runs, rfc3339(moment), document)
        if kept is None:
            kept = HostPaths(fabric=fabric, node=node, inventory_revision=0, job=job, document={}, runs=[])
            session.add(kept)
        elif not document["cells"] and kept.document["cells"]:
            # A host that is busy or silent tells nothing of its inside, and what was measured of it stays.
            kept.document = {**kept.document, "last_try": f"{rfc3339(moment)}: {document['sentence']}"}
            continue
        kept.inventory_revision, kept.measured_at, kept.job = tested.revision, moment, job
        kept.document, kept.runs = dict(document), runs
        if flapping_links(read_history({node: runs})):
            flapping.append(node)
    _forget_others(session, row)
    _keep_baselines(session, fabric, batch)
    session.flush()
    publish_change(session, fabric, "hosts", {"action": "paths", "job": job})
    return flapping


def keep_watch(session: Session, watched: StoredInventory, job: str, by: str, found: Mapping[str, Mapping[str, Any]]) -> None:
    """`found`: by node, `reasons` and `sentence`."""
    row = find_inventory(session, watched.fabric, locked=True)
    if row is None or row.created_at != watched.created_at:
        return
    old = session.get(HostWatch, row.fabric)
    if old is None:
        old = HostWatch(fabric=row.fabric, inventory_revision=0, watched_by=by, job=job, hosts={})
        session.add(old)
    old.inventory_revision, old.watched_at, old.watched_by, old.job = watched.revision, now(), by, job
    old.hosts = {node: dict(values) for node, values in found.items()}
    session.flush()
    publish_change(session, row.fabric, "hosts", {"action": "watched", "job": job})


def sweep(session: Session) -> None:
    """Deletes what is too old."""
    session.execute(delete(HostPaths).where(HostPaths.measured_at < now() - KEPT))


def due_watches(session: Session, every_s: float) -> list[str]:
    """Fabrics with an inventory whose ports to hosts can be watched, and for which no watch was begun for so long, whether it
    ended well or not."""
    begun = select(Job.fabric).where(
        Job.kind == TRIGGERS, Job.fabric.is_not(None), Job.created_at > now() - timedelta(seconds=every_s)
    )
    query = (
        select(StoredInventory.fabric)
        .join(Fabric, Fabric.name == StoredInventory.fabric)
        .where(Fabric.kind != "simulated", StoredInventory.fabric.not_in(begun))
    )
    return sorted(session.scalars(query))


def _summary(host: InventoryHost, kept: HostPaths | None, revision: int, trigger: str | None) -> dict[str, Any]:
    document: Mapping[str, Any] = {} if kept is None else kept.document
    flapping = set() if kept is None else _flapping(kept)
    return {
        "node": host.node,
        "host": host.host,
        "verdict": document.get("verdict"),
        "sentence": document.get("sentence", ""),
        "measured_at": None if kept is None else kept.measured_at,
        "is_current": None if kept is None else kept.inventory_revision == revision,
        "model": document.get("model"),
        "slow_paths": len(document.get("slow_paths", [])),
        "paths": len(document.get("cells", [])),
        "flapping": [link["name"] for link in document.get("links", []) if link["link"] in flapping],
        "trigger": trigger,
        "last_try": document.get("last_try"),
    }


def _flapping(kept: HostPaths) -> set[str]:
    return set(flapping_links(read_history({kept.node: kept.runs})).get(kept.node, ()))


def _triggers(session: Session, row: StoredInventory) -> dict[str, str]:
    """By node, why its counters asked for tests, unless it is another inventory by now."""
    watch = session.get(HostWatch, row.fabric)
    if watch is None or watch.inventory_revision != row.revision:
        return {}
    return {node: "; ".join(seen["reasons"]) for node, seen in watch.hosts.items() if seen["reasons"]}


def _models(rows: Collection[HostPathsRow], baselines: HostBaselines | None) -> list[ModelOut]:
    known = {} if baselines is None else baselines.by_model
    found = []
    for model in {row.model for row in rows if row.model is not None}:
        mine = [row for row in rows if row.model == model]
        normal = known.get(model)
        is_known = normal is not None and normal.confidence is not Confidence.NONE
        found.append(
            ModelOut.model_validate(
                {
                    "model": model,
                    "hosts": len(mine),
                    "slow": [row.node for row in mine if row.verdict == "slow" or row.flapping][:MOST_NAMED],
                    "baseline": {"hosts": normal.hosts, "date": normal.date} if is_known and normal is not None else None,
                }
            )
        )
    return sorted(found, key=lambda one: (not one.slow, one.model))


def _continued(node: str, runs: Sequence[Any], when: str, document: Mapping[str, Any]) -> list[Any]:
    judged = document["verdict"] in ("normal", "slow")
    states = {node: {link["link"]: link["state"] for link in document["links"]}} if judged else {}
    found = continued_states(read_history({node: list(runs)}), when, states)
    return [[moment, seen] for moment, seen in found.get(node, [])]


def _forget_others(session: Session, row: StoredInventory) -> None:
    nodes = inventory_of(row).by_node
    for kept in session.scalars(select(HostPaths).where(HostPaths.fabric == row.fabric)):
        if kept.node not in nodes:
            session.delete(kept)


def _keep_baselines(session: Session, fabric: str, batch: HostBaselines) -> None:
    document = standing(baselines_of(session, fabric), batch).model_dump(mode="json")
    row = session.get(HostPathBaselines, fabric)
    if row is None:
        session.add(HostPathBaselines(fabric=fabric, document=document))
    else:
        row.document = document
