# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Deliveries as they are sent: taken by one server, with a lease, and settled by it (`api.states.deliveries`)."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import cast

from sqlalchemy import ColumnElement, and_, delete, func, or_, select
from sqlalchemy.orm import Session

from api.base.identifiers import new_id
from api.database.engine import Database
from api.database.models.delivery import Delivery
from api.database.unreadable import unreadable_columns
from api.events.severities import Severity
from api.notifiers.message import Message
from api.states.deliveries import ENDED, DeliveryState, DeliveryStep, after

LEASE_S = 120.0
"""Seconds after which a delivery that is being sent is sent again: longer than an attempt and the resolver take together."""
ATTEMPTS = 12
"""Attempts after which a delivery is given up: some two hours."""
_FIRST_PAUSE_S = 10.0
_LONGEST_PAUSE_S = 1800.0
EXPIRES = timedelta(days=1)
"""Age at which a delivery that no server sends is given up: its address stands in no server's settings any more."""


@dataclass(frozen=True)
class Claim:
    """A delivery that this server is to send."""

    token: str
    message: Message


def take(database: Database, address: str, messages_per_hour: int, moment: datetime) -> Claim | None:
    """Takes the oldest delivery of the address that is due, if there is one."""
    with database.reading() as session:
        if session.scalar(select(Delivery.id).where(_due(address, moment)).limit(1)) is None:
            return None
    with database.writing() as session:
        query = select(Delivery).where(_due(address, moment)).order_by(Delivery.due_at, Delivery.id).limit(1)
        row = session.scalars(query.with_for_update(skip_locked=True)).first()
        if row is None:
            return None
        if row.state == "sending":  # by a server that is gone
            _step(row, "lose")
        if names := unreadable_columns(row):
            row.items, row.counts = [], {}
            _step(row, "take")
            _end(row, "give_up", f"its row cannot be read ({', '.join(names)})", moment)
            return None
        if row.attempts >= ATTEMPTS:
            _step(row, "take")
            _end(row, "give_up", row.problem or "the server ended in each attempt", moment)
            return None
        if row.attempts == 0 and not row.test and (later := _free_at(session, address, messages_per_hour, moment)) is not None:
            row.due_at = later
            return None
        _step(row, "take")
        row.attempts += 1
        row.began_at = row.began_at or moment
        row.claim, row.lease_until = new_id(), moment + timedelta(seconds=LEASE_S)
        return Claim(row.claim, message_of(row))


def settle(
    database: Database, claim: Claim, moment: datetime, *, sent: bool, problem: str | None, draw: random.Random | None = None
) -> DeliveryState | None:
    """Records how an attempt went, with a sentence for a failure, or for a remark. Returns the delivery's state; None if another
    server has taken it meanwhile. `draw`: of the pause before the next attempt."""
    with database.writing() as session:
        row = session.get(Delivery, claim.message.id, with_for_update=True)
        if row is None or row.state != "sending" or row.claim != claim.token:
            return None
        if sent:
            _end(row, "succeed", problem, moment)
        elif row.attempts >= ATTEMPTS:
            _end(row, "give_up", problem, moment)
        else:
            _step(row, "retry")
            row.problem, row.claim, row.lease_until = problem, None, None
            row.due_at = moment + timedelta(seconds=pause_s(row.attempts, draw or random.SystemRandom()))
        return cast(DeliveryState, row.state)


def pause_s(attempts: int, draw: random.Random) -> float:
    """Returns the seconds to wait after a number of failed attempts, 1 or more: twice as many each time, half to one and a half
    of that, so that servers and deliveries do not come all at once."""
    return min(_FIRST_PAUSE_S * 2.0 ** (attempts - 1), _LONGEST_PAUSE_S) * draw.uniform(0.5, 1.5)


def sweep(session: Session, moment: datetime, kept_s: float) -> None:
    """Gives up what no server sends, and deletes what has ended `kept_s` seconds ago."""
    for row in session.scalars(
        select(Delivery).where(
            Delivery.state == "pending", Delivery.created_at < moment - EXPIRES, Delivery.due_at < moment - EXPIRES
        )
    ):
        _end(row, "expire", f"no server sent it within a day: is there no {row.address} in the settings?", moment)
    ended = (Delivery.state.in_(ENDED), Delivery.ended_at < moment - timedelta(seconds=kept_s))
    session.execute(delete(Delivery).where(*ended))


def message_of(row: Delivery) -> Message:
    return Message(
        id=row.id,
        address=row.address,
        severity=cast(Severity, row.severity),
        items=row.items,
        counts=cast(Mapping[Severity, int], row.counts),
        created_at=row.created_at,
        test=row.test,
    )


def _due(address: str, moment: datetime) -> ColumnElement[bool]:
    waits = and_(Delivery.state == "pending", Delivery.due_at <= moment)
    lost = and_(Delivery.state == "sending", Delivery.lease_until <= moment)
    return and_(Delivery.address == address, or_(waits, lost))


def _free_at(session: Session, address: str, messages_per_hour: int, moment: datetime) -> datetime | None:
    """Returns when the address may get its next message; None: now."""
    hour = timedelta(hours=1)
    recent = (Delivery.address == address, Delivery.test.is_(False), Delivery.began_at > moment - hour)
    if (session.scalar(select(func.count()).where(*recent)) or 0) < messages_per_hour:
        return None
    # The one whose going makes room, of those that began in the last hour.
    began = session.scalar(
        select(Delivery.began_at).where(*recent).order_by(Delivery.began_at.desc()).offset(messages_per_hour - 1).limit(1)
    )
    return None if began is None else began + hour


def _step(row: Delivery, step: DeliveryStep) -> None:
    row.state = after(cast(DeliveryState, row.state), step)


def _end(row: Delivery, step: DeliveryStep, problem: str | None, moment: datetime) -> None:
    _step(row, step)
    row.problem, row.ended_at, row.claim, row.lease_until = problem, moment, None, None
