# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`python -m tuner.mads.reader`: sends the requests of its standard input, and prints their replies.

A program of its own, so that it can be attached to an emulated fabric, whose client library must be loaded before all others.
Each line is JSON. The first line in is an object: `device`, `port`, `classes`, `mads_per_s`, `timeout_s`, `retries`,
`gives_up`; the first line out is {"ready": true}, or {"error": SENTENCE} and exit code 3. Then come batches: lines [LID,
CLASS, ATTRIBUTE, MODIFIER, DATA, METHOD, KEY], and an empty line; each is answered by lines [INDEX, STATUS, DATA, S, ANSWERED], S
being seconds since the batch began, STATUS null if the device did not answer, and ANSWERED the attribute in the answer; and
by an object: `sent`, `timed_out`, `greatest_in_a_second`, all since the start.
"""

import json
import sys
import time
from collections.abc import Iterator
from typing import Any, TextIO

from tuner.errors import UnreachableError
from tuner.mads.exchange import Exchange, Manners
from tuner.mads.pacing import Pacer
from tuner.mads.request import Request
from tuner.mads.umad import UmadPort


def main() -> int:
    options: dict[str, Any] = json.loads(sys.stdin.readline())
    try:
        port = UmadPort(options["device"], options["port"], options["classes"])
    except UnreachableError as error:
        _print({"error": str(error)})
        return error.exit_code
    with port:
        _print({"ready": True})
        pacer = Pacer(options["mads_per_s"])
        exchange = Exchange(
            port, pacer, Manners(timeout_s=options["timeout_s"], retries=options["retries"], gives_up=options["gives_up"])
        )
        try:
            for batch in _batches(sys.stdin):
                began_s = time.monotonic()
                for index, reply in exchange.run(batch):
                    _print([index, reply.status, reply.data.hex(), round(time.monotonic() - began_s, 3), reply.attribute])
                _print(vars(exchange.tally) | {"greatest_in_a_second": pacer.greatest})
        except OSError as error:
            _print({"error": error.strerror or str(error)})
            return UnreachableError.exit_code
    return 0


def _batches(lines: TextIO) -> Iterator[list[Request]]:
    batch: list[Request] = []
    for line in lines:
        if line == "\n":
            yield batch
            batch = []
        else:
            lid, mgmt_class, attribute, modifier, data, method, key = json.loads(line)
            batch.append(Request(lid, mgmt_class, attribute, modifier, bytes.fromhex(data), method, key))


def _print(value: object) -> None:
    print(json.dumps(value, separators=(",", ":")), flush=True)


if __name__ == "__main__":
    sys.exit(main())
