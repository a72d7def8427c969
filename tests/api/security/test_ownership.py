# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Two accounts of one person: whoever made an account, enabled it again or set its password does not approve with it, nor ask
with it for what they approve themselves."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.access.roles import Role
from api.base.times import now
from api.configuration.settings import Settings
from api.database.models.user import User
from api.services import ownership
from api.services.users import find_by_name
from tests.api.answer_cases import API
from tests.api.fabric_service import FABRIC, once, with_default_fabric
from tests.api.service import PASSWORD, Service
from tuner.cli.main import run

ANY = {"If-Match": "*"}
TAKEN = "the owner's own words"


@pytest.fixture
def site(settings: Settings) -> Iterator[Service]:
    """With a second person needed, and an admin xenia."""
    settings.second_person = True
    service = with_default_fabric(Service(settings))
    service.add_person(Role.ADMIN, "xenia")
    yield service
    service.close()


def logged_in(service: Service, name: str, password: str = PASSWORD) -> TestClient:
    client = service.anonymous()
    answer = client.post(f"{API}/session", json={"username": name, "password": password})
    assert answer.status_code == 201, answer.text
    client.headers["X-CSRF-Token"] = answer.json()["csrf_token"]
    return client


def made(admin: TestClient, name: str, role: str = "operator") -> str:
    answer = admin.post(f"{API}/users", json={"username": name, "password": PASSWORD, "role": role})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def asked(client: TestClient) -> str:
    plan = client.post(f"{FABRIC}/plan", json={"profile": "gran-2010"}).json()
    body = {"fabric": "two-switch", "profile": "gran-2010", "version": 1, "plan_digest": plan["digest"]}
    answer = client.post(f"{API}/promotions", json=body, headers=once())
    assert answer.json()["state"] == "pending", answer.text
    return str(answer.json()["id"])


def approved(client: TestClient, promotion: str) -> Any:
    return client.post(f"{API}/promotions/{promotion}/approve", json={}, headers=once())


def require_refused(answer: Any, *words: str) -> None:
    assert (answer.status_code, answer.json()["type"]) == (403, "/problems/forbidden"), answer.text
    for word in words:
        assert word in answer.json()["detail"]


def take(service: Service, link: Any) -> None:
    assert link.status_code == 201, link.text
    answer = service.anonymous().post(f"{API}/welcome", json={"token": link.json()["secret"], "password": TAKEN})
    assert answer.status_code == 204, answer.text


def give(client: TestClient, user: str) -> Any:
    return client.post(f"{API}/users/{user}/link", headers=ANY)


def test_an_operator_that_the_asker_made_does_not_approve(site: Service) -> None:
    """The review's attack."""
    xenia = logged_in(site, "xenia")
    made(xenia, "alt")
    require_refused(approved(logged_in(site, "alt"), asked(xenia)), "xenia made or re-enabled the account of xenia or alt")


def test_nor_does_the_maker_approve_what_that_one_asked_for(site: Service) -> None:
    xenia = logged_in(site, "xenia")
    made(xenia, "alt")
    made(xenia, "other")
    promotion = asked(logged_in(site, "alt"))
    require_refused(approved(xenia, promotion))
    require_refused(approved(logged_in(site, "other"), promotion), "xenia made")


@pytest.mark.parametrize(
    "seize",
    [
        lambda admin, path: admin.patch(path, json={"password": PASSWORD}, headers=ANY),
        lambda admin, path: [admin.patch(path, json={"disabled": off}, headers=ANY) for off in (True, False)][-1],
    ],
    ids=["password", "re-enabled"],
)
def test_a_new_password_and_enabling_again_count_as_making(site: Service, seize: Callable[[TestClient, str], Any]) -> None:
    xenia, olga = logged_in(site, "xenia"), site.add_person(Role.OPERATOR, "olga")
    promotion = asked(xenia)
    answer = seize(xenia, f"{API}/users/{olga}")
    assert (answer.status_code, answer.json()["in_hands_of"], answer.json()["lacks"]) == (200, ["xenia"], "link")
    require_refused(approved(logged_in(site, "olga"), promotion))


def test_through_another_account_of_ones_own_it_is_the_same(site: Service) -> None:
    """An admin made by xenia makes, confirms and gives links in xenia's name."""
    xenia = logged_in(site, "xenia")
    made(xenia, "puppet", "admin")
    puppet = logged_in(site, "puppet")
    alt = made(puppet, "alt")
    assert xenia.get(f"{API}/users/{alt}").json()["in_hands_of"] == ["puppet", "xenia"]
    require_refused(give(puppet, made(xenia, "second")), "xenia made or re-enabled the account of second")
    promotion = asked(xenia)
    require_refused(approved(logged_in(site, "alt"), promotion))
    # A link that puppet gives to an account of nobody's hands leaves xenia's on it.
    olga = site.add_person(Role.OPERATOR, "olga")
    take(site, give(puppet, olga))
    require_refused(approved(logged_in(site, "olga", TAKEN), promotion))


def test_an_account_that_its_owner_has_taken_by_another_admins_link_approves(site: Service) -> None:
    xenia, yann = logged_in(site, "xenia"), site.add_person(Role.ADMIN, "yann")
    olga = made(xenia, "olga")
    promotion = asked(xenia)
    require_refused(give(xenia, olga), "another admin must confirm it", "ibcc user link olga")
    kept = logged_in(site, "olga")  # in the maker's browser
    token = site.add_token(olga, Role.OPERATOR)
    link = give(logged_in(site, "yann"), olga)
    assert link.json()["path"] == f"/welcome#token={link.json()['secret']}"
    require_refused(approved(logged_in(site, "olga"), promotion))  # not before it was used
    take(site, link)
    assert kept.get(f"{API}/session").status_code == 401
    assert site.anonymous().get(f"{API}/session", headers={"Authorization": f"Bearer {token}"}).status_code == 401
    refused = site.anonymous().post(f"{API}/session", json={"username": "olga", "password": PASSWORD})
    assert refused.status_code == 401, "the maker knows that one"
    owner = logged_in(site, "olga", TAKEN)
    assert xenia.get(f"{API}/users/{olga}").json()["lacks"] is None
    # Who gave the link has seen it: for yann's promotions it is somebody else's turn.
    require_refused(approved(owner, asked(logged_in(site, "yann"))), "yann gave a link to the account")
    assert approved(owner, promotion).status_code == 202
    log = [one["action"] for one in xenia.get(f"{API}/audit", params={"action": "user"}).json()["items"]]
    assert log == ["user.take", "user.link", "user.create"]
    assert yann is not None


def test_what_was_asked_for_before_stays_the_makers(site: Service) -> None:
    xenia = logged_in(site, "xenia")
    site.add_person(Role.ADMIN, "yann")
    alt = made(xenia, "alt")
    promotion = asked(logged_in(site, "alt"))
    take(site, give(logged_in(site, "yann"), alt))
    require_refused(approved(xenia, promotion))
    assert xenia.delete(f"{API}/users/{alt}", headers=ANY).status_code == 204
    require_refused(approved(xenia, promotion), "account that asked for this promotion was deleted")


def taken(site: Service, link: Any, name: str) -> TestClient:
    take(site, link)
    return logged_in(site, name, TAKEN)


def test_a_link_to_an_account_in_nobodys_hands_takes_it_into_the_givers(site: Service) -> None:
    """Else one admin takes two accounts, and approves with one what the other has asked for."""
    xenia = logged_in(site, "xenia")
    olga, petra = (site.add_person(Role.OPERATOR, name) for name in ("olga", "petra"))
    owner, promotion = taken(site, give(xenia, olga), "olga"), asked(taken(site, give(xenia, petra), "petra"))
    seen = xenia.get(f"{API}/users/{olga}").json()
    assert (seen["in_hands_of"], seen["lacks"]) == (["xenia"], "confirmation")
    require_refused(approved(owner, promotion), "xenia made or re-enabled")
    with site.database.writing() as session:  # the giver has seen it, whatever time passes
        session.get_one(User, olga).taken_at = now() - ownership.ALONE_FOR
    require_refused(approved(owner, promotion))
    where = f"{API}/users/{olga}/confirm"
    require_refused(xenia.post(where, headers=ANY))
    site.add_person(Role.ADMIN, "yann")
    yann = logged_in(site, "yann")
    assert yann.post(where, headers=ANY).json()["lacks"] is None
    require_refused(approved(owner, promotion), "xenia gave a link")  # petra's account is in xenia's hands still
    assert approved(owner, asked(yann)).status_code == 202


def test_an_account_that_is_gone_or_another_ones_by_now_gave_its_links_all_the_same(site: Service) -> None:
    xenia = logged_in(site, "xenia")
    site.add_person(Role.ADMIN, "yann")
    olga, petra = (site.add_person(Role.OPERATOR, name) for name in ("olga", "petra"))
    first, second = (made(xenia, name, "admin") for name in ("first", "second"))
    links = give(logged_in(site, "first"), olga), give(logged_in(site, "second"), petra)
    assert xenia.delete(f"{API}/users/{first}", headers=ANY).status_code == 204
    take(site, give(logged_in(site, "yann"), second))
    promotion = asked(xenia)
    for link, name in zip(links, ("olga", "petra"), strict=True):
        require_refused(approved(taken(site, link, name), promotion), "xenia made or re-enabled")


@pytest.mark.parametrize("how", ["makes", "links"])
def test_what_is_done_with_an_account_that_one_gave_the_link_to_is_ones_own(site: Service, how: str) -> None:
    """An admin who took another admin's account makes accounts with it, and gives links."""
    xenia, yann = logged_in(site, "xenia"), site.add_person(Role.ADMIN, "yann")
    zoe = made(logged_in(site, "yann"), "zoe", "admin")
    puppet = taken(site, give(xenia, zoe), "zoe")  # zoe has never seen that link
    assert xenia.get(f"{API}/users/{zoe}").json()["lacks"] is None
    if how == "makes":
        alt = made(puppet, "alt")
        require_refused(give(xenia, alt), "xenia made or re-enabled")
        other = logged_in(site, "alt")
    else:
        alt = made(logged_in(site, "yann"), "alt")
        other = taken(site, give(puppet, alt), "alt")
        # Who gave zoe's link is not forgotten when zoe gets another one.
        site.add_person(Role.ADMIN, "wim")
        take(site, give(logged_in(site, "wim"), zoe))
    require_refused(approved(other, asked(xenia)), "xenia")
    require_refused(approved(xenia, asked(other)), "xenia")
    assert yann is not None


def test_who_gave_a_link_and_who_is_in_that_ones_hands_are_not_two_people(site: Service) -> None:
    xenia, yann = logged_in(site, "xenia"), site.add_person(Role.ADMIN, "yann")
    made(xenia, "alt")
    owner = taken(site, give(xenia, made(logged_in(site, "yann"), "olga")), "olga")
    require_refused(approved(owner, asked(logged_in(site, "alt"))), "xenia gave a link to the account of alt or olga")
    assert approved(owner, asked(logged_in(site, "yann"))).status_code == 202
    assert yann is not None


def test_a_link_is_not_forgotten_when_the_account_that_asked_gets_another_one(site: Service) -> None:
    xenia, yann = logged_in(site, "xenia"), site.add_person(Role.ADMIN, "yann")
    olga = made(logged_in(site, "yann"), "olga")
    promotion = asked(taken(site, give(xenia, olga), "olga"))
    site.add_person(Role.ADMIN, "zoe")
    take(site, give(logged_in(site, "zoe"), olga))
    require_refused(approved(xenia, promotion), "xenia gave a link")
    assert yann is not None


def test_a_link_works_once_for_three_days_and_until_the_next(site: Service) -> None:
    site.add_person(Role.ADMIN, "yann")
    olga = made(logged_in(site, "xenia"), "olga")
    yann, links = logged_in(site, "yann"), []
    for _ in range(2):
        links.append(give(yann, olga))

    def used(secret: str) -> int:
        return site.anonymous().post(f"{API}/welcome", json={"token": secret, "password": TAKEN}).status_code

    assert used(links[0].json()["secret"]) == 403
    with site.database.writing() as session:
        user = find_by_name(session, "olga")
        assert user is not None
        user.link_expires_at = now()
    assert used(links[1].json()["secret"]) == 403
    fresh = give(yann, olga).json()["secret"]
    assert [used(fresh), used(fresh)] == [204, 403]
    late = give(yann, olga).json()["secret"]
    logged_in(site, "xenia").patch(f"{API}/users/{olga}", json={"password": PASSWORD}, headers=ANY)
    assert used(late) == 403, "it was given for what the account was before"
    assert give(yann, find_id(site, "yann")).status_code == 409
    assert yann.post(f"{API}/users/{olga}/link").status_code == 428


def find_id(service: Service, name: str) -> str:
    with service.database.reading() as session:
        user = find_by_name(session, name)
        assert user is not None
        return user.id


def linked_on_the_machine(site: Service, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["user", "link", name]) == 0
    found = re.search(r"/welcome#token=(\S+)", capsys.readouterr().out)
    assert found is not None
    answer = site.anonymous().post(f"{API}/welcome", json={"token": found[1], "password": TAKEN})
    assert answer.status_code == 204


def test_a_link_from_the_machine_and_another_admins_confirmation(
    site: Service, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("IBCC_STATE_FOLDER", str(site.settings.state_folder))
    site.add_person(Role.ADMIN, "yann")
    xenia, yann = logged_in(site, "xenia"), logged_in(site, "yann")
    olga = made(xenia, "olga")
    where, promotion = f"{API}/users/{olga}/confirm", asked(xenia)
    assert yann.post(where, headers=ANY).status_code == 409, "nobody has used a link yet"
    linked_on_the_machine(site, "olga", capsys)
    owner = logged_in(site, "olga", TAKEN)
    require_refused(approved(owner, promotion))
    require_refused(xenia.post(where, headers=ANY), "another admin must confirm it")
    with site.database.writing() as session:
        session.get_one(User, olga).taken_at = now() - ownership.ALONE_FOR
    require_refused(approved(owner, promotion))  # time does it only where there is nobody else
    assert yann.post(where, headers=ANY).json()["lacks"] is None
    assert approved(owner, promotion).status_code == 202
    assert yann.post(where, headers=ANY).status_code == 409


def test_where_there_is_one_admin_only_a_day_passes(
    site: Service, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("IBCC_STATE_FOLDER", str(site.settings.state_folder))
    xenia = logged_in(site, "xenia")
    made(xenia, "puppet", "admin")  # in whose hands it is, is none
    made(xenia, "olga")
    promotion = asked(xenia)
    linked_on_the_machine(site, "olga", capsys)
    owner = logged_in(site, "olga", TAKEN)
    for passed, status in ((timedelta(hours=23), 403), (ownership.ALONE_FOR, 202)):
        with site.database.writing() as session:
            user = find_by_name(session, "olga")
            assert user is not None
            user.taken_at = now() - passed
        assert approved(owner, promotion).status_code == status


def test_a_wish_to_switch_the_second_person_off_is_agreed_to_by_another_person(site: Service) -> None:
    site.settings.second_person = False
    xenia = logged_in(site, "xenia")
    assert xenia.patch(FABRIC, json={"second_person": True}, headers=ANY).status_code == 200
    made(xenia, "puppet", "admin")
    puppet = logged_in(site, "puppet")
    assert xenia.patch(FABRIC, json={"second_person": False}, headers=ANY).json()["second_person"] is True
    require_refused(puppet.patch(FABRIC, json={"second_person": False}, headers=ANY), "xenia made or re-enabled")
    zoe = taken(site, give(xenia, site.add_person(Role.ADMIN, "zoe")), "zoe")
    made(zoe, "alt", "admin")
    for client in (zoe, logged_in(site, "alt")):
        require_refused(client.patch(FABRIC, json={"second_person": False}, headers=ANY), "xenia")
    assert xenia.get(FABRIC).json()["second_person"] is True
