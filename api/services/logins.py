# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Logging in, changing one's password, and slowing down who guesses."""

from dataclasses import dataclass
from datetime import timedelta

from fastapi.concurrency import run_in_threadpool
from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from api.access import hashing, sessions
from api.access.audit import record_audit
from api.access.passwords import is_outdated
from api.access.principal import Principal
from api.access.roles import Role
from api.base.networks import network_of
from api.base.problems import Conflict, Forbidden, TooManyRequests, Unauthenticated
from api.base.times import now
from api.configuration.settings import Settings
from api.database.engine import Database
from api.database.models.login_failure import LoginFailure
from api.database.models.user import User
from api.services.users import end_tokens_of, find_by_name, get_user

# One network may fail for several names, as that of a proxy or a classroom does; one name may fail from several networks, so
# that a stranger cannot lock somebody out of their own desk.
_OF_NETWORK = 5
_OF_NAME = 20


@dataclass(frozen=True, kw_only=True)
class PasswordChange:
    """A new password's hash, which may replace the former one only."""

    former_hash: str
    new_hash: str


@dataclass(frozen=True, kw_only=True)
class _Attempt:
    failure_id: int
    username: str
    network: str
    known_hash: str | None


async def log_in(database: Database, settings: Settings, username: str, password: str, address: str | None) -> User:
    """The person. Raises Unauthenticated, one sentence for all reasons, TooManyRequests, or Unavailable where too many others log
    in.

    Several transactions: a failure is stored, and audited, though the request fails; and none is open while the hash is computed,
    which takes long on purpose.
    """
    username = username.lower()
    stranger = Principal(user_id="", username=username, role=Role.VIEWER, via="session", address=address)
    with hashing.place() as place:
        attempt = await run_in_threadpool(_begin, database, settings, username, address)
        good = await place.verify_password(password, attempt.known_hash)
        new_hash = None
        if good and attempt.known_hash is not None and is_outdated(attempt.known_hash):
            new_hash = await place.hash_password(password)
        return await run_in_threadpool(_end_login, database, attempt, stranger, good, new_hash)


async def check_password_change(
    database: Database, settings: Settings, principal: Principal, current: str, new: str
) -> PasswordChange:
    """The hashes for `change_password`. Raises Forbidden for a wrong password, Conflict if the new one equals it, and what
    `log_in` raises where somebody guesses: failures of both are counted together."""
    with hashing.place() as place:
        attempt = await run_in_threadpool(_begin, database, settings, principal.username, principal.address)
        good = await place.verify_password(current, attempt.known_hash)
        await run_in_threadpool(_end_check, database, attempt, principal, good)
        if current == new:
            raise Conflict("The new password equals the old one; choose another.")
        assert attempt.known_hash is not None, "it was verified"
        return PasswordChange(former_hash=attempt.known_hash, new_hash=await place.hash_password(new))


def change_password(session: Session, principal: Principal, change: PasswordChange, *, keep_tokens: bool) -> None:
    """Sets the person's password, and ends their other sessions and, unless they are kept, tokens. Raises Conflict if it was
    changed meanwhile."""
    user = get_user(session, principal.user_id)
    if user.password_hash != change.former_hash:
        raise Conflict("The password was changed meanwhile; log in with the new one.")
    user.password_hash = change.new_hash
    user.revision += 1
    sessions.end_sessions_of(session, user.id, but=principal.session)
    detail: dict[str, object] = {"password": "changed"}
    if not keep_tokens:
        detail["tokens_ended"] = end_tokens_of(session, user.id)
    record_audit(session, principal, "user.change", f"user {user.username}", detail=detail)


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


def _begin(database: Database, settings: Settings, username: str, address: str | None) -> _Attempt:
    """Counts an attempt as a failure before the password is looked at, so that many guesses at once count too. Raises
    TooManyRequests."""
    network = network_of(address)
    with database.reading() as session:
        _refuse_if_too_many(session, settings, username, network)  # who is refused does not even ask for the lock of writers
    with database.writing() as session:
        start = now() - timedelta(seconds=settings.login_window_s)
        session.execute(delete(LoginFailure).where(LoginFailure.at < start))
        _refuse_if_too_many(session, settings, username, network)
        failure = LoginFailure(username=username, address=network)
        session.add(failure)
        session.flush()
        user = find_by_name(session, username)
        known_hash = None if user is None or user.disabled else user.password_hash
        return _Attempt(failure_id=failure.id, username=username, network=network, known_hash=known_hash)


def _end_login(database: Database, attempt: _Attempt, stranger: Principal, good: bool, new_hash: str | None) -> User:
    user = None
    with database.writing() as session:
        if not good:
            record_audit(session, stranger, "session.refused", f"user {attempt.username}")
        else:
            user = find_by_name(session, attempt.username)
            good = user is not None and not user.disabled and user.password_hash == attempt.known_hash
            session.execute(delete(LoginFailure).where(LoginFailure.id == attempt.failure_id))
            if good and user is not None:
                _forget_failures(session, attempt)
                user.password_hash = new_hash or user.password_hash
    if not good or user is None:
        raise Unauthenticated("The name or the password is wrong, or the account is disabled.")
    return user


def _end_check(database: Database, attempt: _Attempt, principal: Principal, good: bool) -> None:
    with database.writing() as session:
        if good:
            _forget_failures(session, attempt)
        else:
            record_audit(session, principal, "password.refused", f"user {principal.username}")
    if not good:
        raise Forbidden("The current password is wrong.")


def _forget_failures(session: Session, attempt: _Attempt) -> None:
    """Earlier failures from this network are forgotten, as somebody there knew the password; those from others stay."""
    of_both = LoginFailure.username == attempt.username, LoginFailure.address == attempt.network
    session.execute(delete(LoginFailure).where(*of_both))


def _refuse_if_too_many(session: Session, settings: Settings, username: str, network: str) -> None:
    start = now() - timedelta(seconds=settings.login_window_s)
    for limit, *conditions in (
        (settings.login_failures, LoginFailure.username == username, LoginFailure.address == network),
        (settings.login_failures * _OF_NETWORK, LoginFailure.address == network),
        (settings.login_failures * _OF_NAME, LoginFailure.username == username),
    ):
        count, oldest = session.execute(
            select(func.count(), func.min(LoginFailure.at)).where(LoginFailure.at >= start, *conditions)
        ).one()
        if count >= limit:
            wait_s = max(1, round((oldest - start).total_seconds()))
            raise TooManyRequests(
                f"Too many passwords were wrong; try again in {wait_s} seconds.", headers={"Retry-After": str(wait_s)}
            )
