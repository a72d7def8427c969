# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Ways around the second person, each of which the review has found open or which follow from one that it has."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from api.access.roles import Role
from api.base.times import now
from api.configuration.settings import Settings
from api.database.models.fabric import Fabric
from api.database.models.job import Job
from api.services import second_person
from api.services.fabrics import get_fabric
from tests.api.answer_cases import API
from tests.api.fabric_service import FABRIC, once, run_jobs, with_default_fabric
from tests.api.service import Service
from tuner.cli.main import run

ANY = {"If-Match": "*"}


@pytest.fixture
def site(settings: Settings) -> Iterator[Service]:
    """Whose fabric asks for a second person."""
    service = with_default_fabric(Service(settings))
    assert service.as_role("admin").patch(FABRIC, json={"second_person": True}, headers=ANY).status_code == 200
    yield service
    service.close()


def as_person(service: Service, name: str, role: Role = Role.ADMIN) -> TestClient:
    client = service.anonymous()
    client.headers["Authorization"] = f"Bearer {service.add_token(service.add_person(role, name), role)}"
    return client


def switch(client: TestClient, on: bool) -> Any:
    answer = client.patch(FABRIC, json={"second_person": on}, headers=ANY)
    assert answer.status_code == 200, answer.text
    return answer.json()


def promoted(client: TestClient, fabric: str = "two-switch") -> Any:
    plan = client.post(f"{API}/fabrics/{fabric}/plan", json={"profile": "gran-2010"}).json()
    body = {"fabric": fabric, "profile": "gran-2010", "version": 1, "plan_digest": plan["digest"]}
    return client.post(f"{API}/promotions", json=body, headers=once()).json()


def actions(client: TestClient) -> list[str]:
    items = client.get(f"{API}/audit", params={"action": "fabric.second_person"}).json()["items"]
    return [one["action"].removeprefix("fabric.second_person.") for one in items][::-1]


def test_an_admin_does_not_switch_it_off_alone(site: Service) -> None:
    admin = site.as_role("admin")
    for _ in range(2):  # asking again is not agreeing
        asked = switch(admin, on=False)
        assert (asked["second_person"], asked["second_person_off_asked"]["by"]) == (True, "admin")
    assert promoted(admin)["state"] == "pending"
    browser = site.in_browser("admin")
    assert switch(browser, on=False)["second_person"] is True, "another session of the same person"
    assert actions(admin) == ["on", "ask_off"]


def test_a_second_admin_agrees(site: Service) -> None:
    admin, other = site.as_role("admin"), as_person(site, "olga")
    switch(admin, on=False)
    agreed = switch(other, on=False)
    assert (agreed["second_person"], agreed["second_person_off_asked"]) == (False, None)
    assert promoted(admin)["state"] == "running"
    assert actions(admin) == ["on", "ask_off", "off"]


def test_a_wish_is_taken_back_and_grows_old(site: Service) -> None:
    admin, other = site.as_role("admin"), as_person(site, "olga")
    switch(admin, on=False)
    assert switch(other, on=True)["second_person_off_asked"] is None
    assert switch(other, on=False)["second_person"] is True, "it is olga's wish now"
    with site.database.writing() as session:
        get_fabric(session, "two-switch").off_asked_at = now() - second_person.REQUEST_LASTS
    assert admin.get(FABRIC).json()["second_person_off_asked"] is None
    assert switch(admin, on=False)["second_person_off_asked"]["by"] == "admin", "olga's wish is too old to agree with"
    assert actions(admin) == ["on", "ask_off", "keep", "ask_off", "ask_off"]


def test_an_operator_or_a_token_of_the_same_person_is_no_second_admin(site: Service) -> None:
    switch(site.as_role("admin"), on=False)
    assert site.as_role("operator").patch(FABRIC, json={"second_person": False}, headers=ANY).status_code == 403
    assert switch(site.as_role("admin"), on=False)["second_person"] is True


def test_a_fabric_that_has_it_is_not_deleted_and_made_anew_without(site: Service) -> None:
    admin = site.as_role("admin")
    refused = admin.delete(FABRIC, headers=ANY)
    assert (refused.status_code, "another admin" in refused.json()["detail"]) == (409, True)


def test_the_same_devices_by_another_name_have_it_too(site: Service, tmp_path: Path) -> None:
    admin = site.as_role("admin")
    socket, link = tmp_path / "opensm.sock", tmp_path / "link.sock"
    socket.touch()
    link.symlink_to(socket)
    for name, path, on in (("site", socket, True), ("again", link, False), ("other", tmp_path / "x.sock", False)):
        body = {"name": name, "kind": "plugin", "options": {"socket": str(path)}, "second_person": on}
        assert admin.post(f"{API}/fabrics", json=body).status_code == 201
    moved = admin.patch(f"{API}/fabrics/site", json={"options": {"socket": str(tmp_path / "y.sock")}}, headers=ANY)
    assert (moved.status_code, "must keep its socket" in moved.json()["detail"]) == (409, True)
    with site.database.reading() as session:
        needed = {
            row.name: second_person.is_needed(session, site.settings, row) for row in session.scalars(select(Fabric)).unique()
        }
    assert needed == {"two-switch": True, "site": True, "again": True, "other": False}


@pytest.mark.parametrize("place", ["/proc/self/cwd", "//proc/self/root", "/./proc/1/root", "/dev/fd/3"])
def test_a_socket_that_means_another_one_to_each_process_is_refused(site: Service, place: str) -> None:
    """A worker could reach by it what the server takes for another fabric's devices."""
    body = {"name": "again", "kind": "plugin", "options": {"socket": f"{place}/run/ibcc/opensm.sock"}}
    refused = site.as_role("admin").post(f"{API}/fabrics", json=body)
    assert (refused.status_code, "each process" in refused.json()["detail"]) == (422, True)


def test_whoever_has_the_machine_resets_it_and_everybody_is_told_for_a_week(
    site: Service, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("IBCC_STATE_FOLDER", str(site.settings.state_folder))
    assert run(["user", "second-person", "two-switch"]) == 0
    assert "all users see a notice for 7 days" in "".join(capsys.readouterr())
    seen = site.as_role("viewer").get(FABRIC).json()
    assert (seen["second_person"], bool(seen["second_person_reset"]["by"])) == (False, True)
    (entry,) = [one for one in site.as_role("admin").get(f"{API}/audit").json()["items"] if one["action"].endswith(".reset")]
    assert (entry["via"], entry["fabric"]) == ("command", "two-switch")
    switch(site.as_role("admin"), on=True)
    assert site.as_role("viewer").get(f"{API}/fabrics").json()["items"][0]["second_person_reset"] is not None, "still told"
    with site.database.writing() as session:
        get_fabric(session, "two-switch").reset_at = now() - second_person.NOTICE_LASTS
    assert site.as_role("viewer").get(FABRIC).json()["second_person_reset"] is None
    switch(site.as_role("admin"), on=False)
    assert run(["user", "second-person", "nowhere"]) == run(["user", "second-person", "no such"]) == 2


def tried(client: TestClient, ttl_s: int) -> Any:
    return client.post(f"{FABRIC}/apply", json={"profile": "gran-2010", "ttl_s": ttl_s}, headers=once())


@pytest.mark.long
def test_an_experiment_is_no_promotion_without_approval(site: Service) -> None:
    """A week of it, again and again, was one."""
    operator = site.as_role("operator")
    refused = tried(operator, 604800)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "ttl_s")
    assert "604800 s is too long" in refused.json()["detail"]
    assert "at most 14400 s in any 24 hours (experiment_limit_s), and 0 s are used; at most 14400" in refused.json()["detail"]
    assert run_jobs(site, operator, tried(operator, 14400).json()["id"])["state"] == "done"
    with site.database.writing() as session:  # it has been in force for three hours
        for job in session.scalars(select(Job)):
            job.started_at = job.ended_at = now() - timedelta(hours=3)
    again = tried(operator, 14400)
    assert re.search("1080[0-2] s are used; at most 3[56][0-9][0-9] or a promotion", again.json()["detail"])
    other = tried(as_person(site, "olga", Role.OPERATOR), 3601)
    assert other.status_code in (409, 422), "the sum is the fabric's, whoever asks"
    assert tried(operator, 3590).status_code == 202


@pytest.mark.parametrize(
    ("jobs", "used_s"),
    [
        ([("apply", "done", 20, 7200)], 7200),
        ([("apply", "done", 25, 7200)], 3600),
        ([("apply", "done", 30, 7200)], 0),
        ([("apply", "done", 2, 14400)], 7200),
        ([("apply", "done", 3, 14400), ("restore", "done", 2, 0)], 3600),
        ([("apply", "done", 3, 14400), ("restore", "failed", 2, 0)], 10800),
        ([("apply", "done", 3, 14400), ("apply", "done", 2, 3600)], 7200),
        ([("apply", "failed 4", 3, 14400)], 0),  # what the devices did not take was undone
        ([("apply", "failed 5", 3, 14400)], 0),
        ([("apply", "failed 3", 3, 14400)], 10800),  # nobody knows whether they have it
        ([("apply", "failed 3", 3, 14400), ("restore", "done", 2, 0)], 3600),
        ([("apply", "cancelled", 3, 14400)], 0),
        ([("apply", "cancelled 3", 3, 14400)], 10800),
    ],
)
def test_what_counts_is_how_long_they_were_in_force(site: Service, jobs: list[tuple[str, str, int, int]], used_s: int) -> None:
    with site.database.writing() as session:
        for kind, end, hours_ago, ttl_s in jobs:
            state, _, exit_code = end.partition(" ")
            at = now() - timedelta(hours=hours_ago)
            session.add(
                Job(
                    kind=kind,
                    state=state,
                    exit_code=int(exit_code) if exit_code else None,
                    arguments={"ttl_s": ttl_s},
                    fabric="two-switch",
                    created_by="x",
                    started_at=at,
                    ended_at=at,
                )
            )
            session.flush()
        fabric = get_fabric(session, "two-switch")
        assert second_person.experiments_s(session, fabric) == pytest.approx(used_s, abs=5)


def in_force(site: Service, fabric: str) -> None:
    """An experiment that has been, for an hour."""
    begun = now() - timedelta(hours=2)
    with site.database.writing() as session:
        experiment = Job(kind="apply", state="done", arguments={"ttl_s": 3600}, fabric=fabric, created_by="x")
        experiment.started_at = experiment.ended_at = begun
        session.add(experiment)


@pytest.mark.parametrize("whose", ["another fabric's", "the settings'"])
def test_time_that_was_used_is_not_forgotten_with_the_fabrics_name(site: Service, tmp_path: Path, whose: str) -> None:
    """The same devices by a name that is deleted, or made to mean others, and made anew."""
    admin = site.as_role("admin")
    for name in ("site", "again"):
        on = name == "site" and whose == "another fabric's"
        options = {"socket": str(tmp_path / "opensm.sock")}
        body = {"name": name, "kind": "plugin", "options": options, "second_person": on}
        assert admin.post(f"{API}/fabrics", json=body).status_code == 201
    site.settings.second_person = whose == "the settings'"
    in_force(site, "again")
    again = f"{API}/fabrics/again"
    elsewhere = {"options": {"socket": str(tmp_path / "x.sock")}}
    for refused in (admin.delete(again, headers=ANY), admin.patch(again, json=elsewhere, headers=ANY)):
        assert (refused.status_code, "lasted 3600 s" in refused.json()["detail"]) == (409, True)
    with site.database.writing() as session:
        for job in session.scalars(select(Job)):
            job.started_at = job.ended_at = now() - timedelta(hours=26)
    assert admin.delete(again, headers=ANY).status_code == 204


def test_a_fabric_is_not_made_anew_without_what_everybody_is_told(site: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IBCC_STATE_FOLDER", str(site.settings.state_folder))
    assert run(["user", "second-person", "two-switch"]) == 0
    admin = site.as_role("admin")
    refused = admin.delete(FABRIC, headers=ANY)
    assert (refused.status_code, "switched off on the machine" in refused.json()["detail"]) == (409, True)
    with site.database.writing() as session:
        get_fabric(session, "two-switch").reset_at = now() - second_person.NOTICE_LASTS
    assert admin.delete(FABRIC, headers=ANY).status_code == 204


def test_without_a_second_person_experiments_may_last(site: Service) -> None:
    site.settings.experiment_limit_s = 60
    admin = site.as_role("admin")
    assert tried(admin, 61).status_code == 422
    switch(admin, on=False)
    switch(as_person(site, "olga"), on=False)
    assert tried(admin, 604800).status_code == 202
