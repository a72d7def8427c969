# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The database of an earlier version's service, and a campaign that it ran."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from api.configuration.settings import Settings
from api.database.upgrade import current, head
from tests.api.service import Service

Unpack = Callable[..., None]


@pytest.fixture
def former(settings: Settings, unpack: Unpack) -> Iterator[Service]:
    unpack("service.db", settings.state_folder / "ibcc.db")
    with closing(sqlite3.connect(settings.state_folder / "ibcc.db")) as connection:
        assert connection.execute("SELECT version_num FROM ibcc_schema").fetchall() == [("0020",)]
    service = Service(settings.model_copy(update={"workers": 1}))
    yield service
    service.close()


def test_the_database_is_opened_with_all_that_is_in_it(former: Service) -> None:
    with former.database.engine.connect() as connection:
        assert current(connection) == head()
    admin = former.as_role("admin")

    def got(path: str) -> dict[str, object]:
        answer = admin.get(f"/api/v1/{path}")
        assert answer.status_code == 200, answer.text
        body: dict[str, object] = answer.json()
        return body

    assert "# The hosts of one rack.\n" in str(got("fabrics/rack/inventory")["document"])
    rack = admin.get("/api/v1/fabrics/rack").json()
    assert (rack["second_person"], rack["kind"]) == (True, "simulated")
    assert "model: {ca: {becn_delay_ns: 600}}  # measured" in rack["options"]["document"]
    assert admin.get("/api/v1/fabrics/lab").json()["options"]["model"] == {"ca.becn_carrier": "ack"}
    (campaign,) = admin.get("/api/v1/campaigns").json()["items"]
    assert (campaign["name"], campaign["state"], campaign["trials_done"]) == ("small", "finished", 3)
    trials = admin.get(f"/api/v1/campaigns/{campaign['id']}/trials").json()["items"]
    assert len(trials) == 3
    assert all(trial["values"] for trial in trials)
    assert "name: tuned" in str(got("profiles/tuned"))
    assert "name: incast" in str(got("workloads/incast")["document"])
    assert got("checks/site")["fabric"] == "rack"
    (night,) = admin.get("/api/v1/checks/site/nights").json()["items"]
    assert night["by"] == "admin"
    people = {person["username"] for person in admin.get("/api/v1/users").json()["items"]}
    assert people == {"admin", "operator"}
    assert {entry["action"] for entry in admin.get("/api/v1/audit").json()["items"]} >= {"fabric.create", "campaign.start"}


@pytest.mark.thorough
@pytest.mark.long
def test_its_campaign_is_continued(former: Service, unpack: Unpack) -> None:
    operator = former.as_role("operator")
    (campaign,) = operator.get("/api/v1/campaigns").json()["items"]
    unpack("service-trials.sqlite3", former.settings.state_folder / "campaigns" / campaign["id"] / "trials.sqlite3")
    with former.running():
        key = {"Idempotency-Key": "a" * 36}
        answer = operator.post(f"/api/v1/campaigns/{campaign['id']}/extend", json={"trials": 4}, headers=key)
        assert answer.status_code == 202, answer.text
        deadline = time.monotonic() + 120
        while (now := operator.get(f"/api/v1/campaigns/{campaign['id']}").json())["state"] not in ("finished", "failed"):
            assert time.monotonic() < deadline, now
            time.sleep(0.1)
    assert (now["state"], now["trials_done"], now["problem"]) == ("finished", 4, None)
