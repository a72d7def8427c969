# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""OpenSM's own congestion control manager programs the devices, and the traffic shows it."""

import re

import numpy as np
import pytest

from tests.emulator.conftest import Bed
from tests.emulator.topology import discovered
from tuner.backends.simulated import SimulatedBackend
from tuner.documents.profile import load_profile
from tuner.documents.workload import load_workload
from tuner.measuring.measurement import Measurement
from tuner.measuring.options import BackendOptions
from tuner.opensm.congestion_options import congestion_options

WORKLOAD = load_workload("scenario-1").scaled(0.05)


def measured(bed: Bed, profile: str | None) -> Measurement:
    """Scenario 1 under what OpenSM has set from opensm.conf."""
    lines = ""
    if profile is not None:
        lines = congestion_options(load_profile(profile).resolve(bed.emulated.built.fabric), bed.emulated.built.fabric)
    with bed.clients.opensm(more_options=lines) as opensm:
        assert opensm.errors == []
        return bed.emulated.run(WORKLOAD, seed=7)


def test_the_victim_of_scenario_1_recovers_with_the_published_set(two_switch: Bed) -> None:
    off, on = measured(two_switch, None), measured(two_switch, "gran-2010")
    without, with_ = off.metrics.victim_throughput_gbps, on.metrics.victim_throughput_gbps
    assert without is not None
    assert with_ is not None
    assert with_ > 2 * without


@pytest.mark.parametrize("profile", [None, "gran-2010", "off"])
def test_what_opensm_sets_is_what_the_simulated_backend_is_given(two_switch: Bed, profile: str | None) -> None:
    """To the byte: the same seed gives the same series, whichever way the tables came."""
    backend = SimulatedBackend(BackendOptions())
    if profile is not None:
        backend.apply(load_profile(profile))
    np.testing.assert_array_equal(measured(two_switch, profile).gbps, backend.measure(WORKLOAD, seed=7).gbps)


def test_what_opensm_has_set_stays_when_it_is_gone_and_off_clears_it(two_switch: Bed) -> None:
    on = measured(two_switch, "gran-2010")
    np.testing.assert_array_equal(two_switch.emulated.run(WORKLOAD, seed=7).gbps, on.gbps)
    assert not np.array_equal(measured(two_switch, "off").gbps, on.gbps)


def test_ibccquery_reads_what_opensm_has_set(two_switch: Bed) -> None:
    clients, fabric = two_switch.clients, two_switch.emulated.built.fabric
    with clients.opensm(more_options=congestion_options(load_profile("gran-2010").resolve(fabric), fabric)):
        lids = {node.name: node.lid for node in discovered(clients.output("ibnetdiscover")).nodes}
        switch = clients.output("ibccquery", "SwitchCongestionSetting", lids["S1"])
        assert re.search(r"Victim_Mask:\.+0*1e\n", switch)
        assert re.search(r"Threshold:\.+0x0f\n", switch)
        assert re.search(r"Marking_Rate:\.+1\n", switch)
        adapter = clients.output("ibccquery", "CACongestionSetting", lids["H7"])
        assert re.findall(r"CCTI_Timer:\.+(\d+)\n", adapter) == ["150"] * 16
        table = clients.output("ibccquery", "CongestionControlTable", lids["H7"])
        assert set(re.findall(r"CCTI_Limit:\.+(\d+)\n", table)) == {"127"}
        shifts, multipliers = (map(int, re.findall(rf"CCT_{part}:\.+(\d+)\n", table)) for part in ("Shift", "Multiplier"))
        wanted = load_profile("gran-2010").resolve(fabric).ca(two_switch.emulated.built.hosts.find("H7").node)["cct"]["entries"]
        assert list(zip(shifts, multipliers, strict=True))[: len(wanted)] == list(wanted)
