# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A server and its workers with nothing in common but a PostgreSQL database, as on different machines."""

import itertools
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from api.access.roles import Role
from api.configuration.settings import Settings
from tests.api.campaign_service import SHORT
from tests.api.fabric_service import once
from tests.api.service import Service
from tests.postgresql import Server
from tuner.documents import catalogue

_numbers = itertools.count()
_SERVE = "from api.cli.serve import app; app()"
_WORK = "from api.cli.worker import main; main()"


@contextmanager
def process(program: str, url: str, folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """It and the first line that it says, on either output."""
    folder.mkdir(exist_ok=True)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("IBCC_")}
    environment |= {"IBCC_DATABASE_URL": url, "IBCC_STATE_FOLDER": str(folder / "state"), "IBCC_LOG_LEVEL": "error"}
    command = [sys.executable, "-c", program, *arguments]
    with subprocess.Popen(
        command, env=environment, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as one:
        try:
            assert one.stdout is not None
            yield one, one.stdout.readline().strip()
        finally:
            one.kill()


@pytest.mark.slow
def test_a_campaign_moves_from_one_machine_to_another(postgresql: Server, tmp_path: Path) -> None:
    url = postgresql.address(f"machines_{next(_numbers)}")
    document = catalogue.find("fabric", "two-switch").read_text().replace("name: two-switch", "name: own")
    people = Service(Settings(state_folder=tmp_path / "people", database_url=url, workers=0))
    secret = people.add_token(people.person_id(Role.ADMIN), Role.ADMIN)
    people.close()
    headers = {"Authorization": f"Bearer {secret}"}
    with (
        process(_SERVE, url, tmp_path / "server", "--port", "0", "--workers", "0") as (_, address),
        httpx2.Client(base_url=f"{address}/api/v1", headers=headers, timeout=60) as client,
    ):
        fabric = {"name": "own", "kind": "simulated", "options": {"document": document}}
        client.post("/fabrics", json=fabric).raise_for_status()
        settings = SHORT | {"budget.trials": 5}
        body = {"name": "moves", "fabric": "own", "template": "scenario-1", "settings": settings}
        campaign = client.post("/campaigns", json=body).raise_for_status().json()["id"]
        client.post(f"/campaigns/{campaign}/start", headers=once()).raise_for_status()
        with process(_WORK, url, tmp_path / "one") as (worker, told):
            assert "takes jobs of postgresql" in told
            seen(client, campaign, lambda found: found["trials_done"] >= 1)
            worker.send_signal(signal.SIGKILL)
        before = client.get(f"/campaigns/{campaign}/trials").json()["items"]
        with process(_WORK, url, tmp_path / "other"):
            ended = seen(client, campaign, lambda found: found["state"] in ("finished", "failed"))
        assert (ended["state"], ended["problem"]) == ("finished", None)
        after = client.get(f"/campaigns/{campaign}/trials").json()["items"]
        assert [trial["number"] for trial in after] == list(range(5))
        assert [trial["params"] for trial in after][: len(before)] == [trial["params"] for trial in before]
        assert client.get(f"/campaigns/{campaign}/report.json").status_code == 200
    kept = [path.name for path in (tmp_path / "server").rglob("*") if path.is_file()]
    assert kept == [], "all that the server keeps is in the database"


@pytest.mark.long
def test_a_worker_beside_no_database_says_so(tmp_path: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("IBCC_")}
    command = [sys.executable, "-c", _WORK, "--state-folder", str(tmp_path)]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert f"there is no database {tmp_path / 'ibcc.db'}; a worker takes the jobs of a server's" in done.stderr
    assert list(tmp_path.iterdir()) == []


def seen(client: httpx2.Client, campaign: str, wanted: Any, timeout_s: float = 300.0) -> Any:
    """The campaign, as soon as it is so."""
    over = threading.Event()
    timer = threading.Timer(timeout_s, over.set)
    timer.start()
    try:
        while not wanted(found := client.get(f"/campaigns/{campaign}").json()):
            assert not over.wait(0.1), found
        return found
    finally:
        timer.cancel()
