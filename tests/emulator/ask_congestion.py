# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`python -m tests.emulator.ask_congestion FILE`: sends MADs of class 0x21 one after the other, and prints their answers.

The file has lines of JSON: [LID, METHOD, ATTRIBUTE, MODIFIER, KEY, DATA]. Answers are lines [STATUS, DATA]; STATUS is null
for a request that times out.
"""

import json
import struct
import sys
from pathlib import Path

from tuner.mads import umad
from tuner.mads.request import DATA_AT, MAD_BYTES, Request

_CLASS, _CLASS_VERSION = 0x21, 2
_KEY_BYTES = 8
_TIMEOUT_S = 0.05


def _packed(request: Request, transaction: int) -> bytes:
    """Returns a request whose data begin with the CC_Key."""
    key, data = request.data[:_KEY_BYTES], request.data[_KEY_BYTES:]
    words = (1, _CLASS, _CLASS_VERSION, request.method, 0, 0, transaction, request.attribute, 0, request.modifier)
    return ((struct.pack(">BBBBHHQHHI", *words) + key).ljust(DATA_AT, b"\0") + data).ljust(MAD_BYTES, b"\0")


def main() -> None:
    setattr(umad, "packed", _packed)  # noqa: B010  the module imports it
    with umad.UmadPort(None, 0, [_CLASS]) as port:
        for transaction, line in enumerate(Path(sys.argv[1]).read_text().splitlines(), start=1):
            lid, method, attribute, modifier, key, data = json.loads(line)
            payload = struct.pack(">Q", key) + bytes.fromhex(data)
            port.send(Request(lid, _CLASS, attribute, modifier, payload, method), transaction, _TIMEOUT_S)
            while (received := port.receive(1.0)) is None:
                pass
            print(json.dumps([received[1].status, received[1].data.hex()]))


if __name__ == "__main__":
    main()
