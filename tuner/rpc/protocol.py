# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""JSON-RPC 2.0, one message a line, as both ends of a control socket speak it.

A result whose line would be longer than MAX_LINE_BYTES goes out in parts: notifications `part {id, text}` with pieces of its JSON
text, in order, and then a response whose result is `{"$parts": number}`.
"""

import json
from collections.abc import Iterator
from typing import Any, TypeAlias

PROTOCOL = 1
MAX_LINE_BYTES = 1 << 20
PARTS = "$parts"

_PART_CHARACTERS = 120_000
"""At most: a character takes up to 6 bytes as JSON, and its text is JSON once more."""

RequestId: TypeAlias = str | int | float | None

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
BUSY = -32000
STOPPED = -32001
PROTOCOL_UNKNOWN = -32002
CONFLICT = -32003
"""`if_revision` is not what is wanted now."""
NOTHING = -32004
"""Nothing to commit, or to go back to."""
DISK = -32005
"""State could not be written; nothing has changed."""
UNKNOWN_DEVICE = -32006


class RpcError(Exception):
    """A call has failed. What it was about is in `data`: `guid`, `port`, `attribute` and `status`, None where there is none."""

    def __init__(
        self,
        code: int,
        message: str,
        *,
        guid: str | None = None,
        port: int | None = None,
        attribute: str | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(message)
        self.code, self.message = code, message
        self.data: dict[str, object] = {"guid": guid, "port": port, "attribute": attribute, "status": status}


def line(message: dict[str, Any]) -> bytes:
    """A message as it goes out, its end included."""
    return json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def error_line(request_id: RequestId, error: RpcError) -> bytes:
    return line({"id": request_id, "error": {"code": error.code, "message": error.message, "data": error.data}})


def result_lines(request_id: RequestId, result: object) -> Iterator[bytes]:
    """The response, in parts if it is too long."""
    whole = line({"id": request_id, "result": result})
    if len(whole) <= MAX_LINE_BYTES:
        yield whole
        return
    text = json.dumps(result, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    parts = [text[i : i + _PART_CHARACTERS] for i in range(0, len(text), _PART_CHARACTERS)]
    for part in parts:
        yield line({"method": "part", "params": {"id": request_id, "text": part}})
    yield line({"id": request_id, "result": {PARTS: len(parts)}})
