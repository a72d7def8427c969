# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc profile suggest`: from a stranger's fabric to a profile that cures it, and from bad input to a sentence."""

import json
import math
from pathlib import Path

import pytest

from ccsim.policy import Profile
from tests.tuner.cli.conftest import Command
from tuner.documents import catalogue
from tuner.documents.profile import load_profile
from tuner.suggest.dcqcn_outlook import DCQCN_MODELS

ODD = """\
ibcc_fabric: 1
name: "odd [x] * name … ü"
mtu_bytes: 256
switches: [{name: "S [1]*", ports: 8}]
hosts:
- {name: "a b*"}
- {name: "[c]"}
- {name: "d:0x", receive_gbps: 1.5}
- {name: lonely}
links:
- {a: "S [1]*/1", b: "a b*/1", rate: 4xHDR}
- {a: "S [1]*/2", b: "[c]/1", rate: 1xSDR}
- {a: "S [1]*/3", b: "d:0x/1", rate: 4xSDR}
"""
NO_ROUTE = """\
ibcc_fabric: 1
name: half-routed
mtu_bytes: 4096
routing: tables
switches: [{name: S, ports: 4}]
hosts: [{name: h1}, {name: h2}, {name: h3}, {name: h4}]
links:
- {a: S/1, b: h1/1, rate: 4xHDR}
- {a: S/2, b: h2/1, rate: 4xHDR}
- {a: S/3, b: h3/1, rate: 4xHDR}
- {a: S/4, b: h4/1, rate: 4xHDR}
forwarding: {S: {h1: 1, h2: 2, h3: 3}}
"""


def test_the_profile_comes_with_reasons_and_where_it_stops(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    finished = command("profile", "suggest", "--fabric", "two-switch", "--workload", "scenario-1", "-o", file)
    assert finished.code == 0
    assert "4 contributors to H5" in finished.out
    assert "Where it stops" in finished.out
    assert "It holds by forecast for all 5 models of the devices from 2 to 6 contributors." in finished.out
    profile = Profile.from_file(file)
    assert profile.to_dict()["ca"]["ccti_increase"] == 1
    assert command("profile", "validate", file, "--fabric", "two-switch").code == 0


def test_json_is_whole_and_the_plot_a_drawing(command: Command, tmp_path: Path) -> None:
    drawing = tmp_path / "how.svg"
    finished = command(
        "profile", "suggest", "--fabric", "two-switch", "--contributors", "3-6", "--plot", drawing, "--output", "json"
    )
    found = json.loads(finished.out)
    assert found["contributors"] == {"least": 3, "most": 6, "made_for": 6}
    assert Profile.from_dict(found["profile"]).enable
    assert {one["device"] for one in found["devices"] if one["made_for"]} >= {"calibrated", "cnp-each-mark", "becn-on-ack"}
    assert all(one["works_up_to"] == 6 for one in found["devices"])  # of what nobody said anything, it serves all
    assert drawing.read_text().lstrip().startswith("<?xml")


def test_who_says_what_adapters_do_gets_a_profile_for_these(command: Command) -> None:
    out = command(
        "profile",
        "suggest",
        "--fabric",
        "two-switch",
        "--contributors",
        "6",
        "--set",
        "model.ca.cnp_spacing_ns=0",
        "--output",
        "json",
    ).out
    by_name = {one["device"]: one for one in json.loads(out)["devices"]}
    assert by_name["cnp-each-mark"]["works_up_to"] == 6
    assert not by_name["becn-on-ack"]["made_for"]
    assert any("becn-on-ack" in sentence for sentence in json.loads(out)["stops"])


def test_only_devices_that_nobody_knows_get_it(command: Command) -> None:
    def values(*options: str) -> tuple[int, str]:
        asked = ("profile", "suggest", "--fabric", "two-switch-16", "--contributors", "4", *options, "--output", "json")
        found = json.loads(command(*asked).out)
        return found["profile"]["ca"]["ccti_increase"], found["holds"]

    assert values() == (1, "It holds by forecast for all 5 models of the devices from 2 to 8 contributors.")
    assert values("--devices", "all") == values()
    increase, holds = values("--devices", "becn-on-ack")
    assert increase == 2
    assert "models of the devices" not in holds
    assert values("--set", "model.ca.cnp_spacing_ns=1600")[0] == 2


def test_who_loses_is_said(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "few.yaml"
    finished = command("profile", "suggest", "--fabric", "two-switch-16", "--contributors", "12", "-o", file)
    assert "with 2 contributors, contributors may lose with all of them." in " ".join(finished.out.split())
    assert file.exists()


def test_given_devices_that_are_of_no_kind_have_their_own_outlook(command: Command) -> None:
    options = ["--contributors", "3", "--set", "model.ca.cnp_spacing_ns=1600"]
    finished = command("profile", "suggest", "--fabric", "two-switch", *options, "--simulate", "--output", "json")
    found = json.loads(finished.out)
    given, *kinds = found["devices"]
    assert (given["device"], given["made_for"], given["works_up_to"]) == ("given", True, 3)
    assert not any(one["device"] == "given" for one in kinds)
    assert [one["verdict"] for one in given["forecasts"]][:2] == ["cures", "cures"]
    assert given["measured"][1]["total"] / given["measured"][1]["total_without"] > 0.95
    first, second, _ = found["stops"]
    assert "not sure to hold back 3 contributors" in first
    assert "given" not in first
    assert "with the other kinds" in second


@pytest.mark.parametrize("fabric", [ODD, NO_ROUTE], ids=["odd names and rates", "a host without a route"])
def test_a_strangers_fabric_is_cured_by_simulation(command: Command, tmp_path: Path, fabric: str) -> None:
    file = tmp_path / "fabric.yaml"
    file.write_text(fabric)
    finished = command("profile", "suggest", "--fabric", file, "--contributors", "2", "--simulate", "--output", "json")
    assert finished.code == 0, finished.err
    for device in json.loads(finished.out)["devices"]:
        measured = device["measured"][0]
        assert measured["total"] / measured["total_without"] > 0.9


@pytest.mark.long
def test_a_hotspot_at_400_gbps_is_cured_with_every_kind_of_adapters(command: Command, tmp_path: Path) -> None:
    fabric = tmp_path / "fabric.yaml"
    assert (
        command("fabric", "generate", "leaf-spine", "--leaves", 4, "--spines", 2, "--hosts-per-leaf", 8, "-o", fabric).code == 0
    )
    finished = command("profile", "suggest", "--fabric", fabric, "--contributors", "12", "--simulate", "--output", "json")
    for device in json.loads(finished.out)["devices"]:
        assert device["made_for"]
        (place,) = [i for i, one in enumerate(device["forecasts"]) if one["contributors"] == 12]
        measured, forecast = device["measured"][place], device["forecasts"][place]
        assert measured["victims_without"] < 0.6
        assert measured["victims"] > 0.97, device["device"]
        assert measured["total"] / measured["total_without"] > 0.95, device["device"]
        assert forecast["verdict"] == "cures"
        assert math.isfinite(forecast["settles_ms"])


def test_a_link_that_is_asked_for_too_much_is_a_hotspot_too(command: Command, tmp_path: Path) -> None:
    (tmp_path / "w.yaml").write_text(
        """\
ibcc_workload: 1
name: pairs
fabric: fabric.yaml
duration_s: 0.01
patterns:
- {kind: pairs, name: P, role: contributor, sources: [H1, H2, H3, H4], destinations: [H5, H6, H7, H8]}
"""
    )
    generated = command(
        "fabric", "generate", "dumbbell", "--left", 4, "--right", 4, "--trunks", 1, "-o", tmp_path / "fabric.yaml"
    )
    assert generated.code == 0
    out = command("profile", "suggest", "--fabric", tmp_path / "fabric.yaml", "--workload", tmp_path / "w.yaml").out
    assert "4 contributors to S1/" in out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--contributors", "1"], "at least 2"),
        (["--contributors", "5-2"], "5 to 2"),
        (["--contributors", "x"], "'x' is not a number of hosts"),
        (["--contributors", "99999999"], "there can be at most 6"),
        (["--devices", "foo"], "'foo' is not a kind of devices"),
        (["--set", "profile.ca.ccti_timer=1"], "settings begin with model."),
        (["--set", "model.ca.cnp_spacing_ns=-5"], "must be 0 to 1000000000"),
        (["--workload", "nope"], "unknown workload 'nope'"),
    ],
)
def test_bad_input_is_a_sentence(command: Command, options: list[str], said: str) -> None:
    finished = command("profile", "suggest", "--fabric", "two-switch", *options)
    assert finished.code == 2
    assert said in finished.err


def test_two_hosts_have_no_congestion(command: Command, tmp_path: Path) -> None:
    fabric = tmp_path / "fabric.yaml"
    command("fabric", "generate", "dumbbell", "--left", 1, "--right", 1, "-o", fabric)
    finished = command("profile", "suggest", "--fabric", fabric)
    assert (finished.code, "congestion needs three" in finished.err) == (2, True)


def test_adapters_that_run_dcqcn_get_values_of_their_own(command: Command, tmp_path: Path) -> None:
    fabric, file = tmp_path / "quantum.yaml", tmp_path / "suggested.yaml"
    fabric.write_text(catalogue.find("fabric", "two-switch").read_text() + "congestion_control: nvidia-dcqcn\n")
    out = command("profile", "suggest", "--fabric", fabric, "--workload", "scenario-1", "-o", file).out
    assert "nvidia.adapter.rp.rpg_min_rate" in out
    assert "ccti_timer" not in out
    assert load_profile(file).to_dict()["nvidia"]["adapter"]["rp"]["rpg_min_rate"] == 831  # 13.3 Gb/s / 4 contributors / 4
    found = json.loads(
        command("profile", "suggest", "--fabric", fabric, "--contributors", "3", "--simulate", "--output", "json").out
    )
    assert [one["device"] for one in found["devices"]] == list(DCQCN_MODELS)
    refused = command("profile", "suggest", "--fabric", fabric, "--devices", "all")
    assert refused.code == 2
    assert "--devices is for annex A10's adapters, and fabric 'two-switch' has none" in refused.err


def test_adapters_that_run_dcqcn_behind_switches_of_annex_a10_get_values_for_both(command: Command, tmp_path: Path) -> None:
    fabric, file = tmp_path / "mixed.yaml", tmp_path / "suggested.yaml"
    rows = "congestion_control: [{kind: switch, dialect: a10}, {kind: host, dialect: nvidia-dcqcn}]\n"
    fabric.write_text(catalogue.find("fabric", "two-switch").read_text() + rows)
    out = command("profile", "suggest", "--fabric", fabric, "--workload", "scenario-1", "-o", file).out
    assert "switch.threshold" in out
    assert "nvidia.adapter.rp.rpg_min_rate" in out
    assert "nvidia.switch" not in out
    assert "ccti_timer" not in out
    without, measured = (
        json.loads(
            command("simulate", "scenario-1", "--time-scale", 0.05, "--fabric", fabric, "--profile", one, "--output", "json").out
        )
        for one in ("off", file)
    )
    assert measured["metrics"]["victim_throughput_gbps"] > 1.5 * without["metrics"]["victim_throughput_gbps"]


@pytest.mark.parametrize(
    "traffic", ["{kind: uniform, name: u, load: 0.3}", "{kind: ping-pong, name: p, sources: [H1], destinations: [H4]}"]
)
def test_a_workload_that_congests_nothing_is_told_so(command: Command, tmp_path: Path, traffic: str) -> None:
    file, profile = tmp_path / "calm.yaml", tmp_path / "profile.yaml"
    head = "ibcc_workload: 1\nname: calm\nfabric: two-switch\nduration_s: 1\n"
    file.write_text(f"{head}patterns: [{traffic}]\n")
    words = ("profile", "suggest", "--fabric", "two-switch", "--workload", file, "-o", profile)
    finished = command(*words)
    assert (finished.code, finished.out) == (1, "")
    assert finished.err.startswith("ibcc: workload 'calm' congests nothing:")
    assert not profile.exists()
    assert command(*words, "--contributors", "4").code == 0, "who says the fan-in gets a profile"
