# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Every cell of the tables, asked of the service itself: what `actions` offers is done, and all else is refused, with 403 where
the role is too low and with 409 where the state is another."""

import typing
from typing import Any

import pytest

from api.access.roles import Role
from api.states.campaigns import CAMPAIGNS, CampaignState
from api.states.checks import ANSWERS, CHECKS, AnswerState, CheckState
from api.states.imports import IMPORTS, ImportState
from api.states.jobs import JOBS, JobState
from api.states.promotions import PROMOTIONS, PromotionState
from tests.api.states.conftest import API, Site

PEOPLE = [pytest.param(Role.VIEWER, marks=pytest.mark.long), Role.OPERATOR, pytest.param(Role.ADMIN, marks=pytest.mark.long)]
"""All roles; `make test-quick` asks as an operator alone, where many actions are offered and some refused."""


def offered(site: Site, person: str, path: str) -> list[str]:
    answer = site.people[person].get(f"{API}{path}")
    assert answer.status_code == 200, answer.text
    actions: list[str] = answer.json()["actions"]
    return actions


def require_status(status: int, is_offered: bool, role: Role, needed: Role, what: Any) -> None:
    wanted = {200, 201, 202, 204} if is_offered else {409} if role.covers(needed) else {403}
    assert status in wanted, (*what, status)


@pytest.mark.long
@pytest.mark.parametrize("person", PEOPLE)
@pytest.mark.parametrize("state", typing.get_args(CampaignState))
def test_campaigns(site: Site, state: str, person: Role) -> None:
    client = site.people[person]
    campaign = site.campaign(state)
    (listed,) = [one for one in client.get(f"{API}/campaigns?limit=10").json()["items"] if one["id"] == campaign]
    assert listed["actions"] == CAMPAIGNS.actions(person, state)
    for action, rule in CAMPAIGNS.rules.items():
        campaign = site.campaign(state)
        actions = offered(site, person, f"/campaigns/{campaign}")
        assert actions == CAMPAIGNS.actions(person, state)
        require_status(site.act(client, campaign, action), action in actions, person, rule.role, (state, person, action))


@pytest.mark.parametrize("person", list(Role))
@pytest.mark.parametrize("state", typing.get_args(JobState))
def test_jobs(site: Site, state: str, person: Role) -> None:
    job = site.job(state)
    actions = offered(site, person, f"/jobs/{job}")
    assert actions == JOBS.actions(person, state)
    status = site.post(site.people[person], f"/jobs/{job}/cancel")
    require_status(status, "cancel" in actions, person, JOBS.role("cancel"), (state, person))


@pytest.mark.parametrize("person", ["viewer", "operator", "second", "admin"])
@pytest.mark.parametrize("state", typing.get_args(PromotionState))
def test_promotions(site: Site, state: str, person: str) -> None:
    """The operator has asked for them, and may not approve them."""
    role = Role.OPERATOR if person == "second" else Role(person)
    for action in PROMOTIONS.rules:
        promotion = site.promotion(state)
        actions = offered(site, person, f"/promotions/{promotion}")
        assert actions == PROMOTIONS.actions(role, state, is_another=lambda: person != "operator")
        status = site.post(site.people[person], f"/promotions/{promotion}/{action}", {})
        if (person, state, action) == ("operator", "pending", "approve"):
            assert status == 403
        else:
            require_status(status, action in actions, role, PROMOTIONS.role(action), (state, person, action))


@pytest.mark.parametrize("person", PEOPLE)
@pytest.mark.parametrize("state", typing.get_args(CheckState))
def test_checks(site: Site, state: str, person: Role) -> None:
    client = site.people[person]
    for action, rule in CHECKS.rules.items():
        name = site.check(state)
        actions = offered(site, person, f"/checks/{name}")
        assert actions == CHECKS.actions(person, state)
        status = site.act_on_check(client, name, action)
        require_status(status, action in actions, person, rule.role, (state, person, action))
    name = site.check(state)
    (listed,) = [one for one in client.get(f"{API}/checks?limit=200").json()["items"] if one["name"] == name]
    assert (listed["state"], listed["actions"]) == (state, CHECKS.actions(person, state))


@pytest.mark.parametrize("person", list(Role))
@pytest.mark.parametrize("state", typing.get_args(AnswerState))
def test_answers(site: Site, state: str, person: Role) -> None:
    check, answer = site.answer(state)
    document = site.people[person].get(f"{API}/checks/{check}/answers/{answer}").json()
    assert (document["state"], document["actions"]) == (state, ANSWERS.actions(person, state))
    status = site.post(site.people[person], f"/checks/{check}/answers/{answer}/undo")
    require_status(status, "undo" in document["actions"], person, ANSWERS.role("undo"), (state, person))


@pytest.mark.parametrize("person", list(Role))
@pytest.mark.parametrize("state", typing.get_args(ImportState))
def test_imports(site: Site, state: str, person: Role) -> None:
    """Only admins see them."""
    for action, rule in IMPORTS.rules.items():
        one = site.fabric_import(state)
        if person is Role.ADMIN:
            assert offered(site, person, f"/fabric-imports/{one}") == IMPORTS.actions(person, state)
        status = site.act_on_import(site.people[person], one, action)
        require_status(status, action in IMPORTS.actions(person, state), person, rule.role, (state, person, action))


def test_whoever_made_the_askers_account_is_not_offered_the_approval(site: Site) -> None:
    admin = site.people["admin"]
    made = admin.post(f"{API}/users", json={"username": "olga", "password": "correct horse battery", "role": "operator"})
    assert made.status_code == 201, made.text
    olga = site.service.anonymous()
    olga.headers["Authorization"] = f"Bearer {site.service.add_token(made.json()['id'], Role.OPERATOR)}"
    promotion = site.asked(olga)
    assert offered(site, "admin", f"/promotions/{promotion}") == ["reject"]
    assert site.post(admin, f"/promotions/{promotion}/approve", {}) == 403
    assert offered(site, "second", f"/promotions/{promotion}") == ["approve", "reject"]


def test_answers_that_begin_a_job_say_what_may_be_done_with_it(site: Site) -> None:
    answer = site.people["operator"].post(f"{API}/fabrics/two-switch/verify", headers={"Idempotency-Key": "1"})
    assert answer.json()["actions"] == ["cancel"]
