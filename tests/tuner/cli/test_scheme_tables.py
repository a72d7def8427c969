# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What `ibcc simulate` shows of a scheme: resources in use, memory of switches, and memory of this machine before the run."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import ccsim
from tests.tuner.cli.conftest import Command
from tuner.measuring.measurement import Measurement
from tuner.simulation import machine_memory

SHORT = ("simulate", "scenario-1", "--time-scale", "0.02", "--profile", "gran-2010")


def scheme_of(command: Command, *arguments: object) -> dict[str, Any]:
    finished = command(*SHORT, *arguments, "--output", "json")
    assert finished.code == 0, finished.err
    scheme: dict[str, Any] = json.loads(finished.out)["counters"]["scheme"]
    return scheme


def rows(text: str, heading: str) -> dict[str, list[str]]:
    """The rows of the table with this heading, by their first cells."""
    lines = text[text.index(heading) :].splitlines()[2:]
    found = {}
    for line in lines:
        if not line.strip():
            break
        first, *others = re.split(r"\s{2,}", line.strip())
        found[first] = others
    return found


def test_resources_and_memory_are_tables_of_what_the_json_holds(command: Command) -> None:
    setting = ("--set", "model.scheme=ccfit")
    scheme = scheme_of(command, *setting)
    assert scheme["name"] == "ccfit"
    special = scheme["series"]["special_queues_in_use"]
    assert len(special) == 10
    assert max(special) > 0
    (row,) = (row for row in scheme["resources"] if row["name"] == "special_queues_in_use")
    assert row == {"name": row["name"], "mean": pytest.approx(sum(special) / 10), "most": max(special)}
    text = command(*SHORT, *setting).out
    resources = rows(text, "Resource of ccfit, whole fabric")
    assert resources["special queues in use"] == [f"{row['mean']:.1f}", str(row["most"])]
    assert len(resources) == len(scheme["series"]) == 5
    memory = rows(text, "Memory of switches for ccfit")
    # 7 hosts take 3 bits; CCFIT has a line of one destination for each of two CFQs.
    assert memory["CAM cells (bits)"] == [str(16 + 3), str(2 * 19), str(9 * 2 * 19)]
    assert memory["SRAM cells (bits)"] == ["35", "70", str(9 * 70)]
    assert memory["packet buffer"] == ["264 KiB", "2.32 MiB"]
    assert "packet buffer of other schemes" not in memory


def test_a_total_is_what_it_has_come_to_at_the_end(command: Command) -> None:
    scheme = scheme_of(command, "--set", "model.scheme.name=hfdi", "--set", "model.scheme.special_queues=1")
    (row,) = (row for row in scheme["resources"] if row["name"] == "packets_without_special_queue")
    assert row == {"name": row["name"], "total": scheme["series"][row["name"]][-1]}


def test_voqnet_compares_its_buffers_with_those_of_others(command: Command) -> None:
    finished = command(*SHORT, "--set", "model.scheme=voqnet")
    memory = rows(finished.out, "Memory of switches for voqnet")
    assert memory["packet buffer"][0] == f"{7 * 64 * 2112 / 1024:.4g} KiB"
    assert memory["packet buffer of other schemes"][0] == "264 KiB"
    assert "CAM" not in "".join(memory)


@pytest.mark.parametrize("scheme", ["voqsw", "ith", "1q"])
def test_a_scheme_without_resources_has_no_tables(command: Command, scheme: str) -> None:
    finished = command(*SHORT, "--set", f"model.scheme={scheme}")
    assert "Resource of" not in finished.out
    assert "Memory of" not in finished.out
    assert finished.err == ""
    assert "resources" not in scheme_of(command, "--set", f"model.scheme={scheme}")


def test_stored_results_keep_them(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    assert command(*SHORT, "--set", "model.scheme=ecocc", "--output", "json", "-o", file).code == 0
    measurement = Measurement.from_json(json.loads(file.read_text()))
    assert measurement.counters["scheme"]["name"] == "ecocc"
    assert set(measurement.counters["scheme"]["memory"]) == {"line", "input_port", "fabric"}


def test_voqnet_tells_its_queues_before_the_run(command: Command) -> None:
    finished = command(*SHORT, "--set", "model.scheme=voqnet", "--output", "json")
    told = re.search(r"ibcc: scheme voqnet may need up to ([0-9,]+) queues in this run, .* [KMG]iB of this machine", finished.err)
    assert told is not None
    used = json.loads(finished.out)["counters"]["scheme"]["series"]["destination_queues"]
    assert used == sorted(used)
    assert used[-1] == int(told[1])  # every flow of scenario 1 sends, and is answered


@pytest.mark.usefixtures("little_memory")
def test_a_run_that_may_need_more_memory_than_there_is_must_be_asked_for(command: Command) -> None:
    refused = command(*SHORT, "--set", "model.scheme=voqnet")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.count("\n") == 1
    assert "scheme voqnet may need up to 15 queues" in refused.err
    assert "; 4 KiB are available (MemAvailable in " in refused.err
    assert refused.err.endswith("or let `ibcc simulate` start it anyway with --allow-low-memory\n")
    allowed = command(*SHORT, "--set", "model.scheme=voqnet", "--allow-low-memory")
    assert allowed.code == 0
    assert "scheme voqnet may need up to 15 queues" in allowed.err
    assert command(*SHORT, "--set", "model.scheme=fbicm").code == 0


@pytest.fixture
def little_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal:       24000000 kB\nMemAvailable:          4 kB\n")
    monkeypatch.setattr(machine_memory, "MEMINFO", meminfo)


def test_help_says_that_resources_are_shown(command: Command) -> None:
    words = " ".join(command("simulate", "--help").out.split())
    assert "special queues and CAM lines" in words
    assert "--allow-low-memory" in words


def test_every_scheme_has_a_row_of_memory() -> None:
    fabric = ccsim.Fabric(mtu_bytes=2048)
    switch = fabric.add_node("S", "switch", guid=1, num_ports=8)
    for i in range(1, 9):
        fabric.connect(fabric.add_node(f"H{i}", "host", guid=100 + i, num_ports=1), 1, switch, i, rate="4xDDR")
    model = ccsim.Model()
    for row in ccsim.schemes():
        model.scheme.name = row["name"]
        memory = ccsim.scheme_memory(fabric, model)
        port, whole = memory["input_port"], memory["fabric"]
        assert port is not None
        assert whole is not None
        assert whole["input_ports"] == 8
        assert whole["buffer_bytes"] == 8 * port["buffer_bytes"] > 0
        assert (memory["line"] is None) == (port["lines"] == 0)
