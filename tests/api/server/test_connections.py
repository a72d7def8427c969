# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Limits of connections, with real sockets on loopback: who sends half, reads nothing, or holds many."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from api.configuration.settings import Settings
from api.server.connections import Limits, limited
from api.server.serving import server_config
from tests.api.service import Service

LIMITS = Limits(connections=100, connections_of_address=50, request_head_s=0.2, transfer_s=0.2)
REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
ANSWER_BYTES = 32 * 2**20


async def application(scope: Any, receive: Any, send: Any) -> None:
    """/read reads the body; /large answers with more than any buffer holds; others answer at once, /slow when it is let."""
    if scope["type"] != "http":
        return
    if scope["path"] == "/read":
        while (message := await receive()).get("more_body"):
            pass
        if message["type"] == "http.disconnect":
            return
    body = b"x" * (ANSWER_BYTES if scope["path"] == "/large" else 2)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", str(len(body)).encode())]})
    await send({"type": "http.response.body", "body": body})


@contextmanager
def serving(limits: Limits) -> Iterator[int]:
    """The port."""
    config = uvicorn.Config(application, http=limited(limits), ws="none", port=0, log_config=None, lifespan="off")
    server = uvicorn.Server(config)
    started = threading.Event()
    original = server.startup

    async def startup(sockets: Any = None) -> None:
        await original(sockets)
        started.set()

    server.startup = startup  # type: ignore[method-assign]
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        assert started.wait(60)
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = server.force_exit = True
        thread.join(60)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with serving(LIMITS) as number:
        yield number


def connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=60)


def everything(client: socket.socket) -> bytes:
    """What comes until the service ends the connection."""
    found = b""
    with contextlib.suppress(ConnectionError):
        while part := client.recv(2**16):
            found += part
    return found


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Half", b"\r\n\r\n"])
def test_half_a_request_is_not_awaited_for_ever(port: int, sent: bytes) -> None:
    with closing(connected(port)) as client:
        client.sendall(sent)
        answer = everything(client)
    assert answer.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
    assert answer.endswith(b"The request was not complete after 0.2 s.\n")


def test_half_of_a_second_request_is_not_either(port: int) -> None:
    for half in (b"GET", b"\r\n"):
        with closing(connected(port)) as client:
            client.sendall(REQUEST)
            assert client.recv(15) == b"HTTP/1.1 200 OK"
            client.sendall(half)
            assert b"408 Request Timeout" in everything(client)


def test_half_a_body_is_not_awaited_for_ever(port: int) -> None:
    with closing(connected(port)) as client:
        client.sendall(b"POST /read HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nhalf")
        answer = everything(client)
    assert answer.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
    assert answer.endswith(b"of the body came in 0.2 s.\n")


def test_a_body_that_drips_is_not_either(port: int) -> None:
    """A byte now and then would keep it open for hours."""
    with closing(connected(port)) as client:
        client.sendall(b"POST /read HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n")
        client.settimeout(0.02)
        answer = b""
        for _ in range(3000):
            with contextlib.suppress(ConnectionError):
                client.send(b"x")
            with contextlib.suppress(TimeoutError):
                answer = client.recv(2**16)
                break
    assert answer.startswith(b"HTTP/1.1 408 Request Timeout\r\n")


def test_an_answer_that_nobody_reads_is_given_up(port: int) -> None:
    with closing(connected(port)) as client:
        client.sendall(b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert client.recv(15) == b"HTTP/1.1 200 OK"
        threading.Event().wait(1)  # reads nothing: the service gives up after 0.2 s
        assert len(everything(client)) < ANSWER_BYTES


def test_who_has_too_many_connections_is_refused() -> None:
    limits = replace(LIMITS, connections_of_address=2, request_head_s=60)
    with serving(limits) as port, contextlib.ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(closing(connected(port)))
        with closing(connected(port)) as third:
            answer = everything(third)
        assert answer.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
        assert b"Retry-After: 10\r\n" in answer
        assert answer.endswith(b"127.0.0.1 has 2 connections, the most that are accepted of one address.\n")
        other = stack.enter_context(closing(socket.create_connection(("127.0.0.1", port), 60, ("127.0.0.2", 0))))
        other.sendall(REQUEST)
        assert other.recv(15) == b"HTTP/1.1 200 OK"
        stack.close()
        require(lambda: served(port))


def test_a_proxy_has_many() -> None:
    limits = replace(LIMITS, connections_of_address=1, request_head_s=60, trusted_proxies=("127.0.0.0/8",))
    with serving(limits) as port, closing(connected(port)), closing(connected(port)):
        assert served(port)


def test_the_service_has_a_number_of_connections_at_most() -> None:
    with serving(replace(LIMITS, connections=1, request_head_s=60)) as port, closing(connected(port)):
        with closing(connected(port)) as second:
            answer = everything(second)
        assert answer.endswith(b"The service has 1 connections, the most that it accepts.\n")


def served(port: int) -> bool:
    with closing(connected(port)) as client, contextlib.suppress(ConnectionError):
        client.sendall(REQUEST)
        return client.recv(15) == b"HTTP/1.1 200 OK"
    return False


def require(true_soon: Callable[[], bool]) -> None:
    for _ in range(3000):
        if true_soon():
            return
        threading.Event().wait(0.02)
    raise AssertionError("it did not become true")


def test_a_body_left_over_is_not_read_for_ever(port: int) -> None:
    with closing(connected(port)) as client:
        client.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        sent_bytes, chunk = 0, b"10000\r\n" + b"x" * 2**16 + b"\r\n"
        with contextlib.suppress(ConnectionError):
            for _ in range(2000):
                client.sendall(chunk)
                sent_bytes += 2**16
    assert 16 * 2**20 <= sent_bytes < 60 * 2**20


def test_the_service_has_these_limits(tmp_path: Path) -> None:
    settings = Settings(state_folder=tmp_path, connections=7, connections_of_address=6, request_head_s=5, transfer_s=4)
    service = Service(settings)
    config = server_config(service.app, settings)
    service.close()
    assert config.http.limits == Limits(connections=7, connections_of_address=6, request_head_s=5, transfer_s=4)  # type: ignore[union-attr]
    assert config.ws == "none"
