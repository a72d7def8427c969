# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Accepting nights as a check's baseline, and taking that back."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.base.problems import Conflict, InvalidInput, NotFound
from api.base.times import now
from api.database.models.check import CheckRun, StoredCheck
from api.services.checks.events import record_change
from api.services.checks.files import present_check
from api.services.checks.history import baseline_of
from tuner.checks.acceptance import chosen_nights, require_known
from tuner.checks.store.baseline import Baseline, accepted_baseline
from tuner.errors import BadInputError


def get_baseline(row: StoredCheck) -> Baseline:
    """Raises NotFound."""
    baseline = baseline_of(row)
    if baseline is None:
        raise NotFound(f"Check '{row.name}' has no baseline yet; accept some of its nights.")
    return baseline


def accept(
    session: Session,
    principal: Principal,
    row: StoredCheck,
    *,
    last: int | None,
    first: date | None,
    until: date | None,
    only: Sequence[str] = (),
) -> Baseline:
    """Makes nights the baseline; the present one becomes the former one. Raises InvalidInput for fewer than 5 observed nights,
    for a choice that is not one of the two, and for entries and metrics that it does not have."""
    query = select(CheckRun.date, CheckRun.observed).where(CheckRun.check == row.name)
    runs: Sequence[Any] = session.execute(query).all()
    if (last is None) == (first is None and until is None):
        raise InvalidInput.of_field("last", "give either last, or first and until: the nights to accept")
    try:
        nights = chosen_nights(runs, last=last, first=first, until=until)
    except BadInputError as error:
        raise InvalidInput.of_field("first" if last is None else "last", error.sentence) from error
    try:
        named = require_known(present_check(session, row), only) if only else ()
        accepted = accepted_baseline(
            baseline_of(row),
            nights,
            up_to=row.last_number,
            by=principal.username,
            at=now().isoformat(timespec="milliseconds"),
            only=named,
        )
    except BadInputError as error:
        raise InvalidInput.of_field("only", error.sentence) from error
    row.baseline = accepted.to_text()
    detail = {"nights": len(nights), "first": nights[0].isoformat(), "last": nights[-1].isoformat(), "only": list(accepted.only)}
    record_change(session, principal, row, "accept", detail)
    return accepted


def undo_accept(session: Session, principal: Principal, row: StoredCheck) -> Baseline:
    """Puts the former baseline back, once. Raises Conflict if there is none."""
    present = baseline_of(row)
    if present is None or present.former is None:
        raise Conflict(f"Check '{row.name}' has no former baseline; there is nothing to undo.")
    row.baseline = present.former.to_text()
    record_change(session, principal, row, "undo_accept", {"nights": len(present.former.nights)})
    return present.former
