# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""When each MAD of congestion control goes out, beside when OpenSM's log says that it sweeps."""

import datetime
import re
import time
from collections.abc import Callable

import pytest

from tests.emulator.conftest import Emulate
from tests.opensm_plugin.mad_record import Recorder, recorder
from tests.opensm_plugin.plugin_process import CONGESTION_CONTROL, Load, PluginProcess
from tests.opensm_plugin.test_faults import WITHIN_S, await_held
from tuner.documents.profile import load_profile
from tuner.fabric.topologies.base import generate
from tuner.opensm.plugin_client import PluginClient

__all__ = ["recorder"]

pytestmark = pytest.mark.timing("a thread that is about to send as OpenSM begins a sweep may have to wait for a processor")

DIRECTED = 0x81
"""The class of SMPs along a path of ports, as OpenSM sends them in a sweep."""
VERBOSE = 0x07
"""OpenSM's log_flags: errors, information, and where a sweep begins."""
_BEGINS, _ENDS = "INITIATING HEAVY SWEEP", "SUBNET UP"
_BOX = re.compile(
    rf"^(?P<time>\w{{3}} +\d+ \d\d:\d\d:\d\d \d{{6}}) \[\w+\] 0x\w\w -> (?:\S+ ?\n\s*\*+\n\*+ )?(?P<what>{_BEGINS}|{_ENDS})",
    re.MULTILINE,
)


def _seconds(text: str) -> float:
    """A moment of the last days, as OpenSM's log has it: without the year."""
    now = datetime.datetime.fromtimestamp(time.time())  # in local time, as the log
    at = datetime.datetime.strptime(f"{now.year} {text}", "%Y %b %d %H:%M:%S %f")
    return (at if at < now + datetime.timedelta(days=1) else at.replace(year=now.year - 1)).timestamp()


def sweeps_s(process: PluginProcess) -> list[tuple[float, float]]:
    """Begin and end of the heavy sweeps that ended well; of the system's clock, as OpenSM's log has it."""
    found: list[tuple[float, float]] = []
    began_s: float | None = None
    for match in _BOX.finditer(process.opensm.log_file.read_text()):
        at_s = _seconds(match["time"])
        if match["what"] == _BEGINS:
            began_s = at_s if began_s is None else began_s  # discovery may begin anew within a sweep
        elif began_s is not None:
            found.append((began_s, at_s))
            began_s = None
    return found


ON_ITS_WAY_S = 0.005
"""A thread that was about to send as OpenSM noted the begin of a sweep may have had to wait for a processor that long."""


def inside(sent_s: list[float], sweeps: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Returns for each MAD that was sent in a sweep the seconds since the sweep's begin, and those until its end."""
    return [(sent - begin, end - sent) for begin, end in sweeps for sent in sent_s if begin < sent < end]


def await_mads(sent: Callable[[], int], count: int) -> None:
    """Waits until a counter of the plugin's MADs has come so far."""
    deadline = time.monotonic() + WITHIN_S
    while sent() < count:
        assert time.monotonic() < deadline, f"{sent()} MADs, and not {count}"
        time.sleep(0.001)  # the emulator's counts can be looked at only


def test_no_mad_goes_out_in_a_sweep(load: Load, emulate: Emulate, recorder: Recorder) -> None:
    """Sweeps that come into the plugin's work, and take long: what it sends, it sends between them."""
    bed = load(emulate(generate("three-stage", radix=8, host_rate="4xQDR", mtu_bytes=2048)))
    with bed.opensm(
        "gran-2010",
        options="--max-mads-per-s 200 --audit-interval-s 1 --audit-mads-per-s 200",
        opensm_options={"log_flags": VERBOSE},
        environment=recorder.environment(bed),
    ) as process:
        # Some of OpenSM's requests are answered late, so that its sweeps take a quarter of a second.
        bed.bed.emulated.emulator.add_fault("delay", mgmt_class=DIRECTED, probability=0.05, parameters={"delay_ms": 60})
        for sweep in range(8):
            await_mads(bed.count_mads(), 10)
            process.opensm.sweep()
            if sweep == 4:
                bed.write_profile(load_profile("gran-2010").with_settings({"ca.ccti_timer": 321}))
        bed.bed.emulated.emulator.clear_faults()
        bed.write_profile("gran-2012")
        await_held(bed, "gran-2012")
        with PluginClient(process.setup.socket) as client:
            status = client.status()
        sent_s = [mad.at_s for mad in recorder.sent(CONGESTION_CONTROL)]
    sweeps = sweeps_s(process)
    assert len(sweeps) == status["sweeps"]["ended"]
    assert len(sweeps) >= 9
    assert len(sent_s) >= status["mads"]["sent"], "all of them are on record"
    between = [sent for sent in sent_s if sweeps[0][1] < sent < sweeps[-1][0]]
    assert len(between) >= 80, "it was at work while OpenSM swept"
    assert inside(sent_s, sweeps) == []
    # Both records are of one clock: OpenSM's own MADs are nearly all inside.
    own_s = [mad.at_s for mad in recorder.sent(DIRECTED) if sweeps[0][0] < mad.at_s < sweeps[-1][1]]
    assert len(inside(own_s, sweeps)) > 0.9 * len(own_s)


def test_a_burst_ends_when_a_sweep_begins(load: Load, emulate: Emulate, recorder: Recorder) -> None:
    """As fast as MADs go, on the tree of 648 hosts: the notice of the sweep waits while the plugin fills its window, and yet
    what is left of it stays back."""
    bed = load(emulate(generate("three-stage", radix=36, host_rate="4xQDR", mtu_bytes=2048)))
    with bed.opensm(
        "gran-2010",
        options="--audit-interval-s 0",
        opensm_options={"log_flags": VERBOSE},
        environment=recorder.environment(bed),
    ) as process:
        process.await_done()
        for timer in range(200, 206):
            sent = bed.count_mads()
            bed.write_profile(load_profile("gran-2010").with_settings({"ca.ccti_timer": timer}))
            await_mads(sent, 1)
            process.opensm.sweep()
        sent_s = [mad.at_s for mad in recorder.sent(CONGESTION_CONTROL)]
    sweeps = sweeps_s(process)
    assert len(sweeps) >= 7
    assert [one for one in inside(sent_s, sweeps) if one[0] > ON_ITS_WAY_S] == []
