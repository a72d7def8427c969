# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tokens of programs: `ibcc_` and 256 random bits, so that scanners for leaked secrets find them.

A token has a role of its own, at most its person's at the time of use, and may be for some fabrics only.
"""

from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.access.roles import Role
from api.base.identifiers import digest, new_secret
from api.base.times import now
from api.database.models.token import Token

PREFIX = "ibcc_"

_TOUCHED_S = 60


def new_token() -> str:
    return PREFIX + new_secret()


def find_token(session: Session, secret: str) -> Token | None:
    """The token of that secret, if it is still good and its person too."""
    found = session.scalars(select(Token).where(Token.digest == digest(secret))).unique().one_or_none()
    if found is None or found.user.disabled or found.expires_at <= now():
        return None
    return found


def needs_touch(token: Token) -> bool:
    return token.used_at is None or token.used_at + timedelta(seconds=_TOUCHED_S) <= now()


def principal_of(token: Token, address: str | None) -> Principal:
    own, persons = Role(token.role), Role(token.user.role)
    return Principal(
        user_id=token.user.id,
        username=token.user.username,
        role=own if persons.covers(own) else persons,  # a person who was demoted has no token that was not
        via=f"token {token.name}",
        fabrics=None if token.fabrics is None else frozenset(token.fabrics),
        address=address,
    )
