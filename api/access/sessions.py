# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Browser sessions: a random cookie, its digest in the table, and a CSRF token that follows from the cookie.

A login always makes a new secret and ends the session that the browser had, so that nobody can plant one (session fixation).
"""

import hmac
from datetime import timedelta

from fastapi import Request, Response
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.access.roles import Role
from api.base.identifiers import digest, new_secret
from api.base.times import now
from api.configuration.settings import Settings
from api.database.models.login_session import LoginSession

COOKIE = "ibcc_session"
CSRF_HEADER = "X-CSRF-Token"

_TOUCHED_S = 60
"""A session's last use is written no more often than that: reading would otherwise be writing."""


def csrf_token(secret: str) -> str:
    """Returns the token that a page sends with every request that changes something; making it takes the cookie's secret."""
    return hmac.new(secret.encode(), b"ibcc csrf token", "sha256").hexdigest()


def open_session(session: Session, settings: Settings, user_id: str) -> str:
    """The secret of a new session."""
    secret = new_secret()
    session.add(
        LoginSession(digest=digest(secret), user_id=user_id, expires_at=now() + timedelta(seconds=settings.session_lifetime_s))
    )
    return secret


def find_session(session: Session, settings: Settings, secret: str) -> LoginSession | None:
    """The session of that secret, if it is still good and its person too."""
    found = session.get(LoginSession, digest(secret))
    if found is None or found.user.disabled:
        return None
    moment = now()
    if found.expires_at <= moment or found.used_at + timedelta(seconds=settings.session_idle_s) <= moment:
        return None
    return found


def needs_touch(found: LoginSession) -> bool:
    return found.used_at + timedelta(seconds=_TOUCHED_S) <= now()


def principal_of(found: LoginSession, address: str | None) -> Principal:
    user = found.user
    return Principal(
        user_id=user.id, username=user.username, role=Role(user.role), via="session", session=found.digest, address=address
    )


def end_session(session: Session, secret: str) -> None:
    session.execute(delete(LoginSession).where(LoginSession.digest == digest(secret)))


def end_sessions_of(session: Session, user_id: str, but: str | None = None) -> int:
    """Ends all of a person's sessions, except the one whose digest is given; returns their number."""
    found = [
        login
        for login in session.scalars(select(LoginSession).where(LoginSession.user_id == user_id)).unique()
        if login.digest != but
    ]
    for one in found:
        session.delete(one)
    return len(found)


def sweep(session: Session) -> None:
    """Forgets sessions that are over."""
    session.execute(delete(LoginSession).where(LoginSession.expires_at <= now()))


def set_cookie(request: Request, response: Response, secret: str, lifetime_s: int) -> None:
    response.set_cookie(
        COOKIE, secret, max_age=lifetime_s, path="/", httponly=True, samesite="strict", secure=request.url.scheme == "https"
    )


def clear_cookie(request: Request, response: Response) -> None:
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict", secure=request.url.scheme == "https")
