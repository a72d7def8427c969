# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What goes over the control socket, byte by byte."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.tuner.emulator.conftest import Bed
from tuner.rpc import protocol as rpc

NO_DATA = {"guid": None, "port": None, "attribute": None, "status": None}


class Raw:
    """A connection that has said nothing yet."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(path))
        self._lines = self._socket.makefile("rb")

    def send(self, text: bytes) -> None:
        self._socket.sendall(text)

    def read(self) -> Any:
        return json.loads(self._lines.readline())

    def ask(self, text: str | dict[str, Any]) -> Any:
        self.send((text if isinstance(text, str) else json.dumps({"jsonrpc": "2.0", **text})).encode() + b"\n")
        return self.read()

    def error(self, text: str | dict[str, Any]) -> tuple[Any, int, str]:
        """(id, code, message)"""
        answer = self.ask(text)
        assert answer["error"]["data"].keys() == NO_DATA.keys()
        return answer["id"], answer["error"]["code"], answer["error"]["message"]

    def close(self) -> None:
        self._lines.close()
        self._socket.close()


@pytest.fixture
def stranger(bed: Bed) -> Iterator[Raw]:
    raw = Raw(bed.control.path)
    yield raw
    raw.close()


@pytest.fixture
def raw(stranger: Raw) -> Raw:
    hello = stranger.ask({"id": 0, "method": "hello", "params": {"protocol": 1}})
    assert (hello["id"], hello["result"]["protocol"], hello["result"]["fabric"]) == (0, 1, "two-switch")
    return stranger


def test_hello_comes_first(stranger: Raw) -> None:
    request_id, code, message = stranger.error({"id": 1, "method": "status"})
    assert (request_id, code) == (1, rpc.INVALID_REQUEST)
    assert message == "'status' comes before hello; the first message is hello {protocol: 1}"
    assert stranger.error({"id": 2, "method": "hello", "params": {"protocol": 2}}) == (
        2,
        rpc.PROTOCOL_UNKNOWN,
        "protocol 2 is not supported; use 1",
    )
    assert stranger.ask({"id": 3, "method": "hello", "params": {"protocol": 1}})["result"]["protocol"] == 1


@pytest.mark.parametrize(
    ("text", "answered", "code", "message"),
    [
        ("{", None, rpc.PARSE_ERROR, "not JSON: "),
        ("[" * 100_000, None, rpc.PARSE_ERROR, "not JSON: "),
        ("\udcff", None, rpc.PARSE_ERROR, "not JSON: "),
        ("17", None, rpc.INVALID_REQUEST, "not a request of JSON-RPC 2.0"),
        ('{"id": 5, "method": "status"}', 5, rpc.INVALID_REQUEST, "not a request of JSON-RPC 2.0"),
        ('{"jsonrpc": "2.0", "id": 5, "method": 7}', 5, rpc.INVALID_REQUEST, "not a request of JSON-RPC 2.0"),
        (
            '{"jsonrpc": "2.0", "id": [], "method": "status"}',
            None,
            rpc.INVALID_REQUEST,
            "the id of a message is a number or a text",
        ),
        ('[{"jsonrpc": "2.0", "id": 5, "method": "status"}]', None, rpc.INVALID_REQUEST, "batches are not supported"),
        ('{"jsonrpc": "2.0", "id": 5, "method": "status", "params": [1]}', 5, rpc.INVALID_PARAMS, "params are an object"),
        (
            '{"jsonrpc": "2.0", "id": 5, "method": "explode"}',
            5,
            rpc.METHOD_NOT_FOUND,
            "method 'explode' is not known; there are ",
        ),
        ('{"jsonrpc": "2.0", "id": 5, "method": "status", "params": {"a": 1}}', 5, rpc.INVALID_PARAMS, "status: unknown key 'a'"),
    ],
)
def test_what_is_no_request_is_told_so_and_the_next_is_answered(
    raw: Raw, text: str, answered: int | None, code: int, message: str
) -> None:
    raw.send(text.encode(errors="surrogateescape") + b"\n")
    answer = raw.read()
    assert (answer["id"], answer["error"]["code"]) == (answered, code)
    assert answer["error"]["message"].startswith(message)
    assert raw.ask({"id": 6, "method": "status"})["id"] == 6


def test_a_message_that_is_too_long_does_no_harm(raw: Raw) -> None:
    request_id, code, message = raw.error('"' + "x" * (3 << 20) + '"')
    assert (request_id, code, message) == (None, rpc.INVALID_REQUEST, "a message is longer than 1048576 bytes")
    assert raw.ask({"id": 6, "method": "status"})["result"]["workload"] is None


def test_the_longest_message_is_taken(raw: Raw) -> None:
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "status"})
    assert raw.ask(request + " " * (rpc.MAX_LINE_BYTES - len(request) - 1))["id"] == 1


def test_a_notification_is_not_answered(raw: Raw) -> None:
    raw.send(b'{"jsonrpc": "2.0", "method": "status"}\n{"jsonrpc": "2.0", "method": "status", "params": {"a": 1}}\n')
    assert raw.ask({"id": "next", "method": "status"})["id"] == "next"


def test_calls_are_done_in_order(raw: Raw) -> None:
    calls = [{"jsonrpc": "2.0", "id": i, "method": "status"} for i in range(50)]
    raw.send("".join(json.dumps(call) + "\n" for call in calls).encode())
    assert [raw.read()["id"] for _ in calls] == list(range(50))


def test_a_client_that_goes_in_mid_word_is_no_matter(bed: Bed, raw: Raw) -> None:
    raw.send(b'{"jsonrpc": "2.0", "id": 1, ')
    raw.close()
    assert bed.client.status()["fabric"] == "two-switch"


def test_errors_tell_the_device(raw: Raw) -> None:
    answer = raw.ask({"id": 1, "method": "link.set", "params": {"node": "S1", "port": 20, "up": False}})
    assert answer["error"]["code"] == rpc.INVALID_PARAMS
    assert answer["error"]["message"] == "port 20 of 'S1' has no cable; it has ports 1 to 36"
    assert answer["error"]["data"] == NO_DATA | {"guid": "0x0000000000000100", "port": 20}


def test_many_clients(bed: Bed) -> None:
    clients = [Raw(bed.control.path) for _ in range(30)]
    for client in clients:
        client.send(b'{"jsonrpc": "2.0", "id": 1, "method": "hello", "params": {"protocol": 1}}\n')
    assert [client.read()["id"] for client in clients] == [1] * 30
    for client in clients:
        client.close()
