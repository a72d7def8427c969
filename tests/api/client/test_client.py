# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The Python client against a service that runs, with its simulated fabric."""

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from api.client import Client, RefusedError
from api.configuration.settings import Settings
from tests.api.service import Service
from tuner.errors import BadInputError, UnreachableError


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    one = Service(Settings(state_folder=tmp_path / "state", workers=2))
    yield one
    one.close()


def token(service: Service, role: str) -> str:
    return service.as_role(role).headers["Authorization"].removeprefix("Bearer ")


@pytest.mark.long
def test_a_profile_is_tried_and_undone(service: Service) -> None:
    with service.served() as url, Client(url, token(service, "operator")) as client:
        assert [(fabric.name, fabric.options_summary) for fabric in client.fabrics()] == [("two-switch", "fabric two-switch")]
        assert client.fabric("two-switch").options == {"fabric": "two-switch"}
        assert "gran-2010" in [profile.name for profile in client.profiles()]
        assert client.plan_profile("two-switch", "gran-2010").totals.devices > 0
        told: list[str] = []
        job = client.await_job(client.apply_profile("two-switch", "gran-2010", ttl_s=600), lambda job: told.append(job.state))
        assert (job.state, job.problem) == ("done", None)
        assert told[-1] == "done"
        state = client.fabric_state("two-switch")
        assert state.active_profile is not None
        assert (state.active_profile.name, state.experiment is not None) == ("gran-2010", True)
        assert client.await_job(client.verify_fabric("two-switch")).state == "done"
        assert client.await_job(client.restore_fabric("two-switch")).state == "done"
        assert client.fabric_state("two-switch").experiment is None
        assert [job.kind for job in client.jobs()] == ["restore", "verify", "apply"]
        assert client.job(job.id) == job


def test_a_profile_is_suggested_and_stored(service: Service) -> None:
    with service.served() as url, Client(url, token(service, "operator")) as client:
        found = client.suggest_profile("two-switch", contributors={"most": 3})
        assert found.contributors.made_for == 3
        assert client.create_profile(found.name, found.document).name == found.name


def test_a_campaign_is_created_and_found(service: Service) -> None:
    with service.served() as url, Client(url, token(service, "operator")) as client:
        made = client.create_campaign("try", "two-switch", "scenario-1", {"budget.trials": 12, "time_scale": 0.02})
        assert client.campaign(made.id) == made
        assert [campaign.id for campaign in client.campaigns(state="draft")] == [made.id]
        spec = {key: value for key, value in made.spec.items() if key not in ("name", "backend")}
        changed = client.change_campaign(made, spec | {"budget": {"trials": 9}})
        assert (changed.id, changed.name, changed.trials_total) == (made.id, "try", 9)
        made = client.change_campaign(changed, spec)
        assert list(client.trials(made.id)) == []


def test_a_refusal_has_the_services_sentence(service: Service) -> None:
    with service.served() as url:
        with Client(url, token(service, "viewer")) as client:
            with pytest.raises(RefusedError, match="needs the role operator; viewer has viewer") as raised:
                client.restore_fabric("two-switch")
            assert raised.value.status == 403
            with pytest.raises(RefusedError, match="There is no job '0'"):
                client.job("0")
            with pytest.raises(RefusedError):  # a name is one part of the path, whatever is in it
                client.fabric_state("../users")
        with Client(url) as client, pytest.raises(RefusedError, match="This needs a session or a token"):
            list(client.fabrics())


def test_lists_are_read_to_their_end() -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        cursor = request.url.params.get("cursor")
        return httpx2.Response(200, json={"items": [{"n": cursor or "0"}], "next_cursor": {None: "1", "1": "2"}.get(cursor)})

    client = Client("http://localhost", transport=httpx2.MockTransport(answer))
    assert [one["n"] for one in client.connection.items("/x")] == ["0", "1", "2"]


def test_what_may_be_repeated_is_sent_again_with_the_same_key() -> None:
    keys: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        keys.append(request.headers.get("Idempotency-Key", ""))
        if len(keys) < 3:
            raise httpx2.ReadError("cut")
        return httpx2.Response(202, json={"id": "1"})

    connection = Client("http://localhost", "ibcc_x", transport=httpx2.MockTransport(answer)).connection
    assert connection.once("/fabrics/a/apply", {}) == {"id": "1"}
    assert len(keys) == 3
    assert len(set(keys)) == 1
    keys.clear()
    with pytest.raises(UnreachableError, match="the service at http://localhost is not responding: cut"):
        connection.post("/tokens", {})
    assert keys == [""]  # it may have been done: not again


def test_the_token_goes_nowhere_else() -> None:
    asked: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(str(request.url))
        return httpx2.Response(302, headers={"Location": "http://evil.example/"})

    client = Client("http://localhost", "ibcc_x", transport=httpx2.MockTransport(answer))
    with pytest.raises(RefusedError, match="answered 302"):
        client.job("1")
    assert asked == ["http://localhost/api/v1/jobs/1"]


def test_an_address_that_is_none() -> None:
    with pytest.raises(BadInputError, match="'localhost:8480' is not the address of a service"):
        Client("localhost:8480")
