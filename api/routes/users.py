# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Users, for admins, and the caller's password."""

from typing import Annotated, Literal, TypeAlias

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy.orm import Session

from api.access import hashing
from api.access.dependencies import AdminOfPeople, CurrentSettings, Reading, Viewer, Writing
from api.access.passwords import MAX_LENGTH
from api.access.roles import Role
from api.access.sessions import clear_cookie
from api.base.problems import Conflict, Forbidden, TooManyRequests
from api.base.times import Time
from api.database.models.user import User
from api.http.openapi import also
from api.http.pages import Page, Paging
from api.http.preconditions import IfMatch, require_match, set_etag
from api.routes.fields import Body, Id, NewPassword, Username
from api.services import logins, ownership, users

router = APIRouter(tags=["users"])


LINK_PAGE = "/welcome"
"""A link by which the owner of an account sets the password."""


class UserDocument(BaseModel):
    id: str
    username: str
    role: Role
    created_at: Time
    last_login_at: Time | None
    disabled: bool
    in_hands_of: list[str] = Field(
        description="Admins who made or re-enabled the account, or set its password. Until its owner has taken it, neither can "
        "approve what the other asks for."
    )
    lacks: Literal["link", "confirmation"] | None = Field(
        description="Step that is missing until nobody but the owner has the account: a link of another admin's, or, after "
        "one was used that confirms nothing, another admin's confirmation."
    )


class LinkDocument(BaseModel):
    """A link that is returned only once, to the admin who gives it to the account's owner."""

    path: str = Field(description="Path of the page, with the secret after the `#`.")
    secret: str
    expires_at: Time


class NewUser(Body):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"username": "anna", "password": "correct horse battery", "role": "operator"}]}
    )

    username: Username
    password: NewPassword
    role: Role


KeepTokens: TypeAlias = Annotated[
    bool,
    Field(
        description="Whether tokens stay valid when the password changes. By default they end: whoever knew the old password may "
        "have made some."
    ),
]


class UserChange(Body):
    """Omitted fields keep their values."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"role": "viewer"}]})

    role: Role | None = None
    disabled: bool | None = None
    password: NewPassword | None = None
    keep_tokens: KeepTokens = False


class PasswordChange(Body):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"current": "correct horse battery", "new": "wrong donkey charger"}]}
    )

    current: Annotated[str, Field(max_length=MAX_LENGTH)]
    new: NewPassword
    keep_tokens: KeepTokens = False


# Passwords are hashed by dependencies, which come before the route's session: a transaction that writes is not open meanwhile.


async def _hash_of_new_user(admin: AdminOfPeople, body: NewUser) -> str:
    with hashing.place() as place:
        return await place.hash_password(body.password)


async def _hash_of_change(admin: AdminOfPeople, body: UserChange) -> str | None:
    if body.password is None:
        return None
    with hashing.place() as place:
        return await place.hash_password(body.password)


async def _password_change(
    request: Request, principal: Viewer, settings: CurrentSettings, body: PasswordChange
) -> logins.PasswordChange:
    if principal.session is None:
        raise Forbidden("A token cannot change a password; log in.")
    return await logins.check_password_change(request.app.state.database, settings, principal, body.current, body.new)


def user_document(session: Session, user: User) -> UserDocument:
    return UserDocument(
        id=user.id,
        username=user.username,
        role=Role(user.role),
        created_at=user.created_at,
        last_login_at=user.last_login_at,
        disabled=user.disabled,
        in_hands_of=sorted(ownership.hands_of(session, user).values()),
        lacks=ownership.lacks(session, user),
    )


@router.get("/users", response_model=Page[UserDocument])
def list_users(admin: AdminOfPeople, session: Reading, page: Paging) -> object:
    """List the users by name."""
    items, cursor = users.list_users(session, page)
    return {"items": [user_document(session, one) for one in items], "next_cursor": cursor}


@router.post("/users", status_code=201, responses=also(Conflict))
def create_user(
    admin: AdminOfPeople,
    password_hash: Annotated[str, Depends(_hash_of_new_user)],
    session: Writing,
    body: NewUser,
    response: Response,
) -> UserDocument:
    """Add a user. The caller could use the account until its owner takes it by another admin's link: `create_user_link`."""
    user = users.create_user(session, admin, body.username, password_hash, body.role)
    set_etag(response, user.revision)
    response.headers["Location"] = f"/api/v1/users/{user.id}"
    return user_document(session, user)


@router.post("/users/me/password", status_code=204, responses=also(Conflict, TooManyRequests))
def change_own_password(
    principal: Viewer, change: Annotated[logins.PasswordChange, Depends(_password_change)], session: Writing, body: PasswordChange
) -> None:
    """Set the caller's password, and end the caller's other sessions and tokens. Wrong passwords are counted as those of logins
    are."""
    logins.change_password(session, principal, change, keep_tokens=body.keep_tokens)


@router.delete("/users/me/sessions", status_code=204)
def end_own_sessions(request: Request, principal: Viewer, session: Writing, response: Response) -> None:
    """End all browser sessions of the caller, on all machines, this one included. Tokens stay valid."""
    users.end_sessions(session, principal, users.get_user(session, principal.user_id))
    if principal.session is not None:
        clear_cookie(request, response)


@router.get("/users/{user_id}")
def get_user(admin: AdminOfPeople, session: Reading, user_id: Id, response: Response) -> UserDocument:
    """Return a user. The ETag is needed for changes."""
    user = users.get_user(session, user_id)
    set_etag(response, user.revision)
    return user_document(session, user)


@router.patch("/users/{user_id}", responses=also(Conflict))
def change_user(
    admin: AdminOfPeople,
    password_hash: Annotated[str | None, Depends(_hash_of_change)],
    session: Writing,
    user_id: Id,
    body: UserChange,
    response: Response,
    if_match: IfMatch = None,
) -> UserDocument:
    """Change role or password, disable or enable. The user's sessions end where that is necessary; with a new password, tokens
    end too."""
    user = users.get_user(session, user_id)
    require_match(if_match, user.revision, f"user {user.username}")
    users.change_user(
        session,
        admin,
        user,
        role=body.role,
        disabled=body.disabled,
        password_hash=password_hash,
        keep_tokens=body.keep_tokens,
    )
    set_etag(response, user.revision)
    return user_document(session, user)


@router.post("/users/{user_id}/link", status_code=201, responses=also(Conflict))
def create_user_link(
    admin: AdminOfPeople, session: Writing, user_id: Id, response: Response, if_match: IfMatch = None
) -> LinkDocument:
    """Create a one-time link by which the owner of an account sets a password; former links are void. An admin who could not use
    the account so far confirms by the link that nobody but the owner has the account."""
    user = users.get_user(session, user_id)
    require_match(if_match, user.revision, f"user {user.username}")
    secret = ownership.give_link(session, admin, user)
    set_etag(response, user.revision)
    response.headers["Location"] = f"/api/v1/users/{user.id}"
    assert user.link_expires_at is not None
    return LinkDocument(path=f"{LINK_PAGE}#token={secret}", secret=secret, expires_at=user.link_expires_at)


@router.post("/users/{user_id}/confirm", responses=also(Conflict))
def confirm_user(
    admin: AdminOfPeople, session: Writing, user_id: Id, response: Response, if_match: IfMatch = None
) -> UserDocument:
    """Confirm that the account's owner has taken it. Needed after a link that confirms nothing, such as one printed on the
    machine."""
    user = users.get_user(session, user_id)
    require_match(if_match, user.revision, f"user {user.username}")
    ownership.confirm(session, admin, user)
    set_etag(response, user.revision)
    return user_document(session, user)


@router.delete("/users/{user_id}", status_code=204, responses=also(Conflict))
def delete_user(admin: AdminOfPeople, session: Writing, user_id: Id, if_match: IfMatch = None) -> None:
    """Remove a user with their sessions and tokens. The audit log keeps their actions."""
    user = users.get_user(session, user_id)
    require_match(if_match, user.revision, f"user {user.username}")
    users.delete_user(session, admin, user)
