# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Queues of ports over time, from a run and through the backend."""

import numpy as np
import pytest

import ccsim
from tuner.backends.registry import create_backend
from tuner.documents.fabric import load_fabric
from tuner.documents.workload import load_workload
from tuner.fabric.built_fabric import build
from tuner.measuring.measurement import Measurement
from tuner.measuring.options import BackendOptions
from tuner.measuring.port_series import PortSeries
from tuner.simulation.port_series import port_series


def recorded(**options: object) -> tuple[Measurement, list[PortSeries]]:
    found: list[PortSeries] = []
    backend = create_backend("simulated", BackendOptions(on_port_series=found.append, **options))  # type: ignore[arg-type]
    backend.open()
    try:
        return backend.measure(load_workload("scenario-1").scaled(0.02), seed=1), found
    finally:
        backend.close()


def test_the_simulated_backend_records_what_the_counters_total() -> None:
    measurement, (series,) = recorded(settings={"model.switch.input_buffer_bytes": 65536})
    rows = {(row["guid"], row["port"]): row for row in measurement.counters["ports"]}
    document = load_fabric("two-switch")
    assert series.buffer_bytes == 65536
    assert (series.n_samples, series.interval_s) == (10, 0.01)
    assert series.special_queues is None
    assert series.queued_bytes.any()
    for place, end in enumerate(series.ports):
        row = rows[f"0x{document.guid_of(end.node):016x}", end.port]
        assert series.queued_bytes[place].max() <= row["max_queued_bytes"]
        assert series.waited[place].sum() * series.interval_s >= row["xmit_wait_ns"] * 0.999e-9
    assert series.waited.max() <= 1
    assert series.received_gbps.sum(axis=0) == pytest.approx(measurement.gbps.sum(axis=0))


def test_special_queues_are_those_of_the_port_at_the_other_end() -> None:
    measurement, (series,) = recorded(settings={"model.scheme.name": "fbicm"})
    assert series.special_queues is not None
    in_use = measurement.counters["scheme"]["series"]["special_queues_in_use"]
    assert series.special_queues.sum(axis=0).tolist() == in_use
    document = load_fabric("two-switch")
    senders = {document.nodes[series.ports[place].node].name for place in np.flatnonzero(series.special_queues.max(axis=1))}
    assert {"H2", "H3"} & senders  # they send to the hotspot, by the inputs of S1
    assert "H5" not in senders


def test_recording_changes_nothing() -> None:
    measurement, _ = recorded()
    backend = create_backend("simulated", BackendOptions())
    backend.open()
    assert np.array_equal(backend.measure(load_workload("scenario-1").scaled(0.02), seed=1).gbps, measurement.gbps)


def test_a_run_without_traces_is_refused() -> None:
    built = build(load_fabric("two-switch"))
    result = ccsim.Simulation(built.fabric, [], duration_s=0.001, sample_interval_s=0.001).run()
    with pytest.raises(ValueError, match="trace_occupancy=True"):
        port_series(built, ccsim.Model(), result)
