# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import json

from tuner.rpc import protocol
from tuner.rpc.protocol import RpcError


def test_a_short_result_is_one_line() -> None:
    (line,) = protocol.result_lines(7, {"a": [1, 2]})
    assert json.loads(line) == {"jsonrpc": "2.0", "id": 7, "result": {"a": [1, 2]}}


def test_a_long_result_comes_in_parts() -> None:
    # Characters that take much room in JSON, and more in a text inside of it.
    result = {"text": '"\\é\u0001' * 300_000}
    *parts, last = (json.loads(line) for line in protocol.result_lines("x", result))
    assert all(len(line) <= protocol.MAX_LINE_BYTES for line in protocol.result_lines("x", result))
    assert last == {"jsonrpc": "2.0", "id": "x", "result": {protocol.PARTS: len(parts)}}
    assert {part["method"] for part in parts} == {"part"}
    assert json.loads("".join(part["params"]["text"] for part in parts)) == result


def test_errors_tell_what_they_are_about() -> None:
    error = RpcError(protocol.INVALID_PARAMS, "No.", guid="0x12", port=3)
    assert json.loads(protocol.error_line(None, error)) == {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": -32602, "message": "No.", "data": {"guid": "0x12", "port": 3, "attribute": None, "status": None}},
    }
