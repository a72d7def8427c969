# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Events as they go over the wire (HTML standard, 9.2)."""

import json
from typing import Any

KEEP_ALIVE = b": still here\n\n"
"""A comment: proxies see that the stream lives, and a client that is gone is noticed."""


def keep_alive_s() -> float:
    """Less than the minute after which proxies usually cut."""
    return 15.0


def wire_event(number: int, kind: str, data: dict[str, Any]) -> bytes:
    return f"id: {number}\nevent: {kind}\ndata: {json.dumps(data, separators=(',', ':'))}\n\n".encode()
