# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import csv
import json
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

from tests.tuner.cli.conftest import Command
from tests.tuner.mads.test_general_info import answer as general_info
from tests.tuner.probe.devices import A10_SWITCH, DCQCN, NVIDIA_SWITCH, Device, Fabric
from tuner.cli import fabric_probe
from tuner.documents.known_devices import known_devices
from tuner.mads.client import Totals

TEXT = """\
vendid=0x2c9
devid=0xd2f2
switchguid=0x2c90300aabbcc01
Switch\t36 "S-02c90300aabbcc01"\t\t# "secret leaf" enhanced port 0 lid 1 lmc 0
[3]\t"H-02c90300aabbcc02"[1](2c90300aabbcc03)\t# "secret host" lid 2 4xNDR

vendid=0x2c9
devid=0x1021
caguid=0x2c90300aabbcc02
Ca\t1 "H-02c90300aabbcc02"\t\t# "secret host"
[1](2c90300aabbcc03)\t"S-02c90300aabbcc01"[3]\t\t# lid 2 lmc 0 "secret leaf" lid 1 4xNDR
"""


@pytest.fixture
def topology(tmp_path: Path) -> Path:
    path = tmp_path / "topology.txt"
    path.write_text(TEXT)
    return path


@pytest.fixture
def discovered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fabric_probe, "discovered_text", lambda *options: TEXT)


@pytest.fixture
def reader_options() -> dict[str, Any]:
    """Options that the last reader was made with."""
    return {}


@pytest.fixture
def devices(monkeypatch: pytest.MonkeyPatch, reader_options: dict[str, Any]) -> list[Device]:
    info = general_info(extended=(31, 2012, 1024), psid=b"MT_1")
    held = {0xFF00: {"ver0Supported": 1}, 0xFF08: {"aqs_weight": 3}}
    found = [
        Device(NVIDIA_SWITCH, values=dict(held), general_info=info),
        Device(DCQCN, kind="adapter", num_ports=1, values=dict(held), key=7),
    ]

    class Reader(Fabric):
        totals = Totals()

        def __init__(self, **options: Any) -> None:
            super().__init__(*found)
            reader_options.update(options)

        def __enter__(self) -> Self:
            return self

        def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
            pass

    monkeypatch.setattr(fabric_probe, "MadReader", Reader)
    return found


def test_the_table_has_names_for_people_and_the_report_has_none(
    command: Command, topology: Path, devices: list[Device], reader_options: dict[str, Any], tmp_path: Path
) -> None:
    finished = command("fabric", "probe", "--topology", topology, "--report", tmp_path / "report.json")
    assert finished.code == 0
    assert "switch 0x0002c9:0xd2f2, firmware 31.2012.1024: secret leaf (0x02c90300aabbcc01), one of 1" in finished.out
    assert "  congestion control: NVIDIA's attributes\n" in finished.out
    assert "  wants a CC_Key: a request without it counts as a violation" in finished.out
    report = (tmp_path / "report.json").read_text()
    assert "secret" not in report
    assert "aabbcc" not in report
    assert len(devices[1].sent) == 2
    assert (reader_options["mads_per_s"], reader_options["gives_up"]) == (5, True)
    known = command("fabric", "known-devices", tmp_path / "report.json").out
    assert "probed: ibcc fabric probe" in known


def test_the_report_on_standard_output(command: Command, topology: Path, devices: list[Device]) -> None:
    document = json.loads(command("fabric", "probe", "--topology", topology, "--output", "json").out)
    assert [device["key"] for device in document["devices"]] == ["none", "needed"]


@pytest.mark.usefixtures("discovered")
@pytest.mark.parametrize("name", ["secret leaf", "0x2c90300aabbcc01", "0x02c90300aabbcc01"])
def test_a_write_test_is_of_the_named_device_alone(
    command: Command, devices: list[Device], reader_options: dict[str, Any], name: str
) -> None:
    finished = command("fabric", "probe", "--write-test", name)
    assert finished.code == 0
    assert "  Set of 0xff08, aqs_weight 3 to 4: keeps what it is sent; undone\n" in finished.out
    assert devices[1].sent == []
    assert devices[0].values[0xFF08]["aqs_weight"] == 3
    assert reader_options["gives_up"] is False


@pytest.mark.usefixtures("discovered")
def test_what_a_write_test_leaves_alone_is_said(command: Command, devices: list[Device], tmp_path: Path) -> None:
    devices[0].knows, devices[0].values[0x14] = A10_SWITCH, {"Control_Map": 0}
    finished = command("fabric", "probe", "--write-test", "secret leaf", "--report", tmp_path / "report.json")
    assert finished.code == 0
    assert "\n  no write test of Marking_Rate by bit 4 of Control_Map: Control_Map is 0x0, not 0x1f\n" in finished.out
    (device,) = json.loads((tmp_path / "report.json").read_text())["devices"]
    assert device["write_tests"] == []
    why = "Control_Map is 0x0, not 0x1f"
    assert device["not_written"][0] == {"attribute": 0x14, "field": "Marking_Rate by bit 4 of Control_Map", "why": why}
    assert len(device["not_written"]) == 2


@pytest.mark.usefixtures("discovered")
def test_a_device_that_has_nothing_for_a_write_test_is_said(command: Command, devices: list[Device]) -> None:
    devices[0].knows = ()
    finished = command("fabric", "probe", "--write-test", "secret leaf")
    assert finished.code == 0
    assert finished.out.endswith("\n  no write test: the device has no attribute that one changes\n")


@pytest.mark.usefixtures("discovered")
def test_a_device_with_a_key_is_not_written_to(command: Command, devices: list[Device]) -> None:
    finished = command("fabric", "probe", "--write-test", "secret host")
    assert (finished.code, finished.out) == (2, "")
    assert "secret host (0x02c90300aabbcc02) wants a CC_Key; a write test needs a device without one" in finished.err


def test_a_fabric_on_which_nothing_answers_is_unreachable(command: Command, topology: Path, devices: list[Device]) -> None:
    for device in devices:
        device.dies_after = 0
    finished = command("fabric", "probe", "--topology", topology)
    assert finished.code == 3
    assert "did not answer key-info, so nothing else was asked" in finished.out


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (("--output", "csv"), "a report is no table of rows; choose table or json"),
        (
            ("--write-test", "secret leaf"),
            "--write-test secret leaf: LIDs in a file may be other devices' now; leave out --topology ",
        ),
        (("--mads-per-s", "501"), "--mads-per-s is 501; it must be 1 to 500"),
    ],
)
def test_options_that_are_wrong(
    command: Command, topology: Path, devices: list[Device], options: tuple[str, ...], part: str
) -> None:
    finished = command("fabric", "probe", "--topology", topology, *options)
    assert (finished.code, finished.out) == (2, "")
    assert part in finished.err
    assert all(device.sent == [] for device in devices)


@pytest.mark.usefixtures("discovered")
def test_a_write_test_of_an_unknown_device(command: Command) -> None:
    finished = command("fabric", "probe", "--write-test", "secret")
    assert finished.code == 2
    assert "--write-test secret: there is no such device" in finished.err


def test_two_devices_of_a_name_need_a_guid(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fabric_probe, "discovered_text", lambda *options: TEXT.replace("secret host", "secret leaf"))
    finished = command("fabric", "probe", "--write-test", "secret leaf")
    assert finished.code == 2
    assert "2 devices are called so; give a GUID, such as 0x02c90300aabbcc01, 0x02c90300aabbcc02" in finished.err


def test_known_devices_in_all_formats(command: Command) -> None:
    rows = known_devices()
    assert "Quantum-2" in command("fabric", "known-devices").out
    assert len(json.loads(command("fabric", "known-devices", "--output", "json").out)) == len(rows)
    assert len(list(csv.DictReader(command("fabric", "known-devices", "--output", "csv").out.splitlines()))) == len(rows)
