# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How long OpenSM takes from its start to SUBNET UP on ccsimd and on ibsim, by size of the fabric. `make bench-emulator` runs it.

Both serve the same fabric to the same OpenSM with the same options, each in a process of its own, and take turns, first the one
and then the other ahead, so that a busy moment of the machine does not fall on one of them alone. OpenSM asks both for the same
but for a few MADs in a hundred: with QoS off, as here, it leaves alone the tables that only one of them offers more of. Each
size begins with one run of each that does not count. The figure is the median, and the ratio that of the medians: below 1,
ccsimd is the faster one. Behind it stands where 95 of 100 such ratios lie if the runs are drawn again from those that were
made: where 1 is inside, the difference is no larger than the noise.
"""

import argparse
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.ibsim import Ibsim
from benchmarks.own_emulator import OwnEmulator
from tuner.documents.fabric import FabricDocument, load_fabric
from tuner.fabric.topologies.base import generate
from tuner.opensm.preload import client_environment
from tuner.opensm.process import OpenSm, OptionValue

UP_S = 600.0
RATES = {"host_rate": "4xQDR", "mtu_bytes": 2048}  # what ibsim can do too


@dataclass(frozen=True)
class Size:
    """A fabric to bring up."""

    name: str
    build: Callable[[], FabricDocument]


def _tree(m: list[int], w: list[int]) -> FabricDocument:
    return generate("xgft", m=m, w=w, **RATES)


SIZES = {
    size.name: size
    for size in (
        Size("7", lambda: load_fabric("two-switch")),
        Size("128", lambda: generate("three-stage", radix=16, **RATES)),
        Size("648", lambda: generate("three-stage", radix=36, **RATES)),
        Size("2016", lambda: _tree([12, 12, 14], [1, 12, 12])),
        Size("5832", lambda: _tree([18, 18, 18], [1, 18, 18])),
    )
}

SERVERS: dict[str, Callable[[FabricDocument, str, Path], AbstractContextManager[Ibsim | OwnEmulator]]] = {
    "ccsimd": OwnEmulator,
    "ibsim": Ibsim,
}


@dataclass(frozen=True)
class Run:
    """All in seconds."""

    up_s: float
    """Wall-clock time from OpenSM's start to SUBNET UP."""
    server_cpu_s: float
    opensm_cpu_s: float


def one_run(server: str, fabric: FabricDocument, engine: str, number: int) -> Run:
    socket = f"ibcc-bench-{os.getpid()}-{number}"
    with tempfile.TemporaryDirectory(prefix="ibcc-bench-") as name:
        folder = Path(name)
        with SERVERS[server](fabric, socket, folder / "server") as serving:
            before = _cpu_s(serving.pid)
            environment = client_environment(socket, fabric.hosts[0].name)
            options: dict[str, OptionValue] = {"routing_engine": engine, "sweep_interval": 0}
            with OpenSm(folder / "opensm", environment, options=options) as opensm:
                up = opensm.await_subnet_up(timeout_s=UP_S)
                used = Run(opensm.lines[up].arrived_s - opensm.started_s, _cpu_s(serving.pid) - before, _cpu_s(opensm.pid))
                if opensm.errors:
                    raise RuntimeError(f"OpenSM on {server}: {opensm.errors[0]}")
    return used


def _cpu_s(pid: int) -> float:
    """User and system time of a process up to now."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def bench(size: Size, engine: str, repeat: int) -> None:
    fabric = size.build()
    runs: dict[str, list[Run]] = {server: [] for server in SERVERS}
    for i in range(repeat + 1):
        for n, server in enumerate(SERVERS if i % 2 == 0 else reversed(SERVERS)):
            run = one_run(server, fabric, engine, i * len(SERVERS) + n)
            if i > 0:
                runs[server].append(run)
    median = {server: statistics.median(run.up_s for run in done) for server, done in runs.items()}
    low, high = ratio_interval([run.up_s for run in runs["ccsimd"]], [run.up_s for run in runs["ibsim"]])
    fastest = {server: min(run.up_s for run in done) for server, done in runs.items()}
    ratio = f"{median['ccsimd'] / median['ibsim']:.2f} ({low:.2f} to {high:.2f})"
    ratios = f"{ratio}, of the fastest runs {fastest['ccsimd'] / fastest['ibsim']:.2f}"
    print(f"{size.name} hosts, {len(fabric.switches)} switches: ccsimd / ibsim {ratios}")
    for server, done in runs.items():
        cpu, opensm = (statistics.median(getattr(run, key) for run in done) for key in ("server_cpu_s", "opensm_cpu_s"))
        slowest = max(run.up_s for run in done)
        up = f"{median[server]:.3f} s to SUBNET UP ({fastest[server]:.3f} to {slowest:.3f})"
        print(f"  {server:6}: {up}; CPU {cpu:.2f} s, OpenSM's {opensm:.2f} s", flush=True)


def ratio_interval(a: list[float], b: list[float], *, draws: int = 10_000) -> tuple[float, float]:
    """The 95 % interval of the ratio of two medians, by the bootstrap. The same runs give the same interval."""
    chance = random.Random(1)

    def median(runs: list[float]) -> float:
        return statistics.median(chance.choices(runs, k=len(runs)))

    ratios = sorted(median(a) / median(b) for _ in range(draws))
    return ratios[draws * 25 // 1000], ratios[draws * 975 // 1000]


def machine() -> str:
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next((line.partition(":")[2].strip() for line in file if line.startswith("model name")), platform.machine())
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    query = ["dpkg-query", "--show", "--showformat", "${Package} ${Version}; ", "opensm", "ibsim-utils"]
    packages = subprocess.run(query, capture_output=True, text=True, check=False).stdout
    return f"{model}, {os.cpu_count()} cores, load {load}; {packages}Python {sys.version.split()[0]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", nargs="+", default=["7", "648", "2016", "5832"], choices=list(SIZES))
    parser.add_argument("--engine", default="minhop", help="routing engine of OpenSM (default: %(default)s)")
    parser.add_argument("--repeat", type=int, default=5, help="runs of each that count (default: %(default)s)")
    options = parser.parse_args()
    start = time.monotonic()
    print(f"# {machine()}")
    for name in options.hosts:
        bench(SIZES[name], options.engine, options.repeat)
    print(f"# {time.monotonic() - start:.0f} s, load {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()
