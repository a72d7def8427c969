# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How long it takes to start many host agents, to stop them, and to have nothing left of them after the coordinator was killed.
`make bench-launch`.

Real agents, all on this machine, each with one program that stands in for perftest and only sleeps; so the time is what this
machine needs for all of the work, of which on a cluster the hosts do the larger part: each starts one agent. What the coordinator
itself does for an agent is given beside it, in CPU time.
"""

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

from ibcc_agent import join

from tuner.document_base.model import build_model
from tuner.documents.inventory import Inventory
from tuner.hosts.launchers.base import Request, open_launcher

AGENT = Path(__file__).resolve().parents[1] / "build/agent/ibcc_agent.py"
join.write(AGENT)
PATIENCE_S = 600.0


def inventory(folder: Path, agents: int, fanout: int) -> Inventory:
    """`agents` nodes on this machine."""
    program = folder / "sleeps"
    program.write_text("#!/bin/sh\nexec sleep 3600\n")
    program.chmod(0o755)
    (folder / "sysfs/mlx5_0/ports/1").mkdir(parents=True, exist_ok=True)
    meter = folder / "meter"
    meter.write_bytes(b"")  # an empty file: nothing is preloaded
    config = folder / "agent.json"
    settings = {"programs": {"sleeps": str(program)}, "meter": str(meter), "sysfs": str(folder / "sysfs")}
    # The limits of one host are too low where one machine stands for all of them.
    own = {"max_processes": 1024, "peers": ["127.0.0.0/8"], "run_folder": str(folder / "run"), "systemd_run": "none"}
    config.write_text(json.dumps(settings | own))
    document = {
        "ibcc_inventory": 1,
        "name": "bench",
        "fabric": "two-switch",
        "launcher": {"kind": "local", "fanout": fanout},
        "agent": {"command": [sys.executable, "-S", "-E", str(AGENT), "--config", str(config)]},
        "hosts": [{"nodes": f"n[1-{agents}]"}],
    }
    return build_model(Inventory, document)


def requests(agents: int, tag: str) -> dict[str, Request]:
    process = {"id": tag, "program": "sleeps", "side": "client", "device": "mlx5_0", "tcp_port": 18515, "peer": "127.0.0.1"}
    process |= {"message_bytes": 65536, "stop_s": 3000}
    return {f"n{i}": {"op": "run", "processes": [process]} for i in range(1, agents + 1)}


def start(folder: Path, agents: int, fanout: int, tag: str, *, then_wait: bool) -> dict[str, float]:
    """Starts all, says so on standard output, and stops all; or waits to be killed."""
    document = inventory(folder, agents, fanout)
    launcher = open_launcher(document.launcher, document.agent.command)
    began, cpu = time.monotonic(), time.process_time()
    running = launcher.start(requests(agents, tag))
    hello: set[str] = set()
    started: set[str] = set()
    seconds: dict[str, float] = {}
    for item in running.events():
        if item is not None:
            node, event = item
            (hello if event["event"] == "hello" else started if event["event"] == "started" else set()).add(node)
        now = time.monotonic() - began
        if len(hello) == agents:
            seconds.setdefault("hello_s", now)
        if len(started) == agents:
            break
        if now > PATIENCE_S or running.failed:
            raise SystemExit(f"{len(started)} of {agents} started; {dict(list(running.failed.items())[:3])}")
    seconds["started_s"] = time.monotonic() - began
    seconds["coordinator_cpu_ms_each"] = (time.process_time() - cpu) / agents * 1e3
    print("started", flush=True)
    while then_wait:
        time.sleep(3600)
    began = time.monotonic()
    left = running.stop()
    seconds["stop_s"] = time.monotonic() - began
    seconds["not_seen_to_end"] = len(left)
    seconds["coordinator_max_rss_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return seconds


def living(tag: str) -> int:
    """How many processes have a text in their command line or environment."""
    count = 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                count += tag.encode() in (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
            except OSError:
                continue
    return count


def killed(folder: Path, agents: int, fanout: int, tag: str) -> dict[str, float]:
    """A coordinator of its own is killed by SIGKILL once all run: how long until nothing is left."""
    command = [sys.executable, "-m", "benchmarks.bench_launch", "--agents", str(agents), "--fanout", str(fanout)]
    coordinator = subprocess.Popen([*command, "--hold", str(folder), "--tag", tag], stdout=subprocess.PIPE)
    assert coordinator.stdout is not None
    assert coordinator.stdout.readline() == b"started\n", "the coordinator did not start all agents"
    before = living(tag) - 1  # less the coordinator, whose command line has it too
    began = time.monotonic()
    coordinator.send_signal(signal.SIGKILL)
    coordinator.wait()
    coordinator.stdout.close()
    while (left := living(str(folder)) + living(tag)) and time.monotonic() < began + PATIENCE_S:
        time.sleep(0.1)
    return {"programs_before": before, "gone_s": time.monotonic() - began, "left": left}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--agents", type=int, default=512)
    parser.add_argument("--fanout", type=int, default=64)
    parser.add_argument("--hold", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--tag", default=f"b{uuid.uuid4().hex}", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.hold is not None:
        start(options.hold, options.agents, options.fanout, options.tag, then_wait=True)
    with tempfile.TemporaryDirectory(prefix="ibcc-bench-") as name:
        results = start(Path(name), options.agents, options.fanout, options.tag, then_wait=False)
        results |= killed(Path(name), options.agents, options.fanout, options.tag)
    print(f"{options.agents} agents, at most {options.fanout} coming up at a time")
    for key, value in results.items():
        print(f"  {key:26} {value:10.2f}")


if __name__ == "__main__":
    main()
