# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ccsim.policy import Profile
from tests.tuner.backends.conformance import BackendConformance
from tests.tuner.campaign.analytic import AnalyticBackend
from tuner.backends.recording import RecordingBackend
from tuner.backends.registry import create_backend
from tuner.backends.simulated import SimulatedBackend
from tuner.documents.profile import load_profile
from tuner.documents.workload import Workload, load_workload
from tuner.errors import BadInputError
from tuner.measuring.backend import Backend, Capabilities, VariesModel
from tuner.measuring.measurement import Measurement
from tuner.measuring.options import BackendOptions

SHORT = load_workload("scenario-1").scaled(0.05)
EXPERT = load_profile("gran-2010")


def replaying(log: Path, **more: object) -> Backend:
    return create_backend("recorded", BackendOptions(settings={"backend.log": str(log)} | more))


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the conformance suite asks for, measured by the simulator."""
    path = tmp_path_factory.mktemp("recording") / "log.jsonl"
    backend = create_backend("simulated", BackendOptions(settings={"backend.record": str(path)}))
    backend.open()
    backend.measure(SHORT, seed=1)
    profiles = [load_profile("off"), *(EXPERT.with_settings({"ca.ccti_timer": timer}) for timer in (50, 400))]
    for profile in profiles:
        backend.apply(profile)
        backend.measure(SHORT, seed=1)
    backend.apply(EXPERT)
    for seed in (1, 3, 5):
        backend.measure(SHORT, seed=seed)
    backend.measure(SHORT.model_copy(update={"name": "again"}), seed=1)
    backend.close()
    return path


class TestRecorded(BackendConformance):
    name = "recorded"

    @pytest.fixture(autouse=True)
    def _with(self, log: Path) -> None:
        self.log = log

    def create(self) -> Backend:
        return replaying(self.log)

    def workload(self) -> Workload:
        return SHORT


class TestRecording(BackendConformance):
    """Around another backend nothing changes."""

    name = "simulated"

    @pytest.fixture(autouse=True)
    def _into(self, tmp_path: Path) -> None:
        self.folder = tmp_path

    def create(self) -> Backend:
        options = BackendOptions(settings={"backend.record": str(self.folder / "log.jsonl")})
        backend = create_backend("simulated", options)
        assert isinstance(backend, RecordingBackend)
        return backend

    def workload(self) -> Workload:
        return SHORT


class Noisy(SimulatedBackend):
    """Says of itself what a real fabric says, and measures with another seed each time."""

    def open(self) -> Capabilities:
        self._count = 0
        return Capabilities(name="noisy", concurrent=False, deterministic=False)

    def measure(self, workload: Workload, *, seed: int, **more: object) -> Measurement:
        self._count += 1
        return super().measure(workload, seed=seed + 100 * self._count)


@contextmanager
def opened(backend: Backend) -> Iterator[Backend]:
    try:
        backend.open()
        yield backend
    finally:
        backend.close()


def test_replayed_is_what_was_measured(log: Path) -> None:
    with opened(replaying(log)) as backend, opened(create_backend("simulated")) as simulated:
        for one in (backend, simulated):
            one.apply(EXPERT)
        again, fresh = backend.measure(SHORT, seed=3), simulated.measure(SHORT, seed=3)
    assert again.gbps.tolist() == fresh.gbps.tolist()
    assert (again.metrics, again.counters) == (fresh.metrics, fresh.counters)
    assert (again.backend, again.profile) == ("recorded", "gran-2010")


def test_a_profile_is_what_it_sets_and_not_its_name(log: Path) -> None:
    renamed = Profile.from_dict(EXPERT.to_dict() | {"name": "trial-17"})
    with opened(replaying(log)) as backend:
        backend.apply(renamed)
        assert backend.measure(SHORT, seed=3).profile == "trial-17"


@pytest.mark.parametrize(
    ("seed", "profile", "workload", "sentence"),
    [
        (
            4,
            EXPERT,
            SHORT,
            r"'scenario-1' under profile 'gran-2010' with seed 4 was not measured; .*: seed is \d there and 4 here",
        ),
        (1, EXPERT.with_settings({"ca.ccti_timer": 51}), SHORT, r"profile\.ca\.ccti_timer is \d+ there and 51 here"),
        (1, EXPERT, SHORT.scaled(2), r"differs: workload\.duration_s is 0\.25 there and 0\.5 here"),
    ],
)
def test_what_was_not_measured_is_said_with_what_comes_nearest(
    seed: int, profile: Profile, workload: Workload, sentence: str, log: Path
) -> None:
    with opened(replaying(log)) as backend:
        backend.apply(profile)
        with pytest.raises(BadInputError, match=rf"log\.jsonl: .*{sentence}"):
            backend.measure(workload, seed=seed)


def test_other_devices_and_other_fabrics_are_other_measurements(log: Path) -> None:
    with (
        opened(replaying(log, **{"model.switch.read_ports": 2})) as backend,
        pytest.raises(BadInputError, match=r"model\.switch\.read_ports is null there and 2 here"),
    ):
        backend.measure(SHORT, seed=1)
    other = create_backend("recorded", BackendOptions(fabric="other", settings={"backend.log": str(log)}))
    with opened(other), pytest.raises(BadInputError, match=r'fabric is "two-switch" there and "other" here'):
        other.measure(SHORT, seed=1)


def test_noise_is_replayed_in_its_order_and_each_measurement_once(tmp_path: Path) -> None:
    path = tmp_path / "noisy.jsonl"
    with opened(RecordingBackend(Noisy(BackendOptions()), path, fabric=None, model={})) as recording:
        recording.apply(EXPERT)
        measured = [recording.measure(SHORT, seed=1).gbps.tolist() for _ in range(2)]
    assert measured[0] != measured[1]
    with opened(replaying(path)) as backend:
        capabilities = backend.open()
        assert (capabilities.concurrent, capabilities.deterministic) == (False, False)
        backend.apply(EXPERT)
        assert [backend.measure(SHORT, seed=1).gbps.tolist() for _ in range(2)] == measured
        with pytest.raises(BadInputError, match="was measured 2 times, and is requested again"):
            backend.measure(SHORT, seed=1)


def test_a_line_that_was_cut_off_is_left_out_and_takes_no_other_with_it(log: Path, tmp_path: Path) -> None:
    lines = log.read_bytes().splitlines(keepends=True)
    path = tmp_path / "cut.jsonl"
    path.write_bytes(lines[0] + lines[1][:-100])  # killed while it wrote the second
    options = BackendOptions(settings={"backend.record": str(path)})
    with opened(create_backend("simulated", options)) as recording:
        recording.apply(EXPERT)
        recording.measure(SHORT, seed=9)
    told: list[str] = []
    with opened(
        create_backend("recorded", BackendOptions(settings={"backend.log": str(path)}, on_warning=told.append))
    ) as backend:
        assert told == [f"{path}:2: not a complete line of a recording; it is ignored"]
        assert backend.measure(SHORT, seed=1).flows
        backend.apply(EXPERT)
        assert backend.measure(SHORT, seed=9).flows


def test_logs_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"none\.jsonl: cannot be read: No such file"):
        replaying(tmp_path / "none.jsonl").open()
    other = tmp_path / "other.jsonl"
    other.write_text('{"flows": []}\n')
    with pytest.raises(BadInputError, match=r"other\.jsonl:1: not a recording of measurements"):
        replaying(other).open()
    with pytest.raises(BadInputError, match=r"backend 'recorded' lacks the setting 'backend\.log'"):
        create_backend("recorded")
    with pytest.raises(BadInputError, match=r"cannot write the recording: No such file"):
        create_backend("simulated", BackendOptions(settings={"backend.record": str(tmp_path / "no" / "log")})).measure(
            SHORT, seed=1
        )


class Knowing(SimulatedBackend):
    def present(self) -> Profile:
        return EXPERT


def test_what_only_some_backends_can_tell_is_told_through_a_recording_too(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    assert RecordingBackend(Knowing(BackendOptions()), path, fabric=None, model={}).present() == EXPERT
    assert not hasattr(RecordingBackend(SimulatedBackend(BackendOptions()), path, fabric=None, model={}), "present")


def test_a_model_that_a_study_varies_is_a_condition(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    measured = create_backend("simulated", BackendOptions(settings={"backend.record": str(log)}))
    assert isinstance(measured, VariesModel)
    models: list[dict[str, Any]] = [{}, {"switch.input_buffer_bytes": 8448}]
    measured.open()
    series = []
    for model in models:
        measured.use_model(model)
        measured.apply(EXPERT)
        series.append(measured.measure(SHORT, seed=1).counters["ports"])
    assert series[0] != series[1]
    replayed = replaying(log)
    assert isinstance(replayed, VariesModel)
    replayed.open()
    for model, ports in zip(reversed(models), reversed(series), strict=True):
        replayed.use_model(model)
        replayed.apply(EXPERT)
        assert replayed.measure(SHORT, seed=1).counters["ports"] == ports
    replayed.use_model({"switch.input_buffer_bytes": 16896})
    with pytest.raises(BadInputError, match="input_buffer_bytes"):
        replayed.measure(SHORT, seed=1)


def test_a_recorded_backend_without_a_model_refuses_one(tmp_path: Path) -> None:
    around = RecordingBackend(AnalyticBackend(), tmp_path / "log.jsonl", fabric=None, model={})
    around.use_model({})
    with pytest.raises(BadInputError, match="whose model it cannot set"):
        around.use_model({"num_vls": 2})
