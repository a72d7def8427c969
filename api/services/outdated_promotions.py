# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Promotions that wait for approval and are outdated: another base, or other devices, make another plan than the one that was
shown."""

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from api.access.audit import record_audit
from api.access.principal import system
from api.database.models.promotion import Promotion
from api.fabric_drivers.base import digest_of
from api.services.fabric_access import publish_change
from ccsim.policy import Profile


def note_base(session: Session, fabric: str, base: str | None) -> None:
    """Makes promotions on a fabric outdated that wait for approval with a plan from another base. `base`: the base's canonical
    text; None: there is none."""
    for promotion in session.scalars(_waiting(fabric)):
        if _from(promotion) != (None if base is None else digest_of(base)):
            outdate(session, promotion, base)


def note_other_devices(session: Session, fabric: str) -> None:
    """Makes promotions on a fabric outdated that wait for approval: its devices are others now."""
    for promotion in session.scalars(_waiting(fabric)):
        outdate(session, promotion, None)


def outdate(session: Session, promotion: Promotion, base: str | None) -> None:
    """Does nothing to one that does not wait. `base`: the present base's canonical text; None: it is not what has changed."""
    if promotion.state != "pending":
        return
    if base is not None and _from(promotion) != digest_of(base):
        current = promotion.plan.get("current")
        before = "there was no base" if current is None else f"the base was '{current['name']}'"
        promotion.problem = f"{before} when it was asked for, and the base is '{Profile.from_text(base).name}' now"
    else:
        promotion.problem = "the fabric's devices are others than when it was asked for"
    promotion.state = "outdated"
    detail = {"promotion": promotion.id, "problem": promotion.problem}
    who = system(f"promotion {promotion.id}")
    record_audit(session, who, "promotion.outdated", object_of(promotion), fabric=promotion.fabric, detail=detail)
    publish_promotion(session, promotion)


def publish_promotion(session: Session, promotion: Promotion) -> None:
    """Publishes the promotion's state to the fabric's topic, with what a sentence for people needs."""
    data = {
        "promotion": promotion.id,
        "state": promotion.state,
        "profile": promotion.profile,
        "version": promotion.version,
        "by": promotion.created_by,
        "decided_by": promotion.decided_by,
        "devices": promotion.plan["totals"]["devices"],
        "problem": promotion.problem,
    }
    publish_change(session, promotion.fabric, "promotion", data)


def object_of(promotion: Promotion) -> str:
    """Returns what the audit log names."""
    return f"profile {promotion.profile} version {promotion.version}"


def _waiting(fabric: str) -> Select[Promotion]:
    return select(Promotion).where(Promotion.fabric == fabric, Promotion.state == "pending")


def _from(promotion: Promotion) -> str | None:
    """Returns the digest of the base that the plan began with; None: there was none."""
    current = promotion.plan.get("current")
    return None if current is None else current["digest"]
