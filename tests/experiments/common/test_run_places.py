# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Runs on other machines, and runs that end early."""

import pickle
import time
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import pytest
from distributed import LocalCluster

from experiments._common.run import Run
from experiments._common.run_identity import reading_identity, simulator_identity
from experiments._common.run_places import FarRun, threads
from experiments._common.runs import read_all
from tests.experiments.common.seen import RUNS, Seen
from tests.patience import within
from tuner.documents import catalogue
from tuner.documents.fabric import load_fabric
from tuner.documents.fabric_text import fabric_text
from tuner.documents.profile import load_profile
from tuner.documents.workload import load_workload
from tuner.errors import BadInputError, InterruptedRunError, UnreachableError

SHORT = 0.02
FEW = {seed: RUNS[seed] for seed in (1, 2, 3)}


def far(*, simulator: str | None = None, reading: str | None = None) -> FarRun[Seen]:
    run = Run(workload=load_workload("scenario-1").scaled(SHORT), profile=load_profile("gran-2010"))
    fabric = fabric_text(load_fabric("two-switch"))
    return FarRun(run, fabric, Seen.of, simulator or simulator_identity(), reading or reading_identity(Seen.of))


def test_a_run_that_travels_brings_its_documents_along() -> None:
    here = read_all({1: Run(workload="scenario-1", profile="gran-2010", time_scale=SHORT)}, Seen.of)[1]
    job: FarRun[Seen] = pickle.loads(pickle.dumps(far()))
    assert job(lambda: False) == here
    slow = job.fabric.replace("receive_gbps: 13.3", "receive_gbps: 5")
    assert slow != job.fabric
    assert replace(job, fabric=slow)(lambda: False) != here


@pytest.mark.parametrize("job", [far(simulator="another"), far(reading="another")])
def test_a_worker_with_another_ibcc_measures_nothing(job: FarRun[Seen]) -> None:
    with pytest.raises(UnreachableError, match="install the same ibcc"):
        job(lambda: False)


def test_a_run_that_nobody_waits_for_ends() -> None:
    with pytest.raises(InterruptedRunError):
        far()(lambda: True)


def test_what_fails_ends_the_runs_in_progress() -> None:
    long = Run(workload="scenario-1", profile="gran-2010", time_scale=100)
    bad = Run(workload="scenario-1", model={"switch.read_port": 2})
    began = time.monotonic()
    with pytest.raises(BadInputError, match="read_port"):
        read_all({"long": long, "bad": bad}, Seen.of, workers=2)
    assert within(time.monotonic() - began, 20)


def test_so_does_an_interruption() -> None:
    started: list[Future[Seen]] = []

    def interrupted() -> None:
        with threads(1) as place:
            started.append(place(Run(workload="scenario-1", time_scale=100), Seen.of))
            while not started[0].running():
                time.sleep(0.01)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert isinstance(started[0].exception(), InterruptedRunError)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Workers on threads of this process, with files of their own."""
    with LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as cluster:  # type: ignore[no-untyped-call]
        yield cluster.scheduler_address


@pytest.mark.long
def test_a_cluster_gives_what_threads_give(address: str, tmp_path: Path) -> None:
    fabric = tmp_path / "odd name.yaml"
    fabric.write_text(catalogue.find("fabric", "two-switch").read_text())
    runs = {seed: replace(run, fabric=str(fabric)) for seed, run in FEW.items()}
    done: list[float] = []
    assert read_all(runs, Seen.of, dask=address, on_progress=done.append) == read_all(FEW, Seen.of)
    assert done[-1] == 1


@pytest.mark.long
def test_what_fails_there_fails_here_with_the_same_sentence(address: str) -> None:
    runs = {0: Run(workload="scenario-1", model={"switch.read_port": 2}), **FEW}
    with pytest.raises(BadInputError, match="read_port"):
        read_all(runs, Seen.of, dask=address)


def test_a_cluster_that_is_not_there_is_unreachable() -> None:
    with pytest.raises(UnreachableError, match="no Dask scheduler is responding at here"):
        read_all(FEW, Seen.of, dask="here")
