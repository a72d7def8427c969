# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A long time with everything going wrong now and then: nothing leaks, nothing is complained of, and all ends well."""

import faulthandler
import random
import time
from pathlib import Path

import pytest

from tests.opensm_plugin.plugin_process import PluginBed
from tests.opensm_plugin.test_faults import await_held, clear, fault, node

PROFILES = ("gran-2010", "gran-2012", "off")
SETTLED_KIB = 6 * 1024
"""How much OpenSM's process may grow after its first quarter: its own logs, caches and threads' arenas come to 1 to 3 MiB."""


def rss_kib(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0])


def churn(bed: PluginBed, chance: random.Random) -> None:
    """One thing that happens on a fabric."""
    emulator = bed.bed.emulated.emulator
    hosts = [f"H{i}" for i in range(2, 8)]  # OpenSM runs on H1
    match chance.randrange(7):
        case 0:
            host = node(bed, chance.choice(hosts))
            emulator.set_present(host, False)
            emulator.set_present(host, True)
        case 1:
            emulator.reboot(node(bed, chance.choice(hosts)))
        case 2:
            s1 = node(bed, "S1")
            emulator.set_link(s1, 19, False)
            emulator.set_link(s1, 19, True)
        case 3:
            bed.write_profile(chance.choice(PROFILES))
        case 4:
            fault(bed, "drop", chance.choice(hosts), probability=0.5)
        case 5:
            fault(bed, "busy", probability=0.2)
        case _:
            clear(bed)


@pytest.mark.parametrize("seconds", [15, pytest.param(3600, marks=pytest.mark.slow)])
def test_churn(plugin_bed: PluginBed, seconds: int) -> None:
    faulthandler.cancel_dump_traceback_later()  # an hour is no hang
    chance = random.Random(seconds)
    options = "--audit-interval-s 5 --timeout-ms 20 --max-timeout-ms 100 --max-errors 1000 --log-interval-s 1"
    with plugin_bed.opensm("gran-2010", options=options) as process:
        process.await_done()
        begun = time.monotonic()
        early_kib = 0
        while (elapsed := time.monotonic() - begun) < seconds:
            churn(plugin_bed, chance)
            time.sleep(chance.uniform(0.0, 0.2))  # the pace at which things happen
            if early_kib == 0 and elapsed > seconds / 4:
                early_kib = rss_kib(process.opensm.pid)
        clear(plugin_bed)
        plugin_bed.write_profile("gran-2012")
        process.opensm.sweep()
        await_held(plugin_bed, "gran-2012")
        assert process.errors == []
        assert rss_kib(process.opensm.pid) - early_kib < SETTLED_KIB
