# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A service of each test's own."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from api.access import passwords
from api.base import logs
from api.configuration.settings import Settings
from api.database import engine
from api.database.engine import Database
from api.database.upgrade import upgrade
from api.middleware.request_log import RequestLog
from tests.api.hash_guard import GuardedHasher, apart, noted
from tests.api.service import Service, migrated
from tests.postgresql import Server

_numbers = itertools.count()

_with_schema: set[Server] = set()
"""Servers that have the database that others are copies of."""


logs.use_logging()

SHIPPED_DURABLE = engine.DURABLE
# Nobody cuts the power, and to wait for the disk takes longer than most transactions; tests/api/power_cut has what users start.
engine.DURABLE = "OFF"


@pytest.fixture(autouse=True)
def quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passwords are hashed as the service does it, with the least work; test_passwords.py has the real parameters. A hash fails
    where its request, or its thread, has a transaction open that writes: everybody who writes would wait for it."""
    monkeypatch.setattr(passwords, "_hasher", GuardedHasher(time_cost=1, memory_cost=8, parallelism=1))
    monkeypatch.setattr(passwords, "_made", [])
    monkeypatch.setattr(Database, "writing", noted(Database.writing))
    monkeypatch.setattr(RequestLog, "__call__", apart(RequestLog.__call__))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Those of a service that keeps everything in the test's folder; nothing of the machine's own settings. Agents may be
    processes of this machine."""
    return Settings(state_folder=tmp_path / "state", workers=0, inventory_programs=True)


@pytest.fixture
def service(settings: Settings) -> Iterator[Service]:
    """In SQLite, without the threads that run jobs and hand out events; `service.running()` has those."""
    one = Service(settings)
    yield one
    one.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database of each kind: empty, or with today's schema for a test that takes `database` or `any_service`."""
    empty = not {"database", "any_service"} & set(request.fixturenames)
    if request.param == "sqlite":
        if not empty:
            (tmp_path / "ibcc.db").write_bytes(migrated())
        return f"sqlite:///{tmp_path / 'ibcc.db'}"
    server: Server = request.getfixturevalue("postgresql")
    return server.address(f"service_{next(_numbers)}", template=None if empty else _migrated(server))


def _migrated(server: Server) -> str:
    """The name of a database with today's schema and nothing in it."""
    name = "service_migrated"
    if server not in _with_schema:
        database = Database(server.address(name))
        upgrade(database.engine)
        database.close()
        _with_schema.add(server)
    return name


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """With today's schema, of each kind."""
    one = Database(database_url)
    yield one
    one.close()


@pytest.fixture
def any_service(database_url: str, tmp_path: Path) -> Iterator[Service]:
    """As `service`, in each kind of database."""
    one = Service(Settings(state_folder=tmp_path / "state", workers=0, database_url=database_url, inventory_programs=True))
    yield one
    one.close()
