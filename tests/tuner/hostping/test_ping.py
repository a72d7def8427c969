# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Hosts measured and judged, by agents that are scripted: what goes wrong on one costs its own row."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.perftest_mods.agent.made_up_sysfs import MadeUpHost
from tests.tuner.hostping.scripted import ScriptedLauncher, error, hello, run_events, topology_event, use_event
from tuner.document_base.model import build_model
from tuner.documents.inventory import Inventory
from tuner.errors import InterruptedRunError
from tuner.hostping import ping
from tuner.hostping.baselines import Confidence, HostBaselines
from tuner.hostping.diagnosis import HostVerdict, LinkState
from tuner.hostping.ping import HostPing, PingSettings
from tuner.hosts.launchers.base import Event, Request

TWO = MadeUpHost(sockets=(0, 1), adapters=(0, 1), gpus=())
SETTINGS = PingSettings(at_once=3)
Rates = Callable[[str, str], tuple[float, float]]


def inventory(count: int, ports: int = 10) -> Inventory:
    hosts = [{"nodes": f"n{n}", "host": f"H{n}", "tcp_ports": [20000, 19999 + ports]} for n in range(1, count + 1)]
    launcher = {"kind": "local"}
    return build_model(
        Inventory, {"ibcc_inventory": 1, "name": "s", "fabric": "two-switch", "launcher": launcher, "hosts": hosts}
    )


def full(adapter: str, endpoint: str) -> tuple[float, float]:
    return 196.0, 1.0


def slow_node1(adapter: str, endpoint: str) -> tuple[float, float]:
    return (60.0, 1.0) if endpoint == "node1" else (196.0, 1.0)


class Site:
    """`special`: other answers by node and operation."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.topology = topology_event(folder, TWO)
        self.special: dict[tuple[str, str], list[Event] | str] = {}
        self.rates: dict[str, Rates] = {}
        self.launcher = ScriptedLauncher(self.answer)
        monkeypatch.setattr(ping, "open_launcher", lambda options, command: self.launcher)

    def answer(self, node: str, request: Request) -> list[Event] | str:
        if (found := self.special.get((node, request["op"]))) is not None:
            return found
        match request["op"]:
            case "topology":
                return [hello(), self.topology]
            case "use":
                return [hello(), use_event()]
            case _:
                return run_events(request, self.rates.get(node, full))

    def rows(self, count: int, settings: PingSettings = SETTINGS, **options: Any) -> list[HostPing]:
        return self.both(count, settings, **options)[0]

    def both(self, count: int, settings: PingSettings = SETTINGS, **options: Any) -> tuple[list[HostPing], HostBaselines]:
        read = inventory(count)
        return ping.ping_hosts(read, tuple(read.by_node.values()), settings, **options)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    return Site(tmp_path, monkeypatch)


def test_of_five_alike_the_one_with_slow_memory_is_named(site: Site) -> None:
    site.rates["n4"] = slow_node1
    progress: list[float] = []
    rows, batch = site.both(5, on_progress=progress.append)
    assert [row.verdict for row in rows] == [HostVerdict.NORMAL] * 3 + [HostVerdict.SLOW, HostVerdict.NORMAL]
    assert rows[3].diagnosis is not None
    assert rows[3].diagnosis.named == ("memory:node1",)
    assert rows[3].confidence is Confidence.WRONG
    assert rows[3].sentence.startswith("The memory of node node1 is slow")
    assert progress == [0.2, 0.4, 0.6, 0.8, 1.0]
    (model,) = batch.models
    assert (model.hosts, model.model.startswith("Maker Model 7")) == (5, True)
    assert [(cell.adapter, cell.endpoint) for cell in model.cells] == [(f"mlx5_{a}", f"node{m}") for a in (0, 1) for m in (0, 1)]
    assert all(abs(cell.bandwidth_gbps - 196) < 0.5 and abs(cell.latency_us - 1) < 0.01 for cell in model.cells)


def test_of_three_alike_it_only_differs(site: Site) -> None:
    site.rates["n2"] = slow_node1
    (_, slow, _) = site.rows(3)
    assert (slow.verdict, slow.confidence) == (HostVerdict.SLOW, Confidence.DIFFERS)
    assert slow.sentence.startswith("It differs from the median of 3 hosts of its model")


def test_one_host_needs_a_baseline_and_takes_one_from_before(site: Site) -> None:
    _, batch = site.both(5)
    site.rates["n1"] = slow_node1
    (row,) = site.rows(1)
    assert row.verdict is HostVerdict.NOT_MEASURED
    assert "A baseline needs 3 idle hosts of its model, and 1 was measured" in row.sentence
    assert row.measured.cells
    (row,) = site.rows(1, baselines=batch)
    assert row.diagnosis is not None
    assert (row.verdict, row.diagnosis.named) == (HostVerdict.SLOW, ("memory:node1",))


def test_memory_across_sockets_that_is_slow_on_all_hosts_is_the_model(site: Site) -> None:
    def across(adapter: str, endpoint: str) -> tuple[float, float]:
        return (196.0 if adapter[-1] == endpoint[-1] else 90.0), 1.0

    site.rates = {f"n{n}": across for n in range(1, 6)}
    assert [row.verdict for row in site.rows(5)] == [HostVerdict.NORMAL] * 5


OLD = "the request's op is 'topology'; there are check, clock, connect, listen, run"


@pytest.mark.parametrize(
    ("op", "answer", "sentence"),
    [
        ("topology", "ssh: connect to host n2 port 22: No route to host", "No route to host"),
        ("topology", [hello(), error(OLD)], "its agent is too old for 'topology'; install the one that `ibcc hosts agent`"),
        ("topology", [hello()], "its agent sent no 'topology'"),
        ("topology", [hello(), {"event": "topology"}], "sent a topology that cannot be read"),
        ("topology", [{"event": "hello", "wall_ns": "noon"}, {"event": "topology"}], "sent a topology that cannot be read"),
        (
            "use",
            [hello(), {"event": "use", "cpus": {"busy_share": -1, "by_node": {}}, "ports": []}],
            "sent a use that cannot be read",
        ),
        ("use", "its agent ended with exit code 255", "its agent ended with exit code 255"),
        ("topology", [hello()] * 20_001, "sent more than 20000 events"),
    ],
)
def test_a_host_that_fails_costs_its_own_row(site: Site, op: str, answer: list[Event] | str, sentence: str) -> None:
    site.special["n2", op] = answer
    rows = site.rows(4)
    assert [row.verdict for row in rows] == [HostVerdict.NORMAL, HostVerdict.NOT_MEASURED, *[HostVerdict.NORMAL] * 2]
    assert sentence in rows[1].sentence


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ([hello(), error("ib_write_bw is not there: '/usr/bin/ib_write_bw' is no program")], "ib_write_bw is not there"),
        ("its agent ended with exit code 255", "exit code 255"),
        ([hello()], "its meter sent too few lines"),
        ([hello(), {"event": "output", "id": "mlx5_0:node0:1", "text": "x\nCouldn't allocate MR\n"}], "Couldn't allocate MR"),
        # A program that was ended before a write completed leaves the head of its table alone.
        (
            [hello(), {"event": "output", "id": "mlx5_0:node0:1", "text": "---\n #bytes     #iterations\n"}],
            "its meter sent too few",
        ),
    ],
)
def test_tests_that_fail_are_told_by_adapter(site: Site, answer: list[Event] | str, sentence: str) -> None:
    site.special["n2", "run"] = answer
    rows = site.rows(4)
    assert rows[1].verdict is HostVerdict.NOT_MEASURED
    assert sentence in rows[1].sentence
    assert [row.verdict for row in rows if row is not rows[1]] == [HostVerdict.NORMAL] * 3


def test_a_host_that_goes_down_between_its_adapters_keeps_what_was_measured(site: Site) -> None:
    usual = site.answer

    def down_after_first(node: str, request: Request) -> list[Event] | str:
        is_second = request["op"] == "run" and request["processes"][0]["device"] == "mlx5_1"
        return "Connection reset by peer" if node == "n2" and is_second else usual(node, request)

    site.launcher.answer = down_after_first
    row = site.rows(4)[1]
    assert set(row.measured.cells) == {("mlx5_0", "node0"), ("mlx5_0", "node1")}
    assert row.measured.not_measured == {"mlx5_1": "Connection reset by peer"}
    assert row.diagnosis is not None
    assert set(row.diagnosis.not_measured) == {("mlx5_1", "node0"), ("mlx5_1", "node1")}


@pytest.mark.parametrize("sent", range(0, 13, 2))
def test_a_host_that_reboots_while_an_adapter_is_tested_keeps_the_cells_that_were_whole(site: Site, sent: int) -> None:
    usual = site.answer

    def reboots(node: str, request: Request) -> list[Event] | str | tuple[list[Event], str]:
        found = usual(node, request)
        is_second = request["op"] == "run" and request["processes"][0]["device"] == "mlx5_1"
        if node != "n2" or not is_second or isinstance(found, str):
            return found
        return found[: 1 + sent], "Connection closed by remote host"

    site.launcher.answer = reboots
    row = site.rows(4)[1]
    # Four lines each of the 1 byte and the 128 KiB of a memory: three of them are enough.
    whole = {("mlx5_1", "node0")} if sent >= 7 else set()
    assert set(row.measured.cells) == {("mlx5_0", "node0"), ("mlx5_0", "node1")} | whole
    missing = "mlx5_1, node1" if whole else "mlx5_1"
    assert row.measured.not_measured == {missing: "Connection closed by remote host"}
    assert row.verdict is HostVerdict.NORMAL


def test_of_hosts_with_one_adapter_and_one_memory_the_links_of_the_slow_one_cannot_be_told_apart(
    site: Site, tmp_path: Path
) -> None:
    site.topology = topology_event(tmp_path, MadeUpHost(sockets=(0,), adapters=(0,), gpus=()), "one")
    site.rates["n3"] = lambda adapter, endpoint: (60.0, 1.0)
    rows = site.rows(5)
    assert [row.verdict for row in rows if row is not rows[2]] == [HostVerdict.NORMAL] * 4
    assert (rows[2].verdict, set(rows[2].measured.cells)) == (HostVerdict.SLOW, {("mlx5_0", "node0")})
    assert rows[2].diagnosis is not None
    told_apart = {link for link, found in rows[2].diagnosis.links.items() if found.state is LinkState.AMBIGUOUS}
    assert told_apart == {"pcie:mlx5_0", "0000:10:01.0", "memory:node0"}


def test_lying_about_rates_is_not_believed(site: Site) -> None:
    site.rates["n3"] = lambda adapter, endpoint: (1e7, 1.0)
    row = site.rows(4)[2]
    assert row.verdict is HostVerdict.NOT_MEASURED
    assert "Gb/s, and its port has 200" in row.sentence


def test_an_adapter_that_is_down_and_a_host_without_any(site: Site, tmp_path: Path) -> None:
    down = topology_event(tmp_path, TWO, "down")
    down["adapters"][1]["ports"][0]["state"] = "DOWN"
    site.special["n1", "topology"] = [hello(), down]
    site.special["n2", "topology"] = [hello(), topology_event(tmp_path, MadeUpHost(sockets=(0,), adapters=(), gpus=()), "none")]
    rows = site.rows(4)
    assert rows[0].measured.not_measured == {"mlx5_1": "its port 1 is DOWN"}
    assert rows[0].verdict is HostVerdict.NORMAL
    assert (rows[1].verdict, "no channel adapter" in rows[1].sentence) == (HostVerdict.UNFIT, True)


BUSY = [{"device": "mlx5_1", "port": 1, "sent_gbps": 0.0, "received_gbps": 150.0, "counters": {}}]


def test_busy_hosts_are_not_measured_and_count_for_no_baseline(site: Site) -> None:
    site.special["n1", "use"] = [hello(), use_event(ports=BUSY)]
    site.special["n2", "use"] = [hello(), use_event(cpus={"busy_share": 0.2, "by_node": {"0": 0.97, "1": 0.1}})]
    rows, batch = site.both(5)
    assert [row.verdict for row in rows[:2]] == [HostVerdict.UNFIT] * 2
    assert "mlx5_1 carries 150.0 Gb/s" in rows[0].sentence
    assert "--triggered" in rows[0].sentence
    assert "97 % of a NUMA node's processors are busy" in rows[1].sentence
    assert {node for node, request in site.launcher.asked if request["op"] == "run"} == {"n3", "n4", "n5"}
    assert batch.models[0].hosts == 3


def test_a_triggered_run_measures_a_busy_host_and_judges_it_by_what_differs(site: Site) -> None:
    _, batch = site.both(5)
    site.special["n1", "use"] = [hello(), use_event(ports=BUSY)]
    site.rates["n1"] = lambda adapter, endpoint: (40.0 if endpoint == "node0" else 90.0 if adapter == "mlx5_1" else 196.0, 5.0)
    read = inventory(1)
    host = tuple(read.by_node.values())
    ((row,), _) = ping.ping_hosts(read, host, PingSettings(is_triggered=True), baselines=batch)
    assert row.matrix is not None
    assert row.matrix.busy == {"mlx5_1"}
    assert row.matrix.triggered_by == "mlx5_0"
    assert row.diagnosis is not None
    assert row.diagnosis.named == ("memory:node0",)


def test_a_host_with_too_few_tcp_ports(site: Site) -> None:
    read = inventory(1, ports=3)
    ((row,), _) = ping.ping_hosts(read, tuple(read.by_node.values()), SETTINGS)
    assert "its tcp_ports 20000 to 20002 are 3; loop-back tests need 4" in row.sentence


def test_each_request_places_memory_and_keeps_the_adapter_for_itself(site: Site) -> None:
    site.rows(1)
    first, second = (request for _, request in site.launcher.asked if request["op"] == "run")
    assert first["alone"] is True
    assert {process["device"] for process in first["processes"]} == {"mlx5_0"}
    assert {process["device"] for process in second["processes"]} == {"mlx5_1"}
    clients = [process for process in first["processes"] if process["side"] == "client"]
    assert [(one["numa_node"], one["message_bytes"], one["tx_depth"]) for one in clients] == [
        (0, 1, 1), (0, 131072, 1), (1, 1, 1), (1, 131072, 1),
    ]  # fmt: skip
    starts = [one["start_ns"] for one in clients]
    assert all(later - earlier >= 0.6e9 for earlier, later in itertools.pairwise(starts))
    assert len({one["tcp_port"] for one in first["processes"]}) == 4
    assert {one["peer"] for one in clients} == {"n1"}


def test_it_stops_when_asked(site: Site) -> None:
    with pytest.raises(InterruptedRunError):
        site.rows(5, should_stop=lambda: True)
