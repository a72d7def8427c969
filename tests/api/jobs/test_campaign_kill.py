# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""kill -9 of a worker in the middle of a campaign."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from api.configuration.settings import Settings
from tests.api.campaign_service import act, created, seen
from tests.api.fabric_service import run_jobs, with_default_fabric
from tests.api.service import Service

_WORKER = """
import sys
from api.database.engine import Database
from api.jobs.worker import Worker

from api.configuration.settings import Settings
import threading
settings = Settings(state_folder=sys.argv[1], workers=0)
Worker(Database(settings.database), settings, slots=1, place="any", poll_s=0.02).start()
print("up", flush=True)
threading.Event().wait()
"""


@pytest.mark.slow
@pytest.mark.long
def test_a_campaign_goes_on_after_its_worker_was_killed(service: Service, settings: Settings) -> None:
    with_default_fabric(service)
    operator = service.as_role("operator")
    campaign = created(operator, settings={"budget.trials": 24})
    job = act(operator, campaign, "start").json()["job"]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("IBCC_")}
    command = [sys.executable, "-c", _WORKER, str(settings.state_folder)]
    worker = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE)
    try:
        assert worker.stdout is not None
        assert worker.stdout.readline() == b"up\n"
        _await_trials(service, campaign["id"], 3)
    finally:
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        if worker.stdout is not None:
            worker.stdout.close()
    before = seen(operator, campaign, "/trials?limit=200")["items"]
    assert seen(operator, campaign)["state"] == "running"
    assert operator.get(f"/api/v1/jobs/{job}").json()["state"] == "running"
    assert len(before) < 24
    ended = run_jobs(service, operator, job, timeout_s=120)
    assert (ended["state"], ended["attempts"]) == ("done", 1), "it had got further before it was lost"
    after = seen(operator, campaign, "/trials?limit=200")["items"]
    assert [trial["number"] for trial in after] == list(range(24))
    kept = {trial["number"]: trial["params"] for trial in after}
    assert all(kept[trial["number"]] == trial["params"] for trial in before), "what was finished is not measured again"
    assert seen(operator, campaign)["state"] == "finished"


def _await_trials(service: Service, campaign_id: str, count: int) -> None:
    """Waits until at least `count` trials of the campaign are done."""
    operator, over = service.as_role("operator"), threading.Event()
    timer = threading.Timer(60, over.set)
    timer.start()
    try:
        while seen(operator, {"id": campaign_id})["trials_done"] < count:
            assert not over.wait(0.02), "no trials within a minute"
    finally:
        timer.cancel()
