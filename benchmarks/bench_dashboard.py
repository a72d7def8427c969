# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What all trials of a campaign cost to read, beside optuna-dashboard on the same trials: time at a client on loopback, bytes,
and processor time of the server. `python -m benchmarks.bench_dashboard /tmp/dashboard/bin/optuna-dashboard`.

The two are not the same: optuna-dashboard sends a study whole, from Optuna's tables, and the service sends pages of its copy,
each trial with what the study does not have. They take turns.
"""

import argparse
import random
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import optuna
from optuna.distributions import BaseDistribution, FloatDistribution

from api.access.tokens import new_token
from api.database.engine import Database
from api.database.upgrade import upgrade
from api.settings import Settings
from benchmarks.bench_service import fill, percentile, serving, trial_rows
from benchmarks.service_people import cpu_s

_PAGE = 200


def store(path: Path, campaign: str, trials: int) -> str:
    """The address of an Optuna store with the trials that `fill` gives the first campaign."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    address = f"sqlite:///{path}"
    study = optuna.create_study(storage=address, study_name="bench", directions=["maximize", "minimize"])
    for row in trial_rows(random.Random(1), campaign, trials):
        distributions: dict[str, BaseDistribution] = {name: FloatDistribution(0, 1000) for name in row["params"]}
        params = {name: float(value) for name, value in row["params"].items()}
        values = [float(value) for value in row["outcomes"].values()]
        study.add_trial(optuna.trial.create_trial(params=params, distributions=distributions, values=values))
    return address


@contextmanager
def dashboard(program: Path, address: str, port: int) -> Iterator[tuple[str, int]]:
    """Its address and process."""
    command = [str(program), address, "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        url = f"http://127.0.0.1:{port}"
        for _ in range(600):
            try:
                httpx2.get(f"{url}/api/studies", timeout=60).raise_for_status()
                break
            except httpx2.HTTPError:
                time.sleep(0.1)
        yield url, process.pid
    finally:
        process.terminate()
        process.wait()


def whole_study(client: httpx2.Client) -> int:
    return len(client.get("/api/studies/1").raise_for_status().content)


def whole_campaign(client: httpx2.Client, campaign: str) -> int:
    """All trials, page by page, as a program reads them."""
    size, cursor = 0, None
    while True:
        params = {"limit": str(_PAGE)} | ({} if cursor is None else {"cursor": cursor})
        answer = client.get(f"/api/v1/campaigns/{campaign}/trials", params=params).raise_for_status()
        size += len(answer.content)
        if (cursor := answer.json()["next_cursor"]) is None:
            return size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dashboard", type=Path, help="program of optuna-dashboard, in an environment of its own")
    parser.add_argument("--trials", type=int, default=500)
    parser.add_argument("--times", type=int, default=30)
    parser.add_argument("--port", type=int, default=8899, help="free port for optuna-dashboard, which takes none that is free")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ibcc-bench-") as place:
        folder = Path(place)
        settings = Settings(state_folder=folder / "state")
        database = Database(settings.database)
        upgrade(database.engine)
        secret, (campaign, *_) = fill(database, 1, options.trials, new_token())
        database.close()
        with (
            serving(settings) as (ours, our_process),
            dashboard(options.dashboard, store(folder / "study.sqlite3", campaign, options.trials), options.port) as (
                theirs,
                their_process,
            ),
            httpx2.Client(base_url=ours, timeout=60, headers={"Authorization": f"Bearer {secret}"}) as our_client,
            httpx2.Client(base_url=theirs, timeout=60) as their_client,
        ):
            contenders: list[tuple[str, int, Callable[[], int]]] = [
                ("ibcc serve", our_process, lambda: whole_campaign(our_client, campaign)),
                ("optuna-dashboard", their_process, lambda: whole_study(their_client)),
            ]
            for _, _, read in contenders:
                read()
            before_s = {name: cpu_s(process) for name, process, _ in contenders}
            times_ms: dict[str, list[float]] = {name: [] for name, _, _ in contenders}
            sizes: dict[str, int] = {}
            for _ in range(options.times):
                for name, _, read in contenders:
                    began = time.perf_counter()
                    sizes[name] = read()
                    times_ms[name].append(1e3 * (time.perf_counter() - began))
            print(f"{f'all {options.trials} trials':20} {'median':>8} {'95 %':>8}    {'size':>8}     {'CPU':>6}")
            for name, process, _ in contenders:
                spent_ms = 1e3 * (cpu_s(process) - before_s[name]) / options.times
                half, most = (percentile(times_ms[name], share) for share in (0.5, 0.95))
                print(f"{name:20} {half:8.1f} {most:8.1f} ms {sizes[name] / 1024:8.0f} KiB {spent_ms:6.0f} ms")


if __name__ == "__main__":
    main()
