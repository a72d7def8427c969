# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import csv
import json
import re
from pathlib import Path

import pytest

import ccsim
from tests.tuner.cli.conftest import Command
from tests.tuner.documents.test_host_model import FABRIC, WORKLOAD
from tuner.documents import catalogue
from tuner.measuring.measurement import Measurement

SHORT = ("simulate", "scenario-1", "--time-scale", "0.1")


def test_the_table_shows_flows_and_metrics(command: Command) -> None:
    finished = command(*SHORT)
    assert (finished.code, finished.err) == (0, "")
    lines = finished.out.splitlines()
    assert lines[0].startswith("scenario-1 on two-switch, profile off, 0.5 s, seed 1")
    victim = next(line for line in lines if line.startswith(" F1"))
    assert "H1 → H4" in victim
    assert "2.217" in victim
    assert any("victim throughput" in line and line.rstrip().endswith("Gb/s") for line in lines)
    assert "packet-hops" in lines[-1]


def test_the_json_is_the_measurement(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    finished = command(*SHORT, "--profile", "gran-2010", "--seed", "7", "--output", "json", "-o", file)
    assert (finished.code, finished.out, finished.err) == (0, "", "")
    measurement = Measurement.from_json(json.loads(file.read_text()))
    assert (measurement.profile, measurement.seed, measurement.fabric) == ("gran-2010", 7, "two-switch")
    assert measurement.metrics.victim_throughput_gbps == pytest.approx(13.0, abs=0.3)


def test_the_csv_is_the_series(command: Command) -> None:
    rows = list(csv.DictReader(command(*SHORT, "--output", "csv").out.splitlines()))
    assert list(rows[0]) == ["t_s", "F1_gbps", "F2_gbps", "F3_gbps", "F4_gbps", "F5_gbps"]
    assert [row["t_s"] for row in rows[:2]] == ["0.01", "0.02"]
    assert len(rows) == 50
    assert float(rows[5]["F1_gbps"]) == pytest.approx(13.0, rel=0.01)


@pytest.mark.long
def test_settings_change_profile_and_model(command: Command) -> None:
    def victim(*settings: str) -> float:
        arguments = [part for setting in settings for part in ("--set", setting)]
        document = json.loads(command(*SHORT, "--profile", "gran-2010", "--output", "json", *arguments).out)
        return float(document["metrics"]["victim_throughput_gbps"])

    assert victim("profile.enable=false") < 3
    assert victim("profile.switch.threshold=0") < 3  # never marks
    assert victim("model.ca.becn_carrier=ack", "profile.ca.ccti_timer=150") > 3


def test_help_lists_the_schemes(command: Command) -> None:
    words = command("simulate", "--help").out.split()
    for scheme in ccsim.schemes():
        line = [f"{scheme['name']}:", *scheme["summary"].split()]
        assert any(words[i : i + len(line)] == line for i in range(len(words))), scheme["name"]


@pytest.mark.long
def test_a_scheme_is_chosen_by_a_setting(command: Command) -> None:
    def metrics(*arguments: str) -> object:
        return json.loads(command(*SHORT, "--output", "json", *arguments).out)["metrics"]

    # The switch is the same, so the packets are.
    throttled = metrics("--profile", "gran-2010", "--set", "model.scheme.name=ith")
    assert throttled == metrics("--profile", "gran-2010") != metrics()


def test_injection_throttling_needs_congestion_control(command: Command) -> None:
    finished = command(*SHORT, "--set", "model.scheme=ith")
    assert finished.code == 2
    assert "model.scheme.name is 'ith', and no profile of this run enables congestion control" in finished.err
    assert command(*SHORT, "--set", "model.scheme=ith", "--then", "2.5:gran-2010").code == 0


def test_an_unknown_scheme_is_a_sentence(command: Command) -> None:
    finished = command(*SHORT, "--set", "model.scheme.name=pigeons")
    assert finished.code == 2
    assert (
        f"model.scheme.name is 'pigeons'; it must be one of {', '.join(row['name'] for row in ccsim.schemes())}" in finished.err
    )


def test_another_fabric(command: Command, tmp_path: Path) -> None:
    text = catalogue.find("fabric", "two-switch").read_text()
    fast = tmp_path / "fast.yaml"
    fast.write_text(text.replace("name: two-switch", "name: fast").replace(", inject_gbps: 13.0, receive_gbps: 13.3", ""))
    document = json.loads(command(*SHORT, "--fabric", fast, "--output", "json").out)
    assert document["fabric"] == "fast"
    assert document["metrics"]["contributor_total_gbps"] > 15


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["scenario-9"], "unknown workload 'scenario-9'"),
        (["scenario-1", "--profile", "gran"], "unknown profile 'gran'"),
        (["scenario-1", "--fabric", "one-switch"], "unknown fabric 'one-switch'; did you mean 'two-switch' or 'two-switch-16'?"),
        (["scenario-1", "--backend", "imaginary"], "backend 'imaginary' is not known"),
        (
            ["scenario-1", "--set", "profile.ca.ccti_timer=70000", "--profile", "gran-2010"],
            "profile 'gran-2010' with ca.ccti_timer=70000",
        ),
        (["scenario-1", "--set", "profile.ca.ccti_tmer=7", "--profile", "gran-2010"], "ccti_tmer"),
        (["scenario-1", "--set", "model.switch.read_ports=0"], "model.switch.read_ports is 0"),
        (["scenario-1", "--set", "color=red"], "--set color: unknown setting"),
        (["scenario-1", "--time-scale", "0"], "the time scale is 0; it must be above 0, and finite"),
        (["scenario-1", "--seed", str(2**64)], "--seed"),
        (["scenario-1", "--time-scale", "0.001"], "there is no window to judge"),
    ],
)
def test_bad_input_is_one_sentence_and_2(command: Command, arguments: list[str], sentence: str) -> None:
    finished = command("simulate", *arguments)
    assert (finished.code, finished.out) == (2, "")
    assert finished.err.startswith("ibcc: ")
    assert finished.err.count("\n") == 1
    assert sentence in finished.err


@pytest.mark.parametrize(
    ("flow", "sentence"),
    [
        ("{name: F, src: H1, dst: H9}", "w.yaml:5: flow 'F': unknown host 'H9'"),
        ("{name: F, src: S1, dst: H4}", "w.yaml:5: flow 'F': 'S1' is a switch on fabric 'two-switch', not a host"),
        ("{name: F, src: H1, dst: 'lid:7'}", "w.yaml:5: flow 'F': no host has 'lid:7' on fabric 'two-switch'"),
        ("{name: F, src: H1, dst: H1}", "w.yaml:5: flows[0] sends from 'H1' to itself"),
        ("{name: F, src: H1, dst: H4, sl: 99}", "w.yaml:5: flows[0].sl is 99; it must be from 0 to 15"),
    ],
)
def test_bad_workloads(command: Command, tmp_path: Path, flow: str, sentence: str) -> None:
    file = tmp_path / "w.yaml"
    file.write_text(f"ibcc_workload: 1\nname: w\nfabric: two-switch\nduration_s: 0.1\nflows: [{flow}]\n")
    finished = command("simulate", file)
    assert (finished.code, finished.out) == (2, "")
    assert sentence in finished.err
    assert finished.err.count("\n") == 1


def test_what_the_fabric_has_no_use_for_is_told_once(command: Command, tmp_path: Path) -> None:
    text = catalogue.find("profile", "gran-2010").read_text()
    profile = tmp_path / "p.yaml"
    profile.write_text(text + 'overrides:\n- {match: {node: "NOPE*"}, switch: {threshold: 3}}\n')
    finished = command("simulate", "scenario-1", "--time-scale", "0.05", "--profile", profile, "--output", "csv")
    assert finished.code == 0
    assert finished.err.count("\n") == 1
    assert "overrides[0]" in finished.err
    assert "NOPE*" in finished.err
    assert finished.out.startswith("t_s,")


def test_credit_starvation_holds_credits_back(command: Command) -> None:
    arguments = ("simulate", "scenario-1", "--time-scale", "0.05", "--output", "json", "--profile", "gran-2010")
    mask = ("--set", "profile.switch.credit_mask=all")
    starving = command(*arguments, *mask, "--set", "profile.switch.cs_threshold=15")
    assert starving.err == ""
    held = [
        sum(row["credits_held"] for row in json.loads(done.out)["counters"]["ports"])
        for done in (command(*arguments, *mask), starving)
    ]
    assert held[0] == 0 < held[1]


@pytest.mark.long
def test_another_profile_in_mid_run(command: Command) -> None:
    arguments = ("simulate", "scenario-1", "--time-scale", "0.1", "--output", "json")
    switched = json.loads(command(*arguments, "--then", "4:gran-2010").out)
    assert switched["profile"] == "off, gran-2010 from 0.4 s"
    plain = json.loads(command(*arguments).out)
    at = [i for i, sample in enumerate(plain["flows"][0]["series"]) if sample["t_s"] <= 0.4]
    for before, after in zip(plain["flows"], switched["flows"], strict=True):
        assert [before["series"][i] for i in at] == [after["series"][i] for i in at]
    assert plain["flows"][0]["series"][-1]["gbps"] < 6 < switched["flows"][0]["series"][-1]["gbps"]
    logs = switched["counters"]["congestion_logs"]
    assert {log["node"] for log in logs["switches"]} >= {"S2"}
    assert all(entry[3] >= 0.4 for log in logs["switches"] for entry in log["entries"])


@pytest.mark.parametrize("then", ["gran-2010", "x:gran-2010", "-1:gran-2010"])
def test_a_time_that_is_none_is_bad_input(command: Command, then: str) -> None:
    done = command("simulate", "scenario-1", f"--then={then}")
    assert done.code == 2
    assert f"--then '{then}' is not SECONDS:PROFILE" in done.err


def test_a_change_after_the_end_is_bad_input(command: Command) -> None:
    done = command(*SHORT, "--set", "model.scheme.name=ith", "--then", "99:gran-2010")
    assert done.code == 2
    assert "--then '99:gran-2010' comes after the end of workload 'scenario-1', at " in done.err


def test_many_flows_are_groups_and_hosts(command: Command, tmp_path: Path) -> None:
    workload = tmp_path / "many.yaml"
    patterns = "".join(f"- {{kind: uniform, name: u{i}, role: victim, load: 0.01, message_bytes: 2048}}\n" for i in range(6))
    head = "ibcc_workload: 1\nname: many\nfabric: two-switch\nduration_s: 0.01\nsample_interval_s: 0.001\npatterns:\n"
    workload.write_text(head + patterns)
    lines = [" ".join(line.split()) for line in command("simulate", workload).out.splitlines()]
    (row,) = [line for line in lines if line.startswith("u0 ")]
    assert row.startswith("u0 7 hosts → uniform(7 hosts) victim 7 0.1")
    assert sum(line.startswith(("u0", "u1", "u2", "u3", "u4", "u5")) for line in lines) == 6
    assert any(re.match(r"7 hosts receive 0\.7\d\d Gb/s on average, from", line) for line in lines)
    assert sum(line.startswith("H") and line.count(" ") == 1 for line in lines) == 7


def test_round_trips_are_shown(command: Command) -> None:
    lines = command("simulate", "ping-pong").out.splitlines()
    (row,) = [line.split() for line in lines if line.split()[:1] == ["within-a-switch-request"]]
    assert float(row[-1]) == pytest.approx(4.84, abs=0.01)  # alone in its switch: always the same


def test_a_trace_that_is_wrong_is_told_with_its_line(command: Command, tmp_path: Path) -> None:
    workload = tmp_path / "w.yaml"
    (tmp_path / "t.csv").write_text("time_s,src,dst,bytes\n0,H1,H2,64\n0,H1,H2,none\n")
    workload.write_text(
        "ibcc_workload: 1\nname: w\nfabric: two-switch\nduration_s: 1\npatterns:\n- {kind: trace, name: t, file: t.csv}\n"
    )
    finished = command("simulate", workload)
    assert finished.code == 2
    assert f"{tmp_path}/t.csv:3: bytes is 'none'; it must be a whole number" in finished.err


def test_modelled_hosts_have_a_table_and_panels(command: Command, tmp_path: Path) -> None:
    (tmp_path / "f.yaml").write_text(FABRIC)
    workload, plot = tmp_path / "w.yaml", tmp_path / "plot.svg"
    workload.write_text(WORKLOAD.replace("fabric: f", "fabric: f.yaml").replace("src: H1, dst: H2", "src: H2, dst: H1"))
    finished = command("simulate", workload, "--plot", plot)
    assert (finished.code, finished.err) == (0, "")
    row = next(line for line in finished.out.splitlines() if line.startswith(" H1 "))
    assert "110.00" in row
    assert "occupancy (cache lines)" in plot.read_text()
    refused = command("simulate", workload, "--set", "model.scheme.name=dbbm")
    assert refused.code == 2
    assert "with host models it must be one of ith, swift, voqsw" in refused.err
