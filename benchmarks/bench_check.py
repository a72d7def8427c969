# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures what a night of checks costs a fabric: seconds, MADs, and MADs in the busiest second. `make bench-check` runs it.

Real OpenSM with the plugin on an emulated fabric, which counts the MADs that it receives; sampled 50 times a second.
The kinds are `links`, `tables`, `routes`, `fairness` (scenario 1 at a twentieth of its time) and `sweep`, two nights each, of
which the second is compared with the first.
"""

import argparse
import gzip
import json
import os
import resource
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from benchmarks.bench_emulator import SIZES, UP_S, Size, machine
from benchmarks.own_emulator import OwnEmulator
from tuner.checks.kind import GoodRecord, Night
from tuner.checks.measured import AROUND_S
from tuner.checks.observation import Observation
from tuner.checks.observe import observed
from tuner.documents.check_kinds import Fairness, KindOptions, Links, Routes, Sweep, Tables
from tuner.documents.fabric_text import fabric_text
from tuner.documents.profile import load_profile
from tuner.documents.workload import load_workload
from tuner.emulator.client import ControlClient
from tuner.opensm.plugin_library import PluginSetup, find_plugin
from tuner.opensm.preload import client_environment
from tuner.opensm.process import OpenSm

SAMPLE_S = 0.02
FIRST = datetime(2026, 1, 1, 2, tzinfo=UTC)
LEAD_S = 10.0
"""Time that hosts get to connect, as a check's `lead_s` has it."""
_FOLDER = tempfile.TemporaryDirectory(prefix="ibcc-bench-")


class Counted:
    """Samples the MADs of a class that the fabric has received, until the `with` block ends."""

    def __init__(self, socket: str, mgmt_class: str) -> None:
        self._client, self._class = ControlClient(socket), mgmt_class
        self._samples: list[tuple[float, int]] = []
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._sample)

    def __enter__(self) -> "Counted":
        self._samples.append(self._counts())
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._end.set()
        self._thread.join()
        self._client.close()

    @property
    def total(self) -> int:
        return self._samples[-1][1] - self._samples[0][1]

    @property
    def most_in_a_second(self) -> int:
        first, most = 0, 0
        for at_s, count in self._samples:
            while self._samples[first][0] < at_s - 1.0:
                first += 1
            most = max(most, count - self._samples[first][1])
        return most

    def _sample(self) -> None:
        ended = False
        while not ended:
            ended = self._end.wait(SAMPLE_S)
            self._samples.append(self._counts())

    def _counts(self) -> tuple[float, int]:
        counts = self._client.mads()
        asked = [row for row in counts["mads"] if row["class"] == self._class and row["method"] in ("Get", "Set")]
        return counts["now_s"], sum(row["count"] for row in asked)


@contextmanager
def served(size: Size) -> Iterator[tuple[str, Path]]:
    """Yields the names of an emulated fabric with OpenSM and the plugin, whose profile all devices hold."""
    socket = f"ibcc-bench-{os.getpid()}-{size.name}"
    fabric = size.build()
    with tempfile.TemporaryDirectory(prefix="ibcc-bench-") as name:
        folder = Path(name)
        (folder / "plugin").mkdir()
        (folder / "profile.yaml").write_text(load_profile("gran-2010").to_yaml(), encoding="utf-8")
        setup = PluginSetup(find_plugin(), folder / "plugin", folder / "profile.yaml", "")
        environment = setup.environment(client_environment(socket, fabric.hosts[0].name))
        with (
            OwnEmulator(fabric, socket, folder / "server"),
            OpenSm(folder / "opensm", environment, options={"sweep_interval": 0, **setup.opensm_options()}) as opensm,
        ):
            opensm.await_subnet_up(timeout_s=UP_S)
            opensm.await_line(r"^ibcc: apply of revision \d+ done", timeout_s=UP_S)
            yield socket, setup.socket


def _document(size: Size) -> str:
    """The fabric as a document, which kinds that measure read."""
    path = Path(_FOLDER.name) / f"{size.name}.yaml"
    if not path.exists():
        path.write_text(fabric_text(size.build()), encoding="utf-8")
    return str(path)


def night(size: Size, options: KindOptions, number: int, before: Observation | None) -> Observation:
    at = FIRST + timedelta(days=number)
    record = None if before is None or before.record is None else GoodRecord(at.date(), before.record)
    observation = observed(
        options,
        Night(fabric=_document(size), date=date.fromordinal(at.toordinal()), good=record, latest=record, clock=lambda: at),
    )
    if observation.not_run is not None:
        raise RuntimeError(observation.not_run)
    return observation


def bench(size: Size) -> None:
    with served(size) as (socket, plugin):
        kinds: Sequence[tuple[KindOptions, str]] = (
            (Links(socket=str(plugin), emulated=socket), "PMA"),
            (Tables(socket=str(plugin)), "CCA"),
            (Routes(socket=str(plugin)), "SMA"),
            (Fairness(backend="emulated", socket=socket, plugin=str(plugin), time_scale=0.05), "CCA"),
            (Sweep(backend="emulated", socket=socket, plugin=str(plugin), seconds=0.001), "CCA"),
        )
        for options, mgmt_class in kinds:
            before = None
            for number in range(2):
                with Counted(socket, mgmt_class) as counted:
                    start, began_s = time.perf_counter(), _cpu_s()
                    before = night(size, options, number, before)
                    took_s, cpu_s = time.perf_counter() - start, _cpu_s() - began_s
                mads = f"{counted.total} MADs of {mgmt_class}, at most {counted.most_in_a_second} within a second"
                metric, value = next((metric, value) for metric, value in before.metrics if value is not None)
                what = f"{value:.4g} {metric.name}, {len(before.findings)} findings{_record_size(before)}"
                print(
                    f"{size.name} hosts, {options.kind}, night {number + 1}: {took_s:.1f} s, {cpu_s:.1f} s of CPU here, {mads}; "
                    f"{what}{_minutes_of_hosts(options, before)}",
                    flush=True,
                )


def _cpu_s() -> float:
    """Returns the CPU time of this process and of those that it has waited for, so not of the fabric and of OpenSM."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _minutes_of_hosts(options: KindOptions, seen: Observation) -> str:
    """What the same would take of real hosts: connecting, and a run of the workload's time, or the window in which all pairs of a
    sweep send on a fat tree."""
    match options:
        case Fairness():
            workload = load_workload(options.workload)
            hosts = len({end for flow in workload.flows for end in (flow.src, flow.dst)})
            seconds = LEAD_S + AROUND_S + workload.duration_s
        case Sweep():
            pairs = {metric.name: value for metric, value in seen.metrics}
            hosts, seconds = int(pairs["hosts_tonight"] or 0), LEAD_S + AROUND_S + Sweep(backend="cluster").for_s
        case _:
            return ""
    return f"; on hosts {hosts * seconds / 60:.0f} minutes of hosts, {hosts} for {seconds:.0f} s"


def _record_size(observation: Observation) -> str:
    if observation.record is None:
        return ""
    text = json.dumps(observation.record, separators=(",", ":")).encode()
    return f"; record of {len(text) / 1e6:.2f} MB, {len(gzip.compress(text, 6)) / 1e3:.0f} kB stored"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", nargs="+", default=["128", "648", "5832"], choices=list(SIZES))
    options = parser.parse_args()
    start = time.monotonic()
    print(f"# {machine()}")
    for name in options.hosts:
        bench(SIZES[name])
    print(f"# {time.monotonic() - start:.0f} s, load {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()
