# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""ccsim.Emulator with devices of each scheme: traffic under tables and links that MADs change."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest

import ccsim
from tests.ccsim.beds import Bed, two_switch
from tests.ccsim.subnet_manager import GET, PORT_INFO, SET, SubnetManager

SL_TO_VL = 0x0017
VL_CAP, OPERATIONAL_VLS = 37, 43  # bytes of PortInfo, in the upper half each
SCHEMES = {row["name"]: row for row in ccsim.schemes()}
S1, S2 = [1], [1, 36]
"""Paths of ports from H1 to the switches."""


def model(scheme: str) -> ccsim.Model:
    made = ccsim.Model()
    made.scheme.name = scheme
    return made


@contextmanager
def managed(bed: Bed, devices: ccsim.Model, name: str) -> Iterator[tuple[ccsim.Emulator, SubnetManager]]:
    """With LIDs, routes as the fabric's own, and active links; the manager is at H1."""
    node = bed.fabric.endports[bed.hosts[0]][0]
    with (
        ccsim.Emulator(bed.fabric, devices, name=f"ccsim-{os.getpid()}-{name}") as emulator,
        SubnetManager(f"ccsim-{os.getpid()}-{name}", at=bed.fabric.node_name(node)) as manager,
    ):
        manager.bring_up(bed.fabric, at=node)
        yield emulator, manager


def incast(bed: Bed) -> list[ccsim.Flow]:
    return [bed.flow(1, 4), *(bed.flow(source, 5) for source in (2, 3, 6, 7))]


class Running:
    """A workload in a thread of its own, as fast as can be, until it is told to stop."""

    def __init__(self, emulator: ccsim.Emulator, flows: list[ccsim.Flow]) -> None:
        self._enough = threading.Event()
        self._news = threading.Condition()
        self._latest = np.zeros(len(flows))
        self._samples = 0
        self.failures: list[BaseException] = []
        self._thread = threading.Thread(target=self._run, args=(emulator, flows))

    def __enter__(self) -> "Running":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._enough.set()
        self._thread.join(60)
        assert not self._thread.is_alive()

    def _run(self, emulator: ccsim.Emulator, flows: list[ccsim.Flow]) -> None:
        def on_sample(_t_s: float, received: np.ndarray) -> None:
            with self._news:
                self._latest = received.copy()
                self._samples += 1
                self._news.notify_all()

        try:
            emulator.run(flows, duration_s=1000, sample_interval_s=0.0005, on_sample=on_sample, should_stop=self._enough.is_set)
        except BaseException as error:
            self.failures.append(error)
            with self._news:
                self._news.notify_all()

    def await_sample(self, holds: Callable[[np.ndarray], object]) -> None:
        """Returns when an interval that begins from now on has received bytes for which this holds."""
        with self._news:
            first = self._samples + 2
            assert self._news.wait_for(lambda: self.failures or (self._samples >= first and holds(self._latest)), 30)
        assert self.failures == []


@pytest.mark.parametrize("scheme", [name for name, row in SCHEMES.items() if not row["needs_congestion_control"]])
def test_the_series_are_those_of_a_simulation(scheme: str) -> None:
    bed = two_switch()
    options = {"duration_s": 0.004, "sample_interval_s": 0.0005, "seed": 3}
    simulated = ccsim.Simulation(bed.fabric, incast(bed), model=model(scheme), **options).run()  # type: ignore[arg-type]
    with managed(bed, model(scheme), scheme) as (emulator, _):
        emulated = emulator.run(incast(bed), **options)  # type: ignore[arg-type]
    assert np.array_equal(emulated.received_bytes, simulated.received_bytes)
    assert simulated.received_bytes[:, -1].all()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_traffic_survives_links_that_fail_and_come_back(scheme: str) -> None:
    bed = two_switch()
    with managed(bed, model(scheme), f"links-{scheme}") as (emulator, manager), Running(emulator, incast(bed)) as running:
        running.await_sample(np.all)
        for _ in range(3):
            emulator.set_link(0, 36, False)  # between the switches
            running.await_sample(lambda received: not received[:3].any() and received[3:].all())
            emulator.set_link(0, 36, True)
            manager.activate([(S1, 36), (S2, 36)])
            running.await_sample(np.all)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_ports_report_the_vls_that_the_scheme_carries(scheme: str) -> None:
    bed = two_switch()
    with managed(bed, model(scheme), f"cap-{scheme}") as (_, manager):
        info = manager.smp(GET, PORT_INFO, 36, S1)
        one_vl = SCHEMES[scheme]["one_vl"]
        assert (info[VL_CAP] >> 4, info[OPERATIONAL_VLS] >> 4) == ((1, 1) if one_vl else (4, 4))
        wanted = bytearray(info)
        wanted[32] &= 0xF0  # no change of state
        wanted[33] = 0
        wanted[OPERATIONAL_VLS] = 2 << 4 | wanted[OPERATIONAL_VLS] & 0xF
        if one_vl:
            with pytest.raises(AssertionError, match="is answered with status"):
                manager.smp(SET, PORT_INFO, 36, S1, bytes(wanted))
        else:
            assert manager.smp(SET, PORT_INFO, 36, S1, bytes(wanted))[OPERATIONAL_VLS] >> 4 == 2
        assert manager.smp(GET, SL_TO_VL, 36, S1)[:8] == (bytes(8) if one_vl else bytes.fromhex("0123456701234567"))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_tables_that_name_a_vl_that_is_not_there_discard_and_the_workload_goes_on(scheme: str) -> None:
    bed = two_switch()
    with managed(bed, model(scheme), f"sl-{scheme}") as (emulator, manager), Running(emulator, incast(bed)) as running:
        running.await_sample(np.all)
        all_ports = 3 << 16  # of entry and of exit
        manager.smp(SET, SL_TO_VL, all_ports, S1, bytes([0xEE] * 8) + bytes(56))  # all SLs on VL 14
        running.await_sample(lambda received: not received[:3].any() and received[3:].all())
        manager.smp(SET, SL_TO_VL, all_ports, S1, bytes(64))
        running.await_sample(np.all)
        assert int(emulator.counters()["xmit_discards"].sum()) > 0


def test_flows_of_all_sls_share_the_one_vl() -> None:
    bed = two_switch()
    flows = [ccsim.Flow(src=bed.hosts[i], dst=bed.hosts[4], sl=5 * i) for i in range(3)]
    with managed(bed, model("ccfit"), "all-sls") as (emulator, _):
        result = emulator.run(flows, duration_s=0.002, sample_interval_s=0.001)
    assert result.received_bytes[:, -1].all()


def test_a_workload_whose_tables_discard_is_refused_at_the_start() -> None:
    bed = two_switch()
    with managed(bed, model("ccfit"), "refused") as (emulator, manager):
        manager.smp(SET, SL_TO_VL, 3 << 16, S1, bytes([0xEE] * 8) + bytes(56))
        with pytest.raises(ValueError, match="flow 1: its packets on SL 0 come to port 36 of 'S1'.* would be discarded"):
            emulator.run(incast(bed), duration_s=0.001, sample_interval_s=0.001)
        manager.smp(SET, SL_TO_VL, 3 << 16, S1, bytes(64))
        assert emulator.run(incast(bed), duration_s=0.001, sample_interval_s=0.001).complete


def test_switches_go_by_their_own_tables() -> None:
    """Two flows of S1 share one link to H5: on VLs of their own, what a full buffer of one holds back passes the other."""
    bed = two_switch()
    flows = [ccsim.Flow(src=bed.hosts[i], dst=bed.hosts[j], sl=sl) for i, j, sl in ((0, 3, 0), (1, 4, 1), (2, 4, 1), (5, 4, 1))]

    def to_h4(vls: int) -> int:
        with managed(bed, model("voqsw"), f"own-{vls:x}") as (emulator, manager):
            for path in (S1, S2):
                manager.smp(SET, SL_TO_VL, 3 << 16, path, bytes([vls] * 8) + bytes(56))
            return int(emulator.run(flows, duration_s=0.004, sample_interval_s=0.001).received_bytes[0, -1])

    assert to_h4(0x01) > 1.5 * to_h4(0x00)
