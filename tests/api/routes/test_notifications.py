# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Addresses and messages of the notifier, as admins see and test them."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from api.configuration.settings import Settings
from api.events.publish import publish
from tests.api.notifiers.receiver import Receiver, receiving
from tests.api.service import Service

ADDRESSES = "/api/v1/notifications/addresses"
DELIVERIES = "/api/v1/notifications/deliveries"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as one:
        yield one


@pytest.fixture
def notifying(settings: Settings, receiver: Receiver, tmp_path: Path) -> Iterator[Service]:
    """A service with an address, `ops`, whose URL has a secret path."""
    secret = tmp_path / "secret"
    secret.write_text(f"whsec_{base64.b64encode(bytes(32)).decode()}")
    secret.chmod(0o600)
    options: dict[str, Any] = {
        "kind": "webhook",
        "url": f"http://127.0.0.1:{receiver.server_port}/T0P/S3CR3T",
        "secret_file": str(secret),
        "insecure_http": True,
        "group_s": 0,
    }
    service = Service(Settings.model_validate(settings.model_dump() | {"notify": {"ops": options}}))
    yield service
    service.close()


def work(service: Service) -> None:
    """What the notifier's threads do in a moment."""
    service.app.state.notifying.collect()
    for courier in service.app.state.notifying.couriers.values():
        courier.tick()


def test_a_test_reaches_the_address(notifying: Service, receiver: Receiver) -> None:
    admin = notifying.as_role("admin")
    answer = admin.post(f"{ADDRESSES}/ops/test")
    assert answer.status_code == 202
    asked = answer.json()
    assert (asked["state"], asked["test"], asked["attempts"]) == ("pending", True, 0)
    again = admin.post(f"{ADDRESSES}/ops/test")
    assert again.status_code == 409
    assert again.json()["detail"] == "A test of ops is not sent yet; wait for its end."
    work(notifying)
    [(_, headers, body)] = receiver.got
    assert headers["webhook-id"] == asked["id"]
    assert json.loads(body)["type"] == "ibcc.test"
    assert json.loads(body)["events"][0]["text"] == "test of the address ops, asked for by admin"
    [sent] = admin.get(DELIVERIES, params={"address": "ops"}).json()["items"]
    assert (sent["id"], sent["state"], sent["problem"]) == (asked["id"], "sent", None)
    assert admin.post(f"{ADDRESSES}/ops/test").status_code == 202


def test_addresses_are_shown_without_secrets(notifying: Service, receiver: Receiver) -> None:
    admin = notifying.as_role("admin")
    work(notifying)
    receiver.answer = lambda handler: handler.simple(503)
    with notifying.database.writing() as session:
        publish(session, "fabric:lab", "device.lost", {"headline": "S1\x00\n is lost"}, fabric="lab")
    work(notifying)
    answer = admin.get(ADDRESSES)
    log, ops = answer.json()["items"]
    assert (log["name"], log["kind"], log["open"], log["last"]["state"]) == ("log", "log", 0, "sent")
    assert (ops["kind"], ops["where"], ops["minimum"]) == ("webhook", f"http://127.0.0.1:{receiver.server_port}/…", "warning")
    assert (ops["open"], ops["last"]) == (1, None)
    deliveries = admin.get(DELIVERIES, params={"address": "ops", "state": "pending"})
    [open_one] = deliveries.json()["items"]
    assert open_one["problem"] == "it answered 503 Service Unavailable"
    assert open_one["title"] == "warning on lab: S1\\u0000 is lost"
    assert open_one["attempts"] == 1
    assert "S3CR3T" not in answer.text + deliveries.text
    assert "secret" not in answer.text.lower()


def test_only_admins_for_all_fabrics_see_them(notifying: Service) -> None:
    for path in (ADDRESSES, DELIVERIES):
        assert notifying.as_role("operator").get(path).status_code == 403
        assert notifying.as_role("admin", ["lab"]).get(path).status_code == 403
    refused = notifying.as_role("admin", ["lab"]).post(f"{ADDRESSES}/ops/test")
    assert refused.status_code == 403
    assert "events of all fabrics are in messages" in refused.json()["detail"]


def test_no_request_names_another_address(notifying: Service, receiver: Receiver) -> None:
    admin = notifying.as_role("admin")
    assert admin.post(f"{ADDRESSES}/elsewhere/test").status_code == 404
    body = {"url": "http://127.0.0.1/", "to": ["eve@example.org"]}
    assert admin.post(f"{ADDRESSES}/ops/test", json=body).status_code in (202, 422)
    work(notifying)
    assert {path for path, _, _ in receiver.got} <= {"/T0P/S3CR3T"}


def test_messages_come_in_pages(notifying: Service) -> None:
    admin = notifying.as_role("admin")
    for _ in range(3):
        admin.post(f"{ADDRESSES}/log/test")
        work(notifying)
    first = admin.get(DELIVERIES, params={"limit": 2}).json()
    second = admin.get(DELIVERIES, params={"limit": 2, "cursor": first["next_cursor"]}).json()
    assert [len(page["items"]) for page in (first, second)] == [2, 1]
    assert second["next_cursor"] is None
