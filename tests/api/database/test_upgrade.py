# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Migrations, in both databases: from nothing, from each older schema with data in it, and up against a newer one."""

import threading
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text

from api.database import models
from api.database.base import Base
from api.database.engine import Database
from api.database.models.campaign import StoredCampaign
from api.database.models.check import StoredCheck
from api.database.models.fabric import Fabric, FabricRecord
from api.database.upgrade import VERSION_TABLE, current, head, upgrade
from tuner.errors import BadInputError

FORMER = "0020"
"""The oldest schema that is supported."""


ROWS = """
INSERT INTO fabrics (name, kind, description, options, second_person, created_at, created_by, revision)
  VALUES ('lab', 'simulated', '', '{"fabric": "two-switch"}', false, '2026-01-02 03:04:05', 'anna', 1);
INSERT INTO fabric_keepings (fabric, memory, runtime) VALUES ('lab', '{"a": 1}', '{}');
INSERT INTO campaigns (id, name, fabric, state, spec, settings, files, goals, phase, trials_done, trials_total, elapsed_s,
  created_at, created_by, revision, other_traffic, archived)
  VALUES ('c1', 'first', 'lab', 'paused', '{}', '{}', '{}', '[]', 'search', 4, 10, 1.5, '2026-01-02 03:04:05', 'anna', 1, true,
  false);
INSERT INTO checks (name, fabric, document, policy, keep_nights, last_number, created_at, created_by, changed_at, changed_by,
  revision) VALUES ('site', 'lab', 'x', '{}', 30, 7, '2026-01-02 03:04:05', 'anna', '2026-01-02 03:04:05', 'anna', 1);
"""
"""Rows of the oldest schema, written as its own version would have: the models of today have other columns."""


def revisions() -> list[str]:
    """All, oldest first."""
    config = Config()
    config.set_main_option("script_location", str(Path(models.__file__).parents[1] / "migrations"))
    return [script.revision for script in ScriptDirectory.from_config(config).walk_revisions()][::-1]


def test_the_migrations_make_what_the_models_say(database: Database) -> None:
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE, "compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
        assert current(connection) == head()


def test_a_database_that_is_up_to_date_stays_as_it_is(database: Database) -> None:
    upgrade(database.engine)
    with database.engine.connect() as connection:
        assert current(connection) == head()


def test_there_is_one_line_of_migrations() -> None:
    assert revisions()[0] == FORMER
    assert revisions()[-1] == head()


def test_an_older_schema_is_brought_up_with_its_data(database_url: str) -> None:
    """In both databases; tests/upgrade has a whole one of SQLite's."""
    database = Database(database_url)
    upgrade(database.engine, FORMER)
    with database.engine.begin() as connection:
        for statement in ROWS.strip().split(";\n"):
            connection.exec_driver_sql(statement)
    upgrade(database.engine)
    with database.reading() as session:
        fabric = session.get_one(Fabric, "lab")
        campaign = session.get_one(StoredCampaign, "c1")
        check = session.get_one(StoredCheck, "site")
        assert (fabric.record.memory, fabric.record.goals) == ({"a": 1}, None)
        assert (campaign.trials_done, campaign.other_traffic, campaign.finding, campaign.progress) == (4, True, None, None)
        assert (check.last_number, check.decisions) == (7, None)
    with database.writing() as session:
        session.delete(session.get(Fabric, "lab"))
    with database.reading() as session:
        assert session.get(FabricRecord, "lab") is None
    database.close()


def test_processes_that_start_at_once_upgrade_once(database_url: str) -> None:
    failures: list[Exception] = []

    def start() -> None:
        database = Database(database_url)
        try:
            upgrade(database.engine)
        except Exception as error:
            failures.append(error)
        finally:
            database.close()

    threads = [threading.Thread(target=start) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_newer_schema_is_refused(database: Database) -> None:
    with database.engine.begin() as connection:
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'"))
    with pytest.raises(BadInputError, match="schema 9999, which this version of ibcc does not know"):
        upgrade(database.engine)


def test_a_migration_that_fails_leaves_everything_as_it_was(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both databases change schemas in transactions."""
    from alembic import op

    real = op.create_index

    def fails(name: str, *rest: object, **more: object) -> object:
        if name == "ix_jobs_kind":
            raise RuntimeError("no more")
        return real(name, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(op, "create_index", fails)
    database = Database(database_url)
    with pytest.raises(RuntimeError, match="no more"):
        upgrade(database.engine)
    assert inspect(database.engine).get_table_names() == []
    monkeypatch.undo()
    upgrade(database.engine)
    assert "jobs" in inspect(database.engine).get_table_names()
    database.close()
