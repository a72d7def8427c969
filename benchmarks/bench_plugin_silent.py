# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How long a trial run takes to be applied and restored where some hosts do not answer. `make bench-plugin-silent`.

On the same fabric, in the same process of OpenSM, five kinds of turns alternate: all hosts are well; some have never answered
class 0x21; the same ones have a CC_Key that is not in the key file; the same ones stop in the middle of each change; and all are
well while the emulator is asked, and told of as many faults, as in those turns: it is asked for its counters without a pause,
which takes time of the processor. A time is that of the plugin's job, from the call to its end. The ratios are of times with
such hosts to those with none.
"""

import argparse
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.bench_emulator import SIZES, UP_S, machine
from benchmarks.bench_plugin import LIBRARY, interval
from benchmarks.own_emulator import OwnEmulator
from tuner.documents.fabric import FabricDocument
from tuner.documents.profile import load_profile
from tuner.emulator.client import ControlClient
from tuner.opensm.plugin_client import PluginClient
from tuner.opensm.plugin_library import PluginSetup
from tuner.opensm.preload import client_environment
from tuner.opensm.process import OpenSm, OptionValue

BASE = load_profile("gran-2010")
TRIED = load_profile("gran-2012")
NONE, NEVER, FOREIGN = "all answer", "never answer", "foreign CC_Key"
WATCHED, MIDDLE = "all answer, watched", "stop in the middle"
TO = {NEVER: NONE, FOREIGN: NONE, MIDDLE: WATCHED}
"""What the times of a kind are compared with."""
NOBODY_ASKS = 0x7FFF
"""An attribute; a fault for it changes nothing."""
KEY, OTHER_KEY = 0x1111, 0x2222


@dataclass
class Bed:
    client: ControlClient
    plugin: PluginClient
    environment: dict[str, str]
    some: list[str]
    """The hosts that fail."""
    devices: int
    lids: dict[str, int] = field(default_factory=dict)

    def apply(self, meanwhile: Callable[[], None]) -> float:
        accepted = self.plugin.apply(TRIED.to_yaml(), ttl_s=3600)
        return self._job(accepted.job, meanwhile)

    def restore(self, meanwhile: Callable[[], None]) -> float:
        revision = self.plugin.profile("wanted")["revision"]
        return self._job(self.plugin.rollback(revision).job, meanwhile)

    def _job(self, number: int | None, meanwhile: Callable[[], None]) -> float:
        assert number is not None
        meanwhile()
        job = self.plugin.wait(number)
        job = {**self.plugin.status()["job"], **job}
        if job["state"] != "done" or job["settled"] < self.devices - len(self.some):
            raise RuntimeError(f"the job has not done all that can be done: {job}")
        return float(job["elapsed_s"])

    def silence(self, **what: int) -> None:
        for name in self.some:
            self.client.add_fault("drop", node=name, class_="CCA", **what)

    def silence_in_the_middle(self, **what: int) -> None:
        before, half = self._sets(), self.devices // 2
        until = time.monotonic() + UP_S
        while self._sets() - before < half and time.monotonic() < until:
            pass
        self.silence(**what)

    def _sets(self) -> int:
        return sum(row["count"] for row in self.client.mads()["mads"] if row["class"] == "CCA" and row["method"] == "Set")

    def change_keys(self, old: int, new: int) -> None:
        if not self.lids:
            self.lids = {row["description"]: row["lid"] for row in self.plugin.devices()}
        for name in self.some:
            lid = str(self.lids[name])
            command = ["ibccconfig", "-c", str(old), "CongestionKeyInfo", lid, str(new), "1", "0", "0"]
            subprocess.run(command, env=self.environment, check=True, stdout=subprocess.DEVNULL)

    def mend(self) -> None:
        """All devices are well again, and hold the base."""
        self.client.clear_faults()
        self.settle(self.devices)

    def settle(self, applied: int) -> None:
        """Until so many are, and nothing is asked any more."""
        until = time.monotonic() + UP_S
        while True:
            self.plugin.wait(self.plugin.verify())
            counts: dict[str, Any] = self.plugin.status()["devices"]["states"]
            if counts.get("applied", 0) == applied:
                return
            if time.monotonic() > until:
                raise RuntimeError(f"{counts}, where {applied} should be applied")
            time.sleep(0.5)

    def turn(self, kind: str) -> tuple[float, float]:
        """Seconds that a trial run takes to be applied, and to be restored."""
        meanwhile = {MIDDLE: self.silence_in_the_middle, WATCHED: self._watch}.get(kind, _nothing)
        if kind == NEVER:
            self.silence()
        elif kind == FOREIGN:
            self.change_keys(KEY, OTHER_KEY)
        if kind in (NEVER, FOREIGN):
            self.settle(self.devices - len(self.some))
        apply_s = self.apply(meanwhile)
        if kind in (MIDDLE, WATCHED):
            self.mend()
        restore_s = self.restore(meanwhile)
        if kind == FOREIGN:
            self.change_keys(OTHER_KEY, KEY)
        self.mend()
        return apply_s, restore_s

    def _watch(self) -> None:
        self.silence_in_the_middle(attribute=NOBODY_ASKS)


def _nothing() -> None:
    """All that is to happen has happened before."""


@contextmanager
def bed(fabric: FabricDocument, part: float, folder: Path, options: str) -> Iterator[Bed]:
    socket = f"ibcc-bench-silent-{os.getpid()}"
    hosts = [host.name for host in fabric.hosts][1:]  # the first is OpenSM's
    with OwnEmulator(fabric, socket, folder / "server"), ControlClient(socket) as client:
        (folder / "plugin").mkdir()
        (folder / "profile.yaml").write_text(BASE.to_yaml(), encoding="utf-8")
        keys = folder / "keys.yaml"
        keys.touch(mode=0o600)
        keys.write_text(f"current: {KEY:#x}\nprotect: yes\nlease_period_s: 0\n", encoding="utf-8")
        own = f"--audit-interval-s 0 --key-file {keys} {options}"
        setup = PluginSetup(LIBRARY, folder / "plugin", folder / "profile.yaml", own)
        environment = dict(client_environment(socket, fabric.hosts[0].name))
        settings: dict[str, OptionValue] = {"routing_engine": "minhop", "sweep_interval": 0, **setup.opensm_options()}
        with OpenSm(folder / "opensm", setup.environment(environment), options=settings) as opensm:
            opensm.await_subnet_up(timeout_s=UP_S)
            opensm.await_line(r"^ibcc: apply of revision \d+ done", timeout_s=UP_S)
            with PluginClient(setup.socket) as plugin:
                plugin.subscribe(["applied", "restored", "progress"])
                devices = plugin.status()["devices"]["present"]
                some = hosts[:: round(1 / part)]
                yield Bed(client, plugin, os.environ | environment, some, devices)


def bench(name: str, part: float, repeat: int, options: str) -> None:
    fabric = SIZES[name].build()
    times: dict[str, list[tuple[float, float]]] = {kind: [] for kind in (NONE, NEVER, FOREIGN, WATCHED, MIDDLE)}
    with tempfile.TemporaryDirectory(prefix="ibcc-bench-") as folder, bed(fabric, part, Path(folder), options) as on:
        on.settle(on.devices)
        for i in range(repeat + 1):
            for kind, done in times.items():
                turn = on.turn(kind)
                if i:  # the first warms up
                    done.append(turn)
        print(f"{name} hosts, {len(fabric.switches)} switches, {len(on.some)} of the hosts not well:")
    for kind, done in times.items():
        apply_ms, restore_ms = (statistics.median(turn[n] for turn in done) * 1e3 for n in (0, 1))
        line = f"  {kind:19}: apply {apply_ms:.1f} ms, restore {restore_ms:.1f} ms"
        if kind in TO:
            pairs = list(zip(done, times[TO[kind]], strict=True))
            ratios = (interval([ill[n] / well[n] for ill, well in pairs]) for n in (0, 1))
            line += "; to {}: apply {}, restore {}".format(TO[kind], *ratios)
        print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", nargs="+", default=["2016"], choices=list(SIZES))
    parser.add_argument("--part", type=float, default=0.02, help="part of the hosts that is not well (default: %(default)s)")
    parser.add_argument("--repeat", type=int, default=5, help="turns of each kind that count (default: %(default)s)")
    parser.add_argument("--plugin-options", default="", help="options of the plugin")
    options = parser.parse_args()
    print(f"# {machine()}")
    for name in options.hosts:
        bench(name, options.part, options.repeat, options.plugin_options)


if __name__ == "__main__":
    main()
