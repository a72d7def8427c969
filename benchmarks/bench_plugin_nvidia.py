# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What NVIDIA's attributes cost the plugin beside annex A10's: MADs and the Set phase. `make bench-plugin-nvidia`.

The two take turns on the same tree, whose devices have annex A10's attributes alone or NVIDIA's alone. At a first start each
device is tested before it is set. `--restart` measures a restart of OpenSM instead, at which a model whose firmware is known is
trusted, and devices are asked for their facts alone; devices of annex A10 are asked for EnhancedCongestionInfo, and refuse it or,
`mute`, never answer it.
"""

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks.bench_emulator import SIZES, UP_S, machine
from benchmarks.bench_plugin import LIBRARY, Run, interval, one_run
from benchmarks.own_emulator import OwnEmulator
from ccsim.policy import Profile
from tuner.documents.congestion_control import CongestionControlRow
from tuner.documents.fabric import FabricDocument
from tuner.documents.hardware import HardwareRow
from tuner.documents.profile import load_profile
from tuner.emulator.client import ControlClient
from tuner.opensm.plugin_client import PluginClient
from tuner.opensm.plugin_library import PluginSetup
from tuner.opensm.preload import client_environment
from tuner.opensm.process import OpenSm, OptionValue

SECTION = """
nvidia:
  switch:
    aqs_time: 4
    aqs_weight: 3
    thresholds: [{vls: all, unit: percent, profile1_min: 10, profile1_max: 40, profile1_percent: 20}]
  adapter: {type: dcqcn}
"""
MUTE = "mute"
"""Annex A10's devices that do not even refuse EnhancedCongestionInfo."""
ENHANCED_CONGESTION_INFO = 0xFF00
NVIDIA = "ibcc_profile: 2\nname: nvidia" + SECTION


def _ms(seconds: list[float]) -> str:
    return f"{statistics.median(seconds) * 1e3:.1f} ms"


def bench(name: str, fabric: FabricDocument, repeat: int, vl_reading: str) -> None:
    row = CongestionControlRow.model_validate({"dialect": "nvidia-dcqcn", "vl_reading": vl_reading})
    arms = {
        "a10": (fabric, load_profile("gran-2010"), ""),
        "nvidia": (fabric.model_copy(update={"congestion_control": (row,)}), Profile.from_text(NVIDIA), "--nvidia-write"),
    }
    runs: dict[str, list[Run]] = {arm: [] for arm in arms}
    for i in range(repeat + 1):
        for n, (arm, (devices, profile, options)) in enumerate(arms.items()):
            run = one_run("plugin", devices, profile, i * len(arms) + n, 0, options)
            if i > 0:  # the first of each warms up
                runs[arm].append(run)
    print(f"{name} hosts, {len(fabric.switches)} switches:")
    for arm, done in runs.items():
        times = f"before the first Set {_ms([run.probe_s for run in done])}, Set phase {_ms([run.set_s for run in done])}"
        print(f"  {arm:6}: {done[0].gets} Gets, {done[0].sets} Sets; {times}")
    pairs = zip(runs["a10"], runs["nvidia"], strict=True)
    print(f"  Set phase, nvidia / a10: {interval([b.set_s / a.set_s for a, b in pairs])}", flush=True)


def restart(name: str, fabric: FabricDocument, repeat: int) -> None:
    """Prints the Gets of a first start and of a restart with the same state, and their time, by kind of adapter."""
    ppcc = NVIDIA.replace("{type: dcqcn}", "{type: ppcc, ppcc: [{algo_id: 1, major: 1, minor: 0, parameters: {0: 7}}]}")
    hardware = HardwareRow(vendor_id=0x2C9, device_id=0x101B, firmware="20.39.1002")
    both = load_profile("gran-2010").to_yaml().replace("ibcc_profile: 1", "ibcc_profile: 2") + SECTION
    arms = {
        "a10": ({"dialect": "a10"}, both),
        MUTE: ({"dialect": "a10"}, both),
        "dcqcn": ({"dialect": "nvidia-dcqcn"}, NVIDIA),
        "ppcc": ({"dialect": "nvidia-ppcc"}, ppcc),
    }
    print(f"{name} hosts, {len(fabric.switches)} switches, a first start and a restart:")
    for arm, (row, text) in arms.items():
        devices = fabric.model_copy(
            update={"congestion_control": (CongestionControlRow.model_validate(row),), "hardware": (hardware,)}
        )
        jobs = [job for number in range(repeat) for job in _two_starts(devices, text, f"{arm}-{number}")]
        for start, done in (("first", jobs[::2]), ("restart", jobs[1::2])):
            print(
                f"  {arm:6}: {start:8} {done[0][0]} Gets, {done[0][1]} Sets, {_ms([seconds for _, _, seconds in done])}",
                flush=True,
            )


def _two_starts(fabric: FabricDocument, profile: str, number: str) -> list[tuple[int, int, float]]:
    socket = f"ibcc-bench-{os.getpid()}-{number}"
    jobs = []
    with tempfile.TemporaryDirectory(prefix="ibcc-bench-") as name:
        folder = Path(name)
        (folder / "plugin").mkdir()
        (folder / "profile.yaml").write_text(profile, encoding="utf-8")
        setup = PluginSetup(LIBRARY, folder / "plugin", folder / "profile.yaml", "--nvidia-write --audit-interval-s 0")
        with OwnEmulator(fabric, socket, folder / "server"), ControlClient(socket) as emulator:
            if number.startswith(MUTE):
                emulator.add_fault("drop", class_="CCA", attribute=ENHANCED_CONGESTION_INFO)
            for start in ("first", "second"):
                options: dict[str, OptionValue] = {"routing_engine": "minhop", "sweep_interval": 0, **setup.opensm_options()}
                environment = setup.environment(dict(client_environment(socket, fabric.hosts[0].name)))
                with OpenSm(folder / start, environment, options=options) as opensm:
                    opensm.await_subnet_up(timeout_s=UP_S)
                    opensm.await_line(r"^ibcc: apply of revision \d+ done", timeout_s=UP_S)
                    with PluginClient(setup.socket) as client:
                        job = client.status()["job"]
                jobs.append((job["gets"], job["sets"], job["elapsed_s"]))
    return jobs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", nargs="+", default=["648", "5832"], choices=list(SIZES))
    parser.add_argument("--repeat", type=int, default=5, help="runs of each that count (default: %(default)s)")
    parser.add_argument(
        "--vl-reading", default="mask", choices=["mask", "modifier"], help="of the switches (default: %(default)s)"
    )
    parser.add_argument("--restart", action="store_true", help="measure a first start and a restart with known firmware")
    options = parser.parse_args()
    start = time.monotonic()
    print(f"# {machine()}")
    for name in options.hosts:
        if options.restart:
            restart(name, SIZES[name].build(), options.repeat)
            continue
        bench(name, SIZES[name].build(), options.repeat, options.vl_reading)
    print(f"# {time.monotonic() - start:.0f} s, load {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()
