# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tokens: queries and rules."""

from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.access.audit import record_audit
from api.access.principal import Principal
from api.access.roles import Role
from api.access.tokens import new_token
from api.base.identifiers import digest
from api.base.problems import Forbidden, InvalidInput, NotFound
from api.base.times import now, rfc3339
from api.configuration.settings import Settings
from api.database.models.token import Token
from api.http.pages import Key, PageQuery, paginate


def list_tokens(session: Session, principal: Principal, page: PageQuery) -> tuple[list[Token], str | None]:
    """One's own; everybody's for an admin whose token, if any, is for all fabrics."""
    query = select(Token)
    if not _is_everybodys(principal):
        query = query.where(Token.user_id == principal.user_id)
    return paginate(session, query, [Key(Token.id, descending=True)], page)


def _is_everybodys(principal: Principal) -> bool:
    return principal.role is Role.ADMIN and principal.fabrics is None


def get_token(session: Session, principal: Principal, token_id: str) -> Token:
    """Raises NotFound, also for somebody else's."""
    token = session.get(Token, token_id)
    if token is None or (token.user_id != principal.user_id and not _is_everybodys(principal)):
        raise NotFound(f"You have no token {token_id!r:.80}.")
    return token


def create_token(
    session: Session,
    principal: Principal,
    settings: Settings,
    *,
    name: str,
    role: Role,
    expires_at: datetime,
    fabrics: list[str] | None,
) -> tuple[Token, str]:
    """The token and its secret, which is not stored. Raises Forbidden for more than one may do oneself, InvalidInput."""
    if not principal.role.covers(role):
        raise Forbidden(f"A token cannot have the role {role}, as your own role is {principal.role} here.")
    if principal.fabrics is not None and (fabrics is None or not principal.fabrics.issuperset(fabrics)):
        raise Forbidden(f"A token made with this one can be for {', '.join(sorted(principal.fabrics))} only.")
    moment = now()
    longest = moment + timedelta(seconds=settings.token_lifetime_s)
    if not moment < expires_at <= longest:
        raise InvalidInput.of_field("expires_at", f"{rfc3339(expires_at)} is not between now and {rfc3339(longest)}")
    secret = new_token()
    token = Token(
        name=name,
        digest=digest(secret),
        role=role,
        fabrics=None if fabrics is None else sorted(set(fabrics)),
        user_id=principal.user_id,
        expires_at=expires_at,
    )
    session.add(token)
    session.flush()
    session.refresh(token)
    detail_of = {"role": role, "fabrics": token.fabrics, "expires_at": rfc3339(expires_at)}
    record_audit(session, principal, "token.create", f"token {name}", detail=detail_of)
    return token, secret


def revoke_token(session: Session, principal: Principal, token: Token) -> None:
    session.delete(token)
    record_audit(session, principal, "token.revoke", f"token {token.name}", detail={"user": token.user.username})
