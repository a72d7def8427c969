# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc fabric probe` on emulated devices of all kinds and firmwares, by real MADs; and whether it harms or betrays them."""

import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from ccsim import wire
from tests.emulator.conftest import Bed, Emulate
from tests.emulator.test_diagnostics import lids
from tuner.document_base.model import load
from tuner.documents.congestion_control import CongestionControlRow
from tuner.documents.fabric import FabricDocument, load_fabric
from tuner.documents.hardware import HardwareRow
from tuner.documents.known_devices import rows_of
from tuner.documents.probe_report import ProbedDevice, ProbeReport
from tuner.mads.client import MadReader
from tuner.mads.request import CONGESTION_CONTROL, GET, SET, Request
from tuner.opensm.preload import client_environment

NODES = ("S1", "S2", *(f"H{number}" for number in range(1, 8)))
FIRMWARE = {name: f"{number + 1}.1.1" for number, name in enumerate(NODES)}
"""Each device has a firmware of its own, so that each is asked."""


def fabric(*rows: CongestionControlRow) -> FabricDocument:
    hardware = [
        HardwareRow(kind="switch", vendor_id=0x2C9, device_id=0xD2F2),
        HardwareRow(kind="host", vendor_id=0x2C9, device_id=0x101B),
        *(HardwareRow(nodes=(name,), firmware=version, psid="MT_1") for name, version in FIRMWARE.items()),
    ]
    return load_fabric("two-switch").model_copy(update={"hardware": tuple(hardware), "congestion_control": rows})


def probe(bed: Bed, folder: Path, *options: object) -> ProbeReport:
    path = folder / "report.json"
    bed.clients.output(*PROBE, "--mads-per-s", 500, "--report", path, *options)
    return load(ProbeReport, path)


PROBE = (sys.executable, "-m", "tuner.cli.main", "fabric", "probe")
WITHIN_S = 60.0


def send(bed: Bed, *sets: Request) -> None:
    with MadReader(classes=[CONGESTION_CONTROL], mads_per_s=500, environment=client_environment(bed.emulated.name)) as reader:
        assert [one.reply.status for one in reader.read(sets)] == [0] * len(sets)


def a_set(lid: int, attribute: int, name: str, modifier: int = 0, **values: Any) -> Request:
    return Request(lid, CONGESTION_CONTROL, attribute, modifier, wire.pack(name, values, for_set=True)[:160], SET)


def violations(bed: Bed, lid: int) -> int:
    with MadReader(classes=[CONGESTION_CONTROL], mads_per_s=500, environment=client_environment(bed.emulated.name)) as reader:
        (read,) = reader.read([Request(lid, CONGESTION_CONTROL, 0x12)])
    return int(wire.unpack("CongestionKeyInfo", read.reply.data[:160].ljust(192, b"\0"))["CC_KeyViolations"])


def sets_of(bed: Bed) -> int:
    _, rows = bed.emulated.emulator.mads()
    return sum(row["count"] for row in rows if row["mgmt_class"] == CONGESTION_CONTROL and row["method"] == SET)


def by_name(report: ProbeReport) -> dict[str, ProbedDevice]:
    names = {version: name for name, version in FIRMWARE.items()}
    return {names[device.firmware]: device for device in report.devices if device.firmware is not None}


def test_all_kinds_and_firmwares_in_one_fabric(emulate: Emulate, tmp_path: Path) -> None:
    bed = emulate(
        fabric(
            CongestionControlRow(nodes=("S1",), dialect="nvidia-dcqcn"),
            CongestionControlRow(nodes=("S2",), dialect="nvidia-dcqcn", vl_reading="modifier"),
            CongestionControlRow(nodes=("H1",), dialect="nvidia-dcqcn"),
            CongestionControlRow(nodes=("H2",), dialect="nvidia-ppcc"),
            CongestionControlRow(nodes=("H3",), dialect="both"),
            CongestionControlRow(nodes=("H4",), dialect="none"),
            CongestionControlRow(nodes=("H5",), dialect="nvidia-dcqcn", quirk="echo"),
            CongestionControlRow(nodes=("H6",), dialect="nvidia-ppcc", quirk="noise"),
            CongestionControlRow(nodes=("H7",), dialect="nvidia-dcqcn", quirk="zeros"),
        )
    )
    with bed.clients.opensm({"sweep_interval": 0}):
        bed.emulated.emulator.mads(clear=True)
        before = bed.emulated.emulator.tables()
        report = probe(bed, tmp_path)
        _, mads = bed.emulated.emulator.mads()
        assert bed.emulated.emulator.tables() == before
    assert {row["method"] for row in mads if row["mgmt_class"] == CONGESTION_CONTROL} == {GET}
    found = by_name(report)
    assert {name: device.findings.dialects for name, device in found.items()} == {
        "S1": ("nvidia",),
        "S2": ("nvidia",),
        "H1": ("nvidia-dcqcn",),
        "H2": ("nvidia-ppcc",),
        "H3": ("a10", "nvidia-dcqcn", "nvidia-ppcc"),
        "H4": (),
        "H5": (),
        "H6": (),
        "H7": (),
    }
    assert {name: device.findings.misleading for name, device in found.items() if device.findings.misleading} == {
        "H5": ("echo",),
        "H6": ("unstable",),
        "H7": ("empty",),
    }
    assert (found["S1"].findings.vl_reading, found["S2"].findings.vl_reading) == ("modifier-is-port", "modifier")
    assert [one.algo_id for one in found["H2"].findings.algorithms] == [1]
    assert len(rows_of(report, ())) == 9
    text = (tmp_path / "report.json").read_text()
    assert not re.search(r'"[SH]\d"', text)
    assert f"{0x300:016x}" not in text


def test_keys_silence_and_thresholds(emulate: Emulate, tmp_path: Path) -> None:
    bed = emulate(
        fabric(
            CongestionControlRow(dialect="nvidia-dcqcn"),
            CongestionControlRow(nodes=("S2",), quirk="first-port"),
            CongestionControlRow(nodes=("H1",), quirk="silent"),
        )
    )
    with bed.clients.opensm({"sweep_interval": 0}):
        at = lids(bed.clients)
        send(
            bed,
            a_set(at["S1"], 0xFF09, "CongestionPortProfileSettings", 1, mode=1, vl_mask=2, profile1_max=40),
            a_set(at["H2"], 0x12, "CongestionKeyInfo", CC_Key=0x1234567, CC_KeyProtectBit=1),
        )
        found = by_name(probe(bed, tmp_path))
        keys = tmp_path / "keys"
        keys.write_text("current: 0x9  # not the one\nprevious: 0x1234567\n")
        keys.chmod(0o600)
        with_key = by_name(probe(bed, tmp_path, "--key-file", str(keys)))
        assert violations(bed, at["H2"]) == 0
    assert (with_key["H2"].key, with_key["H2"].stopped, with_key["H2"].findings.dialects) == ("needed", None, ("nvidia-dcqcn",))
    assert found["S1"].findings.vl_reading == "mask"
    assert (found["S2"].findings.misleading, found["S2"].findings.unknown_port) == (("any-port",), "answered")
    assert (found["H1"].stopped, found["H1"].findings.dialects) == ("did not answer key-info, so nothing else was asked", ())
    assert (found["H2"].key, len(found["H2"].answers)) == ("needed", 1)
    assert found["H3"].findings.dialects == ("nvidia-dcqcn",)
    assert "1234567" not in (tmp_path / "report.json").read_text()


def test_a_write_test_says_what_a_device_keeps_and_undoes_it(emulate: Emulate, tmp_path: Path) -> None:
    bed = emulate(fabric(CongestionControlRow(dialect="nvidia-dcqcn"), CongestionControlRow(nodes=("H2",), out_of_range="clip")))
    with bed.clients.opensm({"sweep_interval": 0}):
        at = lids(bed.clients)
        send(bed, a_set(at["H2"], 0xFF22, "CongestionHCANPParameters", min_time_between_cnps=4095))
        before = bed.emulated.emulator.tables()
        for device, expected in (
            ("H2", [("rpg_hai_rate", "kept"), ("min_time_between_cnps", "not-kept")]),
            ("0x100", [("aqs_weight", "kept"), ("profile1_max", "kept")]),
        ):
            (found,) = probe(bed, tmp_path, "--write-test", device).devices
            assert [(test.field, test.outcome) for test in found.write_tests] == expected
            assert all(test.restored for test in found.write_tests)
        assert found.findings.vl_reading == "modifier-is-port"
        assert found.vl_reading == "mask"
        assert bed.emulated.emulator.tables() == before


def test_ctrl_c_leaves_a_device_as_it_was(emulate: Emulate, tmp_path: Path) -> None:
    bed = emulate(fabric(CongestionControlRow(dialect="nvidia-dcqcn")))
    with bed.clients.opensm({"sweep_interval": 0}):
        before = bed.emulated.emulator.tables()
        command = [*PROBE, "--mads-per-s", "50", "--write-test", "S1"]
        with subprocess.Popen(
            command,
            cwd=tmp_path,
            env=client_environment(bed.emulated.name),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process:
            deadline = time.monotonic() + WITHIN_S
            while sets_of(bed) == 0 and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.001)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=WITHIN_S)
        assert (process.returncode, said.splitlines()[-1]) == (130, "ibcc: interrupted")
        assert sets_of(bed) == 2
        assert bed.emulated.emulator.tables() == before
