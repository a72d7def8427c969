# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A campaign in PostgreSQL survives what one in a file does."""

from collections.abc import Callable
from pathlib import Path

import optuna
import psycopg
import pytest

from tests.tuner.campaign.analytic import AnalyticBackend
from tests.tuner.campaign.test_store import start_and_kill
from tuner.campaign.result import CampaignResult
from tuner.campaign.setup import Setup
from tuner.campaign.storages.postgresql import SCHEMA
from tuner.campaign.store import CampaignStore
from tuner.errors import BadInputError, UnreachableError

Load = Callable[..., Setup]
Run = Callable[..., CampaignResult]


@pytest.mark.thorough
def test_resumed_after_kill_9_nothing_is_lost_and_nothing_runs_twice(tmp_path: Path, load: Load, run: Run, database: str) -> None:
    setup = load(trials=10, parallel=2)
    log = tmp_path / "log"
    kills = [5, 12]
    for after_runs in kills:
        start_and_kill(tmp_path / "campaign.yaml", database, log, after_runs)
    result = run(setup, storage=database, backend=lambda: AnalyticBackend(log))
    assert [trial.number for trial in result.trials] == list(range(10))
    assert all(trial.state == "complete" for trial in result.trials)
    runs = [tuple(line.split()[:2]) for line in log.read_text().splitlines() if line.startswith("small-")]
    search_runs = [one for one in runs if one[1] in ("1", "2")]
    measured = {number for number, _ in search_runs}
    assert measured >= {f"small-{trial.number}" for trial in result.trials if not trial.reused}
    # A trial that a kill interrupted may take the values of another one with its settings, as in test_store.py.
    assert len(measured & {f"small-{trial.number}" for trial in result.trials if trial.reused}) <= len(kills)
    assert len(search_runs) - len(set(search_runs)) <= len(kills) * 2 * 2


def test_the_trials_are_those_of_a_file(load: Load, run: Run, database: str) -> None:
    setup = load(trials=8)
    in_file, in_database = run(setup), run(setup, storage=database)
    assert [(t.number, t.params, t.values) for t in in_database.trials] == [
        (t.number, t.params, t.values) for t in in_file.trials
    ]


def test_a_campaign_runs_in_one_process_and_another_beside_it(load: Load, database: str) -> None:
    setup = load()

    def opened(name: str) -> CampaignStore:
        return CampaignStore.open(database, name, identity=setup.identity(), objectives=setup.objectives)

    with opened("small"), opened("other"), pytest.raises(BadInputError, match="'small' in .* is in use by process"):
        opened("small")
    opened("small").close()


def test_another_programs_tables_and_migrations_are_left_alone(load: Load, run: Run, database: str) -> None:
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num text)")
        connection.execute("INSERT INTO alembic_version VALUES ('somebody else''s')")
        run(load(trials=2), storage=database)
        assert connection.execute("SELECT version_num FROM public.alembic_version").fetchall() == [("somebody else's",)]
        tables = connection.execute("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'").fetchall()
        assert tables == [("alembic_version",)]
        found = connection.execute(f"SELECT count(*) FROM {SCHEMA}.trials").fetchone()
        assert found == (2,)


def test_a_lost_lock_ends_the_campaign_and_loses_nothing(load: Load, run: Run, database: str) -> None:
    setup = load(trials=8)

    class Cuts(AnalyticBackend):
        """The server ends the connections of the campaign in the middle, as a restart would."""

        def measure(self, *arguments, **options):  # type: ignore[no-untyped-def]
            measurement = super().measure(*arguments, **options)
            if measurement.profile == "small-3":
                with psycopg.connect(database, autocommit=True) as connection:
                    connection.execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'ibcc %' "
                        "AND datname = current_database()"
                    )
            return measurement

    with pytest.raises(UnreachableError, match="the campaign's lock; finished trials are kept"):
        run(setup, storage=database, backend=Cuts)
    result = run(setup, storage=database)
    assert [trial.number for trial in result.trials] == list(range(8))


def test_a_campaign_that_cannot_run_leaves_nothing(load: Load, run: Run, database: str) -> None:
    setup = load(parallel=2)
    with pytest.raises(BadInputError, match="one profile at a time"):
        run(setup, storage=database, backend=lambda: AnalyticBackend(concurrent=False))
    with pytest.raises(BadInputError, match="holds none named 'small'"):
        run(setup, storage=database, mode="resume")


def test_fresh_forgets_the_campaign_and_no_other(load: Load, run: Run, database: str) -> None:
    run(load(trials=3), storage=database)
    setup = load(trials=2)
    with CampaignStore.open(database, "other", identity=setup.identity(), objectives=setup.objectives) as other:
        other.remember("kept", True)
    assert len(run(setup, storage=database, mode="fresh").trials) == 2
    with CampaignStore.open(database, "other", identity=setup.identity(), objectives=setup.objectives, mode="resume") as other:
        assert other.recall("kept") is True
    optuna.logging.set_verbosity(optuna.logging.WARNING)
