# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest

from tests.tuner.documents.test_host_model import FABRIC, WORKLOAD, read_workload
from tuner.backends.simulated import SimulatedBackend
from tuner.measuring.measurement import Measurement
from tuner.measuring.options import BackendOptions
from tuner.report.modelled_hosts import MOST_HOSTS, kept
from tuner.report.plots.modelled_hosts import has_modelled_hosts, modelled_hosts


@pytest.fixture(scope="module")
def measurement(tmp_path_factory: pytest.TempPathFactory) -> Measurement:
    fabric = tmp_path_factory.mktemp("hosts") / "f.yaml"
    fabric.write_text(FABRIC)
    backend = SimulatedBackend(BackendOptions(fabric=str(fabric)))
    backend.open()
    return backend.measure(read_workload(WORKLOAD.replace("src: H1, dst: H2", "src: H2, dst: H1")), seed=1)


def words(svg: str) -> list[str]:
    return [text for text in ElementTree.fromstring(svg).itertext() if text.strip()]


def test_each_host_has_a_line_in_each_panel(measurement: Measurement) -> None:
    drawn = words(modelled_hosts(measurement, title="A run"))
    expected = ["A run", "occupancy (cache lines)", "receive buffer (KB)", "without PCIe credits (%)", "in H1", "in H2", "in H3"]
    for one in expected:
        assert drawn.count(one) == 1, one


def test_throughput_may_stand_beside_them(measurement: Measurement) -> None:
    svg = modelled_hosts(measurement, beside_throughput=True)
    assert "throughput (Gb/s)" in words(svg)
    assert words(svg).count("occupancy (cache lines)") == 1
    assert "throughput (Gb/s)" not in words(modelled_hosts(measurement))


def test_of_many_hosts_the_fullest_are_drawn(measurement: Measurement) -> None:
    series = measurement.counters["host_series"]["H1"]
    many = {f"N{i}": {**series, "buffer_bytes": [float(i)] * len(series["buffer_bytes"])} for i in range(MOST_HOSTS + 2)}
    drawn = words(modelled_hosts(replace(measurement, counters={**measurement.counters, "host_series": many})))
    assert "in N1" not in drawn
    assert {f"in N{i}" for i in range(2, MOST_HOSTS + 2)} <= set(drawn)


def test_a_measurement_without_such_hosts_has_none(measurement: Measurement) -> None:
    assert has_modelled_hosts(measurement)
    assert not has_modelled_hosts(replace(measurement, counters={}))


def test_a_report_keeps_what_is_drawn(measurement: Measurement) -> None:
    row, series = measurement.counters["modelled_hosts"][0], measurement.counters["host_series"]["H1"]
    many = {f"N{i}": {**series, "buffer_bytes": [float(i)]} for i in range(MOST_HOSTS + 2)}
    found = kept({"modelled_hosts": [{**row, "name": name} for name in many], "host_series": many})
    assert (
        [one["name"] for one in found["modelled_hosts"]]
        == list(found["host_series"])
        == [f"N{i}" for i in range(2, MOST_HOSTS + 2)]
    )
    assert kept({"ports": []}) == {}
