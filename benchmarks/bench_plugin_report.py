# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What the plugin's report() costs OpenSM's threads, in CPU time a call. `make bench-plugin-report` runs it.

OpenSM brings up an emulated fabric with the plugin, sweeps it a few times, and has links flap, so that all kinds of events
come. Reading the thread's clock, twice a call, is in the figure.
"""

import argparse
import os
import subprocess
import tempfile
from pathlib import Path

from tuner.documents import catalogue
from tuner.documents.fabric import FabricDocument, load_fabric
from tuner.emulator.fabric import EmulatedFabric
from tuner.fabric.topologies.base import generate
from tuner.opensm.plugin_library import PluginSetup, find_plugin
from tuner.opensm.preload import client_environment
from tuner.opensm.process import OpenSm, OptionValue

EVENTS = {3: "TRAP", 4: "SUBNET_UP", 5: "HEAVY_SWEEP_START", 6: "HEAVY_SWEEP_DONE", 7: "UCAST_ROUTING_DONE", 8: "STATE_CHANGE"}
EVENTS |= {10: "LFT_CHANGE"}
SWEEPS = 20
UP_S = 600.0


def fabric_of(hosts: int) -> FabricDocument:
    return load_fabric("two-switch") if hosts == 7 else generate("three-stage", radix=36)


def build_timer(folder: Path) -> None:
    source = Path(__file__).with_name("plugin_report_timer.c")
    flags = ["-O2", "-fPIC", "-shared", "-isystem", "/usr/include/infiniband"]
    subprocess.run(["cc", *flags, str(source), "-o", str(folder / "libibcc_timed.so")], check=True)


def run(hosts: int, folder: Path) -> list[tuple[str, int, int, int]]:
    """For each kind of event: its name, how many there were, and ns of CPU time in the mean and at most."""
    fabric = fabric_of(hosts)
    build_timer(folder)
    setup = PluginSetup(find_plugin(), folder, catalogue.find("profile", "gran-2010"))
    options: dict[str, OptionValue] = {**setup.opensm_options(), "event_plugin_name": "ibcc_timed", "sweep_interval": 0}
    socket = f"ibcc-bench-{os.getpid()}-{hosts}"
    with EmulatedFabric(fabric, name=socket) as emulated:
        variables = setup.environment(client_environment(socket, fabric.hosts[0].name))
        variables["LD_LIBRARY_PATH"] = f"{folder}:{variables['LD_LIBRARY_PATH']}"
        variables["IBCC_REPORT_TIMES"] = str(folder / "times")
        with OpenSm(folder / "opensm", variables, options=options) as opensm:
            opensm.await_subnet_up(timeout_s=UP_S)
            opensm.await_line(r"ibcc: apply of revision \d+ done", timeout_s=UP_S)
            last = emulated.built.hosts.find(fabric.hosts[-1].name).node
            for sweep in range(SWEEPS):
                emulated.emulator.set_link(last, 1, sweep % 2 == 1)
                opensm.sweep(timeout_s=UP_S)
    rows = [[int(word) for word in line.split()] for line in (folder / "times").read_text().splitlines()]
    return [(EVENTS.get(event, f"event {event}"), count, mean, longest) for event, count, mean, longest in rows]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, choices=(7, 648), default=648)
    hosts = parser.parse_args().hosts
    with tempfile.TemporaryDirectory(prefix="ibcc-bench-") as folder:
        for event, count, mean_ns, longest_ns in run(hosts, Path(folder)):
            print(f"{event}: {count} calls, {mean_ns / 1000:.1f} us of CPU each, {longest_ns / 1000:.1f} us at most")


if __name__ == "__main__":
    main()
