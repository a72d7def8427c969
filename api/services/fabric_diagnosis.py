# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The verdict "host or fabric?" of a fabric: the last one that a job made (`api.jobs.kinds.diagnosis`), and those of the last
nights of its checks."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, undefer

from api.access.audit import record_audit
from api.access.principal import Principal
from api.base.problems import Busy, Conflict, InvalidInput
from api.database.models.check import StoredCheck
from api.database.models.fabric import Fabric
from api.database.models.job import Job
from api.documents.fabric_diagnosis import DiagnosisOut, FabricDiagnosis, LastDiagnosis, NightDiagnosis
from api.fabric_drivers.plugin import PluginKind
from api.queue.table import enqueue
from api.services.belonging import require_usable
from api.services.checks.confirmations import confirmed_on
from api.services.checks.history import decisions_of, last_run
from api.services.checks.privacy import run_for
from api.services.fabric_access import kind_of
from api.services.fabric_versions import current_version, document_of, get_version
from api.services.workloads import get_workload
from api.states.jobs import PENDING
from tuner.checks.decided_night import last_as_decided
from tuner.diagnosis.of_night import diagnosis_of_night
from tuner.diagnosis.verdict import Diagnosis

DIAGNOSIS_JOB = "diagnosis"
"""The kind of job."""
MOST = 20
"""Faults, flows and missing counters that are kept of a diagnosis."""
_MOST_CHECKS = 20


def fabric_diagnosis(session: Session, principal: Principal, fabric: Fabric) -> FabricDiagnosis:
    newest = _newest(session, fabric.name)
    running = next((job for job in newest if job.state in PENDING), None)
    ended = [job for job in newest if job.state in ("done", "failed")]
    last = next((job for job in ended if job.result is not None), None)
    return FabricDiagnosis(
        can_watch=kind_of(fabric).has_opensm,
        can_run=_can_run(fabric),
        last=None if last is None else _last(session, fabric, last),
        nights=sorted(_nights(session, principal, fabric), key=lambda night: (night.date, night.check), reverse=True),
        problem=ended[0].problem if ended else None,
        job=None if running is None else running.id,
    )


def request_diagnosis(session: Session, principal: Principal, fabric: Fabric, asked: dict[str, Any]) -> Job:
    """Has a job make a diagnosis. `asked`: `workload`, `usual_version`, `seconds`, `seed` and `time_scale`, as the route has
    them. Raises InvalidInput and NotFound for what cannot be, and Busy if a job makes one already."""
    workload = asked["workload"]
    if workload is None and not kind_of(fabric).has_opensm:
        raise InvalidInput.of_field(
            "workload", f"fabric '{fabric.name}' is {fabric.kind} and has no traffic of its own; name a workload to run on it"
        )
    if workload is not None:
        if fabric.kind == PluginKind.name:
            raise InvalidInput.of_field(
                "workload",
                f"workload is '{workload}', and fabric '{fabric.name}' is a real one, whose ports are watched; omit it, or run "
                "the workload in a check of the kind fairness",
            )
        require_usable(principal, "workload", workload, "workload", get_workload(session, workload).belongs_to, fabric.name)
        if not _can_run(fabric):
            raise Conflict(f"The wiring of fabric '{fabric.name}' is unknown to the service, so no workload can run on it.")
    if asked["usual_version"] is not None:
        get_version(session, fabric.name, asked["usual_version"])
    if (running := next((job for job in _newest(session, fabric.name) if job.state in PENDING), None)) is not None:
        raise Busy(f"Job {running.id} diagnoses fabric '{fabric.name}' already; wait for its end, or cancel it first.")
    version = current_version(session, fabric.name)
    job = enqueue(session, principal, DIAGNOSIS_JOB, {"fabric": fabric.name, "version": version, **asked}, fabric=fabric.name)
    record_audit(
        session,
        principal,
        f"fabric.{DIAGNOSIS_JOB}",
        f"fabric {fabric.name}",
        fabric=fabric.name,
        detail={"job": job.id} | {key: value for key, value in asked.items() if value is not None},
    )
    return job


def diagnosis_result(found: Diagnosis, source: str) -> dict[str, Any]:
    """Returns the result that the job keeps: of long lists the first MOST, and how many there were."""
    document = found.to_json()
    counts = {f"{key}_count": len(document[key]) for key in ("faults", "slow_flows", "missing")}
    shown = {key: value[:MOST] if isinstance(value, list) else value for key, value in document.items()}
    return {"source": source, "diagnosis": shown | counts, "message": found.sentence}


def _can_run(fabric: Fabric) -> bool:
    return fabric.kind != PluginKind.name and document_of(fabric.options) is not None


def _newest(session: Session, fabric: str) -> list[Job]:
    query = select(Job).where(Job.fabric == fabric, Job.kind == DIAGNOSIS_JOB).order_by(Job.created_at.desc(), Job.id.desc())
    return list(session.scalars(query.limit(10)))


def _last(session: Session, fabric: Fabric, job: Job) -> LastDiagnosis:
    assert job.result is not None
    version = job.arguments["version"]
    return LastDiagnosis(
        source=job.result["source"],
        workload=job.arguments.get("workload"),
        version=version,
        outdated=version != current_version(session, fabric.name),
        at=job.ended_at or job.created_at,
        by=job.created_by,
        diagnosis=DiagnosisOut.model_validate(job.result["diagnosis"]),
    )


def _nights(session: Session, principal: Principal, fabric: Fabric) -> Iterator[NightDiagnosis]:
    query = select(StoredCheck).where(StoredCheck.fabric == fabric.name).order_by(StoredCheck.name).limit(_MOST_CHECKS)
    for row in session.scalars(query.options(undefer(StoredCheck.decisions))):
        decisions = replace(decisions_of(row), confirmed=confirmed_on(session, row.fabric))
        for run in last_as_decided(last_run(session, row.name), decisions):
            found = diagnosis_of_night(run_for(run, principal.role))
            document = diagnosis_result(found, "night")["diagnosis"]
            yield NightDiagnosis(check=row.name, date=run.date, diagnosis=DiagnosisOut.model_validate(document))
