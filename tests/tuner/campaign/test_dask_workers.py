# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Campaigns on a real Dask cluster: a scheduler and worker processes, which are killed."""

import functools
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import dask
import pytest
from distributed import LocalCluster

from tests.tuner.campaign.analytic import AnalyticBackend
from tuner.campaign.dask_workers import DaskWorkers
from tuner.campaign.pool import BackendPool
from tuner.campaign.progress import Progress, Silent
from tuner.campaign.record import TrialRecord
from tuner.campaign.result import CampaignResult
from tuner.campaign.setup import Setup
from tuner.documents.fabric import load_fabric
from tuner.errors import BadInputError, InterruptedRunError, UnreachableError
from tuner.measuring.configuration import Configuration

pytestmark = pytest.mark.long

Load = Callable[..., Setup]
Run = Callable[..., CampaignResult]

PROCESS = Path(__file__).with_name("campaign_process.py")


def local_cluster(n_workers: int) -> LocalCluster:
    """Returns a cluster of processes on loopback, which come back when they are killed; nothing listens elsewhere."""
    return LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address="127.0.0.1:0")  # type: ignore[no-untyped-call]


@pytest.fixture(scope="module", autouse=True)
def lost_workers_come_back() -> Iterator[None]:
    """Unless it is told otherwise, a LocalCluster looks 15 s after it has lost a worker whether that is back. Beside other work
    one that is killed again and again may just be starting anew at that moment, and would be given up for ever."""
    with dask.config.set({"distributed.deploy.lost-worker-timeout": "1 day"}):
        yield


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 10}),
        local_cluster(2) as cluster,
    ):
        yield cluster


def lines(log: Path) -> list[str]:
    return log.read_text().splitlines() if log.exists() else []


def wait_for(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 600
    while not happened():
        assert time.monotonic() < deadline, "it did not happen within ten minutes"
        time.sleep(0.01)


def kill_a_worker(cluster: LocalCluster, chance: random.Random) -> None:
    """One that runs now."""
    pids = [pid for nanny in cluster.workers.values() if (pid := nanny.pid) is not None]
    if pids:
        os.kill(chance.choice(pids), signal.SIGKILL)


def test_the_trials_are_those_of_threads(load: Load, run: Run, cluster: LocalCluster, tmp_path: Path) -> None:
    setup, log = load(trials=8), tmp_path / "log"
    with DaskWorkers(cluster.scheduler_address, setup.fabrics, parallel=1) as workers:
        assert (workers.threads, workers.size(9)) == (2, 1)
        spread = run(setup, workers=workers, backend=functools.partial(AnalyticBackend, log))
    here = run(setup, file="threads.sqlite3")
    assert [(t.number, t.params, t.values) for t in spread.trials] == [(t.number, t.params, t.values) for t in here.trials]
    assert str(os.getpid()) not in {line.split()[-1] for line in lines(log)}
    # Every worker that opened a backend restored it before the campaign's end was told.
    assert {line.split()[-1] for line in lines(log)} == {line.split()[-1] for line in lines(log) if line.startswith("restored")}


class KillsWorkers(Silent):
    """One at random after every third trial."""

    def __init__(self, cluster: LocalCluster) -> None:
        self._cluster = cluster
        self._chance = random.Random(1)

    def trial(self, record: TrialRecord, progress: Progress) -> None:
        if progress.finished % 3 == 0:
            kill_a_worker(self._cluster, self._chance)


@pytest.mark.slow
def test_workers_killed_at_random_cost_no_trial(
    load: Load, run: Run, cluster: LocalCluster, tmp_path: Path, database: str
) -> None:
    setup, log = load(trials=14, parallel=3), tmp_path / "log"
    with DaskWorkers(cluster.scheduler_address, setup.fabrics, parallel=3) as workers:
        backend = functools.partial(AnalyticBackend, log, takes_s=0.1)
        result = run(setup, storage=database, workers=workers, backend=backend, listener=KillsWorkers(cluster))
    assert [trial.number for trial in result.trials] == list(range(14))
    assert all(trial.state == "complete" for trial in result.trials)
    assert result.recommended is not None
    again = run(setup, storage=database, backend=functools.partial(AnalyticBackend, tmp_path / "again"))
    assert again.trials == result.trials
    assert not any(line.startswith("small-") for line in lines(tmp_path / "again"))


@pytest.mark.thorough
def test_a_killed_coordinator_leaves_no_evaluation_running(load: Load, run: Run, cluster: LocalCluster, tmp_path: Path) -> None:
    setup, log, storage = load(trials=4, parallel=2), tmp_path / "log", tmp_path / "c.sqlite3"
    command = [sys.executable, PROCESS, tmp_path / "campaign.yaml", storage, log, "0.01", cluster.scheduler_address]
    process = subprocess.Popen([str(word) for word in command], stderr=subprocess.PIPE, text=True)
    wait_for(lambda: any(line.startswith("begins") for line in lines(log)) or process.poll() is not None)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    # What was being measured ends, and the workers' backends are restored.
    wait_for(lambda: any(line.startswith("stopped") for line in lines(log)))
    wait_for(lambda: any(line.startswith("restored") for line in lines(log)))
    with DaskWorkers(cluster.scheduler_address, setup.fabrics) as workers:
        result = run(setup, workers=workers, backend=functools.partial(AnalyticBackend, log))
    assert [trial.number for trial in result.trials] == list(range(4))


class TellsWhenItBegins(AnalyticBackend):
    def apply(self, profile):  # type: ignore[no-untyped-def]
        self._write("applied")
        return super().apply(profile)


def test_stopping_ends_what_the_workers_measure(load: Load, cluster: LocalCluster, tmp_path: Path) -> None:
    setup, log = load(), tmp_path / "log"
    open_backend = functools.partial(TellsWhenItBegins, log, takes_s=600)
    with DaskWorkers(cluster.scheduler_address, setup.fabrics) as workers, BackendPool(open_backend, 2, workers) as pool:
        futures = [pool.submit(Configuration(setup.expert), setup.search) for _ in range(3)]
        wait_for(lambda: sum(line.startswith("applied") for line in lines(log)) == 2)
        pool.stop()
        for future in futures:
            with pytest.raises(InterruptedRunError):
                future.result(timeout=60)
    assert [line.split()[0] for line in lines(log)].count("restored") == 2


class KillsItself(AnalyticBackend):
    """A measurement takes all the memory there is, and the kernel ends the process."""

    def measure(self, *arguments, **options):  # type: ignore[no-untyped-def]
        if self._profile is not None and self._profile.name == "small-2":
            os.kill(os.getpid(), signal.SIGKILL)
        return super().measure(*arguments, **options)


@pytest.mark.thorough
def test_a_trial_that_kills_its_workers_fails_and_the_campaign_goes_on(load: Load, run: Run) -> None:
    setup = load(trials=4)
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        local_cluster(1) as fragile,
        DaskWorkers(fragile.scheduler_address, setup.fabrics) as workers,
    ):
        result = run(setup, workers=workers, backend=KillsItself)
    assert [trial.state for trial in result.trials] == ["complete", "complete", "failed", "complete"]
    assert "a Dask worker was lost" in result.trials[2].reason


def test_another_ibcc_on_a_worker_is_refused(
    load: Load, run: Run, cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup = load()
    monkeypatch.setattr("tuner.campaign.dask_workers.fingerprint", lambda: "0.0.1 (0123456789ab)")
    with pytest.raises(UnreachableError, match=r"the Dask worker at tcp://.* has ibcc .*, here it is 0.0.1 \(0123456789ab\)"):
        DaskWorkers(cluster.scheduler_address, setup.fabrics)


def test_a_worker_that_joins_later_with_another_ibcc_is_refused(
    load: Load, run: Run, cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup = load()
    with DaskWorkers(cluster.scheduler_address, setup.fabrics) as workers:
        monkeypatch.setattr("tuner.campaign.dask_workers.fingerprint", lambda: "0.0.1 (0123456789ab)")
        with pytest.raises(UnreachableError, match=r"a Dask worker has ibcc .*, the coordinator has 0.0.1"):
            run(setup, workers=workers)


def test_another_fabric_on_a_worker_is_refused(load: Load, run: Run, cluster: LocalCluster) -> None:
    setup = load()
    other = load_fabric("two-switch").model_copy(update={"name": "other"})
    with (
        DaskWorkers(cluster.scheduler_address, {"two-switch": other}) as workers,
        pytest.raises(UnreachableError, match="fabric 'two-switch' on a Dask worker is not the coordinator's"),
    ):
        run(setup, workers=workers)
    with (
        DaskWorkers(cluster.scheduler_address, {"/no/such.yaml": other}) as workers,
        pytest.raises(UnreachableError, match=r"a Dask worker cannot read fabric '/no/such.yaml'"),
    ):
        run(setup, workers=workers)


def test_a_backend_that_measures_one_at_a_time_is_not_spread(load: Load, run: Run, cluster: LocalCluster) -> None:
    setup = load()
    with (
        DaskWorkers(cluster.scheduler_address, setup.fabrics) as workers,
        pytest.raises(BadInputError, match="'analytic' measures one profile at a time; run it without --dask"),
    ):
        run(setup, workers=workers, backend=functools.partial(AnalyticBackend, concurrent=False))


def test_no_scheduler_is_a_sentence() -> None:
    with pytest.raises(UnreachableError, match=r"no Dask scheduler is responding at tcp://127.0.0.1:1; an address such as"):
        DaskWorkers("tcp://127.0.0.1:1", {})


@pytest.mark.thorough
def test_no_workers_is_a_sentence() -> None:
    with (
        local_cluster(0) as empty,
        pytest.raises(UnreachableError, match=r"no worker has joined .* within 0.1 s; start some with: dask worker tcp://"),
    ):
        DaskWorkers(empty.scheduler_address, {}, workers_s=0.1)
