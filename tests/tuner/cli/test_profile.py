# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import csv
import json
import re
from pathlib import Path

import pytest

from ccsim.policy import profile_keys
from tests.tuner.cli.conftest import Command
from tuner.documents import catalogue
from tuner.documents.profile import load_profile


def test_show_says_what_each_value_means(command: Command) -> None:
    out = command("profile", "show", "gran-2010").out
    assert "switch.threshold" in out
    assert profile_keys()["switch.threshold"].meaning in out
    assert "10.11 µs ┤" in out  # 7 µs (127/106)² = 10.05, rounded to quarters of a packet time


def test_every_key_of_every_packaged_profile_has_a_meaning(command: Command) -> None:
    for name in catalogue.names("profile"):
        rows = list(csv.DictReader(command("profile", "show", name, "--output", "csv").out.splitlines()))
        assert rows
        keys = [re.sub(r"\.\d+\.", "[].", row["key"]) for row in rows if not row["key"].startswith("overrides.")]
        assert [key for key in keys if key not in profile_keys()] == []


def test_show_as_json_is_the_document(command: Command) -> None:
    finished = command("profile", "show", "gran-2010", "--set", "profile.ca.ccti_timer=200", "--output", "json")
    assert json.loads(finished.out) == load_profile("gran-2010", {"ca.ccti_timer": 200}).to_dict()


def test_show_of_a_profile_that_is_off(command: Command) -> None:
    finished = command("profile", "show", "off")
    assert (finished.code, finished.err) == (0, "")
    assert "off: congestion control is off" in finished.out


def test_validate_says_which_are_valid(command: Command) -> None:
    finished = command("profile", "validate", "gran-2010", "off", "--fabric", "two-switch")
    assert (finished.code, finished.out) == (0, "gran-2010: valid\noff: valid\n")


def test_validate_refuses_with_file_and_line(command: Command, tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text(catalogue.find("profile", "gran-2010").read_text().replace("marking_rate: 1", "marking_rate: 70000"))
    finished = command("profile", "validate", "off", bad)
    assert finished.code == 2
    assert finished.err.startswith(f"ibcc: {bad}:")
    assert "70000" in finished.err
    assert finished.err.count("\n") == 1


def test_encode_prints_entries_with_their_errors(command: Command) -> None:
    document = json.loads(command("profile", "encode", "gran-2010", "--output", "json").out)
    assert len(document["entries"]) == 128
    assert document["packet_time_ns"] == 1037.0  # (2048 + 26) bytes at 16 Gb/s
    entry = document["entries"][106]
    assert entry["wanted_ns"] == pytest.approx(7000)
    assert entry["ird_ns"] == 1037.0 * entry["multiplier"] / 2 ** entry["shift"]
    assert entry["error_ns"] == pytest.approx(entry["ird_ns"] - 7000)
    assert abs(entry["error_packet_times"]) <= document["worst_error_packet_times"] <= 1 / 16
    rows = list(csv.DictReader(command("profile", "encode", "gran-2010", "--output", "csv").out.splitlines()))
    assert [int(row["multiplier"]) for row in rows] == [e["multiplier"] for e in document["entries"]]
    table = command("profile", "encode", "gran-2010").out
    assert "Largest rounding error: 0.06" in table


def test_encode_of_a_profile_without_a_table(command: Command) -> None:
    assert command("profile", "encode", "off").out == "off has no CCT\n"
    assert json.loads(command("profile", "encode", "off", "--output", "json").out)["entries"] == []
    assert command("profile", "encode", "off", "--output", "csv").code == 0


def test_diff_shows_the_keys_that_differ(command: Command) -> None:
    rows = json.loads(command("profile", "diff", "gran-2010", "gran-2012", "--output", "json").out)
    changes = {row["key"]: (row["a"], row["b"]) for row in rows}
    assert changes["switch.marking_rate"] == (1, 0)
    assert changes["switch.packet_size"] == (8, 0)
    assert "ca.ccti_timer" not in changes
    assert "switch.marking_rate" in command("profile", "diff", "gran-2010", "gran-2012").out
    assert command("profile", "diff", "off", "off").out == "off and off are the same profile\n"


def test_settings_of_a_model_are_none_of_a_profile(command: Command) -> None:
    finished = command("profile", "show", "off", "--set", "model.num_vls=2")
    assert (finished.code, finished.err) == (2, "ibcc: --set model.num_vls: unknown setting; settings begin with profile.\n")


def test_opensm_writes_options_of_opensm_conf(command: Command, tmp_path: Path) -> None:
    conf = tmp_path / "opensm.conf"
    finished = command(
        "profile", "opensm", "gran-2010", "--fabric", "two-switch", "--set", "profile.ca.ccti_timer=200", "-o", conf
    )
    assert finished.code == 0
    lines = conf.read_text().splitlines()
    assert "congestion_control TRUE" in lines
    assert "cc_ca_cong_setting_ccti_timer 15 200" in lines


def test_opensm_refuses_what_its_manager_cannot_do(command: Command, tmp_path: Path) -> None:
    tree = tmp_path / "tree.yaml"
    command("fabric", "generate", "three-stage", "--radix", "4", "-o", tree)
    finished = command("profile", "opensm", "gran-2010", "--fabric", tree)
    assert (finished.code, finished.out) == (2, "")
    assert "OpenSM's manager has one mask for all" in finished.err


def test_show_and_validate_warn_of_a_timer_that_forgets_at_once(command: Command, tmp_path: Path) -> None:
    hasty = tmp_path / "hasty.yaml"
    hasty.write_text(catalogue.find("profile", "gran-2010").read_text().replace("ccti_timer: 150", "ccti_timer: 0"))
    for arguments in (("show", hasty), ("validate", hasty)):
        finished = command("profile", *arguments)
        assert finished.code == 0
        assert "ca.ccti_timer is 0: " in finished.err
        assert finished.err.count("\n") == 1


QUANTUM = """\
ibcc_profile: 2
name: quantum
nvidia:
  switch:
    aqs_time: 4
    aqs_weight: 3
    thresholds:
    - {unit: percent, profile1_min: 10, profile1_max: 40, profile1_percent: 20}
  adapter:
    type: dcqcn
    rp: {rpg_max_rate_gbps: 400}
"""


@pytest.fixture
def quantum(tmp_path: Path) -> Path:
    path = tmp_path / "quantum.yaml"
    path.write_text(QUANTUM)
    return path


def test_show_has_nvidias_keys_with_meanings_and_rates_in_gbps(command: Command, quantum: Path) -> None:
    out = command("profile", "show", quantum).out
    assert "400000 (400 Gb/s)" in out
    assert profile_keys()["nvidia.switch.thresholds[].profile1_percent"].meaning in out
    rows = {
        row["key"]: row["value"]
        for row in csv.DictReader(command("profile", "show", quantum, "--output", "csv").out.splitlines())
    }
    assert rows["nvidia.adapter.rp.rpg_max_rate"] == "400000"
    assert rows["nvidia.switch.thresholds.0.profile1_max"] == "40"


def test_encode_prints_nvidias_attributes_and_their_bytes(command: Command, quantum: Path) -> None:
    out = command("profile", "encode", quantum).out
    assert "CongestionPortProfileSettings of a switch port" in out
    assert "Bytes: 8000ffff 0000000a 14000028\n" in out
    document = json.loads(command("profile", "encode", quantum, "--output", "json").out)
    rp = next(one for one in document["nvidia"] if one["attribute"] == "CongestionHCARPParameters")
    assert rp["device"] == "adapter"
    assert rp["values"]["rpg_max_rate"] == 400000
    assert bytes.fromhex(rp["payload"])[16:20] == (400000).to_bytes(4, "big")
    rows = list(csv.DictReader(command("profile", "encode", quantum, "--output", "csv").out.splitlines()))
    assert {"device": "switch", "attribute": "CongestionSwitchGeneralSettings", "field": "aqs_time", "value": "4"} in rows


def test_scale_takes_the_rate_of_a_fabric_or_a_number(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "at-400.yaml"
    assert command("profile", "scale", "hpcc-dcqcn", "--fabric", "leaf-spine-64", "-o", file).code == 0
    assert load_profile(file) == load_profile("hpcc-dcqcn-400g")
    assert 'name: "paper"\n' in command("profile", "scale", "dcqcn-paper", "--rate-gbps", "100", "--name", "paper").out
    assert "give either --rate-gbps or --fabric" in command("profile", "scale", "dcqcn-paper").err


def test_validate_knows_which_dialect_the_fabrics_devices_speak(command: Command, quantum: Path) -> None:
    finished = command("profile", "validate", quantum, "--fabric", "two-switch")
    assert finished.code == 2
    assert "no device of fabric 'two-switch' has NVIDIA's congestion control" in finished.err
    finished = command("profile", "validate", "gran-2010", "--fabric", "leaf-spine-64-dcqcn")
    assert (finished.code, finished.out) == (0, "gran-2010: valid\n")
    assert "no device of fabric 'leaf-spine-64-dcqcn' has annex A10's congestion control" in finished.err


def test_validate_refuses_nvidia_in_version_1(command: Command, quantum: Path) -> None:
    assert command("profile", "validate", quantum, "--fabric", "leaf-spine-64-dcqcn").code == 0
    quantum.write_text(QUANTUM.replace("ibcc_profile: 2", "ibcc_profile: 1"))
    finished = command("profile", "validate", quantum)
    assert (finished.code, finished.err) == (
        2,
        f"ibcc: {quantum}:4: nvidia needs version 2 of the format: write 'ibcc_profile: 2'\n",
    )


def test_what_sets_annex_a10_alone_refuses_nvidia(command: Command, quantum: Path) -> None:
    finished = command("profile", "opensm", quantum, "--fabric", "two-switch")
    assert (finished.code, finished.out) == (2, "")
    assert "the profile has the section nvidia, which OpenSM's own manager does not know" in finished.err
    finished = command("simulate", "scenario-1", "--profile", quantum)
    assert (finished.code, finished.out) == (2, "")
    assert "the profile has the section nvidia, and no device of the fabric has NVIDIA's congestion control" in finished.err
