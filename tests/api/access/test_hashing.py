# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Places for hashing: how many there are, who is refused, and that nobody who writes waits for a hash."""

import asyncio
import threading

import httpx2
import pytest

from api.access import hashing, passwords
from api.access.roles import Role
from tests.api.hash_guard import HashedWhileWritingError
from tests.api.service import PASSWORD, Service

LOGIN = {"username": "nobody", "password": "wrong password"}


class Held:
    """Hashes that wait until they may go on, and their greatest number at once."""

    def __init__(self) -> None:
        self.released, self.begun = threading.Event(), threading.Semaphore(0)
        self.most, self._now, self._lock = 0, 0, threading.Lock()

    def verify(self, password: str, password_hash: str | None) -> bool:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
        self.begun.release()
        assert self.released.wait(60)
        with self._lock:
            self._now -= 1
        return False


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Held:
    one = Held()
    monkeypatch.setattr(passwords, "verify_password", one.verify)
    return one


async def all_at_once(service: Service, held: Held, count: int) -> tuple[list[httpx2.Response], int]:
    """The answers to that many logins, and the status of another request that came while they were hashed."""
    transport = httpx2.ASGITransport(app=service.app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        logins = [asyncio.create_task(client.post("/api/v1/session", json=LOGIN)) for _ in range(count)]
        while sum(one.done() for one in logins) < count - hashing.PLACES - hashing.WAITING:
            await asyncio.sleep(0)
        for _ in range(hashing.PLACES):
            await asyncio.to_thread(held.begun.acquire)
        other = await client.get("/api/v1/setup")
        held.released.set()
        return await asyncio.gather(*logins), other.status_code


def test_a_few_are_hashed_at_once_and_a_few_wait(service: Service, held: Held) -> None:
    answers, other = asyncio.run(all_at_once(service, held, 48))
    statuses = sorted(answer.status_code for answer in answers)
    assert other == 200
    assert held.most == hashing.PLACES
    # The first ten take the places; failures of the others are not counted, as nobody looked at their passwords.
    assert statuses == [401] * (hashing.PLACES + hashing.WAITING) + [503] * (48 - hashing.PLACES - hashing.WAITING)
    (refused, *_) = [answer for answer in answers if answer.status_code == 503]
    assert refused.headers["Retry-After"] == "2"
    assert "try again in 2 seconds" in refused.json()["detail"]
    assert refused.headers["Content-Type"] == "application/problem+json"


def test_places_are_given_back(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(password: str, password_hash: str | None) -> bool:
        raise RuntimeError("a bug")

    client = service.anonymous()
    with monkeypatch.context() as patch:
        patch.setattr(passwords, "verify_password", fails)
        for number in range(hashing.PLACES + hashing.WAITING + 1):
            assert client.post("/api/v1/session", json=LOGIN | {"username": f"name{number}"}).status_code == 500
    assert client.post("/api/v1/session", json=LOGIN).status_code == 401


def test_two_hashes_stay_below_the_memory_that_they_may_take() -> None:
    assert hashing.PLACES * 64 <= 200 - 32


def test_a_hash_within_a_transaction_that_writes_fails_a_test(service: Service) -> None:
    with service.database.writing(), pytest.raises(HashedWhileWritingError):
        passwords.hash_password(PASSWORD)
    with service.database.writing(), pytest.raises(HashedWhileWritingError):
        passwords.verify_password(PASSWORD, passwords.hash_password(PASSWORD))
    with service.database.reading():
        assert passwords.hash_password(PASSWORD)


def test_the_guard_sees_all_threads_of_a_request(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """A request reads, writes and hashes in threads of its own each: here one that the service would never send."""

    def hashing_late(session: object, user: object, *_: object) -> None:
        passwords.hash_password(PASSWORD)

    monkeypatch.setattr("api.routes.users.users.delete_user", hashing_late)
    path = f"/api/v1/users/{service.add_person(Role.VIEWER)}"
    admin = service.as_role("admin")
    assert admin.delete(path, headers={"If-Match": '"1"'}).status_code == 500


def test_every_route_that_hashes_does_so_before_it_writes(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """The guard of tests/api/conftest.py fails each that does not."""
    from api.services import setup

    hashed: list[str] = []
    original = passwords.hash_password

    def counting(password: str) -> str:
        hashed.append(password)
        return original(password)

    monkeypatch.setattr(passwords, "hash_password", counting)
    with service.database.writing() as session:
        secret = setup.new_setup_secret(session)
    admin = service.anonymous()
    first = {"token": secret, "username": "anna", "password": "first admin's own"}
    answer = admin.post("/api/v1/setup", json=first)
    assert answer.status_code == 201
    admin.headers["X-CSRF-Token"] = answer.json()["csrf_token"]
    other = {"username": "otto", "password": "the one of a new user", "role": "viewer"}
    made = admin.post("/api/v1/users", json=other)
    path, tag = made.headers["Location"], made.headers["ETag"]
    changed = admin.patch(path, json={"password": "the one of a reset"}, headers={"If-Match": tag})
    assert changed.status_code == 200
    link = admin.post(f"{path}/link", headers={"If-Match": changed.headers["ETag"]})
    assert link.status_code == 403  # it is in her hands
    service.add_person(Role.ADMIN, "second")
    second = service.anonymous()
    answer = second.post("/api/v1/session", json={"username": "second", "password": PASSWORD})
    second.headers["X-CSRF-Token"] = answer.json()["csrf_token"]
    link = second.post(f"{path}/link", headers={"If-Match": changed.headers["ETag"]})
    welcome = {"token": link.json()["secret"], "password": "the owner's own"}
    assert service.anonymous().post("/api/v1/welcome", json=welcome).status_code == 204
    own = {"current": "first admin's own", "new": "another of the first admin"}
    assert admin.post("/api/v1/users/me/password", json=own).status_code == 204
    assert [one for one in hashed if one != PASSWORD] == [
        first["password"], other["password"], "the one of a reset", welcome["password"], own["new"]
    ]  # fmt: skip
