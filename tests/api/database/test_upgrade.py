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
from api.database.models.audit_entry import AuditEntry
from api.database.models.campaign import StoredCampaign
from api.database.models.fabric import Fabric
from api.database.models.inventory import HostCheck, StoredInventory
from api.database.models.job import Job
from api.database.models.token import Token
from api.database.upgrade import VERSION_TABLE, current, head, upgrade
from tuner.errors import BadInputError

FIRST = """
INSERT INTO users VALUES ('u1', 'anna', 'admin', 'hash', '2026-01-02 03:04:05.006', false, 3);
INSERT INTO login_sessions VALUES ('s1', 'u1', '2026-01-02 03:04:05', '2026-01-02 03:04:05', '2036-01-02 03:04:05');
INSERT INTO tokens VALUES
  ('t1', 'nightly', 'd1', 'operator', '["two-switch"]', 'u1', '2026-01-02 03:04:05', '2036-01-02 03:04:05', NULL);
INSERT INTO audit VALUES
  ('a1', '2026-01-02 03:04:05', 'anna', 'session', 'fabric.apply', 'profile off', 'two-switch', '::1', '{"ttl_s": 60}');
INSERT INTO jobs (id, kind, state, arguments, progress_done, progress_text, created_at, created_by, attempts, cancel_requested)
  VALUES ('j1', 'campaign', 'queued', '{"campaign": "c1"}', 4, 'four of ten', '2026-01-02 03:04:05', 'anna', 1, false);
INSERT INTO notes VALUES ('setup', 'd2');
"""
"""Rows of revision 0001, written as its own version would have: the models of today may have other columns."""

THIRD = """
INSERT INTO fabrics (name, kind, description, options, second_person, created_at, created_by, revision)
  VALUES ('lab', 'simulated', '', '{"fabric": "two-switch"}', false, '2026-01-02 03:04:05', 'anna', 1);
INSERT INTO fabric_keepings (fabric, memory, runtime) VALUES ('lab', '{}', '{}');
"""
"""A row of revision 0003, to which revision 0004 lets an inventory belong."""

FIFTH = """
UPDATE jobs SET state = 'failed', problem = 'no plugin at /run/x/opensm.sock', result = '{"message": "see /var/log/opensm.log"}';
INSERT INTO audit VALUES
  ('a2', '2026-01-02 03:04:05', 'ibcc', 'job', 'fabric.verify.failed', 'fabric lab', 'lab', NULL, '{"problem": "/tmp/a/b"}');
"""
"""What older versions told of their machine; revision 0006 shortens it."""

NINTH = """
UPDATE users SET given_by_id = 'u9', link_by_id = 'u9', link_digest = 'd';
"""
"""A link as it was kept before revision 0010, and one that nobody has used yet."""

TENTH = """
INSERT INTO campaigns (id, name, fabric, state, wish, spec, settings, files, goals, phase, trials_done, trials_total, elapsed_s,
  created_at, created_by, job, revision)
  VALUES ('c1', 'first', 'lab', 'pausing', 'pause', '{}', '{}', '{}', '[]', 'search', 4, 10, 1.5,
  '2026-01-02 03:04:05', 'anna', 'j1', 1);
"""
"""A campaign that somebody paused, as revision 0010 kept that."""

FOURTEENTH = "".join(
    f"""
INSERT INTO campaigns (id, name, fabric, state, spec, settings, goals, phase, trials_done, trials_total, elapsed_s,
  created_at, created_by, revision, files)
  VALUES ('{name}', '{name}', 'lab', 'paused', '{spec}', '{{}}', '[]', '', {trials}, 10, 1.5, '2026-01-02 03:04:05', 'anna', 1,
  '{{"w.yaml": "ibcc_workload: 1\\npatterns: [{{kind: hotspots, b_percent: {b_percent}}}]"}}');
"""
    for name, b_percent, trials, spec in (
        ("c2", 50, 4, "{}"),
        ("c3", 0, 4, "{}"),
        ("c4", 50, 0, "{}"),
        ("c5", 50, 4, '{"backend": "cluster"}'),
    )
)
"""Campaigns as revision 0014 kept them. Only the first has measured B nodes, and on simulated hosts."""

MEASURED = """
UPDATE fabric_keepings SET load = '{"0x0000000000000100": 0.25}' WHERE fabric = 'lab';
"""
"""Congestion as it was kept before profiles were told apart."""


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
    assert revisions()[0] == "0001"
    assert revisions()[-1] == head()


def test_an_older_schema_is_brought_up_with_its_data(database_url: str) -> None:
    database = Database(database_url)
    upgrade(database.engine, "0001")
    _execute(database, FIRST)
    for revision in revisions():  # one after the other, as somebody who updates often meets them
        upgrade(database.engine, revision)
        if revision == "0003":
            _execute(database, THIRD)
        if revision == "0005":
            _execute(database, FIFTH)
        if revision == "0009":
            _execute(database, NINTH)
        if revision == "0010":
            _execute(database, TENTH)
        if revision == "0014":
            _execute(database, FOURTEENTH)
            _execute(database, MEASURED)
    with database.reading() as session:
        token = session.get(Token, "t1")
        assert token is not None
        assert (token.fabrics, token.user.username, token.user.revision) == (["two-switch"], "anna", 3)
        assert (token.user.givers, token.user.link_by_id, token.user.link_digest) == ({"u9": "somebody"}, None, None)
        assert token.user.created_at.isoformat() == "2026-01-02T03:04:05.006000+00:00"
        entry = session.get(AuditEntry, "a1")
        assert entry is not None
        assert entry.detail == {"ttl_s": 60}
        job = session.get(Job, "j1")
        assert job is not None
        assert (job.arguments, job.progress_done, job.cancel_requested) == ({"campaign": "c1"}, 4, False)
        assert (job.problem, job.result) == ("no plugin at …/opensm.sock", {"message": "see …/opensm.log"})
        failure = session.get(AuditEntry, "a2")
        assert failure is not None
        assert failure.detail == {"problem": "…/b"}
        assert session.get_one(StoredCampaign, "c1").requested_action == "pause"
        campaigns = {one: session.get_one(StoredCampaign, one).other_traffic for one in ("c1", "c2", "c3", "c4", "c5")}
        assert [one for one, is_other in campaigns.items() if is_other] == ["c2"]
        load = session.get_one(Fabric, "lab").record.load
        assert load is not None
        assert load["measured"]["recommended"]["devices"] == {"0x0000000000000100": 0.25}
    _require_hosts_go_with_their_fabric(database)
    database.close()


def _execute(database: Database, statements: str) -> None:
    with database.engine.begin() as connection:
        for statement in statements.strip().split(";\n"):
            connection.exec_driver_sql(statement.rstrip(";").replace("%", "%%"))


def _require_hosts_go_with_their_fabric(database: Database) -> None:
    """A fabric of an older schema can be given an inventory, which goes with it, and takes the last check along."""
    with database.writing() as session:
        session.add(StoredInventory(fabric="lab", document="x", created_by="anna", changed_by="anna"))
        session.flush()
        session.add(
            HostCheck(fabric="lab", inventory_revision=1, checked_by="anna", job="j1", hosts={"n1": {"verdict": "ready"}})
        )
    with database.reading() as session:
        check = session.get(HostCheck, "lab")
        assert check is not None
        assert check.hosts == {"n1": {"verdict": "ready"}}
    with database.writing() as session:
        session.delete(session.get(Fabric, "lab"))
    with database.reading() as session:
        assert (session.get(StoredInventory, "lab"), session.get(HostCheck, "lab")) == (None, None)


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
