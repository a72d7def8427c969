# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tokens of programs."""

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field

from api.access.dependencies import CurrentSettings, Reading, Viewer, Writing
from api.access.roles import Role
from api.base.times import Time
from api.database.models.token import Token
from api.http.pages import Page, Paging
from api.routes.fields import Body, Id, Name, Text
from api.services import tokens

router = APIRouter(tags=["tokens"])


class TokenDocument(BaseModel):
    id: str
    name: str
    username: str = Field(description="Owner of the token.")
    role: Role
    fabrics: list[str] | None = Field(description="Fabrics for which the token is valid; null: all.")
    created_at: Time
    expires_at: Time
    used_at: Time | None = Field(description="Time of the last use, to the minute.")


class NewTokenDocument(TokenDocument):
    secret: str = Field(description="The secret, for `Authorization: Bearer`. It is returned only once.")


class NewToken(Body):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "name": "nightly",
                    "role": "operator",
                    "expires_at": "2027-01-01T00:00:00Z",
                    "fabrics": ["two-switch"],
                }
            ]
        }
    )

    name: Annotated[Text, Field(min_length=1, max_length=64, description="A name for people.")]
    role: Role = Field(description="Role of the token, at most the caller's own.")
    expires_at: Time
    fabrics: Annotated[list[Name], Field(min_length=1, max_length=1000)] | None = None


def _document(token: Token) -> TokenDocument:
    return TokenDocument.model_validate(
        {
            **{name: getattr(token, name) for name in TokenDocument.model_fields if name != "username"},
            "username": token.user.username,
        }
    )


@router.get("/tokens", response_model=Page[TokenDocument])
def list_tokens(principal: Viewer, session: Reading, page: Paging) -> object:
    """List the caller's tokens, newest first; for an admin, the tokens of all users."""
    items, cursor = tokens.list_tokens(session, principal, page)
    return {"items": [_document(token) for token in items], "next_cursor": cursor}


@router.post("/tokens", status_code=201)
def create_token(
    principal: Viewer, session: Writing, settings: CurrentSettings, body: NewToken, response: Response
) -> NewTokenDocument:
    """Create a token, with at most the caller's role."""
    token, secret = tokens.create_token(
        session, principal, settings, name=body.name, role=body.role, expires_at=body.expires_at, fabrics=body.fabrics
    )
    response.headers["Cache-Control"] = "no-store"
    response.headers["Location"] = f"/api/v1/tokens/{token.id}"
    return NewTokenDocument(**_document(token).model_dump(), secret=secret)


@router.delete("/tokens/{token_id}", status_code=204)
def revoke_token(principal: Viewer, session: Writing, token_id: Id) -> None:
    """Revoke a token: it is refused from now on."""
    tokens.revoke_token(session, principal, tokens.get_token(session, principal, token_id))
