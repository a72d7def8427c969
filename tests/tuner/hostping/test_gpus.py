# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""GPUs as endpoints, where the inventory names a program that is built for them; elsewhere they are not measured."""

from pathlib import Path
from typing import Any

import pytest

from tests.perftest_mods.agent.made_up_sysfs import MadeUpHost
from tests.tuner.hostping.scripted import ScriptedLauncher, hello, run_events, topology_event, use_event
from tuner.cli.hosts_ping_output import panels, tables
from tuner.document_base.model import build_model
from tuner.documents.inventory import Inventory
from tuner.errors import BadInputError
from tuner.hostping import ping
from tuner.hostping.diagnosis import HostVerdict
from tuner.hostping.ping import HostPing, PingSettings
from tuner.hostping.ping_document import host_document
from tuner.hosts.launchers.base import Event, Request
from tuner.report.plots import host_matrix

HOST = MadeUpHost(sockets=(0, 1), adapters=(0, 1), gpus=(0, 1))
GPUS = {"program": "ib_write_bw_cuda", "kind": "cuda"}


class Fleet:
    """Five hosts with two GPUs each. `slow`: the GPU of n3 that has 60 Gb/s."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.topology, self.requests = topology_event(folder, HOST), []  # type: tuple[Event, list[Request]]
        self.slow = ""
        monkeypatch.setattr(ping, "open_launcher", lambda options, command: ScriptedLauncher(self.answer))
        self.names = sorted(gpu["name"] for gpu in self.topology["gpus"])

    def answer(self, node: str, request: Request) -> list[Event] | str:
        match request["op"]:
            case "topology":
                return [hello(), self.topology]
            case "use":
                return [hello(), use_event()]
            case _:
                self.requests.append(request)
                return run_events(
                    request, lambda adapter, endpoint: (60.0 if node == "n3" and endpoint == self.slow else 196.0, 1.0)
                )

    def rows(self, gpus: dict[str, Any] | None, ports: int = 99) -> list[HostPing]:
        hosts = [{"nodes": "n[1-5]", "host": "H{number}", "tcp_ports": [20000, 20000 + ports], "gpus": gpus}]
        launcher = {"kind": "local"}
        document = {"ibcc_inventory": 1, "name": "s", "fabric": "two-switch", "launcher": launcher, "hosts": hosts}
        read = build_model(Inventory, document)
        return ping.ping_hosts(read, tuple(read.by_node.values()), PingSettings(at_once=1))[0]


@pytest.fixture
def fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fleet:
    return Fleet(tmp_path, monkeypatch)


def test_each_gpu_is_an_endpoint_of_the_program_that_the_inventory_names(fleet: Fleet) -> None:
    fleet.slow = fleet.names[1]
    rows = fleet.rows(GPUS)
    asked = {
        (process["program"], process.get("use_cuda"), process.get("numa_node"))
        for request in fleet.requests
        for process in request["processes"]
    }
    assert asked == {
        ("ib_write_bw", None, 0),
        ("ib_write_bw", None, 1),
        ("ib_write_bw_cuda", 0, None),
        ("ib_write_bw_cuda", 1, None),
    }
    assert all(len(process["id"]) <= 64 for request in fleet.requests for process in request["processes"])
    slow = rows[2]
    assert slow.diagnosis is not None
    assert (slow.verdict, slow.diagnosis.named) == (HostVerdict.SLOW, (f"pcie:{fleet.names[1]}",))
    assert {row.verdict for row in rows[:2]} == {HostVerdict.NORMAL}
    assert slow.diagnosis.not_measured == []
    document = host_document(slow)
    assert "not measured" not in str(list(tables([document])))
    assert fleet.names[1] in host_matrix.svg(panels([document]))


def test_without_such_a_program_gpus_are_not_measured_and_never_normal(fleet: Fleet) -> None:
    (first, *_) = fleet.rows(None)
    assert first.diagnosis is not None
    assert {endpoint for _, endpoint in first.diagnosis.not_measured} == set(fleet.names)
    assert {first.diagnosis.links[f"pcie:{name}"].state.value for name in fleet.names} == {"not-judged"}
    assert "2 of its 2 GPUs were not measured" in str(list(tables([host_document(first)])))


def test_gpus_of_another_maker_are_not_tested_by_a_program_for_these(fleet: Fleet) -> None:
    (first, *_) = fleet.rows({"program": "ib_write_bw_rocm", "kind": "rocm"})
    assert {endpoint for _, endpoint in first.measured.cells} == {"node0", "node1"}


def test_too_few_ports_and_other_kinds_are_told(fleet: Fleet) -> None:
    (first, *_) = fleet.rows(GPUS, ports=5)
    assert "are 6; loop-back tests need 8" in str(first.measured.error)
    with pytest.raises(BadInputError, match=r"kind is 'opencl'|'cuda'"):
        fleet.rows({"program": "x", "kind": "opencl"})
    with pytest.raises(BadInputError, match="program"):
        fleet.rows({"program": "/opt/x", "kind": "cuda"})
