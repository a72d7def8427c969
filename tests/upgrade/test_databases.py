# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Campaigns and the service's database that release 0.1 wrote."""

import json
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
import yaml

from api.configuration.settings import Settings
from api.database.upgrade import current, head
from tests.api.service import Service

Database = Callable[[str], Path]

SETTING = ("--set", "model.hca.cnp_spacing_ns=10000")


@pytest.mark.long
def test_a_campaign_is_resumed(old: Path, database: Database, ibcc: Path) -> None:
    storage = database("campaign.sqlite3")
    command: list[str | Path] = [ibcc, "tune", old / "campaign.yaml", *SETTING, "--storage", storage, "--resume", "--trials", "4"]
    done = subprocess.run([*command, "--output", "json"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Searching, 3 of 4 trials done" in done.stderr
    assert done.stderr.count("old keys are read until ibcc 0.3") == 3, "the campaign, its fabric, and --set"
    with closing(sqlite3.connect(storage)) as connection:
        ((identity,),) = connection.execute("SELECT value_json FROM study_user_attributes WHERE key = 'identity'")
    assert json.loads(identity)["backend_settings"] == {"ca.cnp_spacing_ns": 10000}


@pytest.mark.long
def test_a_campaign_is_cloned_with_the_new_keys(old: Path, database: Database, ibcc: Path) -> None:
    clone = old / "new.yaml"
    command: list[str | Path] = [ibcc, "campaign", "clone", database("campaign.sqlite3"), "--name", "third", "-o", clone]
    subprocess.run(command, capture_output=True, check=True)
    assert yaml.safe_load(clone.read_text())["variants"] == {"acks": {"model.ca.becn_carrier": "ack"}}


def test_the_service_s_database_is_upgraded(settings: Settings, database: Database) -> None:
    settings.state_folder.mkdir()
    shutil.copy(database("service.db"), settings.state_folder / "ibcc.db")
    service = Service(settings)
    try:
        with service.database.engine.connect() as connection:
            assert current(connection) == head()
        admin = service.as_role("admin")
        document = admin.get("/api/v1/fabrics/rack/inventory").json()["document"]
        assert "\nabort_if:\n" in document
        assert document.startswith("# The hosts of one rack.\n"), "comments stay"
        assert "model: {ca: {becn_delay_ns: 600}}  # measured" in admin.get("/api/v1/fabrics/rack").json()["options"]["document"]
        assert admin.get("/api/v1/fabrics/lab").json()["options"]["model"] == {"ca.becn_carrier": "ack"}
        (campaign,) = admin.get("/api/v1/campaigns").json()["items"]
        assert campaign["spec"]["variants"] == {"acks": {"model.ca.becn_carrier": "ack"}}
        assert admin.get("/api/v1/profiles/tuned").status_code == 200
        assert admin.get("/api/v1/workloads/incast").status_code == 200
        assert "Warning" not in admin.get("/api/v1/fabrics/rack/state").headers
    finally:
        service.close()


@pytest.mark.thorough
@pytest.mark.long
def test_a_campaign_of_the_service_goes_on(settings: Settings, database: Database) -> None:
    settings = settings.model_copy(update={"workers": 1})
    settings.state_folder.mkdir()
    shutil.copy(database("service.db"), settings.state_folder / "ibcc.db")
    service = Service(settings)
    try:
        operator = service.as_role("operator")
        (campaign,) = operator.get("/api/v1/campaigns").json()["items"]
        folder = settings.state_folder / "campaigns" / campaign["id"]
        folder.mkdir(parents=True)
        shutil.copy(database("service-trials.sqlite3"), folder / "trials.sqlite3")
        with service.running():
            key = {"Idempotency-Key": "a" * 36}
            answer = operator.post(f"/api/v1/campaigns/{campaign['id']}/extend", json={"trials": 4}, headers=key)
            assert answer.status_code == 202, answer.text
            deadline = time.monotonic() + 120
            while (now := operator.get(f"/api/v1/campaigns/{campaign['id']}").json())["state"] not in ("finished", "failed"):
                assert time.monotonic() < deadline, now
                time.sleep(0.1)
        assert (now["state"], now["trials_done"], now["problem"]) == ("finished", 4, None)
    finally:
        service.close()
