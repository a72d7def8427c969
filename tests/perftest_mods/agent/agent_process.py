# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The agent as a process of its own, with stand-ins for perftest and a pretended device."""

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from ibcc_agent import join

_ROOT = Path(__file__).resolve().parents[3]
SOURCES = _ROOT / "perftest_mods/agent"
AGENT = _ROOT / "build/agent/ibcc_agent.py"
"""The one file that hosts get, as this source has it."""
join.write(AGENT)
PYTHON = os.environ.get("IBCC_AGENT_PYTHON", sys.executable)
"""What runs the agent: hosts have other Pythons than whoever measures on them."""
BEHAVIOURS = ("obedient", "stubborn", "broken", "honest", "chatty", "burst", "flood", "greedy", "large")
LOOPBACK = ["127.0.0.0/8", "::1/128"]
PATIENCE_S = 300.0
"""For anything that takes far less, on a machine that is busy."""

Event = dict[str, Any]


def configuration(folder: Path, **changes: object) -> Path:
    """An agent.json: stand-ins by the name of their behaviour, a device, and as meter a library that does nothing."""
    for behaviour in BEHAVIOURS:
        program = folder / behaviour
        if not program.exists():
            program.symlink_to(Path(__file__).with_name("stand_in.py"))
    port = folder / "sysfs/mlx5_0/ports/1"
    (port / "gids").mkdir(parents=True, exist_ok=True)
    for name, text in {
        "state": "4: ACTIVE",
        "phys_state": "5: LinkUp",
        "rate": "100 Gb/sec (4X EDR)",
        "link_layer": "InfiniBand",
        "lid": "0x12",
        "gids/0": "fe80:0000:0000:0000:0002:c903:0000:0a01",
        "../../node_guid": "0002:c903:0000:0a00",
    }.items():
        (port / name).write_text(text + "\n")
    values: dict[str, object] = {
        "programs": {behaviour: str(folder / behaviour) for behaviour in BEHAVIOURS},
        "meter": harmless_library(),
        "sysfs": str(folder / "sysfs"),
        "peers": LOOPBACK,
        "run_folder": str(folder / "run"),
        "systemd_run": "none",
    }
    path = folder / "agent.json"
    path.write_text(json.dumps(values | changes))
    return path


def harmless_library() -> str:
    """One that every process has loaded already."""
    found = re.search(r"/\S+/libc[.-]\S*", Path("/proc/self/maps").read_text())
    assert found is not None
    return found.group()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def process(**values: object) -> dict[str, object]:
    """One of a request's processes."""
    usual = {"id": "f1", "program": "obedient", "side": "client", "device": "mlx5_0", "tcp_port": 18515, "peer": "127.0.0.1"}
    return {**usual, "message_bytes": 65536, "stop_s": 0.2, "interval_ms": 20, **values}


def run_request(*processes: dict[str, object], **values: object) -> bytes:
    return json.dumps({"op": "run", "processes": list(processes), **values}).encode() + b"\n"


class Agent:
    """Lives until `close`, or the end of a `with`."""

    def __init__(self, config: Path, request: bytes = b"") -> None:
        self.popen = subprocess.Popen(
            [PYTHON, "-IS", str(AGENT), "--config", str(config)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.seen: list[Event] = []
        if request:
            self.write(request)

    def write(self, data: bytes) -> None:
        assert self.popen.stdin is not None
        self.popen.stdin.write(data)
        self.popen.stdin.flush()

    def next(self) -> Event | None:
        """The next event; None at the end."""
        assert self.popen.stdout is not None
        line = self.popen.stdout.readline()
        if not line:
            return None
        event: Event = json.loads(line)
        assert event["ibcc_agent"] == 1
        self.seen.append(event)
        return event

    def until(self, kind: str) -> Event:
        while (event := self.next()) is not None:
            if event["event"] == kind:
                return event
        raise AssertionError(f"no '{kind}' came; there were {self.seen}")

    def rest(self) -> list[Event]:
        """All events, once it has ended."""
        while self.next() is not None:
            pass
        self.popen.wait(PATIENCE_S)
        return self.seen

    def kinds(self) -> list[str]:
        return [event["event"] for event in self.seen]

    def hang_up(self) -> None:
        assert self.popen.stdin is not None
        self.popen.stdin.close()

    def code(self) -> int:
        return self.popen.wait(PATIENCE_S)

    def __enter__(self) -> "Agent":
        return self

    def __exit__(self, *_: object) -> None:
        for pipe in (self.popen.stdin, self.popen.stdout, self.popen.stderr):
            assert pipe is not None
            if not pipe.closed:
                pipe.close()
        self.popen.wait(PATIENCE_S)


def answer(config: Path, request: bytes) -> tuple[int, list[Event]]:
    """Exit code and events for a request, with standard input open till the end."""
    with Agent(config) as agent:
        with contextlib.suppress(BrokenPipeError):  # it has refused what came first
            agent.write(request)
        events = agent.rest()
        return agent.code(), events


def tagged(tag: str) -> set[int]:
    """Pids of all living processes whose command line or environment holds a text."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                words = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if tag.encode() in words and state != "Z":
                found.add(int(entry.name))
    return found


def require_begun(tag: str, n: int) -> None:
    """Fails unless there are soon at least `n` processes with a text in their command line or environment: both are empty for a
    moment while a program is loaded."""
    until = time.monotonic() + PATIENCE_S
    while len(found := tagged(tag)) < n:
        if time.monotonic() > until:
            pytest.fail(f"there are {len(found)} processes, and {n} are expected")
        time.sleep(0.02)


def require_gone(tag: str) -> None:
    """Fails unless every process with a text in its command line or environment ends soon."""
    until = time.monotonic() + PATIENCE_S
    while left := tagged(tag):
        if time.monotonic() > until:
            pytest.fail(f"processes {sorted(left)} were left")
        time.sleep(0.02)
