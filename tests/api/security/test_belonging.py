# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A token that is for some fabrics writes no profile and no workload but those that belong to these fabrics; and what belongs to
a fabric gets onto no other one."""

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.access.roles import Role
from api.configuration.settings import Settings
from tests.api.answer_cases import API, PROFILE, WORKLOAD
from tests.api.campaign_service import CAMPAIGNS, SHORT
from tests.api.fabric_service import FABRIC, once, with_default_fabric
from tests.api.service import Service

KINDS = {"profiles": PROFILE, "workloads": WORKLOAD}
ANY = {"If-Match": "*"}


@pytest.fixture
def site(settings: Settings) -> Iterator[Service]:
    """Two fabrics, two-switch and pair, with a profile and a workload of all fabrics, `mine`, and of pair, `theirs`."""
    service = with_default_fabric(Service(settings))
    admin = service.as_role("admin")
    pair = {"name": "pair", "kind": "simulated", "options": {"fabric": "two-switch"}}
    assert admin.post(f"{API}/fabrics", json=pair).status_code == 201
    for kind in KINDS:
        assert create(admin, kind, "mine").status_code == 201
        assert create(admin, kind, "theirs", belongs_to="pair").status_code == 201
    yield service
    service.close()


def create(client: TestClient, kind: str, name: str, **more: Any) -> Any:
    return client.post(f"{API}/{kind}", json={"name": name, "document": text(kind, name)} | more)


def text(kind: str, name: str) -> str:
    return KINDS[kind].replace("name: mine", f"name: {name}")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("role", [Role.OPERATOR, Role.ADMIN])
def test_what_belongs_to_all_fabrics_is_not_a_tokens_to_change(site: Service, kind: str, role: Role) -> None:
    """The review's attack: with a token for one fabric, PUT and DELETE of what every other fabric uses."""
    token = site.as_role(role, ["two-switch"])
    before = token.get(f"{API}/{kind}/mine").json()
    body = {"document": text(kind, "mine")}
    for answer in (
        token.put(f"{API}/{kind}/mine", json=body, headers=ANY),
        token.put(f"{API}/{kind}/mine", json=body | {"belongs_to": "two-switch"}, headers=ANY),
        token.delete(f"{API}/{kind}/mine", headers=ANY),
    ):
        assert (answer.status_code, answer.json()["type"]) == (403, "/problems/forbidden"), answer.text
        assert "belongs to all fabrics" in answer.json()["detail"]
        assert "This token is for fabric two-switch" in answer.json()["detail"]
    assert token.get(f"{API}/{kind}/mine").json() == before


@pytest.mark.parametrize("kind", KINDS)
def test_what_belongs_to_another_fabric_is_not_there_for_it(site: Service, kind: str) -> None:
    token = site.as_role("operator", ["two-switch"])
    for answer in (
        token.get(f"{API}/{kind}/theirs"),
        token.put(f"{API}/{kind}/theirs", json={"document": text(kind, "theirs")}, headers=ANY),
        token.delete(f"{API}/{kind}/theirs", headers=ANY),
    ):
        assert answer.status_code == 404, answer.text
    assert "theirs" not in [one["name"] for one in token.get(f"{API}/{kind}").json()["items"]]
    if kind == "profiles":
        for part in ("versions", "versions/1", "diff"):
            assert token.get(f"{API}/profiles/theirs/{part}").status_code == 404
        assert token.get(f"{API}/profiles/mine/diff", params={"other": "theirs"}).status_code == 404
    assert create(token, kind, "new", belongs_to="pair").status_code == 403


@pytest.mark.parametrize("kind", KINDS)
def test_it_writes_what_belongs_to_its_own(site: Service, kind: str) -> None:
    token = site.as_role("operator", ["two-switch"])
    made = create(token, kind, "own")
    assert (made.status_code, made.json()["belongs_to"]) == (201, "two-switch"), "the only fabric that it may mean"
    where = f"{API}/{kind}/own"
    changed = token.put(where, json={"document": text(kind, "own")}, headers={"If-Match": made.headers["ETag"]})
    assert (changed.status_code, changed.json()["belongs_to"]) == (200, "two-switch")
    for owner, status in ((None, 403), ("pair", 403)):
        moved = token.put(where, json={"document": text(kind, "own"), "belongs_to": owner}, headers=ANY)
        assert moved.status_code == status, moved.text
    assert token.delete(where, headers=ANY).status_code == 204
    entries = site.as_role("operator", ["two-switch"]).get(f"{API}/audit").json()["items"]
    assert [one["fabric"] for one in entries if one["object"].startswith(f"{kind[:-1]} own")] == ["two-switch"] * 3


@pytest.mark.parametrize("kind", KINDS)
def test_a_token_for_several_says_to_which_of_them(site: Service, kind: str) -> None:
    token = site.as_role("operator", ["two-switch", "pair"])
    refused = create(token, kind, "own")
    assert (refused.status_code, "give belongs_to" in refused.json()["detail"]) == (403, True)
    assert create(token, kind, "own", belongs_to="pair").status_code == 201
    moved = token.put(f"{API}/{kind}/own", json={"document": text(kind, "own"), "belongs_to": "two-switch"}, headers=ANY)
    assert moved.json()["belongs_to"] == "two-switch"


@pytest.mark.parametrize("kind", KINDS)
def test_people_and_tokens_for_all_fabrics_say_whose_it_is(site: Service, kind: str) -> None:
    operator = site.as_role("operator")
    where = f"{API}/{kind}/theirs"
    kept = operator.put(where, json={"document": text(kind, "theirs")}, headers=ANY)
    assert kept.json()["belongs_to"] == "pair", "what is left out stays"
    freed = operator.put(where, json={"document": text(kind, "theirs"), "belongs_to": None}, headers=ANY)
    assert freed.json()["belongs_to"] is None
    lost = operator.put(where, json={"document": text(kind, "theirs"), "belongs_to": "nowhere"}, headers=ANY)
    assert lost.status_code == 404


def test_a_token_is_told_no_more_of_what_is_anothers_when_it_asks_to_use_it(site: Service) -> None:
    """Neither that there is one, nor to which fabric it belongs."""
    token = site.as_role("operator", ["two-switch"])
    campaign = {"name": "x", "fabric": "two-switch", "template": "scenario-1"}
    digest = {"plan_digest": "0" * 64, "version": 1, "fabric": "two-switch"}

    def answers(name: str) -> list[tuple[int, str]]:
        found = [
            token.post(f"{FABRIC}/plan", json={"profile": name}),
            token.post(f"{FABRIC}/apply", json={"profile": name, "ttl_s": 60}, headers=once()),
            token.post(f"{API}/promotions", json=digest | {"profile": name}, headers=once()),
            token.post(CAMPAIGNS, json=campaign | {"settings": SHORT | {"expert": name}}),
            token.post(CAMPAIGNS, json=campaign | {"settings": SHORT | {"workloads": [name]}}),
        ]
        return [(answer.status_code, answer.json()["detail"].replace(name, "NAME")) for answer in found]

    assert answers("theirs") == answers("nobodys")


def test_an_admins_token_for_some_fabrics_makes_nobody_who_may_use_all(site: Service) -> None:
    """It could make an admin, or set one's password, and log in as that one."""
    token, admin = site.as_role("admin", ["two-switch"]), site.as_role("admin")
    (own,) = [one["id"] for one in admin.get(f"{API}/users").json()["items"] if one["username"] == "admin"]
    person = {"username": "evil", "password": "correct horse battery", "role": "admin"}
    where = f"{API}/users/{own}"
    for answer in (
        token.get(f"{API}/users"),
        token.post(f"{API}/users", json=person),
        token.get(where),
        token.patch(where, json={"password": "correct horse battery"}, headers=ANY),
        token.post(f"{where}/link", headers=ANY),
        token.post(f"{where}/confirm", headers=ANY),
        token.delete(where, headers=ANY),
    ):
        assert answer.status_code == 403, answer.text
        assert "This token is for two-switch only, and user accounts may use all fabrics" in answer.json()["detail"]
    site.add_person(Role.OPERATOR, "olga")
    others = site.as_role("operator").get(f"{API}/tokens").json()["items"]
    assert {one["username"] for one in token.get(f"{API}/tokens").json()["items"]} == {"admin"}
    assert token.delete(f"{API}/tokens/{others[0]['id']}").status_code == 404


def test_an_admins_token_for_some_fabrics_does_not_choose_their_devices(site: Service) -> None:
    """What it may do to its own fabric would be done to another one's devices."""
    production = {"socket": "/run/ibcc/opensm.sock"}
    admin, token = site.as_role("admin"), site.as_role("admin", ["lab", "mine"])
    socket = {"socket": "/run/lab/opensm.sock"}
    lab = {"name": "lab", "kind": "plugin", "options": socket}
    assert admin.post(f"{API}/fabrics", json=lab).status_code == 201
    for answer in (
        token.patch(f"{API}/fabrics/lab", json={"options": production}, headers=ANY),
        token.patch(f"{API}/fabrics/lab", json={"options": {}}, headers=ANY),
        token.post(f"{API}/fabrics", json={"name": "mine", "kind": "plugin", "options": production}),
        token.post(f"{API}/fabrics", json={"name": "mine", "kind": "plugin", "options": {}}),
    ):
        assert (answer.status_code, "options.socket chooses the devices" in answer.text) == (403, True), answer.text
    kept = {"options": socket | {"fabric": "two-switch"}, "description": "The lab's."}
    assert token.patch(f"{API}/fabrics/lab", json=kept, headers=ANY).status_code == 200


def test_what_belongs_to_a_fabric_gets_onto_no_other_one(site: Service) -> None:
    """Else whoever may write it would write what others apply there by its name."""
    operator = site.as_role("operator")
    digest = {"plan_digest": "0" * 64, "version": 1, "fabric": "two-switch"}
    campaign = {"name": "x", "fabric": "two-switch", "template": "scenario-1"}
    for answer in (
        operator.post(f"{FABRIC}/plan", json={"profile": "theirs"}),
        operator.post(f"{FABRIC}/apply", json={"profile": "theirs", "ttl_s": 60}, headers=once()),
        operator.post(f"{API}/promotions", json=digest | {"profile": "theirs"}, headers=once()),
        operator.post(CAMPAIGNS, json=campaign | {"settings": SHORT | {"expert": "theirs"}}),
        operator.post(CAMPAIGNS, json=campaign | {"settings": SHORT | {"workloads": ["theirs"]}}),
    ):
        assert answer.status_code == 422, answer.text
        assert "'theirs' belongs to fabric 'pair' and cannot be used on 'two-switch'" in answer.json()["detail"]
    assert operator.post(f"{API}/fabrics/pair/plan", json={"profile": "theirs"}).status_code == 200
    used = campaign | {"fabric": "pair", "settings": SHORT | {"expert": "theirs", "workloads": ["theirs"]}}
    assert operator.post(CAMPAIGNS, json=used).status_code == 201
