# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""People, by an admin; and one's own password."""

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
"""Where the owner of an account sets the password."""


class UserDocument(BaseModel):
    id: str
    username: str
    role: Role
    created_at: Time
    disabled: bool
    in_hands_of: list[str] = Field(
        description="Who made or re-enabled it, or set its password: it approves nothing of theirs, nor they of its, until its "
        "owner has taken it."
    )
    lacks: Literal["link", "confirmation"] | None = Field(
        description="What it takes until it is its owner's: a link of another admin's, or, after one was used that confirms "
        "nothing, another admin's confirmation."
    )


class LinkDocument(BaseModel):
    """Shown once, to the admin who gives it to the account's owner."""

    path: str = Field(description="Of the page, below the service's address. The secret stands behind the `#`.")
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
    """What is left out stays as it is."""

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
        disabled=user.disabled,
        in_hands_of=sorted(ownership.hands_of(session, user).values()),
        lacks=ownership.lacks(session, user),
    )


@router.get("/users", response_model=Page[UserDocument])
def list_users(admin: AdminOfPeople, session: Reading, page: Paging) -> object:
    """Everybody, by name."""
    items, cursor = users.list_users(session, page)
    return {"items": [user_document(session, one) for one in items], "next_cursor": cursor}


@router.post("/users", status_code=201, responses=also(Conflict))
def create_user(admin: AdminOfPeople, session: Writing, body: NewUser, response: Response) -> UserDocument:
    """Adds a person. The account is in one's hands until its owner takes it by another admin's link: `create_user_link`."""
    user = users.create_user(session, admin, body.username, body.password, body.role)
    set_etag(response, user.revision)
    response.headers["Location"] = f"/api/v1/users/{user.id}"
    return user_document(session, user)


@router.post("/users/me/password", status_code=204, responses=also(Conflict))
def change_own_password(principal: Viewer, session: Writing, body: PasswordChange) -> None:
    """Sets one's own password, and ends one's other sessions."""
    if principal.session is None:
        raise Forbidden("A token cannot change a password; log in.")
    user = users.get_user(session, principal.user_id)
    if not verify_password(body.current, user.password_hash):
        raise Forbidden("The current password is wrong.")
    if body.current == body.new:
        raise Conflict("The new password is the old one; choose another.")
    user.password_hash = hash_password(body.new)
    user.revision += 1
    sessions.end_sessions_of(session, user.id, but=principal.session)
    record_audit(session, principal, "user.change", f"user {user.username}", detail={"password": "changed"})


@router.get("/users/{user_id}")
def get_user(admin: AdminOfPeople, session: Reading, user_id: Id, response: Response) -> UserDocument:
    """One person; the ETag is for changes."""
    user = users.get_user(session, user_id)
    set_etag(response, user.revision)
    return user_document(session, user)


@router.patch("/users/{user_id}", responses=also(Conflict))
def change_user(
    admin: AdminOfPeople, session: Writing, user_id: Id, body: UserChange, response: Response, if_match: IfMatch = None
) -> UserDocument:
    """Changes role or password, disables or enables. Ends the person's sessions where it has to."""
    user = users.get_user(session, user_id)
    require_match(if_match, user.revision, f"user {user.username}")
    users.change_user(session, admin, user, role=body.role, disabled=body.disabled, password=body.password)
    set_etag(response, user.revision)
    return user_document(session, user)


@router.post("/users/{user_id}/link", status_code=201, responses=also(Conflict))
def create_user_link(
    admin: AdminOfPeople, session: Writing, user_id: Id, response: Response, if_match: IfMatch = None
) -> LinkDocument:
    """A link by which the owner of an account sets a password, once; former links are void. With it an admin in whose hands the
    account is not confirms that it is a person's, and hands the link to them."""
    user = users.get_user(session, user_id)
    require_match(if_match, user.revision, f"user {user.username}")
    secret = ownership.give_link(session, admin, user)
    set_etag(response, user.revision)
    assert user.link_expires_at is not None
    return LinkDocument(path=f"{LINK_PAGE}#token={secret}", secret=secret, expires_at=user.link_expires_at)


@router.post("/users/{user_id}/confirm", responses=also(Conflict))
def confirm_user(
    admin: AdminOfPeople, session: Writing, user_id: Id, response: Response, if_match: IfMatch = None
) -> UserDocument:
    """Confirms that the account's owner has taken it. For links that confirm nothing by themselves, as one from the machine."""
    user = users.get_user(session, user_id)
    require_match(if_match, user.revision, f"user {user.username}")
    ownership.confirm(session, admin, user)
    set_etag(response, user.revision)
    return user_document(session, user)


@router.delete("/users/{user_id}", status_code=204, responses=also(Conflict))
def delete_user(admin: AdminOfPeople, session: Writing, user_id: Id, if_match: IfMatch = None) -> None:
    """Removes a person, their sessions and tokens. What they did stays in the audit log."""
    user = users.get_user(session, user_id)
    require_match(if_match, user.revision, f"user {user.username}")
    users.delete_user(session, admin, user)
