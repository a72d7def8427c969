# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What the agent does for requests that are right, and what it tells."""

import ast
import json
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.perftest_mods.agent.agent_process import (
    AGENT,
    PYTHON,
    Agent,
    answer,
    configuration,
    free_port,
    harmless_library,
    process,
    run_request,
)


def test_a_server_listens_before_it_is_told_and_clients_report(tmp_path: Path) -> None:
    port = free_port()
    config = configuration(tmp_path, ports=[1024, 65535])
    server = process(id="s", side="server", peer=None, tcp_port=port, stop_s=0.5)
    with Agent(config, run_request(server, process(id="c", tcp_port=port))) as agent:
        listening = agent.until("listening")
        assert (listening["id"], listening["tcp_port"]) == ("s", port)
        events = agent.rest()
        assert agent.code() == 0
    assert [event["id"] for event in events if event["event"] == "started"] == ["s", "c"]
    lines = [event["line"] for event in events if event["event"] == "meter"]
    for name in "sc":
        kinds = [line["kind"] for line in lines if line["id"] == name]
        assert kinds[0] == "start"
        assert kinds[-1] == "final"
        assert kinds.count("interval") >= 2
    ended = [(event["exit_code"], event["signal"]) for event in events if event["event"] == "ended"]
    assert ended == [(0, None)] * 2
    assert events[-1] == {"ibcc_agent": 1, "event": "done", "left": 0}


def test_the_program_gets_each_value_behind_its_option_and_an_environment_of_ours_alone(tmp_path: Path) -> None:
    wanted = process(
        program="honest", ib_port=1, gid_index=3, message_bytes=4096, qps=8, sl=2, mtu=2048, tx_depth=64, stop_s=1.5,
        start_ns=time.time_ns(), schedule="0=off,1=max", peer="fe80::1%lo",
    )  # fmt: skip
    code, events = answer(configuration(tmp_path, peers=["fe80::/10"]), run_request(wanted))
    assert code == 1
    (output,) = (event["text"] for event in events if event["event"] == "output")
    told = json.loads(output)
    assert told["argv"][1:] == [
        "-F", "--run_infinitely", "-d", "mlx5_0", "-i", "1", "-x", "3", "-p", "18515", "-s", "4096", "-q", "8", "-S", "2",
        "-m", "2048", "-t", "64", "fe80::1%lo",
    ]  # fmt: skip
    environment = {key: value for key, value in told["environment"].items() if key != "IBCC_METER_OUTPUT"}
    assert environment == {
        "PATH": "/usr/bin:/bin",
        "LC_ALL": "C",
        "LD_PRELOAD": harmless_library(),
        "IBCC_METER_ID": "f1",
        "IBCC_METER_INTERVAL_MS": "20",
        "IBCC_METER_SCHEDULE": "0=off,1=max",
        "IBCC_METER_START_NS": str(wanted["start_ns"]),
        "IBCC_METER_STOP_S": "1.5",
    }


def test_a_program_that_fails_is_told_with_its_last_words(tmp_path: Path) -> None:
    code, events = answer(configuration(tmp_path), run_request(process(program="broken"), process(id="f2")))
    assert code == 1
    assert [(e["id"], e["text"]) for e in events if e["event"] == "output"] == [("f1", "no such luck\n")]
    assert {e["id"]: e["exit_code"] for e in events if e["event"] == "ended"} == {"f1": 7, "f2": 0}


def test_only_the_meters_lines_are_handed_on(tmp_path: Path) -> None:
    code, events = answer(configuration(tmp_path), run_request(process(program="chatty")))
    assert code == 0
    assert [event["line"] for event in events if event["event"] == "meter"] == [{"ibcc_meter": 1}]
    assert [event["id"] for event in events if event["event"] == "error"] == ["f1"]
    assert [event["event"] for event in events].count("done") == 1


def test_no_line_is_lost_at_the_end(tmp_path: Path) -> None:
    code, events = answer(configuration(tmp_path), run_request(process(program="burst")))
    assert code == 0
    assert [event["line"]["number"] for event in events if event["event"] == "meter"] == list(range(3000))


@pytest.mark.parametrize(
    ("changes", "wanted", "sentence"),
    [
        ({"programs": {"obedient": "/nonexistent/ib_write_bw"}}, {}, "obedient is not there"),
        ({"meter": "/nonexistent/meter.so"}, {}, "the meter is not there"),
        ({}, {"device": "mlx5_7"}, "device mlx5_7 has no port 1 here"),
        ({}, {"ib_port": 2}, "device mlx5_0 has no port 2 here"),
    ],
)
def test_what_is_not_there_is_told_before_anything_starts(
    tmp_path: Path, changes: dict[str, object], wanted: dict[str, object], sentence: str
) -> None:
    code, events = answer(configuration(tmp_path, **changes), run_request(process(), process(**{"id": "f2", **wanted})))
    assert code == 3
    assert [event["event"] for event in events] == ["hello", "error", "done"]
    assert sentence in events[1]["sentence"]


def test_a_taken_port_is_told_and_not_taken_for_our_server(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        server = process(side="server", peer=None, tcp_port=port)
        code, events = answer(configuration(tmp_path, ports=[1024, 65535]), run_request(server))
    assert code == 1
    assert f"TCP port {port} is taken" in events[1]["sentence"]


def test_clock_answers_each_newline(tmp_path: Path) -> None:
    with Agent(configuration(tmp_path), b'{"op":"clock","count":3}\n') as agent:
        agent.until("hello")
        read = []
        for _ in range(3):
            before = time.time_ns()
            agent.write(b"\n")
            read.append((before, agent.until("clock")["wall_ns"], time.time_ns()))
        agent.rest()
        assert agent.code() == 0
    assert all(before <= between <= after for before, between, after in read)
    assert agent.kinds() == ["hello", "clock", "clock", "clock", "done"]


@pytest.mark.long
def test_check_tells_what_there_is(tmp_path: Path) -> None:
    code, events = answer(configuration(tmp_path), b'{"op":"check"}\n')
    assert code == 0
    found = events[1]
    assert found["event"] == "check"
    version = subprocess.run([PYTHON, "--version"], check=True, capture_output=True, text=True).stdout
    assert f"Python {found['python']}" == version.strip()
    assert found["devices"] == [
        {
            "name": "mlx5_0", "port": 1, "state": "ACTIVE", "physical_state": "LinkUp", "rate": "100 Gb/sec (4X EDR)",
            "link_layer": "InfiniBand", "lid": "0x12", "gid": "fe80:0000:0000:0000:0002:c903:0000:0a01",
            "port_guid": "0x0002c90300000a01", "node_guid": "0x0002c90300000a00",
        }
    ]  # fmt: skip
    assert found["programs"]["obedient"]["version"] == "4.5"
    assert found["meter"] == {"path": harmless_library(), "works": True, "error": None}
    assert found["limits"]["nofile"] > 0
    assert found["ports"]["first"] == 18515


def test_check_tells_what_is_wrong(tmp_path: Path) -> None:
    programs = {"ib_write_bw": "/nonexistent/ib_write_bw", "true": "/bin/true"}
    code, events = answer(configuration(tmp_path, programs=programs, sysfs="/nonexistent"), b'{"op":"check"}\n')
    assert code == 0
    found = events[1]
    assert found["programs"]["ib_write_bw"]["error"] == "No such file or directory"
    assert found["meter"]["works"] is False  # true does not end with 2
    assert found["devices"] == []


def test_listen_and_connect_show_whether_ports_can_be_reached(tmp_path: Path) -> None:
    config = configuration(tmp_path, ports=[1024, 65535])
    port = free_port()
    to_it = json.dumps({"op": "connect", "peer": "127.0.0.1", "tcp_port": port}).encode() + b"\n"
    with Agent(config, json.dumps({"op": "listen", "tcp_port": port}).encode() + b"\n") as listener:
        listener.until("listening")
        code, events = answer(config, to_it)
        assert code == 0
        assert events[1]["event"] == "connected"
        assert "127.0.0.1" in listener.until("accepted")["address"]
        listener.hang_up()
        assert listener.rest()[-1]["left"] == 0
        assert listener.code() == 0
    code, events = answer(config, to_it)
    assert code == 1
    assert f"127.0.0.1, port {port}, cannot be reached: Connection refused" in events[1]["sentence"]


def test_python_3_8_can_read_it() -> None:
    ast.parse(AGENT.read_text(), feature_version=(3, 8))


def test_it_needs_the_standard_library_only() -> None:
    imported = {
        name.name.split(".")[0]
        for node in ast.walk(ast.parse(AGENT.read_text()))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in node.names
    }
    assert imported <= sys.stdlib_module_names
