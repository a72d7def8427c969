# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc user`: users in the service's database, for whoever has the machine: recovery when nobody can log in."""

import getpass
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, TypeAlias

import typer

from api.access.passwords import MAX_LENGTH, MIN_LENGTH, hash_password
from api.access.principal import machine_user
from api.access.roles import Role
from api.base.problems import Problem
from api.base.times import rfc3339
from api.configuration.settings import load_settings
from api.database.engine import Database
from api.database.models.user import User
from api.database.upgrade import upgrade
from api.http.pages import MAX_LIMIT, PageQuery
from api.services import users
from api.services.fabric_access import publish_change
from api.services.fabrics import get_fabric
from api.services.ownership import LINK_LASTS, give_link
from api.services.second_person import NOTICE_LASTS, reset
from tuner.cli import common
from tuner.errors import BadInputError

app = typer.Typer(no_args_is_help=True, help="Manage users in the service's database: add them, set passwords and roles.")

DatabaseOption: TypeAlias = Annotated[
    str | None, typer.Option("--database-url", metavar="URL", help="Database of the service; by default that of the settings.")
]


@app.command()
def add(
    username: Annotated[str, typer.Argument(help="User name: letters, digits, `.`, `_`, `@`, `-`.")],
    role: Annotated[Role, typer.Option(help="Role of the user.")] = Role.VIEWER,
    database_url: DatabaseOption = None,
) -> None:
    """Add a user. The password is read from the terminal, or from standard input when that is not a terminal.

    Example: `ibcc user add anna --role admin`
    """
    from pydantic import TypeAdapter, ValidationError

    from api.routes.fields import Username

    try:
        TypeAdapter(Username).validate_python(username)
    except ValidationError as error:
        raise BadInputError(f"username '{username}': {error.errors()[0]['msg']}") from None
    with _database(database_url) as database:
        password_hash = hash_password(_password())
        with database.writing() as session:
            users.create_user(session, machine_user(), username, password_hash, role)
    common.note(f"{username.lower()} can log in as {role}")


@app.command()
def password(
    username: Annotated[str, typer.Argument(help="User name.")],
    keep_tokens: Annotated[bool, typer.Option("--keep-tokens", help="Keep the user's tokens valid.")] = False,
    database_url: DatabaseOption = None,
) -> None:
    """Set a user's password, and enable the account. The user's sessions and tokens end."""
    with _database(database_url) as database:
        password_hash = hash_password(_password())
        with database.writing() as session:
            user = _find(users.find_by_name(session, username), username)
            users.change_user(session, machine_user(), user, disabled=False, password_hash=password_hash, keep_tokens=keep_tokens)
    common.note(f"{username.lower()} can log in with the new password")


@app.command()
def role(
    username: Annotated[str, typer.Argument(help="User name.")],
    role: Annotated[Role, typer.Argument(help="New role.")],
    database_url: DatabaseOption = None,
) -> None:
    """Change a user's role."""
    with _database(database_url) as database, database.writing() as session:
        user = _find(users.find_by_name(session, username), username)
        users.change_user(session, machine_user(), user, role=role)


@app.command()
def end_sessions(
    username: Annotated[str, typer.Argument(help="User name.")],
    tokens: Annotated[bool, typer.Option("--tokens", help="End the user's tokens too.")] = False,
    database_url: DatabaseOption = None,
) -> None:
    """End all browser sessions of a user, for example when a machine was lost.

    Example: `ibcc user end-sessions anna --tokens`
    """
    with _database(database_url) as database, database.writing() as session:
        user = _find(users.find_by_name(session, username), username)
        ended, ended_tokens = users.end_sessions(session, machine_user(), user, with_tokens=tokens)
    common.note(f"{username.lower()} has no session any more ({ended} ended)")
    if tokens:
        common.note(f"{username.lower()} has no token any more ({ended_tokens} ended)")


@app.command()
def second_person(
    fabric: Annotated[str, typer.Argument(help="Name of the fabric.")],
    database_url: DatabaseOption = None,
) -> None:
    """Disable two-person approval for a fabric when no second admin remains. All users see a notice for a week.

    Example: `ibcc user second-person production`
    """
    with _database(database_url) as database, database.writing() as session:
        found = get_fabric(session, fabric, locked=True)
        if not found.second_person:
            raise BadInputError(
                f"fabric '{fabric}' requires no second person; the setting second_person may require one for all fabrics"
            )
        reset(session, machine_user(), found)
        publish_change(session, fabric, "changed")
    common.note(f"promotions on {fabric} need no second person now; all users see a notice for {NOTICE_LASTS.days} days")


@app.command()
def link(username: Annotated[str, typer.Argument(help="User name.")], database_url: DatabaseOption = None) -> None:
    """Print a one-time link by which a user sets a password, for an account that an admin made or re-enabled. Another admin must
    then confirm the account; if there is no other admin, the
    account becomes active after a day.

    Example: `ibcc user link anna`
    """
    from api.routes.users import LINK_PAGE

    with _database(database_url) as database, database.writing() as session:
        user = _find(users.find_by_name(session, username), username)
        secret = give_link(session, machine_user(), user)
    print(f"{LINK_PAGE}#token={secret}")
    days = LINK_LASTS.days
    common.note(f"at the service's address, this page sets the password of {username.lower()}, once and within {days} days")


@app.command(name="list")
def list_users(output: common.OutputOption = common.Output.TABLE, database_url: DatabaseOption = None) -> None:
    """List the users."""
    found: list[User] = []
    with _database(database_url) as database, database.reading() as session:
        cursor = None
        while True:
            some, cursor = users.list_users(session, PageQuery(MAX_LIMIT, cursor))
            found += some
            if cursor is None:
                break
    rows = [(user.username, user.role, "disabled" if user.disabled else "", rfc3339(user.created_at)) for user in found]
    columns = ("username", "role", "state", "created_at")
    if output is common.Output.JSON:
        common.write_json([dict(zip(columns, row, strict=True)) for row in rows], None)
    elif output is common.Output.CSV:
        common.write_csv(columns, rows, None)
    else:
        table = common.table(*columns)
        for row in rows:
            table.add_row(*row)
        common.write_rich([table], None)


@contextmanager
def _database(url: str | None) -> Iterator[Database]:
    settings = load_settings(database_url=url)
    database = Database(settings.database)
    try:
        upgrade(database.engine)
        yield database
    except Problem as problem:
        raise BadInputError(problem.detail) from problem
    finally:
        database.close()


def _find(user: User | None, username: str) -> User:
    if user is None:
        raise BadInputError(f"there is no user '{username}'; `ibcc user list` shows the users")
    return user


def _password() -> str:
    if sys.stdin.isatty():
        given = getpass.getpass("New password: ")
        if getpass.getpass("Repeat the password: ") != given:
            raise BadInputError("the passwords differ; retry")
    else:
        given = sys.stdin.readline().rstrip("\n")
    if not MIN_LENGTH <= len(given) <= MAX_LENGTH:
        raise BadInputError(f"a password of {len(given)} characters is refused; {MIN_LENGTH} to {MAX_LENGTH} would be right")
    return given
