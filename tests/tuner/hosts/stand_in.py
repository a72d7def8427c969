#!/usr/bin/python3 -SE
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Stands in for perftest under the meter where there is no RDMA device: listens or connects as perftest does, takes its options
and the meter's settings, and tells the bytes that the rates beside it say. `rates.json`: Gb/s by device of the sender; one that
is `fails`, `stuck` or `alone` there does that instead."""

import json
import os
import socket
import sys
import time

NS = 1_000_000_000


def main() -> int:
    env = os.environ
    if env.get("IBCC_METER_INTERVAL_MS") == "0":
        print("IBCC_METER_INTERVAL_MS is 0; it must be from 10 to 60000")
        return 2
    if sys.argv[1:] == ["--version"]:
        print("Version: 6.23")
        return 0
    words = [word for word in sys.argv[1:] if word not in ("-F", "--run_infinitely")]
    options = dict(zip(words[::2], words[1::2], strict=False))
    peer = words[-1] if len(words) % 2 else None
    device, port = options["-d"], int(options["-p"])
    out = int(env["IBCC_METER_OUTPUT"].removeprefix("fd:"))
    start, stop = int(env["IBCC_METER_START_NS"]), float(env["IBCC_METER_STOP_S"])
    if peer is None:
        listener = socket.create_server(("127.0.0.1", port))
        connection, _ = listener.accept()
        sender = connection.makefile().readline().strip()
        listener.close()
    else:
        connection = connect(peer, port)
        connection.sendall(device.encode() + b"\n")
        sender = device
    rate = rates()[sender]
    if rate == "fails" and peer is not None:
        print("Couldn't allocate MR")
        return 1

    def tell(kind: str, **values: object) -> None:
        head = {
            "ibcc_meter": 1,
            "kind": kind,
            "id": env["IBCC_METER_ID"],
            "wall_ns": time.time_ns(),
            "mono_ns": time.monotonic_ns(),
        }
        os.write(out, json.dumps({**head, **values}, separators=(",", ":")).encode() + b"\n")

    if rate == "stuck":
        time.sleep(3600)  # until it is killed
    tell("start", pid=os.getpid(), device=device, start_ns=start)
    steps = [step.split("=") for step in env["IBCC_METER_SCHEDULE"].split(",")]
    interval = int(env["IBCC_METER_INTERVAL_MS"]) / 1000
    before, k = 0, 0
    is_read = os.path.basename(sys.argv[0]) == "ib_read_bw"

    def totals() -> dict[str, int]:
        now = min(max(0.0, (time.time_ns() - start) / NS), stop)
        total = 0.0 if rate == "alone" else sent(steps, now, float(str(rate)))
        bytes_ = round(total)
        client = peer is not None
        return {
            "posted_bytes": bytes_ if client else 0,
            "completed_bytes": bytes_ if client and not is_read else 0,
            "received_bytes": bytes_ if (client and is_read) or not client else 0,
        }

    while True:
        k += 1
        due = min(k * interval, stop)
        time.sleep(max(0.0, (start + due * NS - time.time_ns()) / NS))
        now = totals()
        length = interval * NS
        tell("interval", length_ns=length, late_ns=0, posted_bytes=now["posted_bytes"] - before,
             total_completed_bytes=now["completed_bytes"], total_received_bytes=now["received_bytes"],
             counters={"port_xmit_wait": 1000 * k})  # fmt: skip
        before = now["posted_bytes"]
        if due >= stop:
            tell("final", reason="stop", totals=totals(), error=None)
            return 0


def connect(peer: str, port: int) -> socket.socket:
    while True:
        try:
            return socket.create_connection((peer, port))
        except ConnectionRefusedError:
            time.sleep(0.01)


def sent(steps: list[list[str]], until: float, rate: float) -> float:
    """Bytes up to a time."""
    total = 0.0
    for (at, now), following in zip(steps, [*steps[1:], [str(until), ""]], strict=True):
        length = max(0.0, min(until, float(following[0])) - float(at))
        gbps = rate if now == "max" else 0.0 if now == "off" else min(rate, float(now))
        total += gbps * length * NS / 8
    return total


def rates() -> dict[str, object]:
    with open(os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "rates.json")) as file:
        found: dict[str, object] = json.load(file)
        return found


if __name__ == "__main__":
    sys.exit(main())
