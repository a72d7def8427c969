# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Logging in and out, and the first start."""

from typing import Annotated

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from api.access import sessions
from api.access.dependencies import CurrentSettings, Open, Reading, Viewer, Writing
from api.access.passwords import MAX_LENGTH
from api.audit import record_audit
from api.openapi import also
from api.problems import Conflict, Forbidden, TooManyRequests, Unauthenticated
from api.routes.fields import Body, NewPassword, Text, Username
from api.routes.users import UserDocument, user_document
from api.services import logins, ownership, setup, users

router = APIRouter(tags=["session"])


class SetupState(BaseModel):
    needed: bool = Field(description="Whether nobody has an account yet.")


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
    csrf_token: str | None = Field(description="For X-CSRF-Token; null where a token asks, which needs none.")


@router.get("/setup", dependencies=[Open], response_model=SetupState)
def get_setup(session: Reading) -> object:
    """Whether the first admin is still to be made."""
    return {"needed": setup.is_needed(session)}


@router.post("/setup", dependencies=[Open], status_code=201, response_model=SessionDocument, responses=also(Conflict, Forbidden))
def make_first_admin(
    request: Request, response: Response, session: Writing, settings: CurrentSettings, body: FirstAdmin
) -> object:
    """Makes the first admin, with the token of the link that the first start printed, and logs them in."""
    _require_own_site(request)
    address = request.client.host if request.client else None
    user = setup.make_first_admin(session, body.token, body.username, body.password, address)
    secret = logins.start_session(session, settings, user, address, request.cookies.get(sessions.COOKIE))
    sessions.set_cookie(request, response, secret, settings.session_lifetime_s)
    return {"user": user_document(session, user), "csrf_token": sessions.csrf_token(secret)}


@router.post("/welcome", dependencies=[Open], status_code=204, responses=also(Forbidden))
def take_account(request: Request, session: Writing, body: Welcome) -> None:
    """Sets the password of the account that a link is for, which works once. All its sessions and tokens end."""
    _require_own_site(request)
    ownership.take(session, body.token, body.password, request.client.host if request.client else None)


@router.post(
    "/session",
    dependencies=[Open],
    status_code=201,
    response_model=SessionDocument,
    responses=also(Unauthenticated, Forbidden, TooManyRequests),
)
def log_in(request: Request, response: Response, session: Writing, settings: CurrentSettings, body: Login) -> object:
    """Logs in: sets the session's cookie, and gives the CSRF token that goes with it."""
    _require_own_site(request)
    address = request.client.host if request.client else None
    user = logins.log_in(request.app.state.database, settings, body.username, body.password, address)
    secret = logins.start_session(session, settings, user, address, request.cookies.get(sessions.COOKIE))
    sessions.set_cookie(request, response, secret, settings.session_lifetime_s)
    return {"user": user_document(session, user), "csrf_token": sessions.csrf_token(secret)}


@router.get("/session", response_model=SessionDocument)
def get_session(request: Request, principal: Viewer, session: Reading) -> object:
    """Who one is; a page that was loaded anew gets its CSRF token here."""
    user = users.get_user(session, principal.user_id)
    secret = request.cookies.get(sessions.COOKIE) if principal.session else None
    shown = user_document(session, user).model_copy(update={"role": principal.role})
    return {"user": shown, "csrf_token": sessions.csrf_token(secret) if secret else None}


@router.delete("/session", status_code=204)
def log_out(request: Request, response: Response, principal: Viewer, session: Writing) -> None:
    """Ends the session."""
    if principal.session is None:
        raise Forbidden("A token has no session to end; revoke it with DELETE /api/v1/tokens/ID.")
    sessions.end_session(session, request.cookies[sessions.COOKIE])
    record_audit(session, principal, "session.end", f"user {principal.username}")
    sessions.clear_cookie(request, response)


def _require_own_site(request: Request) -> None:
    """A page of another site must not log its visitors in, under a name of its choice. Browsers say where requests are from."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise Forbidden("Logging in from a page of another site is refused; open the service's own page.")
