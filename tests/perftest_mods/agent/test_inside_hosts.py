# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What the agent says of the inside of its host, on made-up machines, and where it places programs."""

import json
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.perftest_mods.agent.agent_process import AGENT, PYTHON, Agent, answer, configuration, free_port, process, run_request
from tests.perftest_mods.agent.made_up_sysfs import MadeUpHost
from tests.perftest_mods.agent.test_attacks import HOSTILE, ibcc_agent, refused


def made_up(tmp_path: Path, host: MadeUpHost | None = None, **changes: object) -> Path:
    return configuration(tmp_path, sysfs=str((host or MadeUpHost()).write(tmp_path / "sys")), **changes)


def told(config: Path, op: str, **values: object) -> dict[str, Any]:
    code, events = answer(config, json.dumps({"op": op, **values}).encode() + b"\n")
    assert code == 0, events
    (found,) = (event for event in events if event["event"] == op)
    return found


def test_topology_has_the_bridges_above_each_adapter_and_gpu(tmp_path: Path) -> None:
    found = told(made_up(tmp_path), "topology")
    assert [adapter["name"] for adapter in found["adapters"]] == ["mlx5_0", "mlx5_1", "mlx5_2", "mlx5_3"]
    assert found["adapters"][1]["bridges"] == ["0000:20:01.0", "0000:21:00.0", "0000:22:01.0", "0000:23:01.0"]
    assert [gpu["bridges"][0] for gpu in found["gpus"]] == [f"0000:{port}0:01.0" for port in (1, 1, 2, 2, 3, 3, 4, 4)]
    card = found["pci"]["0000:23:01.0"]
    assert (card["numa_node"], card["iommu_group"], card["control"]) == (0, None, None)
    assert card["errors"] == {"correctable": 5, "nonfatal": 0, "fatal": 0}
    assert card["link"]["current_link_width"] == "16"
    assert found["pci"]["0000:20:01.0"]["numa_node"] is None
    assert [(node["node"], node["socket"], node["memory_bytes"]) for node in found["numa_nodes"]] == [
        (0, 0, 1 << 20),
        (1, 1, 1 << 20),
    ]
    assert found["model"]["product_name"] == "Model 7"


def test_what_only_root_reads_has_the_command_and_serial_numbers_stay_on_the_host(tmp_path: Path) -> None:
    found = told(made_up(tmp_path), "topology")
    (missing,) = found["not_readable"]
    assert "ACS" in missing["what"]
    assert missing["command"] == "lspci -vvv"
    assert "SECRET" not in json.dumps(found)


def test_a_host_without_adapters_and_one_without_anything(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    found = told(made_up(tmp_path / "one", MadeUpHost(adapters=(), gpus=())), "topology")
    assert (found["adapters"], found["gpus"], found["pci"], found["not_readable"]) == ([], [], {}, [])
    (tmp_path / "two").mkdir()
    found = told(configuration(tmp_path / "two", sysfs=str(tmp_path / "none/class/infiniband")), "topology")
    assert (found["adapters"], found["numa_nodes"], found["iommu"]) == ([], [], {"on": False})


def test_adapters_that_are_not_allowed_are_not_told(tmp_path: Path) -> None:
    found = told(made_up(tmp_path, devices=["mlx5_2"]), "topology")
    assert [adapter["name"] for adapter in found["adapters"]] == ["mlx5_2"]


def test_an_adapter_of_soft_roce_is_where_its_network_card_is(tmp_path: Path) -> None:
    config = made_up(tmp_path)
    sysfs = tmp_path / "sys"
    (sysfs / "class/infiniband/rxe0/ports/1").mkdir(parents=True)
    (sysfs / "class/infiniband/rxe0/parent").write_text("eth3\n")
    (sysfs / "class/net/eth3").mkdir(parents=True)
    (sysfs / "class/net/eth3/device").symlink_to(sysfs / "bus/pci/devices/0000:33:02.0")
    (sysfs / "class/infiniband/rxe1").mkdir()
    (sysfs / "class/infiniband/rxe1/parent").write_text("../../../../etc\n")
    chains = {adapter["name"]: adapter["bridges"] for adapter in told(config, "topology")["adapters"]}
    assert chains["rxe0"][0] == "0000:30:01.0"
    assert chains["rxe1"] == []


def config_space(*, acs: int, ats: int) -> bytes:
    data = bytearray(4096)
    data[0x34] = 0x60
    data[0x60:0x62] = bytes((0x10, 0))
    struct.pack_into("<H", data, 0x68, 0x10 | 1 << 5 | 5 << 12)
    struct.pack_into("<IHH", data, 0x100, 0x0D | 1 << 16 | 0x140 << 20, 0, acs)
    struct.pack_into("<IHH", data, 0x140, 0x0F | 1 << 16, 0, ats)
    return bytes(data)


@pytest.mark.parametrize(("acs", "ats", "expected"), [(0x0C, 0x8000, (True, True)), (0x11, 0x7FFF, (False, False))])
def test_root_reads_acs_and_ats(tmp_path: Path, acs: int, ats: int, expected: tuple[bool, bool]) -> None:
    config = made_up(tmp_path, MadeUpHost(adapters=(0,), gpus=(), sockets=(0,), has_switches=False))
    for bridge in (tmp_path / "sys/bus/pci/devices").iterdir():
        (bridge / "config").write_bytes(config_space(acs=acs, ats=ats))
    found = told(config, "topology")
    control = found["pci"]["0000:12:00.0"]["control"]
    assert (control["acs"], control["ats"]) == expected
    assert (control["max_payload_bytes"], control["max_read_bytes"], control["relaxed_ordering"]) == (256, 4096, True)
    assert found["not_readable"] == []


@pytest.mark.parametrize("data", [b"", bytes(256), b"\xff" * 4096, b"\x10\x40" * 2048, bytes(0x100) + b"\x0d\x00\x01\x10" * 960])
def test_any_configuration_space_is_read_to_an_end(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "config").write_bytes(data)
    assert ibcc_agent.pci_control(str(tmp_path / "config")) is None or len(data) >= 256


def test_use_tells_traffic_and_what_cannot_be_read(tmp_path: Path) -> None:
    config = ibcc_agent.read_config(str(made_up(tmp_path, MadeUpHost(adapters=(0,), gpus=(), sockets=(0,)))))
    domain = tmp_path / "sys/fs/resctrl/mon_data/mon_L3_00"
    counters = tmp_path / "sys/class/infiniband/mlx5_0/ports/1/counters"
    domain.mkdir(parents=True)
    (domain / "mbm_total_bytes").write_text("5\n")
    first = {**ibcc_agent.use_sample(config), "at": 10.0}
    (counters / "port_xmit_data").write_text("250001000\n")
    (counters / "port_xmit_wait").write_text("19\n")
    (domain / "mbm_total_bytes").write_text("1000000005\n")
    found = dict(ibcc_agent.use_between(first, {**ibcc_agent.use_sample(config), "at": 12.0}, config))
    (port,) = found["ports"]
    assert (port["sent_gbps"], port["received_gbps"]) == (4.0, 0)
    assert port["counters"] == {"port_xmit_wait": 12, "out_of_buffer": 0}
    assert found["memory_gbps"] == {"mon_L3_00": 4.0}
    assert [missing["command"].split()[:2] for missing in found["not_readable"]] == [["perf", "stat"]]


def test_use_waits_for_the_seconds_that_were_asked_for(tmp_path: Path) -> None:
    found = told(made_up(tmp_path), "use", seconds=0.1)
    assert found["seconds"] >= 0.1
    assert found["memory_gbps"] is None
    assert "cas_count" in found["not_readable"][0]["command"]
    assert found["cpus"]["busy_share"] is None or 0 <= found["cpus"]["busy_share"] <= 1


def test_use_ends_when_nobody_waits_for_it(tmp_path: Path) -> None:
    with Agent(made_up(tmp_path), b'{"op":"use","seconds":10}\n') as agent:
        agent.until("hello")
        agent.hang_up()
        assert [event["event"] for event in agent.rest()] == ["hello", "done"]


def test_memory_of_a_program_comes_from_the_node_that_was_asked_for(tmp_path: Path) -> None:
    config = made_up(tmp_path)
    with Agent(config, run_request(process(numa_node=0, stop_s=60), process(id="free", stop_s=60))) as agent:
        pids = {started["id"]: started["pid"] for started in (agent.until("started"), agent.until("started"))}
        agent.until("meter")
        policies = {name: Path(f"/proc/{pid}/numa_maps").read_text() for name, pid in pids.items()}
        agent.hang_up()
        agent.rest()
    assert all(line.split()[1] == "bind:0" for line in policies["f1"].splitlines())
    assert "bind" not in policies["free"]


def test_a_node_without_memory_is_refused(tmp_path: Path) -> None:
    code, events = answer(made_up(tmp_path), run_request(process(numa_node=7)))
    assert code == 3
    assert "numa_node is 7; nodes whose memory the agent may use are 0" in events[1]["sentence"]


def test_a_node_that_the_kernel_refuses_is_named(tmp_path: Path) -> None:
    """The made-up host has node 1, and this machine's kernel does not."""
    if len(list(Path("/sys/devices/system/node").glob("node[1-9]*"))) > 0:
        pytest.skip("this machine has several NUMA nodes")
    allowed = 'return found & (number_list(allowed.partition(":")[2].strip()) or found)'
    text = AGENT.read_text()
    assert allowed in text
    (tmp_path / "agent.py").write_text(text.replace(allowed, "return found"))
    done = subprocess.run(
        [PYTHON, "-IS", tmp_path / "agent.py", "--config", made_up(tmp_path)],
        input=run_request(process(numa_node=1)),
        capture_output=True,
    )
    events = [json.loads(line) for line in done.stdout.splitlines()]
    (sentence,) = (event["sentence"] for event in events if event["event"] == "error")
    assert sentence.startswith("obedient cannot be started: ")
    assert sentence.endswith("The kernel may refuse memory of NUMA node 1 here.")
    assert events[-1]["left"] == 0


@pytest.mark.parametrize(("first", "second"), [(True, False), (False, True), (True, True)])
def test_a_request_that_measures_alone_shares_no_device(
    tmp_path: Path, first: bool, second: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = ibcc_agent.read_config(str(made_up(tmp_path)))
    monkeypatch.setattr(ibcc_agent, "ROOM_WAIT_S", 0.0)
    wanted = {**process(), "qps": 1, "tx_depth": 1}
    share = ibcc_agent.Share([wanted], config, alone=first)
    with pytest.raises(ibcc_agent.RefusedError, match="device mlx5_0 is used by request 'f1' .* measures alone"):
        ibcc_agent.Share([wanted], config, alone=second)
    ibcc_agent.Share([{**wanted, "device": "mlx5_1"}], config, alone=second).give_back()
    share.give_back()
    ibcc_agent.Share([wanted], config, alone=second).give_back()


@pytest.mark.parametrize("value", [value for value in HOSTILE if value is not None and not isinstance(value, bool)], ids=repr)
def test_new_fields_take_what_they_should_and_nothing_else(value: Any) -> None:
    refused(run_request(process(), alone=value))
    refused(json.dumps({"op": "topology", "path": value}).encode())
    if value not in (1, 1.5):
        refused(json.dumps({"op": "use", "seconds": value}).encode())


@pytest.mark.parametrize(
    ("line", "numbers"),
    [("0-3,8", {0, 1, 2, 3, 8}), ("5", {5}), ("", set()), (None, set()), ("x-3", set()), ("3-", {3}), ("9-1", set())],
)
def test_lists_of_the_kernels(line: str | None, numbers: set[int]) -> None:
    assert ibcc_agent.number_list(line) == numbers


def test_a_client_of_a_server_of_the_same_request_is_started_when_that_one_listens(tmp_path: Path) -> None:
    port = free_port()
    client, server = process(id="c", tcp_port=port), process(id="s", side="server", peer=None, tcp_port=port, stop_s=0.5)
    code, events = answer(made_up(tmp_path, ports=[1024, 65535]), run_request(client, server))
    assert code == 0
    assert [(event["event"], event["id"]) for event in events if event["event"] in ("started", "listening")] == [
        ("started", "s"),
        ("listening", "s"),
        ("started", "c"),
    ]


def test_a_client_whose_server_ends_before_it_listens_is_told(tmp_path: Path) -> None:
    port = free_port()
    server = process(id="s", side="server", peer=None, tcp_port=port, program="broken")
    code, events = answer(made_up(tmp_path, ports=[1024, 65535]), run_request(process(id="c", tcp_port=port), server))
    assert code == 1
    assert [event["sentence"] for event in events if event["event"] == "error"] == ["its server 's' ended before it listened"]
    assert [event["id"] for event in events if event["event"] == "started"] == ["s"]
