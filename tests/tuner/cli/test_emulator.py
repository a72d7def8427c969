# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import csv
import itertools
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tuner.cli.conftest import Command
from tuner.cli import common
from tuner.cli.emulator import mads_tables
from tuner.documents.fabric import load_fabric
from tuner.emulator.fabric import EmulatedFabric
from tuner.emulator.inside import environment
from tuner.emulator.server import ControlServer
from tuner.measuring.measurement import Measurement
from tuner.opensm.process import OpenSm

_number = itertools.count()


@pytest.fixture
def fabric(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory, infiniband_programs: None
) -> Iterator[EmulatedFabric]:
    """It is found by IBSIM_SOCKNAME, as inside `ibcc emulate`."""
    name = f"ibcc-ctl-{os.getpid()}-{next(_number)}"
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
    monkeypatch.setenv("IBSIM_SOCKNAME", name)
    with EmulatedFabric(load_fabric("two-switch"), name=name) as emulated, ControlServer(emulated):
        yield emulated


def test_status(command: Command, fabric: EmulatedFabric) -> None:
    finished = command("emulator", "status")
    assert (finished.code, finished.err) == (0, "")
    assert json.loads(finished.out)["name"] == fabric.name


def test_a_fabric_that_is_not_there(command: Command, fabric: EmulatedFabric) -> None:
    finished = command("emulator", "status", "--socket", f"{fabric.name}-b")
    assert finished.code == 3
    assert "there is no emulated fabric at" in finished.err


def test_a_workload_as_ibcc_simulate_prints_it(command: Command, fabric: EmulatedFabric, tmp_path: Path) -> None:
    with OpenSm(tmp_path / "opensm", environment(fabric.name, tmp_path)) as opensm:
        opensm.await_subnet_up()
        finished = command(
            "emulator", "run", "scenario-1", "--time-scale", "0.02", "--output", "json", "-o", tmp_path / "run.json"
        )
        assert (finished.code, finished.out, finished.err) == (0, "", "")
        measurement = Measurement.from_json(json.loads((tmp_path / "run.json").read_text()))
        assert (measurement.backend, len(measurement.flows)) == ("emulated", 5)
        table = command("emulator", "run", "scenario-1", "--time-scale", "0.02").out
        assert table.startswith("scenario-1 on two-switch, profile as programmed, 0.1 s, seed 1")
        rows = list(
            csv.DictReader(command("emulator", "run", "scenario-1", "--time-scale", "0.02", "--output", "csv").out.splitlines())
        )
        assert list(rows[0])[:2] == ["t_s", "F1_gbps"]
        counters = command("emulator", "counters", "S1", "--output", "csv").out.splitlines()
        assert [row["port"] for row in csv.DictReader(counters)] == ["1", "2", "3", "19"]
        assert " S1/19 " in command("emulator", "counters").out


def test_what_the_fabric_refuses(command: Command, fabric: EmulatedFabric) -> None:
    finished = command("emulator", "run", "scenario-1")  # nobody has set routes
    assert finished.code == 2
    assert finished.err.startswith("ibcc: workload 'scenario-1': ")


def test_stop_without_a_workload(command: Command, fabric: EmulatedFabric) -> None:
    assert command("emulator", "stop").err == "ibcc: no workload runs\n"


def test_links_nodes_and_tables(command: Command, fabric: EmulatedFabric) -> None:
    def state(node: str, port: int) -> str:
        (device,) = json.loads(command("emulator", "tables", node).out)["devices"]
        return str(device["ports"][str(port)]["state"])

    assert state("S1", 2) == "init"
    assert command("emulator", "link", "S1", 2, "down").code == 0
    assert state("S1", 2) == "down"
    assert command("emulator", "link", "H2", 1, "up").code == 0
    assert state("S1", 2) == "init"
    assert command("emulator", "node", "remove", "H2").code == 0
    assert state("S1", 2) == "down"
    assert command("emulator", "node", "add", "H2").code == 0
    assert command("emulator", "node", "reboot", "S2").code == 0
    assert state("S1", 2) == "init"


def test_faults(command: Command, fabric: EmulatedFabric) -> None:
    words = ["delay", "delay_ms=20", "--node", "S1", "--class", "PMA", "--method", "get", "--count", "3"]
    assert command("emulator", "fault", "add", *words).out == "1\n"
    hexadecimal = ["status", "status=0x1c", "--attribute", "CongestionControlTable"]
    assert command("emulator", "fault", "add", *hexadecimal).out == "2\n"
    lines = command("emulator", "fault", "list").out.splitlines()
    assert [line.split() for line in lines if line.strip().startswith(("1 ", "2 "))] == [
        ["1", "delay", "S1", "PMA", "(get)", "1", "delay_ms=20", "0", "of", "0,", "at", "most", "3"],
        ["2", "status", "all", "CCA", "CongestionControlTable", "1", "status=28", "0", "of", "0"],
    ]
    rows = list(csv.DictReader(command("emulator", "fault", "list", "--output", "csv").out.splitlines()))
    assert [(row["kind"], row["delay_ms"], row["status"]) for row in rows] == [("delay", "20", ""), ("status", "", "28")]
    assert command("emulator", "fault", "clear", 1).err == "ibcc: 1 cleared\n"
    assert [row["id"] for row in json.loads(command("emulator", "fault", "list", "--output", "json").out)["faults"]] == [2]
    assert command("emulator", "fault", "clear").err == "ibcc: 1 cleared\n"


def test_kinds_of_faults(command: Command, fabric: EmulatedFabric) -> None:
    kinds = json.loads(command("emulator", "fault", "kinds", "--output", "json").out)["kinds"]
    assert {"drop", "clamp"} <= {kind["name"] for kind in kinds}
    assert "The MAD is lost" in command("emulator", "fault", "kinds").out
    rows = list(csv.DictReader(command("emulator", "fault", "kinds", "--output", "csv").out.splitlines()))
    assert next(row for row in rows if row["kind"] == "delay")["parameters"].startswith("delay_ms: ")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["explode"], "there is no fault 'explode'"),
        (["delay", "20"], "'20' is not KEY=VALUE, such as delay_ms=50"),
        (["delay", "delay_ms=x"], "fault 'delay': delay_ms is 'x'"),
        (["drop", "--node", "H9"], "unknown node 'H9'"),
    ],
)
def test_faults_that_make_no_sense(command: Command, fabric: EmulatedFabric, words: list[str], sentence: str) -> None:
    finished = command("emulator", "fault", "add", *words)
    assert finished.code == 2
    assert sentence in finished.err


def test_modifiers_that_a_device_refused_are_a_table(tmp_path: Path) -> None:
    row = {"node": "S1", "method": "Get", "attribute": "CongestionPortProfileSettings", "modifier": "0x00030001", "count": 1200}
    common.write_rich(mads_tables([], [row]), tmp_path / "table.txt")
    text = (tmp_path / "table.txt").read_text()
    assert all(word in text for word in ("Refused by", "S1", "CongestionPortProfileSettings", "0x00030001", "1,200"))
    common.write_rich(mads_tables([], []), tmp_path / "table.txt")
    assert "Refused by" not in (tmp_path / "table.txt").read_text()
