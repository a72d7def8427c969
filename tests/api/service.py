# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A service in this process, with a person and a token for each role."""

import functools
import sqlite3
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import uvicorn
from anyio.from_thread import BlockingPortal, start_blocking_portal
from fastapi.testclient import TestClient

from api.access.passwords import hash_password
from api.access.roles import Role
from api.access.tokens import new_token
from api.base.identifiers import digest
from api.base.times import now
from api.configuration.settings import Settings
from api.database.engine import Database
from api.database.models.token import Token
from api.database.models.user import User
from api.database.upgrade import upgrade
from api.server.app import create_app
from api.server.serving import server_config
from tests.api.documented import documented

PASSWORD = "correct horse battery"
URL = "http://localhost"


@functools.cache
def migrated() -> bytes:
    """An SQLite database with today's schema and nothing in it: a process runs the migrations once."""
    with tempfile.TemporaryDirectory() as folder:
        file, copy = Path(folder, "ibcc.db"), Path(folder, "copy.db")
        database = Database(f"sqlite:///{file}")
        upgrade(database.engine)
        database.close()
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("VACUUM INTO ?", [str(copy)])
        return copy.read_bytes()


class Service:
    """People are named as their roles: viewer, operator, admin."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        file = settings.state_folder / "ibcc.db"
        if not settings.database_url and not file.exists():
            settings.state_folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            file.write_bytes(migrated())
        self.database = Database(settings.database)
        self.app = create_app(settings, self.database)
        self._documented = documented(self.app)
        self._until_closed = ExitStack()

    def close(self) -> None:
        self._until_closed.close()
        self.database.close()

    @functools.cached_property
    def _portal(self) -> BlockingPortal:
        """The event loop that serves all clients of the service: one for each request, with threads of its own, takes longer than
        most requests."""
        return self._until_closed.enter_context(start_blocking_portal())

    def add_person(self, role: Role, username: str | None = None) -> str:
        """The person's id."""
        user = User(username=username or role.value, role=role, password_hash=hash_password(PASSWORD))
        with self.database.writing() as session:
            session.add(user)
        return user.id

    def add_token(self, user_id: str, role: Role, fabrics: list[str] | None = None) -> str:
        """The token's secret."""
        secret = new_token()
        with self.database.writing() as session:
            session.add(
                Token(
                    name=f"of {role}",
                    digest=digest(secret),
                    role=role,
                    fabrics=fabrics,
                    user_id=user_id,
                    expires_at=now() + timedelta(hours=1),
                )
            )
        return secret

    def person_id(self, role: Role) -> str:
        """Whose tokens as_role() uses; made when first asked for."""
        with self.database.reading() as session:
            for user in session.query(User).filter(User.username == role.value):
                return user.id
        return self.add_person(role)

    def anonymous(self) -> TestClient:
        """A client of nobody's, which fails where an answer is not as the OpenAPI document says."""
        client = TestClient(self.app, base_url=URL, raise_server_exceptions=False)
        client.event_hooks = {"response": [self._documented]}
        client.portal = self._portal
        return client

    def as_role(self, role: Role | str, fabrics: list[str] | None = None) -> TestClient:
        """A client with a token."""
        role = Role(role)
        client = self.anonymous()
        client.headers["Authorization"] = f"Bearer {self.add_token(self.person_id(role), role, fabrics)}"
        return client

    def in_browser(self, role: Role | str) -> TestClient:
        """A client that has logged in, and sends the CSRF token."""
        role = Role(role)
        self.person_id(role)
        client = self.anonymous()
        answer = client.post("/api/v1/session", json={"username": role.value, "password": PASSWORD})
        assert answer.status_code == 201, answer.text
        client.headers["X-CSRF-Token"] = answer.json()["csrf_token"]
        return client

    @contextmanager
    def running(self) -> Iterator[None]:
        """With the threads that run jobs and hand out events."""
        with TestClient(self.app, base_url=URL):
            yield

    @contextmanager
    def served(self) -> Iterator[str]:
        """On loopback, by a real server with all its threads; gives the address."""
        config = server_config(self.app, self.settings)
        config.port, config.timeout_graceful_shutdown = 0, 2
        server = uvicorn.Server(config)
        started = threading.Event()
        original = server.startup

        async def startup(sockets: Any = None) -> None:
            await original(sockets)
            started.set()

        server.startup = startup  # type: ignore[method-assign]
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            assert started.wait(60)
            yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        finally:
            self.app.state.hub.end_streams()
            server.should_exit = True
            thread.join(60)
