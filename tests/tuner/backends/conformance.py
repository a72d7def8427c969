# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What every backend must do. A backend's test inherits `BackendConformance` and says what it runs on."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from ccsim.policy import Profile
from tuner.backends.registry import BACKENDS
from tuner.documents.profile import load_profile
from tuner.documents.workload import Workload
from tuner.errors import BadInputError, InterruptedRunError
from tuner.measuring.backend import Backend
from tuner.measuring.measurement import Measurement


class BackendConformance:
    """Override the three."""

    name: str

    def create(self) -> Backend:
        raise NotImplementedError

    def workload(self) -> Workload:
        """Short, with a victim that `profile()` cures at least twofold, and at least ten samples."""
        raise NotImplementedError

    def profile(self) -> Profile:
        return load_profile("gran-2010")

    @contextmanager
    def opened(self) -> Iterator[Backend]:
        backend = self.create()
        try:
            backend.open()
            yield backend
        finally:
            backend.restore()
            backend.close()

    def measured(self, backend: Backend, seed: int = 1) -> Measurement:
        return backend.measure(self.workload(), seed=seed)

    def test_it_is_registered_under_its_name(self) -> None:
        assert self.name in BACKENDS.names()
        backend = self.create()
        capabilities = backend.open()
        backend.close()
        assert capabilities.name == self.name

    def test_a_measurement_covers_the_whole_run_of_every_flow(self) -> None:
        workload = self.workload()
        with self.opened() as backend:
            backend.apply(self.profile())
            measurement = self.measured(backend, seed=5)
        assert (measurement.backend, measurement.seed, measurement.profile) == (self.name, 5, self.profile().name)
        assert [(f.name, f.src, f.dst, f.role) for f in measurement.flows] == [
            (f.name, f.src, f.dst, f.role) for f in workload.flows
        ]
        assert len(measurement.t_s) == round(workload.duration_s / workload.sample_interval_s)
        assert measurement.t_s[-1] == pytest.approx(workload.duration_s)
        for flow, series in zip(workload.flows, measurement.gbps, strict=True):
            before = measurement.t_s <= flow.start_s + 1e-9
            assert not series[before].any(), f"{flow.name} receives before it starts"
            assert series[~before].any(), f"{flow.name} receives nothing"
        Measurement.from_json(json.loads(json.dumps(measurement.to_json(), allow_nan=False)))

    def test_a_profile_takes_effect_and_restore_ends_it(self) -> None:
        with self.opened() as backend:
            before = self.measured(backend)
            backend.apply(self.profile())
            cured = self.measured(backend)
            backend.restore()
            after = self.measured(backend)
        assert before.profile == after.profile != cured.profile
        assert before.metrics.victim_throughput_gbps is not None
        assert cured.metrics.victim_throughput_gbps is not None
        assert after.metrics.victim_throughput_gbps is not None
        assert cured.metrics.victim_throughput_gbps > 2 * before.metrics.victim_throughput_gbps
        assert cured.metrics.victim_throughput_gbps > 2 * after.metrics.victim_throughput_gbps

    def test_the_last_profile_applied_is_in_force(self) -> None:
        with self.opened() as backend:
            backend.apply(load_profile("off"))
            backend.apply(self.profile())
            one = self.measured(backend)
            backend.apply(load_profile("off"))
            other = self.measured(backend)
        assert (one.profile, other.profile) == (self.profile().name, "off")
        assert (one.metrics.victim_throughput_gbps or 0) > 2 * (other.metrics.victim_throughput_gbps or 0)

    def test_revisions_tell_contents_apart(self) -> None:
        with self.opened() as backend:
            revision = backend.apply(self.profile())
            other = backend.apply(self.profile().with_settings({"ca.ccti_timer": 151}))
            again = backend.apply(self.profile())
        assert revision == again != other

    def test_the_same_seed_gives_the_same_measurement(self) -> None:
        runs = []
        for _ in range(2):
            with self.opened() as backend:
                if not backend.open().deterministic:
                    pytest.skip("this backend does not promise it")
                backend.apply(self.profile())
                runs.append(self.measured(backend, seed=3).to_json())
        assert runs[0]["flows"] == runs[1]["flows"]
        assert runs[0]["counters"] == runs[1]["counters"]

    def test_backends_that_say_so_measure_at_once_as_they_do_alone(self) -> None:
        def run(timer: int) -> Measurement:
            with self.opened() as backend:
                backend.apply(self.profile().with_settings({"ca.ccti_timer": timer}))
                return self.measured(backend)

        with self.opened() as backend:
            capabilities = backend.open()
        if not capabilities.concurrent or not capabilities.deterministic:
            pytest.skip("this backend does not promise it")
        timers = [50, 150, 400]
        with ThreadPoolExecutor(len(timers)) as threads:
            together = list(threads.map(run, timers))
        alone = [run(timer) for timer in timers]
        assert [m.to_json()["flows"] for m in together] == [m.to_json()["flows"] for m in alone]

    def test_a_run_can_be_stopped_and_the_backend_goes_on(self) -> None:
        with self.opened() as backend:
            backend.apply(self.profile())
            with pytest.raises(InterruptedRunError):
                backend.measure(self.workload(), seed=1, should_stop=lambda: True)
            assert self.measured(backend).profile == self.profile().name

    def test_progress_rises_to_one(self) -> None:
        fractions: list[float] = []
        with self.opened() as backend:
            backend.measure(self.workload(), seed=1, on_progress=fractions.append)
        assert fractions == sorted(fractions)
        assert fractions[0] >= 0
        assert fractions[-1] == 1.0

    def test_a_workload_that_does_not_fit_is_bad_input_and_the_backend_goes_on(self) -> None:
        lost = self.workload().model_dump()
        lost["flows"][0]["dst"] = "no-such-host"
        with self.opened() as backend:
            with pytest.raises(BadInputError, match="no-such-host"):
                backend.measure(Workload.model_validate(lost), seed=1)
            assert self.measured(backend).flows

    def test_opening_again_and_closing_in_any_state_is_fine(self) -> None:
        self.create().close()
        backend = self.create()
        try:
            assert backend.open() == backend.open()
            backend.apply(self.profile())
        finally:
            backend.close()
            backend.close()

    def test_what_was_applied_before_the_first_measurement_counts_for_every_workload(self) -> None:
        with self.opened() as backend:
            backend.apply(self.profile())
            one = self.measured(backend)
            other = backend.measure(self.workload().model_copy(update={"name": "again"}), seed=1)
        assert one.profile == other.profile == self.profile().name
        assert [flow.name for flow in one.flows] == [flow.name for flow in other.flows]

    def test_restore_is_idempotent_and_safe_before_anything(self) -> None:
        backend = self.create()
        backend.open()
        backend.restore()
        backend.apply(self.profile())
        backend.restore()
        backend.restore()
        backend.close()
