# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Users, for admins, and the caller's password."""

from typing import Annotated, Literal

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy.orm import Session

from api.access import sessions
from api.access.dependencies import AdminOfPeople, Reading, Viewer, Writing
from api.access.passwords import MAX_LENGTH, hash_password, verify_password
from api.access.roles import Role
from api.audit import record_audit
from api.database.models.user import User
from api.openapi import also
from api.pages import Page, Paging
from api.preconditions import IfMatch, require_match, set_etag
from api.problems import Conflict, Forbidden
from api.routes.fields import Body, Id, NewPassword, Username
from api.services import ownership, users
from api.times import Time

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
        description="Step that is missing until it is its owner's: a link of another admin's, or, after one was used that "
        "confirms nothing, another admin's confirmation."
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


class UserChange(Body):
    """Omitted fields keep their values."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"role": "viewer"}]})

    role: Role | None = None
    disabled: bool | None = None
    password: NewPassword | None = None


class PasswordChange(Body):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"current": "correct horse battery", "new": "wrong donkey charger"}]}
    )

    current: Annotated[str, Field(max_length=MAX_LENGTH)]
    new: NewPassword


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
def create_user(admin: AdminOfPeople, session: Writing, body: NewUser, response: Response) -> UserDocument:
    """Add a user. The caller could use the account until its owner takes it by another admin's link: `create_user_link`."""
    user = users.create_user(session, admin, body.username, body.password, body.role)
    set_etag(response, user.revision)
    response.headers["Location"] = f"/api/v1/users/{user.id}"
    return user_document(session, user)


@router.post("/users/me/password", status_code=204, responses=also(Conflict))
def change_own_password(principal: Viewer, session: Writing, body: PasswordChange) -> None:
    """Set the caller's password, and end the caller's other sessions."""
    if principal.session is None:
        raise Forbidden("A token cannot change a password; log in.")
    user = users.get_user(session, principal.user_id)
    if not verify_password(body.current, user.password_hash):
        raise Forbidden("The current password is wrong.")
    if body.current == body.new:
        raise Conflict("The new password equals the old one; choose another.")
    user.password_hash = hash_password(body.new)
    user.revision += 1
    sessions.end_sessions_of(session, user.id, but=principal.session)
    record_audit(session, principal, "user.change", f"user {user.username}", detail={"password": "changed"})


@router.get("/users/{user_id}")
def get_user(admin: AdminOfPeople, session: Reading, user_id: Id, response: Response) -> UserDocument:
    """Return a user. The ETag is needed for changes."""
    user = users.get_user(session, user_id)
    set_etag(response, user.revision)
    return user_document(session, user)


@router.patch("/users/{user_id}", responses=also(Conflict))
def change_user(
    admin: AdminOfPeople, session: Writing, user_id: Id, body: UserChange, response: Response, if_match: IfMatch = None
) -> UserDocument:
    """Change role or password, disable or enable. The user's sessions end where that is necessary."""
    user = users.get_user(session, user_id)
    require_match(if_match, user.revision, f"user {user.username}")
    users.change_user(session, admin, user, role=body.role, disabled=body.disabled, password=body.password)
    set_etag(response, user.revision)
    return user_document(session, user)


@router.post("/users/{user_id}/link", status_code=201, responses=also(Conflict))
def create_user_link(
    admin: AdminOfPeople, session: Writing, user_id: Id, response: Response, if_match: IfMatch = None
) -> LinkDocument:
    """Create a one-time link by which the owner of an account sets a password; former links are void. An admin who could not use
    the account so far confirms by the link that the account is its owner's."""
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
