# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What the plugin costs beside OpenSM's own congestion control manager: MADs, Set phase, OpenSM's sweeps. `make bench-plugin`.

Three take turns on the same fabric with the same profile, its Victim_Mask being all ports, as OpenSM's manager has one mask for
all switches: OpenSM alone, with its own manager, and with the plugin. MADs are counted by the emulated fabric. The Set phase goes
from the first Set that reaches the fabric to the last one; what comes before (probes) is told apart. Sweeps are heavy ones that
change nothing, after all devices hold the profile.
"""

import argparse
import math
import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.bench_emulator import SIZES, UP_S, Size, machine
from benchmarks.own_emulator import OwnEmulator
from ccsim.policy import Profile
from tuner.documents.fabric import FabricDocument
from tuner.documents.profile import load_profile
from tuner.emulator.client import ControlClient
from tuner.fabric.built_fabric import build
from tuner.opensm.congestion_options import congestion_options
from tuner.opensm.plugin_library import PluginSetup
from tuner.opensm.preload import client_environment
from tuner.opensm.process import OpenSm, OptionValue

ARMS = ("alone", "own manager", "plugin")
LIBRARY = Path(__file__).parents[1] / "build" / "plugin" / "libibcc.so"


@dataclass(frozen=True)
class Run:
    gets: int
    sets: int
    probe_s: float
    """From the first MAD of the class to the first Set."""
    set_s: float
    """From the first Set to the last."""
    opensm_cpu_s: float
    sweeps_s: list[float]


def one_run(arm: str, fabric: FabricDocument, profile: Profile, number: int, sweeps: int, plugin_options: str) -> Run:
    socket = f"ibcc-bench-{os.getpid()}-{number}"
    with tempfile.TemporaryDirectory(prefix="ibcc-bench-") as name:
        folder = Path(name)
        with OwnEmulator(fabric, socket, folder / "server"), ControlClient(socket) as client:
            options: dict[str, OptionValue] = {"routing_engine": "minhop", "sweep_interval": 0}
            environment = dict(client_environment(socket, fabric.hosts[0].name))
            lines = ""
            if arm == "own manager":
                built = build(fabric)
                lines = congestion_options(profile.resolve(built.fabric), built.fabric)
            if arm == "plugin":
                (folder / "plugin").mkdir()
                (folder / "profile.yaml").write_text(profile.to_yaml(), encoding="utf-8")
                setup = PluginSetup(LIBRARY, folder / "plugin", folder / "profile.yaml", plugin_options)
                options.update(setup.opensm_options())
                environment = setup.environment(environment)
            with OpenSm(folder / "opensm", environment, options=options, more_options=lines) as opensm:
                opensm.await_subnet_up(timeout_s=UP_S)
                if arm == "plugin":
                    opensm.await_line(r"^ibcc: apply of revision \d+ done", timeout_s=UP_S)
                rows = [row for row in client.mads()["mads"] if row["class"] == "CCA"]
                cpu_s = _cpu_s(opensm.pid)
                times = []
                for _ in range(sweeps):
                    start = time.perf_counter()
                    opensm.sweep(timeout_s=UP_S)
                    times.append(time.perf_counter() - start)
                if opensm.errors:
                    raise RuntimeError(f"OpenSM, {arm}: {opensm.errors[0]}")
                again = [row for row in client.mads()["mads"] if row["class"] == "CCA"]
                if _count(again, "Set") != _count(rows, "Set"):
                    raise RuntimeError(f"{arm}: sweeps that change nothing have brought Sets")
    requested = [row for row in rows if row["method"] in ("Get", "Set")]
    written = [row for row in requested if row["method"] == "Set"]
    first_s, first_set_s, last_set_s = (
        choose((row[key] for row in chosen), default=0.0)
        for choose, key, chosen in ((min, "first_s", requested), (min, "first_s", written), (max, "last_s", written))
    )
    return Run(_count(rows, "Get"), _count(rows, "Set"), first_set_s - first_s, last_set_s - first_set_s, cpu_s, times)


def _count(rows: Sequence[dict[str, Any]], method: str) -> int:
    return sum(row["count"] for row in rows if row["method"] == method)


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(size: Size, profile: Profile, repeat: int) -> None:
    """Prints what OpenSM's process takes after a restart, with revision 0 and, as in a folder of a former release, without."""
    fabric, socket = size.build(), f"ibcc-bench-{os.getpid()}-memory"
    resident: dict[str, list[int]] = {"with revision 0": [], "without": []}
    with tempfile.TemporaryDirectory(prefix="ibcc-bench-") as name:
        folder = Path(name)
        (folder / "plugin").mkdir()
        (folder / "profile.yaml").write_text(profile.to_yaml(), encoding="utf-8")
        setup = PluginSetup(LIBRARY, folder / "plugin", folder / "profile.yaml", "--audit-interval-s 0")
        found = setup.state / "as_found.json"
        options: dict[str, OptionValue] = {"routing_engine": "minhop", "sweep_interval": 0, **setup.opensm_options()}
        environment = setup.environment(dict(client_environment(socket, fabric.hosts[0].name)))
        with OwnEmulator(fabric, socket, folder / "server"):

            def start(number: int) -> int:
                """KiB that the process has in memory when all devices hold the profile."""
                with OpenSm(folder / f"opensm-{number}", environment, options=options) as opensm:
                    opensm.await_subnet_up(timeout_s=UP_S)
                    opensm.await_line(r"^ibcc: \w+ of revision \d+ done", timeout_s=UP_S)
                    status = Path(f"/proc/{opensm.pid}/status").read_text()
                    opensm.stop()
                return int(status.partition("VmRSS:")[2].split()[0])

            start(0)
            kept = found.read_bytes()
            for i in range(repeat):
                resident["with revision 0"].append(start(2 * i + 1))
                found.unlink()
                resident["without"].append(start(2 * i + 2))
                if found.exists():
                    raise RuntimeError("a folder without as_found.json has got one")
                found.write_bytes(kept)
    print(f"{size.name} hosts, {len(fabric.switches)} switches, {profile.name}: as_found.json has {len(kept) / 1e6:.2f} MB")
    for arm, kib in resident.items():
        print(f"  {arm:16}: {statistics.median(kib) / 1024:.1f} MiB of OpenSM's process ({', '.join(map(str, kib))} KiB)")


def _median_ms(seconds: Sequence[float]) -> float:
    return statistics.median(seconds) * 1e3


def interval(ratios: Sequence[float]) -> str:
    """The geometric mean and the 95 % interval of ratios, one a repetition."""
    logs = [math.log(ratio) for ratio in ratios]
    mean = statistics.fmean(logs)
    if len(logs) < 2:
        return f"{math.exp(mean):.3f}"
    # Student's t for 95 %, two-sided, by degrees of freedom.
    quantile = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 6: 2.45, 7: 2.36, 8: 2.31, 9: 2.26}.get(len(logs) - 1, 2.2)
    half = quantile * statistics.stdev(logs) / math.sqrt(len(logs))
    return f"{math.exp(mean):.3f} ({math.exp(mean - half):.3f} to {math.exp(mean + half):.3f})"


def bench(size: Size, profile: Profile, repeat: int, sweeps: int, plugin_options: str) -> None:
    fabric = size.build()
    runs: dict[str, list[Run]] = {arm: [] for arm in ARMS}
    for i in range(repeat + 1):
        for n, arm in enumerate(ARMS):
            run = one_run(arm, fabric, profile, i * len(ARMS) + n, sweeps, plugin_options)
            if i > 0:  # the first of each warms up
                runs[arm].append(run)
    print(f"{size.name} hosts, {len(fabric.switches)} switches, {profile.name}:")
    for arm, done in runs.items():
        probe_ms, set_ms = _median_ms([run.probe_s for run in done]), _median_ms([run.set_s for run in done])
        sweep_ms = _median_ms([s for run in done for s in run.sweeps_s])
        cpu_s = statistics.median(run.opensm_cpu_s for run in done)
        mads = f"{done[0].gets} Gets, {done[0].sets} Sets"
        times = f"before the first Set {probe_ms:.1f} ms, Set phase {set_ms:.1f} ms; sweep {sweep_ms:.1f} ms"
        print(f"  {arm:12}: {mads}; {times}; OpenSM's CPU {cpu_s:.2f} s")
    pairs = list(zip(runs["own manager"], runs["plugin"], strict=True))
    print(f"  Set phase, plugin / own manager: {interval([b.set_s / a.set_s for a, b in pairs])}")
    alone = zip(runs["alone"], runs["plugin"], strict=True)
    ratios = [statistics.median(b.sweeps_s) / statistics.median(a.sweeps_s) for a, b in alone]
    print(f"  sweep, plugin / alone: {interval(ratios)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", nargs="+", default=["7", "648", "5832"], choices=list(SIZES))
    parser.add_argument("--profile", default="gran-2010", help="one that OpenSM's own manager can set too (default: %(default)s)")
    parser.add_argument("--repeat", type=int, default=5, help="runs of each that count (default: %(default)s)")
    parser.add_argument("--sweeps", type=int, default=5, help="heavy sweeps in each run (default: %(default)s)")
    parser.add_argument("--plugin-options", default="", help="for the plugin, as in event_plugin_options")
    parser.add_argument("--memory", action="store_true", help="measure the memory that revision 0 takes, and nothing else")
    options = parser.parse_args()
    start = time.monotonic()
    # OpenSM's manager has one mask for all switches.
    profile = load_profile(options.profile).with_settings({"switch.victim_mask": "all"})
    print(f"# {machine()}")
    for name in options.hosts:
        if options.memory:
            memory(SIZES[name], profile, options.repeat)
        else:
            bench(SIZES[name], profile, options.repeat, options.sweeps, options.plugin_options)
    print(f"# {time.monotonic() - start:.0f} s, load {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()
