# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Promotions to production: a person has seen the plan and confirms it by its digest. Where the settings or the fabric require
it, a second person does too. Either what was confirmed is done, or nothing.

The plan is from the base to the profile, so that a trial run of whoever asks or approves leaves it as it is; the promotion ends
that trial run. Another base or another fabric makes another plan: what was asked for before is outdated."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.access.audit import record_audit
from api.access.principal import Principal
from api.base.problems import Conflict, NotFound, Problem
from api.base.times import now
from api.configuration.settings import Settings
from api.database.models.job import Job
from api.database.models.promotion import Promotion
from api.http.pages import Key, PageQuery, paginate
from api.queue.table import enqueue
from api.services.fabric_actions import Deferred, FabricView, owner_of, require_no_experiment
from api.services.fabric_documents import plan_document
from api.services.fabrics import require_no_job
from api.services.outdated_promotions import object_of, outdate, publish_promotion
from api.services.ownership import Behind, behind, require_two_people, why_one_person
from api.services.second_person import is_needed
from api.states.jobs import GIVEN_UP
from api.states.promotions import PROMOTIONS, PromotionAction
from tuner.errors import IbccError


class PlanChanged(Conflict):
    title = "Plan changed"
    explanation = (
        "The plan is not the one that was shown: the base, the fabric or the profile has changed. Look at the plan again, and "
        "decide again."
    )


def list_promotions(
    session: Session, principal: Principal, page: PageQuery, *, fabric: str | None, state: str | None
) -> tuple[list[Promotion], str | None]:
    """Newest first."""
    query = select(Promotion)
    if fabric is not None:
        query = query.where(Promotion.fabric == fabric)
    if state is not None:
        query = query.where(Promotion.state == state)
    if principal.fabrics is not None:
        query = query.where(Promotion.fabric.in_(sorted(principal.fabrics)))
    return paginate(session, query, [Key(Promotion.id, descending=True)], page)


def get_promotion(session: Session, principal: Principal, promotion_id: str, *, locked: bool = False) -> Promotion:
    """Raises NotFound, also for one of a fabric that one may not use."""
    promotion = session.get(Promotion, promotion_id, with_for_update=locked)
    if promotion is None or not principal.may_use(promotion.fabric):
        raise NotFound(f"There is no promotion {promotion_id!r:.80}.")
    return promotion


def create_promotion(
    session: Session, principal: Principal, settings: Settings, view: FabricView, plan_digest: str, comment: str
) -> Promotion:
    """With its job, or pending where a second person has to approve. Raises PlanChanged and Busy."""
    assert view.profile is not None
    assert view.plan is not None
    _require_plan(view, plan_digest)
    _require_free(session, principal, view)
    fabric = view.fabric
    needs_second = is_needed(session, settings, fabric)
    asking = behind(session, principal)
    promotion = Promotion(
        fabric=fabric.name,
        profile=view.profile.name,
        version=view.profile.version,
        document=view.plan.wanted,
        plan_digest=plan_digest,
        plan=plan_document(session, view.plan, view.profile).model_dump(mode="json"),
        comment=comment,
        state="pending",
        created_by=principal.username,
        created_by_id=principal.user_id,
        behind=dict(asking.hands),
        behind_givers=dict(asking.givers),
    )
    session.add(promotion)
    session.flush()
    detail = {"promotion": promotion.id, "plan": plan_digest, "devices": view.plan.devices, "mads": view.plan.mads}
    record_audit(session, principal, "promotion.create", object_of(promotion), fabric=fabric.name, detail=detail)
    if not needs_second:
        _start(session, principal, promotion, view)
    publish_promotion(session, promotion)
    return promotion


def repeat(
    session: Session, principal: Principal, settings: Settings, promotion: Promotion, found: Deferred[FabricView]
) -> Promotion:
    """Returns a new promotion for what the plan is now, which waits for approval. Raises Conflict for one that is not outdated,
    that was asked for again already, or where nobody would look at the new plan; and Busy."""
    _require(promotion, "repeat")
    view = found.get()
    assert view.plan is not None
    if not is_needed(session, settings, view.fabric):
        raise Conflict(
            f"Promotions on fabric '{promotion.fabric}' need no second person any more, so nobody would read the new plan; plan "
            f"profile '{promotion.profile}' version {promotion.version} again, and promote it with the digest of that plan."
        )
    query = select(Promotion.id).where(
        Promotion.fabric == promotion.fabric,
        Promotion.profile == promotion.profile,
        Promotion.version == promotion.version,
        Promotion.state == "pending",
    )
    if (again := session.scalar(query.limit(1))) is not None:
        raise Conflict(f"Promotion {again} asks for the same already; it waits for approval.")
    return create_promotion(session, principal, settings, view, view.plan.digest, promotion.comment)


def approve(session: Session, principal: Principal, promotion: Promotion, found: Deferred[FabricView], comment: str) -> Promotion:
    """`found`: the fabric and the plan as they are now. Raises Forbidden for one's own, Conflict for one that is decided,
    PlanChanged and Busy."""
    if promotion.state == "outdated":
        raise PlanChanged(f"Promotion {promotion.id} is outdated: {promotion.problem}; ask for it again.")
    _require(promotion, "approve")
    require_two_people(session, principal, promotion.created_by_id, _asked(promotion), "this promotion")
    view = found.get()
    assert view.plan is not None
    _require_plan(view, promotion.plan_digest)
    _require_free(session, principal, view, promotion.created_by)
    _decide(session, principal, promotion, "promotion.approve", comment, _ended(view))
    _start(session, principal, promotion, view)
    publish_promotion(session, promotion)
    return promotion


def reject(session: Session, principal: Principal, promotion: Promotion, comment: str) -> Promotion:
    """Also one's own: whoever asked may change their mind. Raises Conflict for one that is decided."""
    _require(promotion, "reject")
    promotion.state = "rejected"
    _decide(session, principal, promotion, "promotion.reject", comment)
    publish_promotion(session, promotion)
    return promotion


def note_plan(session: Session, promotion: Promotion, found: Deferred[FabricView]) -> None:
    """Makes a promotion outdated that waits for approval, if its plan is another one now than the one that was shown. A fabric
    that cannot be reached tells nothing, nor does an older plugin during a trial run, which cannot plan from the base."""
    try:
        view = found.get()
    except (IbccError, Problem):
        return
    assert view.plan is not None
    if view.plan.current != view.state.base:
        return
    if view.plan.digest != promotion.plan_digest:
        base = view.state.base
        outdate(session, promotion, None if base is None else base.document)


def actions_of(session: Session, principal: Principal, promotion: Promotion) -> list[PromotionAction]:
    """Returns the actions that the principal may take on the promotion now."""

    def is_another() -> bool:
        return why_one_person(session, principal, promotion.created_by_id, _asked(promotion), "this promotion") is None

    return PROMOTIONS.actions(principal.role, promotion.state, is_another=is_another)


def present_state(session: Session, promotion: Promotion) -> tuple[str, str | None]:
    """(state, problem), also where the job was lost or cancelled before it wrote them."""
    if promotion.state != "running" or promotion.job is None:
        return promotion.state, promotion.problem
    job = session.get(Job, promotion.job)
    if job is None or job.state in GIVEN_UP:
        return "failed", (job.problem if job else None) or "its job was cancelled"
    return "done" if job.state == "done" else "running", None


def _require_plan(view: FabricView, digest: str) -> None:
    assert view.plan is not None
    if view.plan.digest != digest:
        raise PlanChanged(
            f"plan_digest {digest[:12]}… is not the digest of the present plan, {view.plan.digest[:12]}…: the fabric or "
            "the profile has changed since the plan was shown; ask for the plan again and confirm that."
        )


def _require_free(session: Session, principal: Principal, view: FabricView, asker: str | None = None) -> None:
    """A trial run of the principal, or of whoever asked, ends with the promotion. Raises Busy."""
    require_no_job(session, view.fabric.name)
    people = [principal.username, *([] if asker is None else [asker])]
    require_no_experiment(view, *(owner_of(one) for one in people))


def _ended(view: FabricView) -> dict[str, Any]:
    """Returns the trial run that the promotion ends."""
    experiment = view.state.experiment
    return {} if experiment is None else {"ended": experiment.profile.name, "owner": experiment.owner}


def _require(promotion: Promotion, action: PromotionAction) -> None:
    """Raises Conflict."""
    if refusal := PROMOTIONS.refusal(action, promotion.state, promotion.id):
        raise Conflict(refusal)


def _asked(promotion: Promotion) -> Behind:
    """Returns the people who could have asked for the promotion."""
    return Behind(hands=promotion.behind or {}, givers=promotion.behind_givers or {})


def _decide(
    session: Session, principal: Principal, promotion: Promotion, action: str, comment: str, more: Mapping[str, Any] = {}
) -> None:
    promotion.decided_at, promotion.decided_by, promotion.decision_comment = now(), principal.username, comment
    detail = {"promotion": promotion.id, "comment": comment, **more}
    record_audit(session, principal, action, object_of(promotion), fabric=promotion.fabric, detail=detail)


def _start(session: Session, principal: Principal, promotion: Promotion, view: FabricView) -> None:
    """Its job ends the trial run that `_require_free` has let pass: it works in the name of that one's owner."""
    experiment = view.state.experiment
    arguments = {
        "fabric": promotion.fabric,
        "owner": owner_of(principal.username) if experiment is None else experiment.owner,
        "promotion": promotion.id,
        "profile": promotion.profile,
        "version": promotion.version,
        "document": promotion.document,
    }
    job = enqueue(session, principal, "promote", arguments, fabric=promotion.fabric)
    promotion.state, promotion.job = "running", job.id
