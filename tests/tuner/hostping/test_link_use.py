# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How much of the links above adapters is used, and what follows from it for a busy host."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.perftest_mods.agent.made_up_sysfs import MadeUpHost
from tests.tuner.hostping.scripted import topology_event, use_event
from tests.tuner.hostping.test_ping import SETTINGS, Site
from tuner.hostping.causes import Cause
from tuner.hostping.link_use import goodput_gbps, used_shares
from tuner.hostping.reading import read_inside, read_use
from tuner.hostping.topology import device_link


@pytest.mark.parametrize(
    ("speed", "width", "gbps"),
    [
        ("8.0 GT/s PCIe", "16", 104),
        ("16.0 GT/s PCIe", "16", 208),
        ("32.0 GT/s PCIe", "16", 416),
        ("5.0 GT/s", "8", 26.4),
        ("Unknown", "16", None),
        ("16.0 GT/s PCIe", "255", None),
        (None, None, None),
    ],
)
def test_links_carry_what_pcie_bench_says(speed: str | None, width: str | None, gbps: float | None) -> None:
    found = goodput_gbps(speed, width)
    assert found is None if gbps is None else found == pytest.approx(gbps, abs=0.6)


def test_a_link_that_gpus_share_is_never_said_to_be_free(tmp_path: Path) -> None:
    alone = read_inside(topology_event(tmp_path, MadeUpHost(sockets=(0, 1), adapters=(0, 1), gpus=()), "alone"))
    shared = read_inside(topology_event(tmp_path, MadeUpHost(sockets=(0, 1), adapters=(0, 1), gpus=(0, 1)), "shared"))
    root_port = alone.topology.adapters[0].root_port
    assert alone.link_gbps[root_port] == alone.link_gbps[device_link("mlx5_0")] == goodput_gbps("16.0 GT/s", "16")
    little, much = {"mlx5_0": (50.0, 1.0)}, {"mlx5_0": (195.0, 1.0)}
    assert used_shares(alone.topology, alone.link_gbps, little)[root_port] == pytest.approx(50 / 208, abs=0.01)
    assert root_port not in used_shares(shared.topology, shared.link_gbps, little)
    assert used_shares(shared.topology, shared.link_gbps, much)[root_port] == pytest.approx(195 / 208, abs=0.01)
    assert device_link("mlx5_1") not in used_shares(alone.topology, alone.link_gbps, much), "its traffic is not known"


def test_directions_are_added_apart(tmp_path: Path) -> None:
    host = read_inside(topology_event(tmp_path, MadeUpHost(sockets=(0,), adapters=(0, 0), gpus=())))
    (root_port,) = {adapter.root_port for adapter in host.topology.adapters}
    shares = used_shares(host.topology, host.link_gbps, {"mlx5_0": (100.0, 0.0), "mlx5_1": (0.0, 100.0)})
    assert shares[root_port] == pytest.approx(100 / 208, abs=0.01)


@pytest.mark.parametrize(
    ("gbps", "cause"), [(198.0, Cause.OVERLOAD), (60.0, Cause.FAILURE_OR_MISCONFIGURATION), (None, Cause.OVERLOAD_OR_FAILURE)]
)
def test_a_busy_host_tells_overload_from_failure_where_it_counts_its_traffic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gbps: float | None, cause: Cause
) -> None:
    site = Site(tmp_path, monkeypatch)
    (first, second) = use_event()["ports"]
    busy = use_event(ports=[{**first, "sent_gbps": gbps, "received_gbps": 40.0}, second])
    site.special = {("n1", "use"): [{"event": "hello", "wall_ns": 1, "received_wall_ns": 1}, busy]}
    (row,) = site.rows(1, replace(SETTINGS, is_triggered=True))
    assert row.diagnosis is not None
    # No path is slow, so the adapter that counters asked for is blamed.
    assert {finding.cause for finding in row.diagnosis.links.values() if finding.cause is not None} == {cause}
    assert read_use(busy).traffic.get("mlx5_0") == (None if gbps is None else (gbps, 40.0))
