#!/usr/bin/python3 -SE
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Stands in for perftest under the meter, so that the agent can be tried without RDMA. How it behaves is in its name.

It understands the options that the agent gives. A server listens on its TCP port until it is stopped; a client tells intervals
until stop_s, as the meter does.
"""

import json
import mmap
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path


def tell(fields: dict[str, object]) -> None:
    kind = os.environ["IBCC_METER_OUTPUT"]
    assert kind.startswith("fd:")
    line = {"ibcc_meter": 1, **fields, "id": os.environ["IBCC_METER_ID"], "wall_ns": time.time_ns()}
    os.write(int(kind[3:]), json.dumps(line).encode() + b"\n")


def measure() -> None:
    stop_s = float(os.environ["IBCC_METER_STOP_S"])
    interval_s = int(os.environ["IBCC_METER_INTERVAL_MS"]) / 1000
    tell({"kind": "start", "pid": os.getpid()})
    began = time.monotonic()
    while time.monotonic() - began < stop_s:
        time.sleep(min(interval_s, stop_s))
        tell({"kind": "interval", "completed_bytes": 65536})
    tell({"kind": "final", "reason": "stop"})


def listen() -> None:
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", int(sys.argv[sys.argv.index("-p") + 1])))
        listener.listen()
        measure()


def main(behaviour: str) -> int:
    if sys.argv[1:] == ["--version"]:
        if os.environ.get("IBCC_METER_INTERVAL_MS") == "0":  # which the meter refuses before a program begins
            print("IBCC_METER_INTERVAL_MS is '0'; 10 to 60000 are allowed")
            return 2
        print("Version: 4.5")
        return 0
    match behaviour:
        case "obedient":
            is_client = sys.argv[-2].startswith("-") is False
            measure() if is_client else listen()
        case "stubborn":  # ignores SIGTERM, and leaves one that has gone into a session of its own
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            subprocess.Popen([sys.executable, "-c", STRAY, os.environ["IBCC_METER_ID"]], start_new_session=True)
            tell({"kind": "start", "pid": os.getpid()})
            time.sleep(600)  # until it is killed
        case "broken":
            print("no such luck", flush=True)
            return 7
        case "honest":  # says what it was given
            print(json.dumps({"argv": sys.argv, "environment": dict(os.environ)}), flush=True)
            return 1
        case "chatty":  # writes to the meter's pipe what is no meter's line
            os.write(int(os.environ["IBCC_METER_OUTPUT"][3:]), b'{"ibcc_agent":1,"event":"done"}\nrubbish\n{"ibcc_meter":1}\n')
        case "burst":  # and ends while its lines are still in the pipe
            for number in range(3000):
                tell({"kind": "interval", "number": number})
        case "greedy":  # wants more than it has said
            try:
                mmap.mmap(-1, 64 << 30)
            except OSError:
                print("Couldn't allocate MR", flush=True)
                return 1
        case "large":  # writes a file
            with open(os.environ["IBCC_METER_ID"], "w") as file:
                file.write("x")
        case "flood":  # more than anybody reads
            while True:
                tell({"kind": "interval", "padding": "x" * 4000})
    return 0


STRAY = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
time.sleep(600)
"""

if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[0]).name))
