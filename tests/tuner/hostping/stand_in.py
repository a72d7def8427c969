#!/usr/bin/python3 -SE
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Stands in for ib_write_bw under the meter in loop-back tests: how long a write takes is in `planted.json` beside it, by adapter
and endpoint (Gb/s and µs; null: it fails). Adapter, endpoint and size are in the meter's id."""

import json
import os
import socket
import sys
import time

NS = 1_000_000_000


def main() -> int:
    if sys.argv[1:] == ["--version"]:
        if os.environ.get("IBCC_METER_INTERVAL_MS") == "0":  # which the meter refuses before a program begins
            print("IBCC_METER_INTERVAL_MS is 0; it must be from 10 to 60000")
            return 2
        print("Version: 6.20")
        return 0
    words = [word for word in sys.argv[1:] if word not in ("-F", "--run_infinitely")]
    options = dict(zip(words[::2], words[1::2], strict=False))
    name = os.environ["IBCC_METER_ID"]
    begin_ns, stop_s = int(os.environ["IBCC_METER_START_NS"]), float(os.environ["IBCC_METER_STOP_S"])
    if name.endswith(":s"):
        with socket.create_server(("127.0.0.1", int(options["-p"]))) as listener:
            listener.accept()
            time.sleep(max(0.0, (begin_ns - time.time_ns()) / NS) + stop_s)  # as long as perftest listens
        return 0
    with socket.create_connection((words[-1], int(options["-p"]))):
        adapter, _, rest = name.partition(":")
        endpoint, _, size = rest.rpartition(":")
        with open(os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "planted.json")) as file:
            planted = json.load(file)[adapter][endpoint]
        if planted is None:
            print("Couldn't allocate MR")
            return 1
        measure(name, int(size), planted[1] + int(size) * 8e-3 / planted[0], max(begin_ns, time.time_ns()), stop_s)
    return 0


def measure(name: str, size: int, microseconds: float, begin_ns: int, stop_s: float) -> None:
    """Lines at the meter's intervals, from the beginning or from now, whichever is later: a busy machine changes no number."""
    interval_ns = int(os.environ["IBCC_METER_INTERVAL_MS"]) * 1_000_000
    for number in range(1, int(stop_s * NS / interval_ns) + 1):
        time.sleep(max(0.0, (begin_ns + number * interval_ns - time.time_ns()) / NS))  # the meter's deadline
        passed_ns = number * interval_ns
        line = {
            "ibcc_meter": 1, "kind": "interval", "id": name, "mono_ns": passed_ns,
            "total_completed_bytes": int(passed_ns / 1e3 / microseconds) * size,
        }  # fmt: skip
        os.write(int(os.environ["IBCC_METER_OUTPUT"].removeprefix("fd:")), json.dumps(line).encode() + b"\n")


if __name__ == "__main__":
    sys.exit(main())
