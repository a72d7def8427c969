# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Whose an account is. Whoever makes an account, enables it again or sets its password could use it themselves: it is in their
hands, and in those that their own account is in, until its owner has taken it.

The owner takes it by a link that works once and sets a password. Another admin, in whose hands it is not, gives that link, and
confirms so that the account is a person's; or it is printed on the machine, and another admin confirms the account after it was
used. Where no other admin is left who could, a day passes instead. Whoever gives a link has seen it: with one to an account
that is in nobody's hands, an admin takes it into theirs, until another admin confirms it.

Two accounts are two people for an approval if no hands have been in both, and none that could use the one has given the other
one its link. All of that is as it was when a link was given, or something asked for: what became of those accounts later, or that
they are gone, makes nobody forget a link.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from api.access import sessions
from api.access.audit import record_audit
from api.access.principal import Principal
from api.access.roles import Role
from api.base.identifiers import digest, new_secret
from api.base.problems import Conflict, Forbidden
from api.base.times import now
from api.database.models.token import Token
from api.database.models.user import User

LINK_LASTS = timedelta(days=3)
ALONE_FOR = timedelta(hours=24)
"""Time after which an account that was taken by a link from the machine is its owner's, where there is no other admin."""


@dataclass(frozen=True, kw_only=True)
class Behind:
    """People who could be using an account: names by id. Stored with a request that the account makes, since hands are forgotten
    later."""

    hands: Mapping[str, str]
    """The account itself, and the people in whose hands it is."""
    givers: Mapping[str, str]
    """People who could have used the link by which it was taken: its giver, and those who could have used the giver's link."""

    @property
    def everybody(self) -> dict[str, str]:
        return {**self.hands, **self.givers}


def touched(session: Session, principal: Principal, user: User) -> None:
    """Notes that the account was touched by somebody who could use it from now on. Whoever has the machine could use every
    account, and is not counted."""
    if principal.user_id not in ("", user.id):
        user.hands = hands_of(session, user) | behind(session, principal).everybody
    _forget_link(user)
    user.taken_at = None


def hands_of(session: Session, user: User) -> dict[str, str]:
    """Returns the people in whose hands the account is, names by id; empty once it is its owner's."""
    hands = dict(user.hands or {})
    waited = user.taken_at is not None and user.taken_at + ALONE_FOR <= now()
    # Time does it after a link that no admin has seen, and no other one.
    if hands and waited and not user.givers and not _could_confirm(session, user):
        return {}
    return hands


def lacks(session: Session, user: User) -> str | None:
    """Returns the step that is missing until the account is its owner's: `link` or `confirmation`; None if it is."""
    if not hands_of(session, user):
        return None
    return "link" if user.taken_at is None else "confirmation"


def behind(session: Session, principal: Principal) -> Behind:
    """All who could be asking now."""
    user = session.get(User, principal.user_id)
    own = {principal.user_id: principal.username}
    if user is None:
        return Behind(hands=own, givers={})
    return Behind(hands=own | hands_of(session, user), givers=dict(user.givers or {}))


def require_two_people(session: Session, principal: Principal, asker_id: str, asked: Behind, what: str) -> None:
    """Raises Forbidden where one of `asked`, who could have asked, could be the one who approves."""
    if refusal := why_one_person(session, principal, asker_id, asked, what):
        raise Forbidden(refusal)


def why_one_person(session: Session, principal: Principal, asker_id: str, asked: Behind, what: str) -> str | None:
    """Returns a sentence that says why the approver could be one of `asked`, the people who could have asked; None if these are
    two people."""
    if principal.user_id == asker_id:
        return f"{principal.username} asked for {what}; another operator must approve it."
    own, other = session.get(User, principal.user_id), session.get(User, asker_id)
    if own is None or other is None:
        return f"The account that asked for {what} was deleted, so nobody can say whose it was; ask again."
    approving = behind(session, principal)
    asking = Behind(
        hands={asker_id: other.username, **asked.hands, **hands_of(session, other)},
        givers={**asked.givers, **(other.givers or {})},
    )
    names = f"{other.username} or {own.username}"
    if both := _common(approving.hands, asking.hands):
        return (
            f"{both} made or re-enabled the account of {names}, or set its password, so both could be one person: "
            f"somebody else must approve {what}. Nobody but the owner has the account after a link from another admin."
        )
    if both := _common(approving.hands, asking.givers) or _common(approving.givers, asking.hands):
        return (
            f"{both} gave a link to the account of {names}, or could have used it, so both could be one person: somebody "
            f"else must approve {what}."
        )
    return None


def give_link(session: Session, principal: Principal, user: User) -> str:
    """The secret of a link, the only one that works; that another admin gives it confirms the account. Raises Forbidden where the
    account is in that admin's hands, and Conflict for one's own and a disabled one."""
    if principal.user_id == user.id:
        raise Conflict(f"{user.username} is your own account; change its password under Account.")
    if user.disabled:
        raise Conflict(f"The account of {user.username} is disabled; enable it first.")
    if principal.user_id:
        _require_uninvolved(session, principal, user)
    secret = new_secret()
    _forget_link(user)
    user.link_digest, user.link_expires_at = digest(secret), now() + LINK_LASTS
    if principal.user_id:
        giver = behind(session, principal)
        user.link_by_id, user.link_behind, user.link_givers = principal.user_id, dict(giver.hands), dict(giver.givers)
    user.revision += 1
    record_audit(session, principal, "user.link", f"user {user.username}")
    return secret


def find_linked(session: Session, secret: str) -> User:
    """The user whom a link with that secret is for. Raises Forbidden if there is none."""
    query = select(User).where(User.link_digest == digest(secret)).with_for_update()
    user = session.scalars(query).one_or_none()
    if user is None or user.disabled or user.link_expires_at is None or user.link_expires_at <= now():
        raise Forbidden(
            "The link was used, has expired after three days or was replaced; ask the admin who gave it for a new one."
        )
    return user


def take(session: Session, secret: str, password_hash: str, address: str | None) -> User:
    """Gives the account to whoever has the link's secret. Whatever else opened the account does so no more. Raises Forbidden."""
    user = find_linked(session, secret)
    user.password_hash = password_hash
    if user.link_by_id is None:
        user.givers, user.taken_at = None, now()
    else:
        giver, givers = dict(user.link_behind or {}), dict(user.link_givers or {})
        if hands_of(session, user):  # not the giver's, which confirms it: those of whose hands the giver's account was in remain
            user.hands, user.taken_at = {one: name for one, name in giver.items() if one != user.link_by_id} or None, None
        else:
            user.hands, user.taken_at = giver | givers, now()
        user.givers = {user.link_by_id: giver[user.link_by_id]} | givers
    _forget_link(user)
    user.revision += 1
    sessions.end_sessions_of(session, user.id, but=None)
    session.execute(delete(Token).where(Token.user_id == user.id))
    who = Principal(user_id=user.id, username=user.username, role=Role(user.role), via="link", address=address)
    record_audit(session, who, "user.take", f"user {user.username}")
    return user


def confirm(session: Session, principal: Principal, user: User) -> None:
    """Confirms that the account's owner has taken it by a link that confirms nothing by itself. Raises Forbidden and Conflict."""
    if principal.user_id == user.id or lacks(session, user) != "confirmation":
        raise Conflict(
            f"The account of {user.username} needs no confirmation; give its owner a link instead, if it is not theirs yet."
        )
    _require_uninvolved(session, principal, user)
    user.hands, user.taken_at = None, None
    user.revision += 1
    record_audit(session, principal, "user.confirm", f"user {user.username}")


def _forget_link(user: User) -> None:
    user.link_digest = user.link_expires_at = user.link_by_id = user.link_behind = user.link_givers = None


def _common(some: Mapping[str, str], others: Mapping[str, str]) -> str | None:
    """The name of somebody who is in both."""
    return min((name for one, name in some.items() if one in others), default=None)


def _require_uninvolved(session: Session, principal: Principal, user: User) -> None:
    if both := _common(behind(session, principal).everybody, hands_of(session, user)):
        raise Forbidden(
            f"{both} made or re-enabled the account of {user.username}, set its password or could have used a link to it; "
            f"another admin must confirm it, or print a link on the machine: ibcc user link {user.username}."
        )


def _could_confirm(session: Session, user: User) -> bool:
    """True if there is an admin who may confirm the account."""
    hands = set(user.hands or {})
    admins = session.scalars(select(User).where(User.role == Role.ADMIN, ~User.disabled, User.id != user.id))
    return any(hands.isdisjoint([admin.id, *(admin.hands or ()), *(admin.givers or ())]) for admin in admins)
