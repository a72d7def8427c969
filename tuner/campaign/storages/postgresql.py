# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Campaigns in PostgreSQL, in a schema of their own: another program's tables, and its Alembic version, are never touched.

libpq reads the address, so that everything works which works in psql: several hosts, `sslmode`, `~/.pgpass`, `PGPASSWORD`.
"""

import hashlib
import os
import socket
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from optuna.storages import RDBStorage
from sqlalchemy.exc import SQLAlchemyError

from tuner.campaign.storages.base import STORAGES
from tuner.errors import BadInputError, UnreachableError
from tuner.products import require_package

if TYPE_CHECKING:
    import psycopg

SCHEMA = "ibcc_campaigns"

_RELEASE_S = 3.0
"""Time that the server may take to notice that a killed process's connection is gone."""

# A coordinator whose machine died holds its lock until the server gives the connection up: after a minute, not after two hours.
_SERVER_OPTIONS = {
    "search_path": SCHEMA,
    "tcp_keepalives_idle": "30",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
}
_SECRETS = ("password", "sslpassword", "passfile", "sslkey")


class PostgresqlStorage:
    """`postgresql://USER@HOST/DATABASE`. Campaigns of different names run at the same time."""

    def __init__(self, location: str) -> None:
        psycopg = _psycopg()
        try:
            self._parameters: dict[str, Any] = dict(psycopg.conninfo.conninfo_to_dict(location))
        except psycopg.Error:
            # libpq's own sentence may hold the password.
            raise BadInputError(
                "--storage postgresql://… is not an address that PostgreSQL's library reads; "
                "postgresql://USER@HOST/DATABASE would be right"
            ) from None

    @property
    def label(self) -> str:
        shown = {key: str(value) for key, value in self._parameters.items() if key not in _SECRETS and value is not None}
        user, host, port = shown.pop("user", ""), shown.pop("host", ""), shown.pop("port", "")
        database = shown.pop("dbname", "")
        if "/" in host or "," in host:  # a socket's folder, or several hosts, do not fit before the path
            shown |= {"host": host} | ({"port": port} if port else {})
            host = port = ""
        place = (f"{quote(user)}@" if user else "") + host + (f":{port}" if port else "")
        return f"postgresql://{place}/{quote(database)}" + (f"?{urlencode(shown)}" if shown else "")

    def exists(self) -> bool:
        with self._connection() as connection:
            row = connection.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.studies",)).fetchone()
            return row is not None and row[0] is not None

    def lock(self, campaign: str) -> "AdvisoryLock":
        connection = self._connection()
        deadline = time.monotonic() + _RELEASE_S
        while not _scalar(connection, "SELECT pg_try_advisory_lock(%s)", _key(campaign)):
            if time.monotonic() >= deadline:
                owner = _owner(connection, campaign)
                connection.close()
                raise BadInputError(
                    f"campaign '{campaign}' in {self.label} is in use by {owner or 'another process'}; "
                    "wait until it ends, or give the campaign another name"
                )
            time.sleep(0.1)
        return AdvisoryLock(connection, self.label)

    def owner(self, campaign: str) -> str | None:
        with self._connection() as connection:
            return _owner(connection, campaign)

    def connect(self) -> RDBStorage:
        # Two coordinators that start at once would both create the tables.
        with self._connection() as connection:
            connection.execute("SELECT pg_advisory_lock(%s)", (_key(""),))
            try:
                connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
                # The address without anything in it: SQLAlchemy prints the one it has.
                return RDBStorage("postgresql+psycopg://", engine_kwargs={"creator": self._open, "pool_pre_ping": True})
            except (SQLAlchemyError, RuntimeError, _psycopg().Error) as error:
                reason = str(getattr(error, "orig", error)).splitlines()[0]
                raise BadInputError(f"{self.label} cannot hold a campaign: {reason}") from error

    def sync(self) -> None:
        """The server's `synchronous_commit` decides."""

    def discard(self) -> None:
        """A database that people made is left to them."""

    def _connection(self) -> "psycopg.Connection[Any]":
        psycopg = _psycopg()
        try:
            return self._open(autocommit=True)
        except psycopg.OperationalError as error:
            raise UnreachableError(f"{self.label} cannot be reached: {' '.join(str(error).split())}") from error

    def _open(self, *, autocommit: bool = False) -> "psycopg.Connection[Any]":
        given = self._parameters.get("options")
        options = " ".join(([str(given)] if given else []) + [f"-c {key}={value}" for key, value in _SERVER_OPTIONS.items()])
        own = {"options": options, "application_name": f"ibcc {os.getpid()} on {socket.gethostname()}"[:63]}
        defaults = {"connect_timeout": 10, "keepalives_idle": 30}
        connection: psycopg.Connection[Any] = _psycopg().connect(**(defaults | self._parameters | own), autocommit=autocommit)
        return connection


class AdvisoryLock:
    """Held by a connection: the server gives it free when the process, or its machine, is gone."""

    def __init__(self, connection: "psycopg.Connection[Any]", label: str) -> None:
        self._connection = connection
        self._label = label

    def require(self) -> None:
        try:
            self._connection.execute("SELECT 1")
        except _psycopg().OperationalError as error:
            raise UnreachableError(
                f"the connection to {self._label} was lost, and with it the campaign's lock; finished trials are kept"
            ) from error

    def close(self) -> None:
        self._connection.close()


def _owner(connection: "psycopg.Connection[Any]", campaign: str) -> str | None:
    unsigned = _key(campaign) % 2**64
    row = connection.execute(
        """SELECT a.application_name FROM pg_locks l JOIN pg_stat_activity a USING (pid)
           WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 AND l.classid::bigint = %s AND l.objid::bigint = %s
             AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())""",
        (unsigned >> 32, unsigned & 0xFFFFFFFF),
    ).fetchone()
    if row is None:
        return None
    return str(row[0]).replace("ibcc ", "process ", 1) or "another process"


def _key(campaign: str) -> int:
    """Returns the key of the campaign's advisory lock: 64 bits, signed."""
    return int.from_bytes(hashlib.sha256(f"ibcc campaign {campaign}".encode()).digest()[:8], "big", signed=True)


def _scalar(connection: "psycopg.Connection[Any]", query: str, *parameters: object) -> object:
    row = connection.execute(query, parameters).fetchone()
    return None if row is None else row[0]


def _psycopg() -> Any:
    require_package("psycopg", "--storage postgresql://…")
    import psycopg

    return psycopg


STORAGES.add("postgresql", PostgresqlStorage)
STORAGES.add("postgres", PostgresqlStorage)
