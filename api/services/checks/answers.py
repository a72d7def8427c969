# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Answers to nights that fail, by the check's policy: each is a job of its own after the check, or a campaign's draft; each
stands in the audit log, and one call undoes it.

An answer stands until it is undone, has failed, or a night shows nothing any more of what its night has shown. As long as it
stands, the check gives no other one of its kind.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.access.audit import record_audit
from api.access.principal import Principal, system
from api.base.problems import Conflict, InvalidInput, Problem
from api.base.times import now
from api.configuration.settings import Settings
from api.database.models.campaign import StoredCampaign
from api.database.models.check import CheckAnswer, StoredCheck
from api.database.models.fabric import Fabric
from api.database.models.job import Job
from api.documents.checks import PolicyDocument, PolicyRule
from api.queue.table import enqueue, request_cancel
from api.services.campaigns.actions import delete_campaign
from api.services.campaigns.asked import CampaignRequest
from api.services.campaigns.creation import create_campaign
from api.services.checks.events import publish_answer
from api.services.checks.files import read_check
from api.services.checks.policy import Shown, chosen, shown_causes
from api.services.checks.present import Jobs, stands
from api.services.checks.privacy import private_names, without_names
from api.services.fabrics import get_fabric, require_no_job
from api.services.inventories import find_inventory, inventory_of
from api.services.second_person import is_needed
from api.states.checks import ANSWERS
from api.states.jobs import PENDING
from tuner.campaign.setup import PRESENT
from tuner.campaign.shipped import FIRST, shipped_campaigns
from tuner.checks.states import FAIL
from tuner.checks.store.night_run import NightRun
from tuner.documents.check_kinds import Fairness
from tuner.errors import IbccError
from tuner.hosts.maintenance import next_opening, open_until

ANSWER = "check_answer"
"""Kind of the jobs."""

_DOES = {
    "reapply": "all devices are read back, and values that differ from the base profile's are set again",
    "rollback": "the former base profile becomes the base again",
    "draft_campaign": "a campaign was created as a draft",
}


def require_policy(policy: PolicyDocument) -> None:
    """Raises InvalidInput for a template that there is not, or where there is nothing to draft."""
    for i, rule in enumerate(policy.rules):
        if rule.template is None:
            continue
        if rule.answer != "draft_campaign":
            raise InvalidInput.of_field(f"rules[{i}].template", f"the answer '{rule.answer}' has no template; omit it")
        if rule.template not in shipped_campaigns():
            known = ", ".join(shipped_campaigns())
            raise InvalidInput.of_field(
                f"rules[{i}].template", f"there is no campaign template '{rule.template}'; there are {known}"
            )


def answer_night(session: Session, settings: Settings, check: StoredCheck, run: NightRun) -> CheckAnswer | None:
    """Gives the answer that the policy has for a night, if it fails, in the transaction that stores the night."""
    shown = shown_causes(run)
    standing = _standing(session, check)
    if run.observed:
        for gone in _gone(standing, shown):
            gone.gone_on = run.date
            publish_answer(session, check, gone)
    if run.state != FAIL.name:
        return None
    found = chosen(PolicyDocument(**check.policy), shown)
    if found is None or any(one.answer == found[0].answer and one.gone_on is None for one in standing):
        return None
    return _give(session, settings, check, run, *found, keys=[one.key for one in shown])


def undo(session: Session, principal: Principal, check: StoredCheck, answer: CheckAnswer) -> None:
    """Raises Conflict for one that cannot be undone, or where something has changed since, and Busy while another job works on
    the fabric."""
    state = Jobs(session, [answer.job, answer.undo_job]).answer(answer)
    if refusal := ANSWERS.refusal("undo", state, answer.id):
        raise Conflict(refusal)
    if state == "waiting":
        job = session.get(Job, answer.job, with_for_update=True)
        if job is None or job.state != "queued":
            raise Conflict(f"Answer {answer.id} has begun meanwhile; wait until it has ended.")
        answer.undone_at = now()
        request_cancel(session, job)
    elif answer.answer == "draft_campaign":
        _delete_draft(session, principal, answer)
    elif answer.answer == "rollback":
        _go_back(session, principal, answer)
    answer.undone_by = principal.username
    if answer.undo_job is None:
        answer.undone_at = now()
    detail = {"answer": answer.answer, "id": answer.id, "cause": answer.cause, "job": answer.undo_job}
    record_audit(session, principal, "check.answer.undo", f"check {check.name}", fabric=check.fabric, detail=detail)
    publish_answer(session, check, answer)


def window(session: Session, fabric: str, moment: datetime) -> datetime | None:
    """Returns the time from which an answer may change the fabric, if that is not now. Raises Conflict if no window comes."""
    row = find_inventory(session, fabric)
    windows = () if row is None else inventory_of(row).maintenance
    if open_until(windows, moment) is not None:
        return None
    opens_at = next_opening(windows, moment)
    if opens_at is None:
        raise Conflict(f"Fabric '{fabric}' has no maintenance window in which it could be changed.")
    return opens_at


def _standing(session: Session, check: StoredCheck) -> list[CheckAnswer]:
    query = select(CheckAnswer).where(CheckAnswer.check == check.name, CheckAnswer.gone_on.is_(None))
    rows = session.scalars(query.order_by(CheckAnswer.id).with_for_update()).all()
    jobs = Jobs(session, [job for one in rows for job in (one.job, one.undo_job)])
    return [one for one in rows if stands(one, jobs.answer(one))]


def _gone(standing: Sequence[CheckAnswer], shown: Sequence[Shown]) -> list[CheckAnswer]:
    seen = {one.key for one in shown}
    return [one for one in standing if not seen.intersection(one.keys or [one.cause])]


def _give(
    session: Session, settings: Settings, check: StoredCheck, run: NightRun, rule: PolicyRule, cause: Shown, *, keys: list[str]
) -> CheckAnswer:
    names = private_names(run)
    answer = CheckAnswer(
        check=check.name,
        fabric=check.fabric,
        night=run.date,
        answer=rule.answer,
        cause=without_names(cause.key, names),
        keys=keys,
        sentence=without_names(f"{cause.sentence}; {_DOES[rule.answer]}", names),
    )
    session.add(answer)
    session.flush()
    principal = system(f"check {check.name}")
    try:
        with session.begin_nested():
            if rule.answer == "draft_campaign":
                answer.campaign = _draft(session, principal, check, run, rule).id
            else:
                answer.job = _enqueue(session, principal, settings, answer, rule.answer).id
    except (IbccError, Problem) as error:
        answer.problem = str(error)
    detail = {
        "answer": answer.answer,
        "id": answer.id,
        "night": run.date.isoformat(),
        "cause": answer.cause,
        "job": answer.job,
        "campaign": answer.campaign,
        "problem": answer.problem,
    }
    record_audit(session, principal, "check.answer", f"check {check.name}", fabric=check.fabric, detail=detail)
    publish_answer(session, check, answer)
    return answer


def _enqueue(session: Session, principal: Principal, settings: Settings, answer: CheckAnswer, action: str) -> Job:
    """Raises Conflict where nobody has said when the fabric may be changed, although a second person is required."""
    fabric = get_fabric(session, answer.fabric)
    if action != "reapply" and not _has_windows(session, fabric) and is_needed(session, settings, fabric):
        raise Conflict(
            f"Fabric '{fabric.name}' requires a second person, and its inventory has no maintenance windows in which its base "
            "profile may be changed without one; roll it back yourself, or add windows under Hosts."
        )
    job = enqueue(session, principal, ANSWER, _arguments(answer, action, principal), fabric=answer.fabric)
    job.not_before = window(session, answer.fabric, now())
    return job


def _arguments(answer: CheckAnswer, action: str, principal: Principal) -> dict[str, Any]:
    owner = f"check {answer.check} of {principal.username}, through the ibcc service"
    return {"fabric": answer.fabric, "owner": owner, "answer": answer.id, "check": answer.check, "action": action}


def _has_windows(session: Session, fabric: Fabric) -> bool:
    row = find_inventory(session, fabric.name)
    return row is not None and bool(inventory_of(row).maintenance)


def _draft(session: Session, principal: Principal, check: StoredCheck, run: NightRun, rule: PolicyRule) -> StoredCampaign:
    """A draft that measures what the check measures, and begins with the profile that it was measured under."""
    fabric = get_fabric(session, check.fabric)
    seen = [one for one in read_check(check.document, name=check.name, fabric=fabric).kinds if isinstance(one, Fairness)]
    failed = {one.subject.partition(".")[0] for one in run.remarks if one.state == FAIL.name}
    seen.sort(key=lambda one: one.entry not in failed)
    settings: dict[str, Any] = {}
    if seen:
        settings = {"workloads": [seen[0].workload], "start_from": [seen[0].profile or PRESENT]}
    name = f"{check.name[:48]} {run.date.isoformat()}"
    request = CampaignRequest(name=name, fabric=fabric, template=rule.template or FIRST, settings=settings)
    return create_campaign(session, principal, request)


def _delete_draft(session: Session, principal: Principal, answer: CheckAnswer) -> None:
    campaign = None if answer.campaign is None else session.get(StoredCampaign, answer.campaign, with_for_update=True)
    if campaign is None:
        return
    if campaign.state != "draft":
        raise Conflict(f"Campaign '{campaign.name}' is {campaign.state} and no draft any more; stop or delete it yourself.")
    delete_campaign(session, principal, campaign)


def _go_back(session: Session, principal: Principal, answer: CheckAnswer) -> None:
    require_no_job(session, answer.fabric)
    get_fabric(session, answer.fabric)
    former = None if answer.undo_job is None else session.get(Job, answer.undo_job)
    assert former is None or former.state not in PENDING, "it is undoing then"
    job = enqueue(session, principal, ANSWER, _arguments(answer, "undo", principal), fabric=answer.fabric)
    answer.undo_job = job.id
