# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""When each MAD of congestion control goes out, beside when OpenSM's log says that it sweeps."""

import datetime
import re
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.emulator.conftest import Emulate
from tests.opensm_plugin.plugin_process import CONGESTION_CONTROL, Load, PluginBed, PluginProcess
from tests.opensm_plugin.test_faults import WITHIN_S, await_held
from tuner.documents.profile import load_profile
from tuner.opensm.preload import client_environment
from tuner.plugin.client import PluginClient
from tuner.topologies.base import generate

DIRECTED = 0x81
"""The class of SMPs along a path of ports, as OpenSM sends them in a sweep."""
VERBOSE = 0x07
"""OpenSM's log_flags: errors, information, and where a sweep begins."""
_BEGINS, _ENDS = "INITIATING HEAVY SWEEP", "SUBNET UP"
_BOX = re.compile(
    rf"^(?P<time>\w{{3}} +\d+ \d\d:\d\d:\d\d \d{{6}}) \[\w+\] 0x\w\w -> (?:\S+ ?\n\s*\*+\n\*+ )?(?P<what>{_BEGINS}|{_ENDS})",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Recorder:
    """A library that writes down what a process sends."""

    library: Path
    record: Path

    def environment(self, bed: PluginBed) -> dict[str, str]:
        preloads = client_environment(bed.bed.emulated.name)["LD_PRELOAD"]
        return {"LD_PRELOAD": f"{self.library} {preloads}", "IBCC_MAD_RECORD": str(self.record)}

    def sent_s(self, mgmt_class: int) -> list[float]:
        """When MADs of that class were sent; of the system's clock."""
        rows = [line.split() for line in self.record.read_text().splitlines()]
        return [float(row[0]) for row in rows if int(row[1], 16) == mgmt_class]


@pytest.fixture
def recorder(root: Path, tmp_path: Path) -> Recorder:
    """Compiled; skipped without a compiler or libibumad-dev, as its failure under continuous integration is test_umad_port's."""
    compiler = shutil.which("cc")
    if compiler is None or not Path("/usr/include/infiniband/umad.h").exists():
        pytest.skip("a C compiler or umad.h not installed: Debian's packages gcc and libibumad-dev have them")
    library = tmp_path / "mad_recorder.so"
    source = root / "tests/opensm_plugin/mad_recorder.c"
    flags = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, str(source), "-o", str(library)], check=True)
    return Recorder(library, tmp_path / "mads.txt")


def sweeps_s(process: PluginProcess) -> list[tuple[float, float]]:
    """Begin and end of the heavy sweeps that ended well; of the system's clock, as OpenSM's log has it."""
    year = datetime.datetime.now().year
    found: list[tuple[float, float]] = []
    began_s: float | None = None
    for match in _BOX.finditer(process.opensm.log_file.read_text()):
        at_s = datetime.datetime.strptime(f"{year} {match['time']}", "%Y %b %d %H:%M:%S %f").timestamp()
        if match["what"] == _BEGINS:
            began_s = at_s if began_s is None else began_s  # discovery may begin anew within a sweep
        elif began_s is not None:
            found.append((began_s, at_s))
            began_s = None
    return found


def inside(sent_s: list[float], sweeps: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Of the MADs that were sent in a sweep, when: after its begin, and before its end; s."""
    return [(sent - begin, end - sent) for begin, end in sweeps for sent in sent_s if begin < sent < end]


def await_mads(bed: PluginBed, count: int) -> None:
    """Waits until the plugin has sent so many more."""
    sent = bed.count_mads()
    deadline = time.monotonic() + WITHIN_S
    while sent() < count:
        assert time.monotonic() < deadline, f"{sent()} MADs, and not {count}"
        time.sleep(0.005)  # the emulator's counts can be looked at only


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
            await_mads(bed, 10)
            process.opensm.sweep()
            if sweep == 4:
                bed.write_profile(load_profile("gran-2010").with_settings({"ca.ccti_timer": 321}))
        bed.bed.emulated.emulator.clear_faults()
        bed.write_profile("gran-2012")
        await_held(bed, "gran-2012")
        with PluginClient(process.setup.socket) as client:
            status = client.status()
        sent_s = recorder.sent_s(CONGESTION_CONTROL)
    sweeps = sweeps_s(process)
    assert len(sweeps) == status["sweeps"]["ended"]
    assert len(sweeps) >= 9
    assert len(sent_s) >= status["mads"]["sent"], "all of them are on record"
    between = [sent for sent in sent_s if sweeps[0][1] < sent < sweeps[-1][0]]
    assert len(between) >= 80, "it was at work while OpenSM swept"
    assert inside(sent_s, sweeps) == []
    # Both records are of one clock: OpenSM's own MADs are nearly all inside.
    own_s = [sent for sent in recorder.sent_s(DIRECTED) if sweeps[0][0] < sent < sweeps[-1][1]]
    assert len(inside(own_s, sweeps)) > 0.9 * len(own_s)
