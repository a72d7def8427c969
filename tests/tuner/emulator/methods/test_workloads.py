# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tuner.emulator.conftest import Bed
from tuner.documents.fabric import load_fabric
from tuner.documents.workload import load_workload
from tuner.emulator.client import ControlClient
from tuner.emulator.fabric import EmulatedFabric
from tuner.emulator.server import ControlServer
from tuner.rpc import protocol as rpc
from tuner.rpc.protocol import RpcError

LONG = {
    "ibcc_workload": 1,
    "name": "long",
    "fabric": "two-switch",
    "duration_s": 3600,
    "flows": [{"name": "F1", "src": "H1", "dst": "H4", "role": "other"}],
}


class Runner(threading.Thread):
    """A client that runs a long workload, and what came of it. Its first sample says that it runs."""

    def __init__(self, bed: Bed) -> None:
        super().__init__()
        self.client = ControlClient(bed.emulated.name)
        self.runs = threading.Event()
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            self.client.run_workload(LONG, pace="real", on_sample=lambda t_s, first, gbps: self.runs.set())
        except Exception as error:
            self.error = error
        finally:
            self.client.close()

    def begin(self) -> None:
        self.start()
        assert self.runs.wait(30)

    def failure(self) -> Exception | None:
        self.join(30)
        assert not self.is_alive()
        return self.error


def test_the_result_is_the_measurement_and_the_samples_are_its_series(up: Bed) -> None:
    samples: list[tuple[float, int, list[float]]] = []
    measurement = up.client.run_workload(
        "scenario-1", seed=7, time_scale=0.02, on_sample=lambda t_s, first, gbps: samples.append((t_s, first, gbps))
    )
    assert (measurement.backend, measurement.seed, measurement.fabric) == ("emulated", 7, "two-switch")
    assert measurement.profile == "as programmed"
    assert [t_s for t_s, _, _ in samples] == measurement.t_s.tolist()
    assert {first for _, first, _ in samples} == {0}
    assert np.array([gbps for _, _, gbps in samples]).T.tolist() == measurement.gbps.tolist()
    assert measurement.metrics.victim_throughput_gbps == pytest.approx(2.2, abs=0.2)  # congestion control is off


def test_a_result_that_is_longer_than_a_line_arrives(up: Bed) -> None:
    # 10,000 samples of 5 flows
    document = load_workload("scenario-1").scaled(0.02).model_dump(mode="json") | {"sample_interval_s": 1e-5}
    measurement = up.client.run_workload(document)
    assert measurement.gbps.shape == (5, 10000)
    assert measurement.gbps.sum() > 0


def test_a_whole_document_by_its_path(up: Bed, tmp_path: Path) -> None:
    file = tmp_path / "short.yaml"
    file.write_text(
        "ibcc_workload: 1\nname: short\nfabric: nowhere\nduration_s: 0.02\nflows: [{name: F, src: H1, dst: H2, role: other}]\n"
    )
    assert up.client.run_workload(file).flows[0].mean_gbps > 10


def test_one_workload_at_a_time_and_anybody_can_stop_it(up: Bed) -> None:
    runner = Runner(up)
    runner.begin()
    assert up.client.status()["workload"] == "long"
    with pytest.raises(RpcError, match="workload 'long' runs; one runs at a time") as refused:
        up.client.run_workload("scenario-1")
    assert refused.value.code == rpc.BUSY
    assert up.client.stop_workload()
    failure = runner.failure()
    assert isinstance(failure, RpcError)
    assert (failure.code, failure.message[:28]) == (rpc.STOPPED, "workload 'long' was stopped ")
    assert not up.client.stop_workload()
    assert up.client.run_workload("scenario-1", time_scale=0.02).gbps.sum() > 0


def test_a_workload_ends_when_its_client_goes(up: Bed) -> None:
    runner = Runner(up)
    runner.begin()
    runner.client._connection._socket.shutdown(2)  # as a process that dies does
    assert runner.failure() is not None
    # The next one waits until the emulator has seen it.
    while up.client.status()["workload"] is not None:
        pass
    assert up.client.run_workload("scenario-1", time_scale=0.02).gbps.sum() > 0


def test_the_control_server_ends_with_a_workload_running(name: str, tmp_path: Path, infiniband_programs: None) -> None:
    with EmulatedFabric(load_fabric("two-switch"), name=name) as emulated:
        with ControlServer(emulated) as control, ControlClient(name) as client:
            bed = Bed(emulated, control, client, tmp_path)
            with bed.opensm() as opensm:
                opensm.await_subnet_up()
                runner = Runner(bed)
                runner.begin()
        assert runner.failure() is not None
        assert not control.path.exists()


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"workload": "scenario-9"}, "unknown workload 'scenario-9'"),
        ({"workload": "a/b.yaml"}, "workload 'a/b.yaml' is a relative path; give an absolute one, or a packaged workload's name"),
        ({"workload": "/not/there.yaml"}, "workload '/not/there.yaml' does not exist"),
        ({"workload": LONG | {"duration_s": -1}}, "duration_s is -1"),
        ({"workload": LONG | {"flows": [LONG["flows"][0] | {"dst": "H9"}]}}, "H9"),  # type: ignore[index]
        ({"workload": "scenario-1", "pace": "slow"}, "pace"),
        ({"workload": "scenario-1", "seed": -1}, "seed is -1"),
        ({}, "workload"),
    ],
)
def test_what_makes_no_sense_is_refused(bed: Bed, params: dict[str, Any], sentence: str) -> None:
    with pytest.raises(RpcError) as refused:
        bed.client.call("workload.run", params)
    assert refused.value.code == rpc.INVALID_PARAMS
    assert sentence in refused.value.message


def test_without_routes_there_is_no_traffic(bed: Bed) -> None:
    """Nobody has programmed the switches yet."""
    with pytest.raises(RpcError, match="workload 'scenario-1': .*LID"):
        bed.client.run_workload("scenario-1")
