# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Webhooks against a real HTTP server: what arrives, and what never leads anywhere else."""

import base64
import hashlib
import hmac
import json
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from api.configuration.notification_addresses import Webhook
from api.notifiers.kinds import webhook
from api.notifiers.kinds.webhook import BODY_BYTES, WebhookSender, body_of, signature
from api.notifiers.outgoing import NotReachedError
from tests.api.notifiers.conftest import KEY
from tests.api.notifiers.messages import HOSTILE, message
from tests.api.notifiers.receiver import Receiver, receiving


def sender_to(server: Receiver, secret_file: Path, path: str = "/hook", **options: Any) -> WebhookSender:
    url = f"http://127.0.0.1:{server.server_port}{path}"
    given = {"kind": "webhook", "url": url, "secret_file": secret_file, "insecure_http": True} | options
    return WebhookSender("ops", Webhook.model_validate(given))


def test_signature_is_that_of_the_specification() -> None:
    """Known answer of Standard Webhooks' reference libraries."""
    key = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    signed = signature(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", b'{"test": 2432232314}')
    assert signed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_what_arrives_is_signed_and_complete(secret_file: Path) -> None:
    sent = message("S1", "S2")
    with receiving() as server:
        sender_to(server, secret_file, "/hook?team=net").send(sent)
    [(path, headers, body)] = server.got
    assert path == "/hook?team=net"
    assert headers["content-type"] == "application/json"
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
    assert headers["webhook-id"] == sent.id
    assert abs(int(headers["webhook-timestamp"]) - time.time()) < 60
    document = json.loads(body)
    assert [event["text"] for event in document["events"]] == ["S1 is missing", "S2 is missing"]
    assert document["title"] == "warning on lab: 2 events (2 warnings)"
    assert (document["counts"], document["omitted"], document["fabrics"]) == ({"warning": 2}, 0, ["lab"])


def test_https_checks_the_certificate(secret_file: Path, certificate: tuple[Path, Path]) -> None:
    with receiving(certificate) as server:
        url = f"https://localhost:{server.server_port}/"
        trusting = Webhook(kind="webhook", url=url, secret_file=secret_file, ca_file=certificate[0])
        WebhookSender("ops", trusting).send(message("S1"))
        assert len(server.got) == 1
        with pytest.raises(OSError, match="certificate verify failed"):
            WebhookSender("ops", Webhook(kind="webhook", url=url, secret_file=secret_file)).send(message("S1"))
        assert len(server.got) == 1


def _hang(handler: Any) -> None:
    handler.connection.settimeout(60)
    handler.connection.recv(1)  # until the sender gives up


def _drip(handler: Any) -> None:
    try:
        while True:
            handler.wfile.write(b"H")
            time.sleep(0.05)
    except OSError:
        pass


def _flood(handler: Any) -> None:
    try:
        while True:
            handler.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000)
    except OSError:
        pass


@pytest.mark.parametrize(
    ("answer", "sentence", "time_s"),
    [
        (lambda handler: handler.simple(500), "it answered 500 Internal Server Error", 10),
        (lambda handler: handler.simple(410), "it answered 410 Gone", 10),
        (lambda handler: handler.wfile.write(b"SSH-2.0-OpenSSH\r\n"), "the answer is not HTTP", 10),
        (_hang, "timed out", 0.3),
        (_drip, "timed out", 0.3),
        (_flood, "it sent more than 1048576 bytes", 10),
    ],
)
def test_failures_are_told_and_end_in_time(
    secret_file: Path, monkeypatch: pytest.MonkeyPatch, answer: Callable[[Any], None], sentence: str, time_s: float
) -> None:
    monkeypatch.setattr(webhook, "TIME_S", time_s)
    with receiving() as server:
        server.answer = answer
        began = time.monotonic()
        with pytest.raises((NotReachedError, OSError), match=sentence):
            sender_to(server, secret_file).send(message("S1"))
        assert time.monotonic() - began < time_s + 30


def test_redirects_are_not_followed(secret_file: Path) -> None:
    with receiving() as other, receiving() as server:
        server.answer = lambda handler: handler.simple(307, Location=f"http://127.0.0.1:{other.server_port}/")
        with pytest.raises(NotReachedError, match="it answered 307, a redirect, which is not followed"):
            sender_to(server, secret_file).send(message("S1"))
        assert other.got == []


def test_a_name_that_leads_inside_is_refused(secret_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name is resolved once: the second answer, of somebody who rebinds it, is never asked for."""
    asked: list[str] = []

    def resolve(host: str, port: int, **given: Any) -> Any:
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with receiving() as server:
        url = f"http://hooks.example.org:{server.server_port}/"
        options = {"kind": "webhook", "url": url, "secret_file": secret_file, "insecure_http": True}
        with pytest.raises(NotReachedError, match="hooks.example.org is 127.0.0.1, which is not public"):
            WebhookSender("ops", Webhook.model_validate(options)).send(message("S1"))
        assert server.got == []
        allowed = Webhook.model_validate(options | {"allow_networks": ["127.0.0.0/8"]})
        WebhookSender("ops", allowed).send(message("S1"))
        assert server.got[0][1]["host"] == f"hooks.example.org:{server.server_port}"
    assert asked == ["hooks.example.org"] * 2


def test_the_environments_proxy_is_not_used(secret_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with receiving() as proxy, receiving() as server:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.server_port}")
        sender_to(server, secret_file).send(message("S1"))
        assert (len(proxy.got), len(server.got)) == (0, 1)


def test_bodies_are_bounded_and_plain() -> None:
    for text in HOSTILE:
        body = body_of(message(text))
        event = json.loads(body)["events"][0]
        assert len(body) < 4096
        assert event["text"].isprintable(), text
        assert len(event["text"]) <= 500
    whole = body_of(message(*["x" * 1500] * 100))
    document = json.loads(whole)
    assert len(whole) <= BODY_BYTES
    assert len(document["events"]) + document["omitted"] == 100
    assert document["omitted"] > 0
