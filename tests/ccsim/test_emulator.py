# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""ccsim.Emulator without programs attached: a small subnet manager of this file's own speaks MADs over the emulator's sockets.

What programs see is tested with them, in tests/tuner/emulator.
"""

import os
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ccsim
from tests.ccsim.beds import Bed, two_switch
from tests.ccsim.subnet_manager import SubnetManager


@pytest.fixture
def bed() -> Bed:
    return two_switch()


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    return f"ccsim-{os.getpid()}-{abs(hash(request.node.name)):x}"


@pytest.fixture
def emulator(bed: Bed, name: str) -> Iterator[ccsim.Emulator]:
    with ccsim.Emulator(bed.fabric, name=name) as emulator:
        yield emulator


@pytest.fixture
def managed(emulator: ccsim.Emulator, bed: Bed, name: str) -> Iterator[ccsim.Emulator]:
    """With LIDs, routes as the fabric's own, and active links."""
    node = bed.fabric.endports[bed.hosts[0]][0]
    with SubnetManager(name, at=bed.fabric.node_name(node)) as manager:
        manager.bring_up(bed.fabric, at=node)
        yield emulator


def contributors(bed: Bed) -> list[ccsim.Flow]:
    return [bed.flow(source, 4) for source in (1, 2, 5, 6, 7)] + [bed.flow(3, 7)]


def test_the_fast_pace_gives_the_series_of_the_simulation(managed: ccsim.Emulator, bed: Bed) -> None:
    simulated = ccsim.Simulation(bed.fabric, contributors(bed), duration_s=0.02, sample_interval_s=0.001, seed=3).run()
    emulated = managed.run(contributors(bed), duration_s=0.02, sample_interval_s=0.001, seed=3)
    assert emulated.complete
    assert np.array_equal(emulated.received_bytes, simulated.received_bytes)
    assert np.array_equal(emulated.host_received_bytes, simulated.host_received_bytes)


@pytest.mark.parametrize("cores", [0, 28])
def test_a_modelled_host_makes_its_switch_wait_as_in_the_simulation(cores: float, name: str) -> None:
    bed = two_switch(inject_gbps=None, receive_gbps=None)
    slow = ccsim.HostModel()
    slow.memory_gbytes_per_s = 10
    bed.fabric.set_host_model(bed.fabric.endports[bed.hosts[3]][0], slow)
    loads = [ccsim.HostLoad(endport=bed.hosts[3], cores=cores)] if cores else []
    simulated = ccsim.Simulation(bed.fabric, [bed.flow(5, 4)], host_loads=loads, duration_s=0.005, sample_interval_s=0.001).run()
    node = bed.fabric.endports[bed.hosts[0]][0]
    with ccsim.Emulator(bed.fabric, name=name) as emulator, SubnetManager(name, at=bed.fabric.node_name(node)) as manager:
        manager.bring_up(bed.fabric, at=node)
        emulated = emulator.run([bed.flow(5, 4)], host_loads=loads, duration_s=0.005, sample_interval_s=0.001)
        counters = emulator.counters()
    assert np.array_equal(emulated.received_bytes, simulated.received_bytes)
    switch, port = bed.fabric.peer(bed.fabric.endports[bed.hosts[3]][0], 1) or (0, 0)
    row = np.flatnonzero((counters["node"] == switch) & (counters["port"] == port))[0]
    waited = simulated.ports["xmit_wait_ns"][(simulated.ports["node"] == switch) & (simulated.ports["port"] == port)][0]
    assert counters["xmit_wait_ns"][row] == pytest.approx(waited, abs=2)
    assert bool(waited > 2e6) == bool(cores)


def test_each_sample_is_told_once(managed: ccsim.Emulator, bed: Bed) -> None:
    told: list[tuple[float, Any]] = []
    result = managed.run(
        contributors(bed), duration_s=0.01, sample_interval_s=0.001, on_sample=lambda t_s, received: told.append((t_s, received))
    )
    assert [t_s for t_s, _ in told] == pytest.approx([0.001 * (i + 1) for i in range(10)])
    assert np.array_equal(np.array([received for _, received in told]).T, result.received_bytes)


def test_counters_are_what_was_sent(managed: ccsim.Emulator, bed: Bed) -> None:
    before = managed.counters()
    result = managed.run([bed.flow(1, 4)], duration_s=0.005, sample_interval_s=0.001)
    after = managed.counters()
    node, port = bed.fabric.endports[bed.hosts[0]]
    row = np.flatnonzero((after["node"] == node) & (after["port"] == port))[0]
    packets = int(result.flows["sent_packets"][0])
    assert int(after["xmit_packets"][row] - before["xmit_packets"][row]) == packets
    assert int(after["xmit_bytes"][row] - before["xmit_bytes"][row]) == packets * (2048 + 24)


def test_tables_show_what_was_set(managed: ccsim.Emulator, bed: Bed) -> None:
    tables = {device["name"]: device for device in managed.tables()}
    lids = {device["name"]: device["ports"][1]["lid"] for device in tables.values() if device["kind"] == "host"}
    assert sorted(lids.values()) == list(range(1, 8))
    for switch in (0, 1):
        for host, lid in lids.items():
            endport = bed.hosts[int(host[1:]) - 1]
            hops = dict(bed.fabric.route(bed.hosts[0] if host != "H1" else bed.hosts[1], endport))
            if switch in hops:
                assert tables[f"S{switch + 1}"]["forwarding"][lid] == hops[switch]
    assert tables["S1"]["ports"][36]["state"] == "active"
    assert tables["H1"]["congestion"][1]["cct"]["entries"] == ((0, 0),)


def test_other_threads_are_served_while_a_workload_runs(managed: ccsim.Emulator, bed: Bed) -> None:
    began = threading.Event()
    enough = threading.Event()
    failures: list[BaseException] = []

    def run() -> None:
        try:
            result = managed.run(
                contributors(bed),
                duration_s=100,
                sample_interval_s=0.001,
                on_sample=lambda _t_s, _received: began.set(),
                should_stop=enough.is_set,
            )
            assert not result.complete
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    assert began.wait(30)
    with pytest.raises(RuntimeError, match="a workload is already running on this emulator"):
        managed.run(contributors(bed), duration_s=1)
    managed.set_link(0, 36, False)
    states = {device["name"]: device["ports"][36]["state"] for device in managed.tables() if device["kind"] == "switch"}
    assert states == {"S1": "down", "S2": "down"}
    enough.set()
    thread.join(60)
    assert not thread.is_alive()
    assert failures == []


def test_a_callback_may_ask_and_its_exception_ends_the_run(managed: ccsim.Emulator, bed: Bed) -> None:
    def on_sample(t_s: float, _received: Any) -> None:
        assert managed.counters()["xmit_bytes"].sum() > 0
        raise LookupError(f"enough at {t_s}")

    with pytest.raises(LookupError, match=r"enough at 0\.001"):
        managed.run(contributors(bed), duration_s=1, sample_interval_s=0.001, on_sample=on_sample)
    assert managed.run([bed.flow(1, 4)], duration_s=0.001, sample_interval_s=0.001).complete


def test_a_stop_ends_a_workload(managed: ccsim.Emulator, bed: Bed) -> None:
    began = threading.Event()
    results: list[ccsim.Result] = []
    thread = threading.Thread(
        target=lambda: results.append(
            managed.run(contributors(bed), duration_s=1000, sample_interval_s=0.001, on_sample=lambda *_: began.set())
        )
    )
    thread.start()
    assert began.wait(30)
    managed.stop()
    thread.join(30)
    assert [result.complete for result in results] == [False]


def test_a_host_without_a_lid_is_refused(emulator: ccsim.Emulator, bed: Bed) -> None:
    with pytest.raises(ValueError, match=r"flow 1: host 'H1' \(port 1\) has no LID"):
        emulator.run([bed.flow(1, 4)], duration_s=0.001, sample_interval_s=0.001)


def test_a_name_is_taken_once(emulator: ccsim.Emulator, bed: Bed, name: str) -> None:
    with pytest.raises(OSError, match=name):
        ccsim.Emulator(bed.fabric, name=name)


def test_bad_input_is_told(emulator: ccsim.Emulator, bed: Bed) -> None:
    with pytest.raises(ValueError, match="port 35 of 'S1' has no cable"):
        emulator.set_link(0, 35, False)
    with pytest.raises(ValueError, match="node index 99 does not exist; the fabric has 9 nodes"):
        emulator.reboot(99)
    with pytest.raises(ValueError, match="pace 'slow' is not known"):
        emulator.run([bed.flow(1, 4)], duration_s=1, pace="slow")  # type: ignore[arg-type]
