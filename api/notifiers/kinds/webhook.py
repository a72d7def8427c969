# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Messages as JSON by POST, signed as Standard Webhooks says (https://www.standardwebhooks.com, version 1.0.0)."""

import base64
import hashlib
import hmac
import http.client
import json
import time
from typing import Any
from urllib.parse import urlsplit

from api.base.times import rfc3339
from api.configuration.notification_addresses import Webhook
from api.events.texts import plain
from api.notifiers.message import Message
from api.notifiers.outgoing import NotReachedError, Route, deadline_in
from api.notifiers.secret_files import read_key
from api.notifiers.sender import SENDERS, TIME_S

BODY_BYTES = 64 * 1024
"""Largest body; events that do not fit are only counted."""


class WebhookSender:
    def __init__(self, name: str, options: Webhook) -> None:
        self._key = read_key(options.secret_file, f"notify.{name}.secret_file")
        parts = urlsplit(options.url)
        self._tls = parts.scheme == "https"
        self._route = Route.of(options, parts.hostname or "", parts.port or (443 if self._tls else 80))
        self._target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        if options.ca_file is not None:
            self._route.tls_context()

    def send(self, message: Message) -> str | None:
        body = body_of(message)
        moment = str(int(time.time()))
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "ibcc",
            "Connection": "close",
            "webhook-id": message.id,
            "webhook-timestamp": moment,
            "webhook-signature": signature(self._key, message.id, moment, body),
        }
        kind = http.client.HTTPSConnection if self._tls else http.client.HTTPConnection
        connection = kind(self._route.host, self._route.port)
        # The socket is made here, and goes to the address that was checked: http.client would resolve the name again.
        connection.sock = self._route.connect(deadline_in(TIME_S), tls=self._tls)
        try:
            connection.request("POST", self._target, body, headers)
            status = connection.getresponse().status
        except http.client.HTTPException as error:
            raise NotReachedError(f"the answer is not HTTP ({type(error).__name__})") from error
        finally:
            connection.close()
        if 300 <= status < 400:
            raise NotReachedError(f"it answered {status}, a redirect, which is not followed; write the final address")
        if not 200 <= status < 300:
            raise NotReachedError(f"it answered {status} {http.client.responses.get(status, '')}".rstrip())
        return None


def signature(key: bytes, number: str, moment: str, body: bytes) -> str:
    """Returns the value of the header `webhook-signature`. `moment`: seconds since 1970."""
    signed = hmac.new(key, f"{number}.{moment}.".encode() + body, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(signed).decode()}"


def body_of(message: Message) -> bytes:
    """Returns the JSON of a message, at most BODY_BYTES."""
    document: dict[str, Any] = {
        "type": "ibcc.test" if message.test else "ibcc.events",
        "timestamp": rfc3339(message.created_at),
        "id": message.id,
        "severity": message.severity,
        "title": plain(message.title(), 200),
        "counts": dict(message.counts),
        "fabrics": message.fabrics[:100],
        "events": [],
        "omitted": message.total,
    }
    size = len(_json(document))
    for item in message.items:
        piece = _json(item)
        if size + len(piece) + 16 > BODY_BYTES:
            break
        document["events"].append(item)
        document["omitted"] -= 1
        size += len(piece) + 1
    return _json(document)


def _json(document: Any) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode()  # ASCII: what has no UTF-8 is escaped


SENDERS.add("webhook", WebhookSender)
