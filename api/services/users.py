# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""People: queries and rules."""

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from api.access import sessions
from api.access.audit import record_audit
from api.access.principal import Principal
from api.access.roles import Role
from api.base.problems import Conflict, NotFound
from api.database.models.job import Job
from api.database.models.token import Token
from api.database.models.user import User
from api.http.pages import Key, PageQuery, paginate
from api.queue.table import request_cancel
from api.services.ownership import touched

_SETS_DEVICES = ("apply", "promote")
"""Jobs that put a profile on a fabric: the others read, or take devices back."""


def any_user(session: Session) -> bool:
    return session.scalar(select(User.id).limit(1)) is not None


def find_by_name(session: Session, username: str) -> User | None:
    return session.scalars(select(User).where(User.username == username.lower())).one_or_none()


def get_user(session: Session, user_id: str) -> User:
    """Raises NotFound."""
    user = session.get(User, user_id)
    if user is None:
        raise NotFound(f"There is no user {user_id!r:.80}.")
    return user


def list_users(session: Session, page: PageQuery) -> tuple[list[User], str | None]:
    return paginate(session, select(User), [Key(User.username)], page)


def create_user(session: Session, principal: Principal, username: str, password_hash: str, role: Role) -> User:
    """The password is hashed beforehand, while no transaction is open. Raises Conflict if the name is taken."""
    if find_by_name(session, username) is not None:
        raise Conflict(f"There is a user '{username.lower()}' already; choose another name.")
    user = User(username=username.lower(), role=role, password_hash=password_hash)
    session.add(user)
    session.flush()
    touched(session, principal, user)
    record_audit(session, principal, "user.create", f"user {user.username}", detail={"role": role})
    return user


def change_user(
    session: Session,
    principal: Principal,
    user: User,
    *,
    role: Role | None = None,
    disabled: bool | None = None,
    password_hash: str | None = None,
    keep_tokens: bool = False,
) -> None:
    """Changes what is not None. A new password ends the user's sessions and, unless they are kept, tokens: whoever knew the
    old one may have made some. What someone who may no longer set devices has asked for, and waits, is cancelled. Raises
    Conflict where that would leave nobody who can administer."""
    loses_admin = user.role == Role.ADMIN and not user.disabled and ((role is not None and role != Role.ADMIN) or disabled)
    if loses_admin:
        require_other_admin(session, user)
    detail: dict[str, object] = {}
    if role is not None and role != user.role:
        detail["role"] = {"from": user.role, "to": role}
        user.role = role
    if disabled is not None and disabled != user.disabled:
        detail["disabled"] = user.disabled = disabled
    if password_hash is not None:
        detail["password"] = "changed"
        user.password_hash = password_hash
        if not keep_tokens:
            detail["tokens_ended"] = end_tokens_of(session, user.id)
    if password_hash is not None or detail.get("disabled") is False:
        touched(session, principal, user)
    if "disabled" in detail or "password" in detail:
        sessions.end_sessions_of(session, user.id, but=principal.session if principal.user_id == user.id else None)
    if user.disabled or not Role(user.role).covers(Role.OPERATOR):
        detail |= _cancel_waiting(session, user)
    user.revision += 1
    record_audit(session, principal, "user.change", f"user {user.username}", detail=detail)


def end_tokens_of(session: Session, user_id: str) -> int:
    """Ends all tokens of a user; returns their number."""
    return len(session.scalars(delete(Token).where(Token.user_id == user_id).returning(Token.id)).all())


def end_sessions(session: Session, principal: Principal, user: User, *, with_tokens: bool = False) -> tuple[int, int]:
    """Ends all browser sessions of a user, and perhaps their tokens; returns the numbers of both."""
    ended = sessions.end_sessions_of(session, user.id)
    ended_tokens = end_tokens_of(session, user.id) if with_tokens else 0
    detail = {"sessions_ended": ended, "tokens_ended": ended_tokens}
    record_audit(session, principal, "session.end_all", f"user {user.username}", detail=detail)
    return ended, ended_tokens


def delete_user(session: Session, principal: Principal, user: User) -> None:
    """With their sessions and tokens. Raises Conflict as change_user()."""
    if user.role == Role.ADMIN and not user.disabled:
        require_other_admin(session, user)
    detail = _cancel_waiting(session, user)
    session.delete(user)
    record_audit(session, principal, "user.delete", f"user {user.username}", detail=detail)


def _cancel_waiting(session: Session, user: User) -> dict[str, int]:
    """Cancels the user's jobs that wait and would put a profile on a fabric; their number, for the audit log."""
    waiting = select(Job).where(Job.created_by == user.username, Job.kind.in_(_SETS_DEVICES), Job.state == "queued")
    jobs = session.scalars(waiting.with_for_update()).all()
    for job in jobs:
        request_cancel(session, job)
    return {"jobs_cancelled": len(jobs)} if jobs else {}


def require_other_admin(session: Session, user: User) -> None:
    others = select(func.count()).select_from(User).where(User.role == Role.ADMIN, ~User.disabled, User.id != user.id)
    if not session.scalar(others):
        raise Conflict(f"{user.username} is the only admin; make somebody else an admin first.")
