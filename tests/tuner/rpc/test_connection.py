# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A client's end, against a server that does as each test says."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO

import pytest

from tuner.errors import UnreachableError
from tuner.rpc import protocol
from tuner.rpc.connection import Connection
from tuner.rpc.protocol import RpcError

Serve = Callable[[Callable[[TextIO], None]], Path]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Starts a server of one client, which gets its hello and is then left to the test."""
    threads = []

    def start(then: Callable[[TextIO], None]) -> Path:
        path = tmp_path / "s.sock"
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(str(path))
        listening.listen()

        def run() -> None:
            accepted, _ = listening.accept()
            with listening, accepted, accepted.makefile("rw") as stream:
                hello = json.loads(stream.readline())
                assert hello == {"jsonrpc": "2.0", "id": 1, "method": "hello", "params": {"protocol": 1}}
                send(stream, id=1, result={"protocol": 1})
                then(stream)

        threads.append(threading.Thread(target=run, daemon=True))
        threads[-1].start()
        return path

    yield start
    for thread in threads:
        thread.join(timeout=10)
        assert not thread.is_alive()


def send(stream: TextIO, **message: Any) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), file=stream, flush=True)


def test_notifications_wait_until_they_are_asked_for(serve: Serve) -> None:
    def then(stream: TextIO) -> None:
        stream.readline()
        send(stream, method="event", params={"n": 1})
        send(stream, id=2, result="x")
        send(stream, method="event", params={"n": 2})

    connection = Connection(serve(then), "thing", "make one")
    assert connection.server == {"protocol": 1}
    assert connection.call("anything") == "x"
    assert [connection.notification() for _ in range(2)] == [("event", {"n": 1}), ("event", {"n": 2})]
    with pytest.raises(UnreachableError, match=r"^the thing at .*s\.sock is gone: it has closed the connection$"):
        connection.notification()
    connection.close()


def test_who_wants_to_be_told_at_once_is(serve: Serve) -> None:
    def then(stream: TextIO) -> None:
        stream.readline()
        send(stream, method="sample", params={"n": 1})
        send(stream, method="part", params={"id": 2, "text": '{"a":'})
        send(stream, method="part", params={"id": 2, "text": "1}"})
        send(stream, id=2, result={"$parts": 2})

    told: list[tuple[str, dict[str, Any]]] = []
    connection = Connection(serve(then), "thing", "make one")
    assert connection.call("m", on_notification=lambda *each: told.append(each)) == {"a": 1}
    assert told == [("sample", {"n": 1})]
    connection.close()


def test_errors_are_raised_with_what_they_are_about(serve: Serve) -> None:
    def then(stream: TextIO) -> None:
        stream.readline()
        send(stream, id=2, error={"code": -32006, "message": "No.", "data": {"guid": "0x1", "port": 2}})
        stream.readline()
        send(stream, id=None, error={"code": -32600, "message": "Too long."})

    connection = Connection(serve(then), "thing", "make one")
    with pytest.raises(RpcError, match=r"^No\.$") as caught:
        connection.call("m")
    assert (caught.value.code, caught.value.data["guid"], caught.value.data["port"]) == (protocol.UNKNOWN_DEVICE, "0x1", 2)
    with pytest.raises(RpcError, match=r"^Too long\.$"):
        connection.call("m")
    connection.close()


def test_who_is_turned_away_is_told_why(tmp_path: Path) -> None:
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(tmp_path / "s.sock"))
    listening.listen()

    def turn_away() -> None:
        accepted, _ = listening.accept()
        with listening, accepted:
            accepted.sendall(protocol.error_line(None, RpcError(protocol.BUSY, "Not you.")))

    thread = threading.Thread(target=turn_away)
    thread.start()
    with pytest.raises(RpcError, match=r"^Not you\.$"):
        Connection(tmp_path / "s.sock", "thing", "make one")
    thread.join()


def test_who_says_nothing_for_too_long_has_gone(serve: Serve) -> None:
    asked = threading.Event()

    def say_nothing(stream: TextIO) -> None:
        stream.readline()
        asked.wait(30)

    connection = Connection(serve(say_nothing), "thing", "make one", silence_s=0.1)
    with pytest.raises(UnreachableError, match=r"the thing at .* has said nothing for 0\.1 s; check that the process that"):
        connection.call("status")
    connection.close()
    asked.set()


def test_notifications_may_take_longer_than_answers(serve: Serve) -> None:
    asked = threading.Event()

    def think(stream: TextIO) -> None:
        time.sleep(0.3)  # longer than answers may take
        send(stream, method="event", params={"n": 1})
        stream.readline()
        asked.wait(30)

    connection = Connection(serve(think), "thing", "make one", answer_s=0.1)
    assert connection.notification() == ("event", {"n": 1})
    with pytest.raises(UnreachableError, match=r"has said nothing for 0\.1 s; "):
        connection.call("status")
    connection.close()
    asked.set()


def test_nobody_there(tmp_path: Path) -> None:
    with pytest.raises(UnreachableError, match=r"^there is no thing at .* \(No such file or directory\); make one$"):
        Connection(tmp_path / "none.sock", "thing", "make one")
    with pytest.raises(UnreachableError, match=r"AF_UNIX path too long"):
        Connection(tmp_path / ("x" * 200), "thing", "make one")
