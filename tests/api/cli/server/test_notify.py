# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc --server URL notify`: what came back of a test message, by address."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from api.cli.server.notify import app
from api.configuration.settings import Settings
from tests.api.notifiers.receiver import Receiver, receiving
from tests.api.service import Service
from tuner.cli.main import run


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as one:
        yield one


@pytest.fixture
def _served(tmp_path: Path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    secret = tmp_path / "secret"
    secret.write_text(f"whsec_{base64.b64encode(bytes(32)).decode()}")
    secret.chmod(0o600)
    ops = {"kind": "webhook", "url": f"http://127.0.0.1:{receiver.server_port}/", "secret_file": str(secret)}
    options = {"state_folder": tmp_path / "state", "workers": 0, "notify": {"ops": ops | {"insecure_http": True}}}
    service = Service(Settings.model_validate(options))
    with service.served() as url:
        monkeypatch.setenv("IBCC_SERVER", url)
        monkeypatch.setenv("IBCC_TOKEN", service.as_role("admin").headers["Authorization"].removeprefix("Bearer "))
        yield
    service.close()


@pytest.mark.long
@pytest.mark.usefixtures("_served")
def test_each_address_gets_a_message_and_its_answer_is_told(receiver: Receiver, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["test", "--output", "json"], app, "ibcc notify") == 0
    found = {one["address"]: one for one in json.loads(capsys.readouterr().out)}
    assert {name: one["state"] for name, one in found.items()} == {"log": "sent", "ops": "sent"}
    assert [json.loads(body)["type"] for _, _, body in receiver.got] == ["ibcc.test"]
    receiver.answer = lambda handler: handler.simple(503)
    assert run(["test", "ops"], app, "ibcc notify") == 1
    out, err = capsys.readouterr()
    assert "it answered 503 Service Unavailable" in out
    assert err == "ibcc: no test message has reached ops; the service repeats attempts that failed\n"
    assert run(["test", "nosuch"], app, "ibcc notify") == 2
    assert "nosuch" in capsys.readouterr().err
