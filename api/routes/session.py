# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Logging in and out, and the first start."""

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy.orm import Session

from api.access import hashing, sessions
from api.access.audit import record_audit
from api.access.dependencies import CurrentSettings, Open, Reading, Viewer, Writing
from api.access.passwords import MAX_LENGTH
from api.base.problems import Conflict, Forbidden, TooManyRequests, Unauthenticated
from api.database.engine import Database
from api.database.models.user import User
from api.http.openapi import also
from api.routes.fields import Body, NewPassword, Text, Username
from api.routes.users import UserDocument, user_document
from api.services import logins, ownership, setup, users

_SESSION = "/api/v1/session"

router = APIRouter(tags=["session"])


class SetupState(BaseModel):
    needed: bool = Field(description="True if there is no account yet.")


class FirstAdmin(Body):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"token": "from the link that the start printed", "username": "anna", "password": "correct horse battery"}
            ]
        }
    )

    token: Annotated[Text, Field(max_length=200)]
    username: Username
    password: NewPassword


class Welcome(Body):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"token": "from the link that an admin gave", "password": "correct horse battery"}]}
    )

    token: Annotated[Text, Field(max_length=200)]
    password: NewPassword


class Login(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"username": "anna", "password": "correct horse battery"}]})

    username: Annotated[Text, Field(min_length=1, max_length=64)]
    password: Annotated[str, Field(max_length=MAX_LENGTH)]


class SessionDocument(BaseModel):
    user: UserDocument
    csrf_token: str | None = Field(description="Value of the header X-CSRF-Token; null for a token, which needs none.")


# Passwords are hashed by dependencies, which come before the route's session: a transaction that writes is not open meanwhile.


async def _hash_of_first_admin(request: Request, body: FirstAdmin) -> str:
    _require_own_site(request)
    await run_in_threadpool(_reading, request.app.state.database, setup.require_link, body.token)
    with hashing.place() as place:
        return await place.hash_password(body.password)


async def _hash_of_owner(request: Request, body: Welcome) -> str:
    _require_own_site(request)
    await run_in_threadpool(_reading, request.app.state.database, ownership.find_linked, body.token)
    with hashing.place() as place:
        return await place.hash_password(body.password)


async def _logged_in(request: Request, settings: CurrentSettings, body: Login) -> User:
    _require_own_site(request)
    address = request.client.host if request.client else None
    return await logins.log_in(request.app.state.database, settings, body.username, body.password, address)


def _reading(database: Database, ask: Callable[[Session, str], object], secret: str) -> None:
    with database.reading() as session:
        ask(session, secret)


@router.get("/setup", dependencies=[Open], response_model=SetupState)
def get_setup(session: Reading) -> object:
    """Report whether the first admin must still be created."""
    return {"needed": setup.is_needed(session)}


@router.post("/setup", dependencies=[Open], status_code=201, response_model=SessionDocument, responses=also(Conflict, Forbidden))
def make_first_admin(
    request: Request,
    response: Response,
    password_hash: Annotated[str, Depends(_hash_of_first_admin)],
    session: Writing,
    settings: CurrentSettings,
    body: FirstAdmin,
) -> object:
    """Create the first admin, with the token from the link that the first start printed, and log them in."""
    address = request.client.host if request.client else None
    user = setup.make_first_admin(session, body.token, body.username, password_hash, address)
    secret = logins.start_session(session, settings, user, address, request.cookies.get(sessions.COOKIE))
    sessions.set_cookie(request, response, secret, settings.session_lifetime_s)
    response.headers["Location"] = _SESSION
    return {"user": user_document(session, user), "csrf_token": sessions.csrf_token(secret)}


@router.post("/welcome", dependencies=[Open], status_code=204, responses=also(Forbidden))
def take_account(
    request: Request, password_hash: Annotated[str, Depends(_hash_of_owner)], session: Writing, body: Welcome
) -> None:
    """Set the password of an account with its one-time link. All sessions and tokens of the account end."""
    ownership.take(session, body.token, password_hash, request.client.host if request.client else None)


@router.post(
    "/session",
    dependencies=[Open],
    status_code=201,
    response_model=SessionDocument,
    responses=also(Unauthenticated, Forbidden, TooManyRequests),
)
def log_in(
    request: Request,
    response: Response,
    user: Annotated[User, Depends(_logged_in)],
    session: Writing,
    settings: CurrentSettings,
    body: Login,
) -> object:
    """Log in: set the session's cookie and return its CSRF token."""
    address = request.client.host if request.client else None
    secret = logins.start_session(session, settings, user, address, request.cookies.get(sessions.COOKIE))
    sessions.set_cookie(request, response, secret, settings.session_lifetime_s)
    response.headers["Location"] = _SESSION
    return {"user": user_document(session, user), "csrf_token": sessions.csrf_token(secret)}


@router.get("/session", response_model=SessionDocument)
def get_session(request: Request, principal: Viewer, session: Reading) -> object:
    """Return the caller's account and session, with the CSRF token for a page that was reloaded."""
    user = users.get_user(session, principal.user_id)
    secret = request.cookies.get(sessions.COOKIE) if principal.session else None
    shown = user_document(session, user).model_copy(update={"role": principal.role})
    return {"user": shown, "csrf_token": sessions.csrf_token(secret) if secret else None}


@router.delete("/session", status_code=204)
def log_out(request: Request, response: Response, principal: Viewer, session: Writing) -> None:
    """Log out: end the session."""
    if principal.session is None:
        raise Forbidden("A token has no session; revoke the token with DELETE /api/v1/tokens/ID.")
    sessions.end_session(session, request.cookies[sessions.COOKIE])
    record_audit(session, principal, "session.end", f"user {principal.username}")
    sessions.clear_cookie(request, response)


def _require_own_site(request: Request) -> None:
    """A page of another site must not log its visitors in, under a name of its choice. Browsers say where requests are from."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise Forbidden("A login from another site's page is refused; open the service's own page.")
