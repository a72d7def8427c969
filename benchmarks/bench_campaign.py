# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a campaign costs beside bare Optuna, and what more workers bring. `make bench-campaign` runs it.

Overhead: a campaign on a backend that takes no time, and a loop of nothing but Optuna's ask and tell, with the same sampler, the
same storage and the same values, take turns, first the one and then the other ahead. The figure is the campaign's rate in terms
of the loop's, the median over the turns: 100 % would be a coordinator that costs nothing.

Scale-out: the same campaign on a Dask cluster of processes on this machine, with one worker and with more. Evaluations that sleep
show what the coordinator and Dask can do; those on the simulator also what the machine's cores can.
"""

import argparse
import functools
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.campaign_backends import FormulaBackend, figures
from tests import postgresql
from tuner.backends.registry import create_backend
from tuner.campaign.dask_workers import DaskWorkers
from tuner.campaign.prepare import prepare
from tuner.campaign.progress import Phase, Progress, Silent
from tuner.campaign.runner import run_campaign
from tuner.campaign.setup import Setup
from tuner.campaign.storages.base import disconnect, storage_of
from tuner.campaign.store import CampaignStore
from tuner.campaign.workers import Workers
from tuner.documents.campaign import load_campaign
from tuner.measuring.backend import Backend
from tuner.search.samplers.base import sampler_of

SPACE = "space: {ca.ccti_timer: {low: 10, high: 400}, switch.marking_rate: {low: 0, high: 1000}}"


class Stopwatch(Silent):
    """Times the search alone: references and confirmation have nothing to compare with."""

    def __init__(self) -> None:
        self.search_s = 0.0
        self._began_s = 0.0

    def phase(self, phase: Phase, progress: Progress) -> None:
        if phase == "search":
            self._began_s = time.perf_counter()
        elif self._began_s and not self.search_s:
            self.search_s = time.perf_counter() - self._began_s


def main() -> None:
    options = _options()
    print(f"{platform.node()}: {os.cpu_count()} cores, Python {platform.python_version()}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for kind in options.storage:
            with _locations(kind, Path(folder)) as locations:
                for sampler in options.sampler:
                    _overhead(locations, sampler, kind, options.trials, options.repeat)
        if options.workers:
            _scale_out("asleep for 1 s", Path(folder), options.workers, options.spread_trials, options.repeat, 1.0)
        if options.real:
            _scale_out("simulated", Path(folder), [1, 2], options.spread_trials, options.real_repeat, None)


def _overhead(locations: Iterator[str], sampler: str, kind: str, trials: int, repeat: int) -> None:
    setup = _setup(trials=trials, sampler=sampler)
    rates: dict[str, list[float]] = {"campaign": [], "bare": []}
    contenders: dict[str, Callable[[], float]] = {
        "campaign": lambda: _campaign_s(setup, next(locations), FormulaBackend, None),
        "bare": lambda: _bare_s(setup, next(locations)),
    }
    for turn in range(repeat):
        for name in sorted(contenders, reverse=bool(turn % 2)):
            rates[name].append(trials / contenders[name]())
    ratios = [campaign / bare for campaign, bare in zip(rates["campaign"], rates["bare"], strict=True)]
    campaign, bare = (statistics.median(rates[name]) for name in ("campaign", "bare"))
    print(
        f"{sampler} in {kind}, {trials} trials: {campaign:.1f} trials/s, bare Optuna {bare:.1f}: "
        f"{statistics.median(ratios):.0%} ({min(ratios):.0%} to {max(ratios):.0%} in {repeat} turns)",
        flush=True,
    )


def _campaign_s(setup: Setup, location: str, open_backend: Callable[[], Backend], workers: Workers | None) -> float:
    watch = Stopwatch()
    name = setup.campaign.name
    with CampaignStore.open(location, name, identity=setup.identity(), objectives=setup.objectives) as store:
        run_campaign(setup, store, open_backend, listener=watch, workers=workers)
    return watch.search_s


def _bare_s(setup: Setup, location: str) -> float:
    """The same number of trials by nothing but Optuna, constraints included: the sampler looks at them."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    tables = storage_of(location).connect()
    space, options = setup.space, setup.campaign.sampler
    try:
        study = optuna.create_study(storage=tables, study_name="bare", directions=["maximize", "minimize"])
        began_s = time.perf_counter()
        for number in range(setup.campaign.budget.trials):
            study.sampler = sampler_of(options, space.distributions, number)
            trial = study.ask()
            space.draw(trial)
            trial.set_constraint("contributor_total", -0.02)
            study.tell(trial, figures(trial.params))
        return time.perf_counter() - began_s
    finally:
        disconnect(tables)


def _scale_out(what: str, folder: Path, sizes: Sequence[int], trials: int, repeat: int, sleep_s: float | None) -> None:
    from distributed import LocalCluster

    rates: dict[int, list[float]] = {size: [] for size in sizes}
    for turn in range(repeat):
        for size in sorted(sizes, reverse=bool(turn % 2)):
            setup = _setup(trials=trials, sampler="random", parallel=size, simulated=sleep_s is None)
            options = {"n_workers": size, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
            started = LocalCluster(**options)  # type: ignore[no-untyped-call]
            with started as cluster, DaskWorkers(cluster.scheduler_address, setup.fabrics, parallel=size) as workers:
                open_backend: Callable[[], Any] = (
                    functools.partial(create_backend, "simulated")
                    if sleep_s is None
                    else functools.partial(FormulaBackend, sleep_s)
                )
                location = str(folder / f"{what}-{turn}-{size}.sqlite3")
                rates[size].append(trials / _campaign_s(setup, location, open_backend, workers))
    for size in sizes[1:]:
        ratios = [many / one for many, one in zip(rates[size], rates[sizes[0]], strict=True)]
        print(
            f"{what}, {trials} trials: {size} Dask workers bring {statistics.median(ratios):.2f} times the rate of {sizes[0]} "
            f"({statistics.median(rates[sizes[0]]):.2f} trials/s)",
            flush=True,
        )


def _setup(*, trials: int, sampler: str, parallel: int = 1, simulated: bool = False) -> Setup:
    """Scenario 1's workload at a size that suits, in a space in which hardly two trials are the same."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "campaign.yaml"
        path.write_text(
            f"ibcc_campaign: 1\nname: bench\nworkloads: [scenario-1]\n{SPACE}\nbudget: {{trials: {trials}}}\nseeds: [1]\n"
            f"sampler: {sampler}\nparallel: {parallel}\ntime_scale: {1.0 if simulated else 0.05}\n"
            "confirmation: {seeds: [101], time_scale: 0.05}\n"
            "hypervolume_reference: {victim_throughput: 0, treatment_variation: 20}\n",
            encoding="utf-8",
        )
        return prepare(*load_campaign(path))


@contextmanager
def _locations(kind: str, folder: Path) -> Iterator[Iterator[str]]:
    """An empty storage each time."""
    if kind == "sqlite":
        yield (str(folder / f"{number}.sqlite3") for number in range(sys.maxsize))
        return
    programs = postgresql.binaries()
    if programs is None:
        sys.exit("no initdb: Debian's package postgresql has it; or leave it out: --storage sqlite")
    with postgresql.running(programs) as server:
        yield (server.address(f"bench{number}") for number in range(sys.maxsize))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=200, help="of a campaign whose overhead is measured")
    parser.add_argument("--repeat", type=int, default=5, help="turns")
    parser.add_argument("--sampler", nargs="*", default=["tpe", "random"])
    parser.add_argument("--storage", nargs="*", default=["sqlite", "postgresql"])
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 4], help="of the Dask cluster, evaluations asleep")
    parser.add_argument("--real", action=argparse.BooleanOptionalAction, default=True, help="two workers on the simulator")
    parser.add_argument("--real-repeat", type=int, default=3, help="turns of those: a trial is the whole of scenario 1")
    parser.add_argument("--spread-trials", type=int, default=24, help="of a campaign on a cluster")
    return parser.parse_args()


if __name__ == "__main__":
    main()
