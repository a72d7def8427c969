# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What the plugin adds to OpenSM's heavy sweeps on a fabric that is well, and on one with a sick host. `make bench-plugin-sick`.

The sick host does not take OpenSM's Set(PortInfo), so that each sweep ends with errors. On the same fabric, in the same process
of OpenSM, three kinds of sweeps take turns: with all hosts well; with all well, but with one that answers late, so that OpenSM
waits as it does for a sick one; and with the sick host. For each kind: MADs of congestion control a sweep, CPU time of the
plugin's thread, how often it takes OpenSM's lock, and for how long. The ratios at the end are of times with the sick host to
those of the other two kinds: what differs from the first and not from the second is what waiting costs (caches go cold, and the
kernel lets the clock of an idle core sink), and not what the plugin does.
"""

import argparse
import os
import signal
import statistics
import struct
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.bench_emulator import SIZES, UP_S, machine
from benchmarks.bench_plugin import LIBRARY, interval
from benchmarks.own_emulator import OwnEmulator
from tuner.documents.fabric import FabricDocument
from tuner.documents.profile import load_profile
from tuner.emulator.client import ControlClient
from tuner.opensm.plugin_library import PluginSetup
from tuner.opensm.preload import client_environment
from tuner.opensm.process import OpenSm, OptionValue

QUIET_S = 0.3
LATE_MS = 100
"""Later than OpenSM's time-out of 200 ms would be no answer."""
WELL, LATE, SICK = "well", "with a late host", "with a sick host"
TIMES = struct.Struct("=3Q")


@dataclass(frozen=True)
class Sweeps:
    """What one sweep took, in the mean of a turn."""

    mads: float
    cpu_s: float
    locks: float
    lock_s: float
    """For how long OpenSM's lock is held, in the mean."""
    lock_cpu_s: float
    """What the thread computes meanwhile; in the rest of the time the machine does other work."""


@dataclass(frozen=True)
class Bed:
    opensm: OpenSm
    client: ControlClient
    times: Path

    def measure(self, sweeps: int, end: str) -> Sweeps:
        """`end`: what OpenSM logs at the end of each."""
        self.settle()
        self.times.write_bytes(bytes(TIMES.size))
        mads, cpu_s = self._mads(), self._plugin_cpu_s()
        for _ in range(sweeps):
            self.sweep(end)
            self.settle()
        count, clock_ns, cpu_ns = TIMES.unpack(self.times.read_bytes())
        return Sweeps(
            (self._mads() - mads) / sweeps,
            (self._plugin_cpu_s() - cpu_s) / sweeps,
            count / sweeps,
            clock_ns / 1e9 / max(count, 1),
            cpu_ns / 1e9 / max(count, 1),
        )

    def sweep(self, end: str) -> None:
        after = len(self.opensm.lines)
        os.kill(self.opensm.pid, signal.SIGHUP)
        self.opensm.await_line(end, after=after, timeout_s=UP_S)

    def settle(self) -> None:
        """Until the plugin has sent nothing for a while: it begins after the sweep's end."""
        before = -1
        while before != (before := self._mads()):
            time.sleep(QUIET_S)

    def _mads(self) -> int:
        rows = self.client.mads()["mads"]
        return sum(row["count"] for row in rows if row["class"] == "CCA" and row["method"] in ("Get", "Set"))

    def _plugin_cpu_s(self) -> float:
        """The kernel counts it in ns (Documentation/scheduler/sched-stats.rst)."""
        for task in Path(f"/proc/{self.opensm.pid}/task").iterdir():
            if (task / "comm").read_text().strip() == "ibcc":
                return int((task / "schedstat").read_text().split()[0]) / 1e9
        raise RuntimeError("OpenSM has no thread of the plugin's")


@contextmanager
def bed(fabric: FabricDocument, folder: Path, timer: Path, library: Path = LIBRARY) -> Iterator[Bed]:
    socket = f"ibcc-bench-sick-{os.getpid()}"
    with OwnEmulator(fabric, socket, folder / "server"), ControlClient(socket) as client:
        (folder / "plugin").mkdir()
        (folder / "profile.yaml").write_text(load_profile("gran-2010").to_yaml(), encoding="utf-8")
        setup = PluginSetup(library, folder / "plugin", folder / "profile.yaml", "--audit-interval-s 0")
        environment = setup.environment(dict(client_environment(socket, fabric.hosts[0].name)))
        environment["LD_PRELOAD"] = f"{environment['LD_PRELOAD']} {timer}"
        environment["IBCC_LOCK_TIMES"] = str(folder / "times")
        options: dict[str, OptionValue] = {"routing_engine": "minhop", "sweep_interval": 0, **setup.opensm_options()}
        with OpenSm(folder / "opensm", environment, options=options) as opensm:
            opensm.await_subnet_up(timeout_s=UP_S)
            opensm.await_line(r"^ibcc: apply of revision \d+ done", timeout_s=UP_S)
            yield Bed(opensm, client, folder / "times")


def build_timer(folder: Path) -> Path:
    library = folder / "plugin_lock_timer.so"
    source = Path(__file__).with_name("plugin_lock_timer.c")
    subprocess.run(["cc", "-O2", "-fPIC", "-shared", str(source), "-o", str(library)], check=True)
    return library


def bench(name: str, repeat: int, sweeps: int) -> None:
    fabric = SIZES[name].build()
    sick = fabric.hosts[-1].name
    well_end, sick_end = "SUBNET UP", "Errors during initialization"
    turns: dict[str, list[Sweeps]] = {WELL: [], LATE: [], SICK: []}
    with tempfile.TemporaryDirectory(prefix="ibcc-bench-") as folder, bed(fabric, Path(folder), build_timer(Path(folder))) as on:
        for i in range(repeat + 1):  # the first warms up
            well = on.measure(sweeps, well_end)
            fault = on.client.add_fault("delay", node=sick, class_="SMA", delay_ms=LATE_MS)
            on.sweep(well_end)
            late = on.measure(sweeps, well_end)
            on.client.clear_faults(fault)
            fault = on.client.add_fault("drop", node=sick, class_="SMA", attribute="PortInfo", method="set")
            on.client.reboot_node(sick)
            on.sweep(sick_end)
            ill = on.measure(sweeps, sick_end)
            on.client.clear_faults(fault)
            on.sweep(well_end)
            on.sweep(well_end)
            if i:
                for kind, measured in ((WELL, well), (LATE, late), (SICK, ill)):
                    turns[kind].append(measured)
    print(f"{name} hosts, {len(fabric.switches)} switches; a heavy sweep:")
    for kind, done in turns.items():
        print(
            f"  {kind:16}: {_median([one.mads for one in done]):.1f} MADs of congestion control; the plugin's thread "
            f"{_median([one.cpu_s for one in done]) * 1e3:.2f} ms of CPU; OpenSM's lock "
            f"{_median([one.locks for one in done]):.1f} times, for {_median([one.lock_s for one in done]) * 1e6:.1f} us each, "
            f"{_median([one.lock_cpu_s for one in done]) * 1e6:.1f} us of them CPU"
        )
    for other in (WELL, LATE):
        pairs = list(zip(turns[SICK], turns[other], strict=True))
        cpu = interval([ill.cpu_s / one.cpu_s for ill, one in pairs])
        under_lock = interval([ill.lock_cpu_s / one.lock_cpu_s for ill, one in pairs])
        print(f"  {SICK} / {other}: CPU {cpu}, CPU under the lock {under_lock}", flush=True)


def _median(values: Sequence[float]) -> float:
    return statistics.median(values)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", nargs="+", default=["7", "648"], choices=list(SIZES))
    parser.add_argument("--repeat", type=int, default=5, help="turns of each that count (default: %(default)s)")
    parser.add_argument("--sweeps", type=int, default=3, help="heavy sweeps in each turn (default: %(default)s)")
    options = parser.parse_args()
    print(f"# {machine()}")
    for name in options.hosts:
        bench(name, options.repeat, options.sweeps)


if __name__ == "__main__":
    main()
