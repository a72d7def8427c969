# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How fast the simulator is: packet-hops a CPU second and memory, by size of the fabric and load, and the CPU time of each scheme
beside that of voqsw. `make bench-sim` runs it.

Every run is a process of its own, so that its memory is its own; sizes take turns, so that a busy moment of the machine does not
fall on one of them alone. The figure of a size is its fastest run: whatever else the machine does can only slow a run down.
"""

import argparse
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import ccsim
from tuner.documents.fabric import load_fabric
from tuner.documents.profile import load_profile
from tuner.fabric.built_fabric import BuiltFabric, build
from tuner.fabric.topologies.base import generate

BASE = "voqsw"
"""Name of the scheme that others are compared with."""
SCHEME_NODES = (64, 648)
SCHEME_LIMITS = {"voqnet": 2.5}
SCHEME_LIMIT = 1.5
"""CPU time of a scheme that is wanted at most, as a multiple of that of voqsw at the same load; with a row of its own in
SCHEME_LIMITS, that."""
STAGES_NODES = 1024
STAGES_LIMIT_S = 20.0
"""Nodes of the tree of five stages, and the CPU seconds that 3 ms of it may take."""
MESSAGE_BYTES = 4096  # two packets, as Paper IV of the thesis has it
LINK_GBPS = 16
INJECT_GBPS = 13.5
LIGHT_GBPS = 4.8
"""Rate of each host under `light` load: 30 % of a link, which saturates no scheme."""
HOSTS = {"host_rate": "4xDDR", "switch_rate": "4xDDR", "mtu_bytes": 2048, "inject_gbps": INJECT_GBPS}


@dataclass(frozen=True)
class Size:
    """One of the fabrics, and for how long it is simulated: some millions of packet-hops."""

    nodes: int
    build: Callable[[], BuiltFabric]
    uniform_s: float
    hotspot_s: float


def _tree(m: list[int], w: list[int]) -> BuiltFabric:
    return build(generate("xgft", m=m, w=w, **HOSTS))


SIZES = (
    Size(7, lambda: build(load_fabric("two-switch")), 0.2, 0.2),
    Size(64, lambda: build(generate("k-ary-n-tree", k=4, n=3, **HOSTS)), 0.02, 0.05),
    Size(648, lambda: build(generate("three-stage", radix=36, **HOSTS)), 0.003, 0.02),
    Size(STAGES_NODES, lambda: build(generate("k-ary-n-tree", k=4, n=5, **HOSTS)), 0.003, 0.003),
    Size(5832, lambda: _tree([18, 18, 18], [1, 18, 18]), 0.0004, 0.004),
    Size(11664, lambda: _tree([18, 18, 36], [1, 18, 18]), 0.0002, 0.002),
)
LOADS = ("uniform", "hotspots")
SCHEME_LOADS = ("uniform", "light", "hotspots")


def flows_of(load: str, n_hosts: int) -> list[ccsim.Flow]:
    """`uniform`: every host to all others, all it can. `light`: the same at LIGHT_GBPS. `hotspots`: 80 % of the hosts to one
    of eight hotspots (one among 7 hosts), the rest uniform: the silent forest of congestion trees."""
    everybody = ccsim.Destinations.uniform(range(n_hosts))
    hotspots = [(2 * i + 1) * n_hosts // 16 for i in range(8)] if n_hosts >= 64 else [n_hosts // 2]
    flows = []
    for host in range(n_hosts):
        contributes = load == "hotspots" and host % 5 != 0
        dst: int | ccsim.Destinations = hotspots[host % len(hotspots)] if contributes else everybody
        if dst == host:
            dst = everybody
        rate_gbps = LIGHT_GBPS if load == "light" else None
        flows.append(ccsim.Flow(src=host, dst=dst, message_bytes=MESSAGE_BYTES, rate_gbps=rate_gbps))
    return flows


def simulation(
    size: Size, built: BuiltFabric, load: str, profile: str | None, seed: int = 1, scheme: str = BASE
) -> ccsim.Simulation:
    model = ccsim.Model()
    model.scheme.name = scheme
    tables = None if profile is None else load_profile(profile).resolve(built.fabric)
    duration_s = size.hotspot_s if load == "hotspots" else size.uniform_s
    if load == "light":
        duration_s *= INJECT_GBPS / LIGHT_GBPS  # to send as much as under uniform load
    return ccsim.Simulation(
        built.fabric,
        flows_of(load, len(built.fabric.endports)),
        tables=tables,
        model=model,
        seed=seed,
        duration_s=duration_s,
        sample_interval_s=duration_s,
    )


def max_rss_mib() -> float:
    """Returns the peak memory of this process alone: getrusage() starts with what the parent had when it forked."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))


def run_one(nodes: int, load: str, profile: str | None, scheme: str) -> dict[str, float]:
    size = next(size for size in SIZES if size.nodes == nodes)
    result = simulation(size, size.build(), load, profile, scheme=scheme).run()
    return {"hops": result.packet_hops, "events": result.events, "cpu_s": result.cpu_s, "max_rss_mib": max_rss_mib()}


def in_own_process(nodes: int, load: str, profile: str | None, scheme: str = BASE) -> dict[str, float]:
    command = [sys.executable, __file__, "--one", json.dumps([nodes, load, profile, scheme])]
    answer: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return answer


def title(load: str, profile: str | None) -> str:
    gbps = LIGHT_GBPS if load == "light" else INJECT_GBPS
    return f"{load} load at {gbps} of {LINK_GBPS} Gb/s, CC {'off' if profile is None else f'on ({profile})'}"


def bench(load: str, profile: str | None, nodes: list[int], repeat: int) -> None:
    print(f"# {title(load, profile)}", flush=True)
    runs: dict[int, list[dict[str, float]]] = {n: [] for n in nodes}
    for _ in range(repeat):
        for n in nodes:
            runs[n].append(in_own_process(n, load, profile))
    speed = {n: max(run["hops"] / run["cpu_s"] for run in runs[n]) for n in nodes}
    for n in nodes:
        memory = max(run["max_rss_mib"] for run in runs[n])
        print(f"{n} nodes: {speed[n] / 1e6:.1f} M packet-hops/cpu_s, {memory:.0f} MiB", flush=True)
    if 648 in speed and 11664 in speed:
        print(f"# a packet-hop at 11664 nodes costs {speed[648] / speed[11664]:.2f} times that at 648 (limit 1.5)", flush=True)


def bench_schemes(load: str, profile: str | None, nodes: int, schemes: list[str], repeat: int) -> None:
    """CPU time of each scheme beside that of voqsw. They take turns; those that need congestion control run where it is on."""
    needing = {row["name"] for row in ccsim.schemes() if row["needs_congestion_control"]}
    names = [BASE, *(name for name in schemes if name != BASE and (profile is not None or name not in needing))]
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in names}
    for _ in range(repeat):
        for name in names:
            runs[name].append(in_own_process(nodes, load, profile, name))
    fastest = {name: min(runs[name], key=lambda run: run["cpu_s"]) for name in names}
    print(
        f"# schemes, {nodes} nodes, {title(load, profile)}: CPU time as a multiple of that of {BASE}, and by packet-hop",
        flush=True,
    )
    base = fastest[BASE]
    for name, run in fastest.items():
        limit = "" if name == BASE else f" (limit {SCHEME_LIMITS.get(name, SCHEME_LIMIT)})"
        times = run["cpu_s"] / base["cpu_s"]
        print(
            f"{name}: {run['cpu_s']:.2f} s, {times:.2f}{limit}, {times * base['hops'] / run['hops']:.2f} by packet-hop",
            flush=True,
        )


def bench_stages(profile: str | None, repeat: int) -> None:
    cpu_s = min(in_own_process(STAGES_NODES, "uniform", profile)["cpu_s"] for _ in range(repeat))
    print(
        f"# five stages, {STAGES_NODES} nodes, {title('uniform', profile)}: 3 ms take {cpu_s:.1f} s (limit {STAGES_LIMIT_S:.0f})"
    )


def bench_threads(profile: str | None) -> None:
    """Two runs in two threads of one process, against the same two one after the other."""
    size = next(size for size in SIZES if size.nodes == 648)
    built = size.build()

    def wall_s(at_once: bool) -> float:
        threads = [threading.Thread(target=simulation(size, built, "uniform", profile, seed).run) for seed in (1, 2)]
        start = time.perf_counter()
        for thread in threads:
            thread.start()
            if not at_once:
                thread.join()
        for thread in threads:
            thread.join()
        return time.perf_counter() - start

    ratios = [wall_s(at_once=False) / wall_s(at_once=True) for _ in range(3)]
    print(f"# two runs in two threads: {max(ratios):.2f} times the throughput of one (two cores: 2)", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    nodes = [size.nodes for size in SIZES]
    schemes = [row["name"] for row in ccsim.schemes()]
    parser.add_argument("--nodes", type=int, nargs="*", default=[n for n in nodes if n != STAGES_NODES], choices=nodes)
    parser.add_argument("--schemes", nargs="*", default=schemes, choices=schemes, help="beside voqsw (default: all)")
    parser.add_argument("--profile", default="gran-2010", help="with CC on (default: %(default)s)")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each (default: %(default)s)")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(run_one(*json.loads(options.one))))
        return
    for load in SCHEME_LOADS:
        for profile in (options.profile, None):
            if options.nodes and load in LOADS:
                bench(load, profile, options.nodes, options.repeat)
            if load == "light" and profile is None:
                continue  # hardly a packet is marked, so that it costs the same as with CC on
            for n in SCHEME_NODES if options.schemes else ():
                bench_schemes(load, profile, n, options.schemes, options.repeat)
    for profile in (options.profile, None):
        bench_stages(profile, options.repeat)
    bench_threads(options.profile)


if __name__ == "__main__":
    main()
