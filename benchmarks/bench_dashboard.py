# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The page of a campaign beside the page of a study in optuna-dashboard, with the same trials. `make bench-dashboard`.

Each server has its own database with as many campaigns or studies of as many trials, and runs in a process of its own on
loopback. People look at one server's pages, then at the other's, and so on, so that what else the machine does meets both. A
page's time is until the last answer to what it sends when it is opened is there: four requests of ours, and of optuna-dashboard
the list of studies, from which it takes the name, and the study with all its trials. What a browser then draws is not in it.
"""

import argparse
import asyncio
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx2
import optuna
from optuna.study import StudyDirection

from api.access.tokens import new_token
from api.configuration.settings import Settings
from api.database.engine import Database
from api.database.upgrade import upgrade
from benchmarks.bench_service import fill, serving, trial_rows
from benchmarks.service_people import Pages, crowd, pages_of_campaigns
from tests.ports import block

_DIRECTIONS = (StudyDirection.MAXIMIZE, StudyDirection.MINIMIZE)
_OUTCOMES = ["victim_throughput", "treatment_variation"]


def fill_studies(storage: str, studies: int, trials: int) -> None:
    """Trials like those of `bench_service.fill`, in Optuna's own tables."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    chance = random.Random(1)
    for number in range(studies):
        study = optuna.create_study(storage=storage, study_name=f"bench {number}", directions=_DIRECTIONS)
        study.add_trials([_frozen(row) for row in trial_rows(chance, "", trials)])


def _frozen(row: dict[str, object]) -> optuna.trial.FrozenTrial:
    params, outcomes, metrics, violations = (row[key] for key in ("params", "outcomes", "metrics", "violations"))
    assert isinstance(params, dict)
    assert isinstance(outcomes, dict)
    assert isinstance(violations, dict)
    return optuna.trial.create_trial(
        params=params,
        distributions={
            name: optuna.distributions.FloatDistribution(0, 1000)
            if isinstance(value, float)
            else optuna.distributions.IntDistribution(0, 1000)
            for name, value in params.items()
        },
        values=[outcomes[name] for name in _OUTCOMES],
        user_attrs={"metrics": metrics},
        system_attrs={"constraints": list(violations.values())},
    )


def pages_of_studies(studies: int) -> Pages:
    """What optuna-dashboard's page of a study asks for when it is opened."""
    return lambda chance: [("a study", 1, ["/api/studies", f"/api/studies/{chance.randrange(studies) + 1}?after=0"])]


def pages_of_one_kind(ids: Sequence[str], trials: int) -> Pages:
    """Those of a campaign alone."""
    every = pages_of_campaigns(ids, trials)
    return lambda chance: [page for page in every(chance) if page[0] == "a campaign"]


@contextmanager
def dashboard(program: str, storage: str) -> Iterator[tuple[str, int]]:
    """optuna-dashboard's address and process."""
    ports = block()
    command = [program, storage, "--host", "127.0.0.1", "--port", str(ports.first), "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        address = f"http://127.0.0.1:{ports.first}"
        with httpx2.Client(base_url=address) as client:
            while process.poll() is None:
                try:
                    client.get("/api/meta").raise_for_status()
                    break
                except httpx2.TransportError:
                    time.sleep(0.1)
            else:
                sys.exit(f"{program} ended with exit code {process.returncode}")
        yield address, process.pid
    finally:
        process.terminate()
        process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=10)
    parser.add_argument("--trials", type=int, default=500)
    parser.add_argument("--people", type=int, default=5)
    parser.add_argument(
        "--minutes", type=float, default=1, help="for which people look at a server before it is the other's turn"
    )
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--dashboard", default="optuna-dashboard", help="the program, in an environment of its own")
    options = parser.parse_args()
    program = shutil.which(options.dashboard)
    if program is None:
        sys.exit(f"no program {options.dashboard!r}: install it into an environment of its own, and name it by --dashboard")
    with tempfile.TemporaryDirectory(prefix="ibcc-bench-") as folder:
        storage = f"sqlite:///{folder}/studies.sqlite3"
        fill_studies(storage, options.campaigns, options.trials)
        settings = Settings(state_folder=Path(folder))
        database = Database(settings.database)
        upgrade(database.engine)
        secret, ids = fill(database, options.campaigns, options.trials, new_token())
        database.close()
        print(f"# {options.campaigns} campaigns and studies of {options.trials} trials each")
        with serving(settings) as (ours, our_process), dashboard(program, storage) as (theirs, their_process):
            servers = [
                ("ibcc", ours, {"Authorization": f"Bearer {secret}"}, pages_of_one_kind(ids, options.trials), our_process),
                ("optuna-dashboard", theirs, {}, pages_of_studies(options.campaigns), their_process),
            ]
            for _ in range(options.turns):
                for name, address, headers, pages, process in servers:
                    print(f"## {name}")
                    one = crowd(address, headers, pages, people=options.people, minutes=options.minutes, process=process)
                    asyncio.run(one)


if __name__ == "__main__":
    main()
