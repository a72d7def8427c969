# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What NVIDIA's attributes cost the plugin beside annex A10's: MADs and the Set phase. `make bench-plugin-nvidia`.

The two take turns on the same tree, whose devices have annex A10's attributes alone or NVIDIA's alone. Emulated devices do not
tell their firmware, so each is tested before it is set: the most that a first start can cost.
"""

import argparse
import os
import statistics
import time

from benchmarks.bench_emulator import SIZES, machine
from benchmarks.bench_plugin import Run, interval, one_run
from ccsim.policy import Profile
from tuner.documents.congestion_control import CongestionControlRow
from tuner.documents.fabric import FabricDocument
from tuner.documents.profile import load_profile

NVIDIA = """
ibcc_profile: 2
name: nvidia
nvidia:
  switch:
    aqs_time: 4
    aqs_weight: 3
    thresholds: [{vls: all, unit: percent, profile1_min: 10, profile1_max: 40, profile1_percent: 20}]
  adapter: {type: dcqcn}
"""


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", nargs="+", default=["648", "5832"], choices=list(SIZES))
    parser.add_argument("--repeat", type=int, default=5, help="runs of each that count (default: %(default)s)")
    parser.add_argument(
        "--vl-reading", default="mask", choices=["mask", "modifier"], help="of the switches (default: %(default)s)"
    )
    options = parser.parse_args()
    start = time.monotonic()
    print(f"# {machine()}")
    for name in options.hosts:
        bench(name, SIZES[name].build(), options.repeat, options.vl_reading)
    print(f"# {time.monotonic() - start:.0f} s, load {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()
