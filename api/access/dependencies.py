# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Declarations of who may call a route: a parameter of type `Viewer`, `Operator` or `Admin`, which gives the `Principal`, or the
mark `Open` on the route. `api.server.app` refuses to start with a route that has neither.
"""

import hmac
from collections.abc import Callable
from typing import Annotated, Any, TypeAlias, TypeVar

import structlog
from fastapi import Depends, Request
from fastapi.dependencies.models import Dependant
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from api.access import sessions, tokens
from api.access.parameters import require_known_parameters
from api.access.principal import Principal
from api.access.roles import Role
from api.base.problems import Forbidden, Unauthenticated
from api.base.times import now
from api.configuration.settings import Settings
from api.database.engine import Database
from api.database.models.login_session import LoginSession
from api.database.models.token import Token

_log = structlog.get_logger()

_SAFE = ("GET", "HEAD", "OPTIONS")

UNATTENDED_HEADER = "X-Unattended"
"""A page sends it with what it asks by itself, when nobody has touched it for a while."""

_no_activity: set[Callable[..., Any]] = set()

Route = TypeVar("Route", bound=Callable[..., Any])


def no_activity(route: Route) -> Route:
    """Marks a route that pages call while nobody sits there: a session's idle time continues."""
    _no_activity.add(route)
    return route


def authenticate(request: Request) -> Principal:
    """Returns the request's principal, who is asked for once. Raises Unauthenticated, and Forbidden if another site may have made
    a browser send it."""
    known: Principal | None = getattr(request.state, "principal", None)
    if known is None:
        unattended = UNATTENDED_HEADER in request.headers or request.scope.get("endpoint") in _no_activity
        known = request.state.principal = identify(request, is_activity=not unattended)
    return known


def identify(request: Request, *, is_activity: bool) -> Principal:
    """Returns who sends the request now, whoever it was before; raises as `authenticate`. `is_activity`: somebody sits there, so
    that a session's idle time begins again."""
    database: Database = request.app.state.database
    settings: Settings = request.app.state.settings
    address = request.client.host if request.client else None
    header = request.headers.get("authorization")
    if header is not None:
        scheme, _, secret = header.partition(" ")
        if scheme.lower() != "bearer":
            raise _unauthenticated("The Authorization header is not Bearer with a token of ibcc; Bearer ibcc_… would be right.")
        with database.reading() as session:
            token = tokens.find_token(session, secret.strip())
            if token is None:
                raise _unauthenticated("The token is unknown, has expired or was revoked; create a new one.")
            principal = tokens.principal_of(token, address)
            touch = tokens.needs_touch(token)
        if touch:
            _touch(database, Token, token.id)
        return principal
    if cookie := request.cookies.get(sessions.COOKIE):
        with database.reading() as session:
            found = sessions.find_session(session, settings, cookie)
            if found is None:
                raise _unauthenticated("The session has ended; log in again.")
            principal = sessions.principal_of(found, address)
            touch = sessions.needs_touch(found)
        _require_own_page(request, cookie)
        if touch and is_activity:
            _touch(database, LoginSession, found.digest)
        return principal
    raise _unauthenticated("This needs a session or a token: log in, or send Authorization: Bearer ibcc_….")


def _require_own_page(request: Request, secret: str) -> None:
    if request.method in _SAFE:
        return
    given = request.headers.get(sessions.CSRF_HEADER, "")
    if not hmac.compare_digest(given.encode(), sessions.csrf_token(secret).encode()):
        raise Forbidden(f"The header {sessions.CSRF_HEADER} is missing or wrong; send the csrf_token from GET /api/v1/session.")


def _unauthenticated(detail: str) -> Unauthenticated:
    return Unauthenticated(detail, headers={"WWW-Authenticate": 'Bearer realm="ibcc"'})


def _touch(database: Database, model: Any, key: str) -> None:
    try:
        with database.writing(durable=False) as session:
            if (row := session.get(model, key)) is not None:
                row.used_at = now()
    except SQLAlchemyError as error:  # whoever reads is not kept from it by a disk that is full
        _log.warning("used_at.not_stored", error=str(error).splitlines()[0])


class RequiredRole:
    """A dependency that lets those pass who have at least that role, and whose token is for the fabric in the path, if any."""

    def __init__(self, role: Role) -> None:
        self.role = role

    def __call__(self, request: Request, principal: Annotated[Principal, Depends(authenticate)]) -> Principal:
        request.state.role = principal.role  # what a refusal may tell depends on it
        principal.require_role(self.role)
        if (fabric := request.path_params.get("fabric")) is not None:
            principal.require_fabric(fabric)
        require_known_parameters(request)
        return principal


class RequiredEverywhere(RequiredRole):
    """For what is no fabric's own. Who may make people, or set their passwords, may do with these what a token may not."""

    def __call__(self, request: Request, principal: Annotated[Principal, Depends(authenticate)]) -> Principal:
        principal = super().__call__(request, principal)
        principal.require_all_fabrics("user accounts may use all fabrics")
        return principal


Viewer: TypeAlias = Annotated[Principal, Depends(RequiredRole(Role.VIEWER))]
Operator: TypeAlias = Annotated[Principal, Depends(RequiredRole(Role.OPERATOR))]
Admin: TypeAlias = Annotated[Principal, Depends(RequiredRole(Role.ADMIN))]
AdminOfPeople: TypeAlias = Annotated[Principal, Depends(RequiredEverywhere(Role.ADMIN))]


def anybody(request: Request) -> None:
    """The dependency of a route that everybody may call, logged in or not."""
    require_known_parameters(request)


def acting(role: Role) -> Any:
    """For an action of a table in `api.states`: `principal: Annotated[Principal, acting(JOBS.role("cancel"))]`."""
    return Depends(RequiredRole(role))


Open = Depends(anybody)
"""In a route's `dependencies=[Open]`: everybody may call it."""


def declared_role(dependant: Dependant) -> Role | None:
    """The role that a route asks for; None: it is open. Raises LookupError where it does not say, or says two."""
    said: set[Role | None] = set()
    waiting = [dependant]
    while waiting:
        one = waiting.pop()
        waiting += one.dependencies
        if one.call is anybody:
            said.add(None)
        elif isinstance(one.call, RequiredRole):
            said.add(one.call.role)
    if len(said) != 1:
        raise LookupError(f"a route has to declare one of Viewer, Operator, Admin and Open; this one has {said or 'none'}")
    return said.pop()


def reads_database(dependant: Dependant) -> bool:
    """True if a route reads the database before its function runs: for authentication, or to begin a transaction."""
    waiting = [dependant]
    while waiting:
        one = waiting.pop()
        waiting += one.dependencies
        if one.call in (authenticate, _reading, _writing):
            return True
    return False


def _reading(request: Request) -> Any:
    with request.app.state.database.reading() as session:
        yield session


def _writing(request: Request) -> Any:
    with request.app.state.database.writing() as session:
        yield session


# The scope matters: the commit comes before the answer, so that what was answered is stored.
Reading: TypeAlias = Annotated[Session, Depends(_reading, scope="function")]
"""A transaction that only reads."""
Writing: TypeAlias = Annotated[Session, Depends(_writing, scope="function")]
"""A transaction that is committed when the route returns, and rolled back when it raises. Services never commit."""


def _settings(request: Request) -> Settings:
    settings: Settings = request.app.state.settings
    return settings


CurrentSettings: TypeAlias = Annotated[Settings, Depends(_settings)]
