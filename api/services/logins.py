# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Logging in, and slowing down who guesses."""

from datetime import timedelta

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from api.access import sessions
from api.access.passwords import hash_password, is_outdated, verify_password
from api.access.principal import Principal
from api.access.roles import Role
from api.audit import record_audit
from api.database.engine import Database
from api.database.models.login_failure import LoginFailure
from api.database.models.user import User
from api.problems import TooManyRequests, Unauthenticated
from api.services.users import find_by_name
from api.settings import Settings
from api.times import now

# One address may fail for several names, as that of a proxy or a classroom does; one name may fail from several addresses, so
# that a stranger cannot lock somebody out of their own desk.
_OF_ADDRESS = 5
_OF_NAME = 20


def log_in(database: Database, settings: Settings, username: str, password: str, address: str | None) -> User:
    """The person. Raises Unauthenticated, one sentence for all reasons, or TooManyRequests.

    Several transactions: a failure is stored, and audited, though the request fails; and none is open while the hash is computed,
    which takes long on purpose.
    """
    username = username.lower()
    where = address or "unknown"
    with database.writing() as session:
        _refuse_if_too_many(session, settings, username, where)
        # Counted before the password is looked at, so that many guesses at once count too.
        failure = LoginFailure(username=username, address=where)
        session.add(failure)
        session.flush()
        failure_id = failure.id
        user = find_by_name(session, username)
        known_hash = None if user is None or user.disabled else user.password_hash
    good = verify_password(password, known_hash)
    with database.writing() as session:
        if not good:
            stranger = Principal(user_id="", username=username, role=Role.VIEWER, via="session", address=address)
            record_audit(session, stranger, "session.refused", f"user {username}")
        else:
            user = find_by_name(session, username)
            good = user is not None and not user.disabled and user.password_hash == known_hash
            session.execute(delete(LoginFailure).where(LoginFailure.id == failure_id))
            if good and user is not None:
                # Earlier failures from this address are forgotten, as somebody there knew the password; those from others stay.
                session.execute(delete(LoginFailure).where(LoginFailure.username == username, LoginFailure.address == where))
                if is_outdated(user.password_hash):
                    user.password_hash = hash_password(password)
    if not good or user is None:
        raise Unauthenticated("The name or the password is wrong, or the account is disabled.")
    return user


def start_session(session: Session, settings: Settings, user: User, address: str | None, replaced: str | None) -> str:
    """The secret of a new session, in place of the one that the browser had."""
    if replaced:
        sessions.end_session(session, replaced)
    sessions.sweep(session)
    who = Principal(user_id=user.id, username=user.username, role=Role(user.role), via="session", address=address)
    user.last_login_at = now()  # of the answer too, whose object belongs to no session
    session.execute(update(User).where(User.id == user.id).values(last_login_at=user.last_login_at))
    record_audit(session, who, "session.start", f"user {user.username}")
    return sessions.open_session(session, settings, user.id)


def _refuse_if_too_many(session: Session, settings: Settings, username: str, address: str) -> None:
    start = now() - timedelta(seconds=settings.login_window_s)
    session.execute(delete(LoginFailure).where(LoginFailure.at < start))
    for limit, *conditions in (
        (settings.login_failures, LoginFailure.username == username, LoginFailure.address == address),
        (settings.login_failures * _OF_ADDRESS, LoginFailure.address == address),
        (settings.login_failures * _OF_NAME, LoginFailure.username == username),
    ):
        count, oldest = session.execute(select(func.count(), func.min(LoginFailure.at)).where(*conditions)).one()
        if count >= limit:
            wait_s = max(1, round((oldest - start).total_seconds()))
            raise TooManyRequests(
                f"Too many logins have failed; try again in {wait_s} seconds.", headers={"Retry-After": str(wait_s)}
            )
