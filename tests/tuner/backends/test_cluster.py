# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import fmean, stdev

import pytest

from tests.tuner.backends.conformance import BackendConformance
from tests.tuner.backends.standing import SITE, Standing
from tests.tuner.hosts.fake_cluster import DAY_S, FakeCluster, FakeRun
from tuner.backends.cluster import ClusterBackend
from tuner.backends.registry import create_backend
from tuner.documents.profile import load_profile
from tuner.documents.workload import Workload, load_workload
from tuner.emulator.client import ControlClient
from tuner.errors import ApplyFailedError, BadInputError, InterruptedRunError, NeedsPersonError, UnreachableError
from tuner.measuring.backend import Backend
from tuner.measuring.options import BackendOptions
from tuner.opensm.held_fabric import HeldFabric

SHORT = load_workload("scenario-1").scaled(0.05)
EXPERT = load_profile("gran-2010")


class TestCluster(BackendConformance):
    name = "cluster"

    def create(self) -> Backend:
        return ClusterBackend(BackendOptions(), FakeCluster())

    def workload(self) -> Workload:
        return SHORT


@contextmanager
def opened(cluster: FakeCluster, options: BackendOptions | None = None) -> Iterator[ClusterBackend]:
    backend = ClusterBackend(options or BackendOptions(), cluster)
    try:
        backend.open()
        yield backend
    finally:
        backend.close()
        assert cluster.held_by is None
        assert cluster.present.name == "off"
        assert all(run.stopped for run in cluster.runs)
        assert not cluster.is_open


@pytest.mark.long
def test_it_says_that_it_measures_one_at_a_time_and_never_the_same() -> None:
    with opened(FakeCluster()) as backend:
        capabilities = backend.open()
        assert (capabilities.concurrent, capabilities.deterministic) == (False, False)
        backend.apply(EXPERT)
        victims = [backend.measure(SHORT, seed=1).metrics.victim_throughput_gbps or 0 for _ in range(4)]
    assert 0 < stdev(victims) < 0.05 * fmean(victims)


def test_the_time_of_day_shows() -> None:
    totals = []
    for hour in (6, 18):
        with opened(FakeCluster(now_s=hour / 24 * DAY_S, drift=0.05, noise=0)) as backend:
            totals.append(backend.measure(SHORT, seed=1).metrics.contributor_total_gbps or 0)
    assert totals[0] == pytest.approx(0.95 * totals[1], rel=0.005)


@pytest.mark.long
def test_a_changed_fabric_gets_its_time_to_settle_once() -> None:
    cluster = FakeCluster(slow_settling_s=0.4)
    with opened(cluster, BackendOptions(settings={"backend.settle_s": 0})) as backend:
        backend.apply(EXPERT)
        hasty = backend.measure(SHORT, seed=1).metrics.victim_throughput_gbps or 0
    with opened(cluster, BackendOptions(settings={"backend.settle_s": 5})) as backend:
        backend.apply(EXPERT)
        before_s = cluster.now_s
        for _ in range(2):
            assert (backend.measure(SHORT, seed=1).metrics.victim_throughput_gbps or 0) > 2 * hasty
        assert cluster.now_s - before_s == pytest.approx(5 + 2 * SHORT.duration_s)


@pytest.mark.long
def test_a_measurement_that_lost_a_host_is_made_again() -> None:
    cluster = FakeCluster(loses={0: "H4", 1: "H2"})
    told: list[str] = []
    with opened(cluster, BackendOptions(on_warning=told.append)) as backend:
        backend.apply(EXPERT)
        measurement = backend.measure(SHORT, seed=1)
    assert measurement.counters == {"attempts": 3}
    assert [sentence.split(";")[0] for sentence in told] == [
        "host 'H4' was lost: it does not answer",
        "host 'H2' was lost: it does not answer",
    ]


def test_one_that_always_loses_a_host_is_given_up_with_the_base_in_force() -> None:
    cluster = FakeCluster(loses=dict.fromkeys(range(9), "H4"))
    with opened(cluster, BackendOptions(settings={"backend.attempts": 2})) as backend:
        backend.apply(EXPERT)
        with pytest.raises(UnreachableError, match="was started 2 times; the last time host 'H4' was lost: it does not answer"):
            backend.measure(SHORT, seed=1)
        backend.restore()
        assert cluster.present.name == "off"
    assert len(cluster.runs) == 2


def test_hosts_stop_sending_when_a_person_stops() -> None:
    cluster = FakeCluster()
    with opened(cluster) as backend:
        asked = iter([False, False, False])
        with pytest.raises(InterruptedRunError, match="was stopped at"):
            backend.measure(SHORT, seed=1, should_stop=lambda: next(asked, True))
        assert [run.stopped for run in cluster.runs] == [True]


def test_a_profile_that_a_device_refuses_leaves_the_base_in_force() -> None:
    cluster = FakeCluster(refuses_next="H3")
    with opened(cluster) as backend:
        with pytest.raises(ApplyFailedError, match="'H3'"):
            backend.apply(EXPERT)
        assert backend.measure(SHORT, seed=1).profile == "off"


def test_what_was_measured_while_somebody_else_changed_the_fabric_is_not_handed_on() -> None:
    cluster = FakeCluster()
    with opened(cluster) as backend:
        backend.apply(EXPERT)
        assert cluster.held_by is not None

        def take_away(fraction: float) -> None:
            assert cluster.held_by is not None
            cluster.held_by.ended_by_somebody = True

        with pytest.raises(ApplyFailedError, match="not in force any more"):
            backend.measure(SHORT, seed=1, on_progress=take_away)


def test_a_second_campaign_is_refused() -> None:
    cluster = FakeCluster()
    with opened(cluster):
        second = ClusterBackend(BackendOptions(), cluster)
        with pytest.raises(NeedsPersonError, match="is taken: somebody"):
            second.open()


def test_a_fabric_that_cannot_take_a_section_is_refused_when_it_is_opened() -> None:
    cluster = FakeCluster(cannot_take="the plugin only reads")
    backend = ClusterBackend(BackendOptions(profiles=[load_profile("hpcc-dcqcn")]), cluster)
    with pytest.raises(BadInputError, match="profile 'hpcc-dcqcn' has the section nvidia, and the plugin only reads"):
        backend.open()
    backend.close()
    assert cluster.held_by is None


@pytest.mark.usefixtures("infiniband_programs", "library")
def test_the_fabric_is_changed_through_the_plugin_wherever_the_traffic_comes_from(standing: Standing) -> None:
    cluster = OnStanding(standing)
    backend = ClusterBackend(BackendOptions(owner="a test"), cluster)
    try:
        backend.open()
        backend.apply(load_profile("off"))
        assert standing.holds(load_profile("off"))
        congested = backend.measure(SHORT, seed=1)
        backend.apply(EXPERT)
        assert standing.holds(EXPERT)
        cured = backend.measure(SHORT, seed=1)
        backend.restore()
        assert standing.holds(SITE)
        assert backend.measure(SHORT, seed=1).profile == SITE.name
    finally:
        backend.close()
    assert standing.is_free()
    assert standing.holds(SITE)
    assert (cured.metrics.victim_throughput_gbps or 0) > 2 * (congested.metrics.victim_throughput_gbps or 0)


class OnStanding(FakeCluster):
    """Its fabric is one that a real OpenSM runs, and its traffic goes over that."""

    def __init__(self, standing: Standing) -> None:
        super().__init__()
        self._standing = standing

    def fabric(self, options: BackendOptions, *, ttl_s: int) -> HeldFabric:
        return HeldFabric(self._standing.plugin, what=options.owner, ttl_s=ttl_s)

    def start(self, workload: Workload, *, seed: int) -> FakeRun:
        with ControlClient(self._standing.name) as control:
            measurement = control.run_workload(workload.model_dump(mode="json"), seed=seed)
        self.runs.append(FakeRun(self, workload, measurement, 1.0, None))
        return self.runs[-1]


def test_without_an_inventory_it_says_what_is_missing() -> None:
    with pytest.raises(BadInputError, match="lacks the setting 'backend.inventory', which says where the hosts are"):
        create_backend("cluster")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (BackendOptions(settings={"model.switch.read_ports": 2}), "a parameter of simulated devices"),
        (BackendOptions(settings={"backend.attempts": 0}), r"backend\.attempts is 0; it must be from 1 to 100"),
        (BackendOptions(settings={"backend.retries": 0}), r"unknown setting 'backend\.retries'; did you mean"),
        (BackendOptions(later=[(1.0, EXPERT)]), "changes no profile in the middle of a run"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: BackendOptions, sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        ClusterBackend(options, FakeCluster())
