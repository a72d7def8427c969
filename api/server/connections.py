# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Connections have limits: how many there are, how long half of a request may take, and how slowly a body or an answer may pass.
uvicorn has none of these."""

import asyncio
from collections import Counter
from dataclasses import dataclass
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from api.base.networks import is_among, network_of
from api.configuration.settings import Settings

_SLOWEST_BYTES_PER_S = 1024
_LEFT_OVER_BYTES = 16 * 2**20
"""Most bytes of a body that are read after its request was answered. A client that is cut off while it sends may not see the
answer."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """See the settings of the same names. `trusted_proxies`: their addresses are those of many people, and are not counted."""

    connections: int
    connections_of_address: int
    request_head_s: float
    transfer_s: float
    trusted_proxies: tuple[str, ...] = ()

    @classmethod
    def of(cls, settings: Settings) -> "Limits":
        return cls(
            connections=settings.connections,
            connections_of_address=settings.connections_of_address,
            request_head_s=settings.request_head_s,
            transfer_s=settings.transfer_s,
            trusted_proxies=tuple(settings.trusted_proxies),
        )


class LimitedConnection(HttpToolsProtocol):
    """uvicorn's connection; `limited()` gives it limits."""

    limits: ClassVar[Limits]
    open_of: ClassVar[Counter[str]]
    """Connections by network."""

    _network: str | None = None
    _head: asyncio.TimerHandle | None = None
    _body: asyncio.TimerHandle | None = None
    _answer: asyncio.TimerHandle | None = None
    _expects_head = True
    _received_bytes = 0
    _left_over_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        address = self.client[0] if self.client else None
        if address is None or not is_among(address, self.limits.trusted_proxies):
            self._network = network_of(address)
            self.open_of[self._network] += 1
        if len(self.connections) > self.limits.connections:
            self._refuse(503, f"The service has {self.limits.connections} connections, the most that it accepts.")
        elif self._network is not None and self.open_of[self._network] > self.limits.connections_of_address:
            most = self.limits.connections_of_address
            self._refuse(503, f"{self._network} has {most} connections, the most that are accepted of one address.")
        else:
            self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self._head, self._body, self._answer):
            if timer is not None:
                timer.cancel()
        if self._network is not None:
            self.open_of[self._network] -= 1
            if self.open_of[self._network] <= 0:
                del self.open_of[self._network]
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        if self._expects_head:
            self._await_head()
        super().data_received(data)

    def on_headers_complete(self) -> None:
        self._expects_head = False
        if self._head is not None:
            self._head.cancel()
            self._head = None
        self._received_bytes = self._left_over_bytes = 0
        self._await_body()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._received_bytes += len(body)
        if self.cycle.response_complete:
            self._left_over_bytes += len(body)
            if self._left_over_bytes > _LEFT_OVER_BYTES:
                self.transport.close()
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._expects_head = True
        if self._body is not None:
            self._body.cancel()
            self._body = None
        super().on_message_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._answer is None:
            self._answer = self.loop.call_later(self.limits.transfer_s, self._reads_nothing)

    def resume_writing(self) -> None:
        if self._answer is not None:
            self._answer.cancel()
            self._answer = None
        super().resume_writing()

    def _await_head(self) -> None:
        if self._head is None:
            self._head = self.loop.call_later(self.limits.request_head_s, self._has_no_head)

    def _await_body(self) -> None:
        if self._body is not None:
            self._body.cancel()
        self._body = self.loop.call_later(self.limits.transfer_s, self._look_at_body, self._received_bytes)

    def _has_no_head(self) -> None:
        self._head = None
        self._refuse(408, f"The request was not complete after {self.limits.request_head_s:g} s.")

    def _look_at_body(self, received_before: int) -> None:
        self._body = None
        # While the service does not read, as it has enough for now, nobody can send.
        wanted = 0 if self.flow.read_paused else self.limits.transfer_s * _SLOWEST_BYTES_PER_S
        if self._received_bytes - received_before < wanted:
            self._refuse(408, f"Less than {wanted / 1024:g} KiB of the body came in {self.limits.transfer_s:g} s.")
        else:
            self._await_body()

    def _reads_nothing(self) -> None:
        self._answer = None
        self.transport.abort()  # close() would wait until all is read

    def _refuse(self, status: int, sentence: str) -> None:
        """Ends the connection, with an answer if none has begun."""
        if self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            body = f"{sentence}\n".encode()
            head = f"HTTP/1.1 {status} {_PHRASES[status]}\r\nContent-Type: text/plain; charset=utf-8\r\nRetry-After: 10\r\n"
            self.transport.write(f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)
        self.transport.close()


_PHRASES = {408: "Request Timeout", 503: "Service Unavailable"}


def limited(limits: Limits) -> type[LimitedConnection]:
    """Returns the class of a server's connections."""
    members: dict[str, Any] = {"limits": limits, "open_of": Counter()}
    return type("LimitedConnection", (LimitedConnection,), members)
