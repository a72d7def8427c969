# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The first start: a link that works once makes the first admin. Only its digest is stored; each start without an admin makes a
new one, and the old one is worthless."""

import hmac

from sqlalchemy import delete
from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.access.roles import Role
from api.base.identifiers import digest, new_secret
from api.base.problems import Conflict, Forbidden
from api.database.models.note import Note
from api.database.models.user import User
from api.services.users import any_user, create_user

_NOTE = "setup"


def is_needed(session: Session) -> bool:
    return not any_user(session)


def new_setup_secret(session: Session) -> str:
    """The secret of a new link; the old one's is forgotten."""
    secret = new_secret()
    session.merge(Note(name=_NOTE, value=digest(secret)))
    return secret


def require_link(session: Session, secret: str) -> None:
    """Raises Conflict once there is somebody, Forbidden for another secret."""
    note = session.get(Note, _NOTE, with_for_update=True)
    if not is_needed(session):
        raise Conflict("The service is set up already; log in, or ask an admin for an account.")
    if note is None or not hmac.compare_digest(note.value, digest(secret)):
        raise Forbidden("The link is not the one that the last start printed; restart `ibcc serve` to get a new one.")


def make_first_admin(session: Session, secret: str, username: str, password_hash: str, address: str | None) -> User:
    """Raises what `require_link` raises."""
    require_link(session, secret)
    who = Principal(user_id="", username=username.lower(), role=Role.ADMIN, via="setup", address=address)
    user = create_user(session, who, username, password_hash, Role.ADMIN)
    session.execute(delete(Note).where(Note.name == _NOTE))
    return user
