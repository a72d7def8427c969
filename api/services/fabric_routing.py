# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Routing of a fabric's wiring: advice, the advised line of OpenSM with its files, and trials of it."""

import io
import zipfile
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.access.audit import record_audit
from api.access.principal import Principal
from api.base.problems import Busy, Conflict, NotFound
from api.database.models.fabric import Fabric
from api.database.models.job import Job
from api.documents.routing_advice import FabricRouting, ImportSubnet, LineTrialOut, OpensmLineOut, RoutingAdvice
from api.fabric_drivers.documents import WiringOptions, built_wiring, fabric_of_text, wiring
from api.queue.table import enqueue
from api.services.fabric_versions import current_version, wiring_of
from api.states.jobs import PENDING
from tuner.emulator.line_trial import UNTRIED
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.fabric.capacity import Capacity, capacity
from tuner.fabric.opensm_line import OpensmLine, opensm_line
from tuner.fabric.routing_advice import Advice, advise
from tuner.fabric.subnets import Subnet, of_subnet, subnets

TRIAL_JOB = "routing_trial"
"""The kind of job."""
FOLDER = "/etc/opensm"
"""Folder that the files of the line are in, unless somebody names another."""
_TIME = (1980, 1, 1, 0, 0, 0)
"""Time of files in archives, so that the same line makes the same archive."""


def fabric_routing(session: Session, fabric: Fabric, folder: str) -> FabricRouting:
    """Raises Conflict if the wiring is unknown."""
    advice = _advised(fabric)
    version = current_version(session, fabric.name)
    last = _last_trial(session, fabric.name, version)
    running = _running(session, fabric.name)
    trial = _outcome(last)
    line = _line(advice, trial)
    why = f": {last.problem}" if last is not None and last.problem else ""
    return FabricRouting(
        version=version,
        subnets=[ImportSubnet.model_validate(one.to_json()) for one in _subnets(*_key(fabric))],
        advice=RoutingAdvice.model_validate(advice.to_json()),
        line=OpensmLineOut(
            text=line.text(PurePosixPath(folder)), folder=folder, files=list(line.named_files(PurePosixPath(folder)))
        ),
        trial=trial,
        tried_at=None if trial is None or last is None else last.ended_at,
        untried=None if trial is not None else f"{UNTRIED}{why}",
        job=None if running is None else running.id,
    )


def line_file(session: Session, fabric: Fabric, folder: str, name: str) -> str:
    """Returns the text of one file of the line. Raises Conflict, and NotFound for a file that it has not."""
    files = taken_line(session, fabric).named_files(PurePosixPath(folder))
    if name not in files:
        raise NotFound(f"The line of fabric '{fabric.name}' has no file {name!r:.80}; it has {', '.join(files)}.")
    return files[name]


def line_archive(line: OpensmLine, folder: str) -> bytes:
    """Returns all files of a line in a ZIP archive."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in line.named_files(PurePosixPath(folder)).items():
            archive.writestr(zipfile.ZipInfo(name, _TIME), text, zipfile.ZIP_DEFLATED)
    return content.getvalue()


def taken_line(session: Session, fabric: Fabric) -> OpensmLine:
    """Returns the advised line of a fabric: with the engine that won when it was tried on this version of the wiring, or with
    those that suit the shape. Raises Conflict if the wiring is unknown."""
    last = _last_trial(session, fabric.name, current_version(session, fabric.name))
    return _line(_advised(fabric), _outcome(last))


def _outcome(job: Job | None) -> LineTrialOut | None:
    return None if job is None or job.result is None else LineTrialOut.model_validate(job.result["trial"])


def _line(advice: Advice, trial: LineTrialOut | None) -> OpensmLine:
    return opensm_line(advice.document, advice.shape, None if trial is None else trial.asked)


def request_trial(session: Session, principal: Principal, fabric: Fabric) -> Job:
    """Has a job try the line. Raises Conflict if the wiring is unknown, Busy if a job tries it already."""
    _advised(fabric)
    if (running := _running(session, fabric.name)) is not None:
        raise Busy(f"Job {running.id} tries the line of fabric '{fabric.name}' already; wait for its end, or cancel it first.")
    version = current_version(session, fabric.name)
    job = enqueue(session, principal, TRIAL_JOB, {"fabric": fabric.name, "version": version}, fabric=fabric.name)
    record_audit(
        session,
        principal,
        f"fabric.{TRIAL_JOB}",
        f"fabric {fabric.name}",
        fabric=fabric.name,
        detail={"version": version, "job": job.id},
    )
    return job


def fabric_capacity(fabric: Fabric) -> Capacity | None:
    """Returns what the routes of a fabric's wiring carry; None if the wiring is unknown, or not all hosts reach each other."""
    try:
        return _capacity(*_key(fabric))
    except BadInputError:  # a wiring that an older ibcc took
        return None


@lru_cache(maxsize=16)
def document_capacity(text: str, subnet: int | None) -> Capacity | None:
    """Returns what the routes of a fabric document carry, or of one of its subnets; None as `fabric_capacity`."""
    try:
        document = fabric_of_text(text)
        return capacity(build(document if subnet is None else of_subnet(document, subnet)))
    except BadInputError:  # a document that an older ibcc took
        return None


def low_capacity(fabric: Fabric) -> list[str]:
    """Returns the warning, in a list, if simulations on the fabric's wiring rest on a routing that carries little."""
    found = fabric_capacity(fabric)
    told = None if found is None else found.told()
    return [] if told is None else [told]


def _advised(fabric: Fabric) -> Advice:
    found = _advice(*_key(fabric))
    if found is None:
        raise Conflict(
            f"The wiring of fabric '{fabric.name}' is unknown to the service, so there is no advice on its routing; give it as "
            "options.document (ibcc fabric import)."
        )
    return found


def _key(fabric: Fabric) -> tuple[str | None, str | None]:
    values = wiring_of(fabric.options)
    return values.get("fabric"), values.get("document")


@lru_cache(maxsize=8)
def _advice(name: str | None, text: str | None) -> Advice | None:
    document = wiring(WiringOptions(fabric=name, document=text))
    return None if document is None else advise(document)


@lru_cache(maxsize=16)
def _subnets(name: str | None, text: str | None) -> list[Subnet]:
    document = wiring(WiringOptions(fabric=name, document=text))
    return [] if document is None else subnets(document)


@lru_cache(maxsize=16)
def _capacity(name: str | None, text: str | None) -> Capacity | None:
    built = built_wiring(WiringOptions(fabric=name, document=text))
    return None if built is None else capacity(built)


def _last_trial(session: Session, fabric: str, version: int) -> Job | None:
    """The last trial of a version that has come to an end by itself."""
    query = (
        select(Job)
        .where(Job.fabric == fabric, Job.kind == TRIAL_JOB, Job.state.in_(("done", "failed")))
        .order_by(Job.ended_at.desc())
        .limit(10)
    )
    return next((job for job in session.scalars(query) if job.arguments.get("version") == version), None)


def _running(session: Session, fabric: str) -> Job | None:
    query = select(Job).where(Job.fabric == fabric, Job.kind == TRIAL_JOB, Job.state.in_(PENDING)).limit(1)
    return session.scalars(query).one_or_none()


def trial_result(version: int, trial: dict[str, Any]) -> dict[str, Any]:
    """Returns the result that a trial's job keeps."""
    return {"version": version, "trial": trial, "message": trial["sentences"][0]}
