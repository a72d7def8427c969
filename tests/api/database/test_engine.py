# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Transactions: readers and the writer do not disturb each other, and nothing half done is stored."""

import stat
import threading
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from api.base.times import now
from api.database import engine
from api.database.engine import Database
from api.database.models.login_session import LoginSession
from api.database.models.note import Note
from tests.api.conftest import SHIPPED_DURABLE
from tuner.errors import BadInputError


def value(database: Database, name: str) -> str | None:
    with database.reading() as session:
        note = session.get(Note, name)
        return None if note is None else note.value


def test_what_a_block_that_raises_wrote_is_not_stored(database: Database) -> None:
    def half() -> None:
        with database.writing() as session:
            session.add(Note(name="a", value="1"))
            session.flush()
            raise RuntimeError("halfway")

    with pytest.raises(RuntimeError, match="halfway"):
        half()
    assert value(database, "a") is None


def test_what_a_reader_changes_is_not_stored(database: Database) -> None:
    with database.reading() as session:
        session.add(Note(name="a", value="1"))
        session.flush()
    assert value(database, "a") is None


def test_a_reader_does_not_wait_for_a_writer(database: Database) -> None:
    with database.writing() as session:
        session.add(Note(name="a", value="1"))
        session.flush()
        assert value(database, "a") is None
    assert value(database, "a") == "1"


def test_writers_that_read_first_wait_for_each_other_and_lose_nothing(database: Database) -> None:
    """In SQLite with deferred transactions, all but one would fail with `database is locked`."""
    with database.writing() as session:
        session.add(Note(name="count", value="0"))
    failures: list[Exception] = []

    def add_ten() -> None:
        try:
            for _ in range(10):
                with database.writing() as session:
                    note = session.get(Note, "count", with_for_update=True)
                    assert note is not None
                    note.value = str(int(note.value) + 1)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=add_ten) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert value(database, "count") == "40"


def test_references_are_kept(database: Database) -> None:
    with pytest.raises(IntegrityError), database.writing() as session:
        session.add(LoginSession(digest="0" * 64, user_id="nobody", expires_at=now()))


def test_times_come_back_as_they_went(database: Database) -> None:
    from api.access.roles import Role
    from api.database.models.user import User

    moment = now()
    with database.writing() as session:
        session.add(User(id="1", username="anna", role=Role.ADMIN, password_hash="", created_at=moment))
    with database.reading() as session:
        user = session.get(User, "1")
        assert user is not None
        assert user.created_at == moment
        assert user.created_at.tzinfo is not None


def test_the_file_and_its_folder_are_for_their_owner_only(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'state' / 'ibcc.db'}")
    with database.engine.connect() as connection:
        connection.execute(text("CREATE TABLE a (b)"))
        connection.commit()
        for name in ("ibcc.db", "ibcc.db-wal"):
            assert stat.S_IMODE((tmp_path / "state" / name).stat().st_mode) == 0o600, name
    assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o700
    database.close()


def test_a_database_that_is_not_in_a_file_is_refused() -> None:
    with pytest.raises(BadInputError, match="in a file"):
        Database("sqlite://")


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadInputError, match="another state_folder"):
        Database(f"sqlite:///{tmp_path / 'file' / 'ibcc.db'}")


def test_only_progress_may_be_lost_by_a_power_cut() -> None:
    """Whoever adds a file here says why nobody was told that what it writes is stored."""
    progress = {
        "api/access/dependencies.py": "when a session or token was last used",
        "api/events/hub.py": "old events are deleted again",
        "api/jobs/campaign_watch.py": "trials, which the campaign's store has too",
        "api/jobs/worker.py": "leases, which are renewed every second",
        "api/queue/context.py": "how far a job is",
        "api/services/watch_post.py": "what a look at a fabric found: the next one finds it again",
    }
    root = Path(__file__).resolve().parents[3]
    found = {str(path.relative_to(root)) for path in (root / "api").rglob("*.py") if "writing(durable=False)" in path.read_text()}
    assert found == set(progress)


def test_a_connection_waits_for_the_disk_as_its_transaction_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "DURABLE", SHIPPED_DURABLE)
    database = Database(f"sqlite:///{tmp_path / 'ibcc.db'}")
    modes = []
    for durable in (True, False, True):  # one connection after the other, of one pool
        with database.writing(durable=durable) as session:
            modes.append(session.execute(text("PRAGMA synchronous")).scalar_one())
    database.close()
    assert modes == [2, 1, 2], "FULL, NORMAL"
