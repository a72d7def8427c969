# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Workloads on real agents of this machine; only perftest is stood in for. tests/perftest_mods/vm has the real one."""

import json
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.tuner.backends.conformance import BackendConformance
from tests.tuner.hosts.local_cluster import OFF_GBPS, LocalCluster
from tuner.backends.cluster import ClusterBackend
from tuner.backends.registry import create_backend
from tuner.documents.profile import load_profile
from tuner.documents.workload import Workload
from tuner.errors import BadInputError, UnreachableError, WindowClosedError
from tuner.hosts.abort_watch import AbortError
from tuner.hosts.perftest_driver import PerftestDriver
from tuner.measuring.backend import Backend
from tuner.measuring.options import BackendOptions

pytestmark = pytest.mark.long

HELD = Path(__file__).with_name("held_traffic.py")


@pytest.fixture
def cluster(tmp_path: Path) -> LocalCluster:
    return LocalCluster(tmp_path)


def workload(duration_s: float = 0.6, *, flows: list[dict[str, Any]] | None = None, **changes: Any) -> Workload:
    own = [
        {"name": "F1", "src": "H1", "dst": "H4", "role": "victim"},
        {"name": "F2", "src": "H2", "dst": "H5", "role": "contributor"},
        {"name": "F3", "src": "H3", "dst": "H5", "role": "contributor"},
    ]
    document = {"ibcc_workload": 1, "name": "w", "fabric": "two-switch", "duration_s": duration_s, "sample_interval_s": 0.05}
    return Workload.model_validate({**document, "flows": own if flows is None else flows, **changes})


@contextmanager
def opened(cluster: LocalCluster, told: list[str] | None = None, **settings: Any) -> Iterator[ClusterBackend]:
    options = cluster.options(**settings)
    if told is not None:
        options = BackendOptions(settings=options.settings, on_warning=told.append)
    backend = ClusterBackend(options, cluster.driver(options))
    try:
        backend.open()
        yield backend
    finally:
        backend.close()
        await_nothing_left(cluster)


def processes(cluster: LocalCluster) -> dict[int, list[str]]:
    """Command lines of this cluster's processes, as words, by process id. Those that end meanwhile may be among them."""
    found = {}
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = file.read_bytes().decode(errors="replace").split("\0")
            is_gone = (file.parent / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
        except OSError:
            continue
        process = int(file.parent.name)
        if any(str(cluster.folder) in word for word in words) and not is_gone and process != os.getpid():
            found[process] = words
    return found


def left(cluster: LocalCluster) -> list[str]:
    return [" ".join(words) for words in processes(cluster).values()]


def await_nothing_left(cluster: LocalCluster, seconds: float = 30.0) -> None:
    until_s = time.monotonic() + seconds
    while found := left(cluster):
        assert time.monotonic() < until_s, found
        time.sleep(0.02)


@pytest.mark.slow
class TestConformance(BackendConformance):
    name = "cluster"

    @pytest.fixture(autouse=True)
    def _cluster(self, cluster: LocalCluster) -> None:
        self.cluster = cluster

    def create(self) -> Backend:
        # Each attempt doubles the time to get ready, which a machine that is busy with other tests needs.
        options = self.cluster.options(attempts=8)
        return ClusterBackend(options, self.cluster.driver(options))

    def workload(self) -> Workload:
        return workload()


@pytest.mark.parametrize("verb", ["send", "read"])  # write: in all others
def test_what_was_sent_is_measured(verb: str, tmp_path: Path) -> None:
    cluster = LocalCluster(tmp_path, programs=(f"ib_{verb}_bw",))
    with opened(cluster, verb=verb) as backend:
        cluster.rates(dict.fromkeys(cluster.hosts, 4.0))
        measurement = backend.measure(workload(), seed=1)
    for flow in measurement.flows:
        assert flow.mean_gbps == pytest.approx(4.0, rel=0.1)
    assert measurement.counters["verb"] == verb
    assert set(measurement.counters["clock_offsets_us"]) == set(cluster.hosts)
    assert abs(measurement.counters["clock_offsets_us"]["H1"]) < 5e5  # one machine, one clock
    assert 0 < measurement.counters["ready_s"] < measurement.counters["lead_s"]
    assert "notes" not in measurement.counters


def test_bursts_late_starts_and_moving_hotspots(cluster: LocalCluster) -> None:
    patterns = [
        {"kind": "on-off", "name": "b", "hosts": ["H1"], "destinations": ["H4"], "on_s": 0.3, "off_s": 0.3, "role": "other",
         "rate_gbps": 2.0},
        {"kind": "hotspots", "name": "h", "hosts": ["H2", "H3", "H4", "H5"], "c_nodes": 1, "hotspots": 1, "active": ["C"],
         "move_every_s": 0.4, "seed": 3},
    ]  # fmt: skip
    flows = [{"name": "late", "src": "H5", "dst": "H1", "start_s": 0.5, "stop_s": 0.9, "rate_gbps": 0.5}]
    with opened(cluster) as backend:
        cluster.rates(dict.fromkeys(cluster.hosts, 4.0))
        measurement = backend.measure(workload(1.2, flows=flows, patterns=patterns), seed=1)
    rows = {flow.name: row for flow, row in zip(measurement.flows, measurement.gbps, strict=True)}
    # Samples that a change falls into, or one beside it, are some of both.
    assert rows["late"][:10].max() == 0
    assert rows["late"][11:17] == pytest.approx(0.5, rel=0.3)
    assert rows["late"][20:].max() < 0.05
    burst = rows["b-1"]
    assert burst[:5].mean() == pytest.approx(2.0, rel=0.2)
    assert burst[8:10].max() < 0.3
    assert burst[14:17].mean() == pytest.approx(2.0, rel=0.3)
    hotspot = next(row for name, row in rows.items() if name.startswith("h-c"))
    assert hotspot.mean() == pytest.approx(4.0, rel=0.1)  # three segments, and no gap between them
    assert measurement.counters["programs"] == 2 * (1 + 1 + 3)


def test_a_program_that_fails_is_quoted_and_started_again(cluster: LocalCluster) -> None:
    told: list[str] = []
    with opened(cluster, told, attempts=2) as backend:
        cluster.rates({**OFF_GBPS, "H2": "fails"})
        how = r"started 2 times; .*'H2' was lost: ib_write_bw as client ended with exit code 1, saying: .*Couldn't allocate MR"
        with pytest.raises(UnreachableError, match=how):
            backend.measure(workload(), seed=1)
    # On a busy machine another host may have been late in the first attempt.
    assert any("was lost" in sentence and "measured again" in sentence for sentence in told)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        pytest.param("stuck", "was not ready when the workload began", marks=pytest.mark.slow),
        ("alone", "was not connected"),
    ],
)
def test_hosts_that_are_late_get_more_time(how: str, sentence: str, cluster: LocalCluster) -> None:
    with opened(cluster, attempts=1, lead_s=6) as backend:
        cluster.rates({**OFF_GBPS, "H3": how})
        with pytest.raises(UnreachableError, match=f"'H[35]' was lost: .*{sentence}"):
            backend.measure(workload(1.0), seed=1)
        cluster.rates(OFF_GBPS)
        assert backend.measure(workload(), seed=1).counters["lead_s"] == 12  # twice the first


def test_what_a_host_does_not_give_is_refused_before_anything_starts(tmp_path: Path) -> None:
    cluster = LocalCluster(tmp_path, agent_changes={"max_qps": 2})
    flows = [{"name": "F1", "src": "H1", "dst": "H4", "qps": 3}]
    with opened(cluster) as backend:
        with pytest.raises(BadInputError, match="node 'H[14]' would need 3 queue pairs, and its agent allows at most 2") as told:
            backend.measure(workload(flows=flows), seed=1)
        assert "raise max_qps in that host's" in told.value.sentence
        assert left(cluster) == []
        assert not list((tmp_path / "run").iterdir())  # no agent was asked


def test_a_program_that_is_killed_is_a_lost_host(cluster: LocalCluster) -> None:
    with opened(cluster, attempts=1, lead_s=8) as backend:  # so that no host is late, which would be lost too

        def kill(fraction: float) -> None:
            for process, words in processes(cluster).items():
                if "H2" in words:
                    with suppress(ProcessLookupError):
                        os.kill(process, signal.SIGKILL)

        with pytest.raises(UnreachableError, match="'H2' was lost: ib_write_bw as client ended with signal SIGKILL"):
            backend.measure(workload(3.0), seed=1, on_progress=kill)


def test_a_counter_that_passes_its_limit_ends_everything(tmp_path: Path) -> None:
    limits = {"counters": [{"name": "port_xmit_wait", "at_most_per_s": 20000, "for_s": 0.2}]}
    cluster = LocalCluster(tmp_path, changes={"abort_if": limits})
    with opened(cluster) as backend:
        backend.apply(load_profile("gran-2010"))
        with pytest.raises(AbortError, match=r"port_xmit_wait of H\d on node 'H\d' has risen by"):
            backend.measure(workload(3.0), seed=1)
        assert left(cluster) == []


def test_a_job_side_canary_ends_a_campaign_before_it_begins(tmp_path: Path) -> None:
    file = tmp_path / "allreduce"
    limits = {"jobs": [{"name": "allreduce", "file": str(file), "at_most": 900}]}
    cluster = LocalCluster(tmp_path, changes={"abort_if": limits})
    file.write_text("1200")
    with pytest.raises(AbortError, match="job 'allreduce' says 1200"), opened(cluster):
        pass
    file.write_text("800")
    with opened(cluster) as backend:
        file.write_text("1200")
        with pytest.raises(AbortError):
            backend.measure(workload(), seed=1)


def maintenance(begin: datetime, end: datetime) -> dict[str, Any]:
    return {"maintenance": [{"from": f"{begin:%H:%M}", "to": f"{end:%H:%M}"}]}


def test_outside_its_windows_nothing_is_begun(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    shut = LocalCluster(tmp_path, changes=maintenance(now + timedelta(hours=2), now + timedelta(hours=3)))
    with pytest.raises(
        WindowClosedError, match=r"allows no measurement now, outside its maintenance windows; the next one begins"
    ) as told:
        PerftestDriver(shut.options()).open()
    assert told.value.opens_at == (now + timedelta(hours=2)).replace(second=0, microsecond=0)
    assert told.value.exit_code == 3


def test_a_campaign_ends_in_order_with_its_window(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    begin = (now - timedelta(hours=1)).replace(second=0, microsecond=0)
    cluster = LocalCluster(tmp_path, changes=maintenance(begin, now + timedelta(minutes=3)))
    sentence = "the maintenance window ends at .* before another measurement would; the next one begins at"
    with opened(cluster) as backend, pytest.raises(WindowClosedError, match=sentence) as told:
        backend.measure(workload(600), seed=1)
    assert told.value.opens_at == begin + timedelta(days=1)
    assert pickle.loads(pickle.dumps(told.value)).opens_at == told.value.opens_at, "it comes back from other processes"


def test_what_no_window_is_long_enough_for_is_refused(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    cluster = LocalCluster(tmp_path, changes=maintenance(now - timedelta(minutes=20), now + timedelta(minutes=3)))
    sentence = r"a measurement takes 36\d\d s, and the longest maintenance window of inventory '\S+' 1380 s;"
    with opened(cluster) as backend, pytest.raises(UnreachableError, match=sentence):
        backend.measure(workload(3600), seed=1)


def test_a_host_that_is_taken_for_another_is_not_used(tmp_path: Path) -> None:
    cluster = LocalCluster(tmp_path)
    (tmp_path / "sysfs/H4/ports/1/gids/0").write_text("fe80:0000:0000:0000:0000:0000:0000:0bad\n")
    (tmp_path / "sysfs/H5/ports/1/state").write_text("2: INIT\n")
    told: list[str] = []
    with opened(cluster, told) as backend, pytest.raises(UnreachableError, match="host 'H4', which flow 'F1' needs"):
        backend.measure(workload(), seed=1)
    assert any("port GUID 0x0000000000000bad" in sentence and "confuses two hosts" in sentence for sentence in told)
    assert any("node 'H5' is unavailable: H5 port 1 is INIT, not active" in sentence for sentence in told)


@pytest.mark.thorough
def test_what_is_not_the_fabrics_own_traffic_says_so(tmp_path: Path) -> None:
    cluster = LocalCluster(tmp_path, link_layer="Ethernet")
    with opened(cluster) as backend:
        measurement = backend.measure(workload(), seed=1)
    (note,) = measurement.counters["notes"]
    assert "5 of 5 hosts (H1, H2, H3 …) send over Ethernet" in note
    assert "does not depend on the profile" in note


def test_a_host_that_is_not_in_the_inventory_is_named(cluster: LocalCluster) -> None:
    flows = [{"name": "F1", "src": "H1", "dst": "H7"}]
    with opened(cluster) as backend, pytest.raises(UnreachableError, match="host 'H7', which flow 'F1' needs"):
        backend.measure(workload(flows=flows), seed=1)


@pytest.mark.slow
def test_a_canary_comes_first_where_it_is_asked_for(tmp_path: Path) -> None:
    told: list[str] = []
    cluster = LocalCluster(tmp_path, changes={"canary": {"duration_s": 0.3}})
    with opened(cluster, told, canary=True) as backend:
        assert backend.measure(workload(), seed=1).profile == "off"
    assert "1 of 5 adapters do not throttle when they receive BECNs: H3" in told


def test_an_inventory_is_needed(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="lacks the setting 'backend.inventory'"):
        create_backend("cluster")
    cluster = LocalCluster(tmp_path)
    text = cluster.inventory.read_text().replace("host: H1", "host: H77")
    cluster.inventory.write_text(text)
    with pytest.raises(BadInputError, match="inventory 'local', node 'H1': unknown host 'H77'"):
        PerftestDriver(cluster.options())


def test_nothing_is_left_of_a_coordinator_that_is_killed(cluster: LocalCluster) -> None:
    command = [sys.executable, str(HELD), str(cluster.folder), json.dumps(workload(60).model_dump(mode="json"))]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "traffic\n"
        programs = [line for line in left(cluster) if "ib_write_bw -F" in line]
        assert len(programs) == 6
        process.kill()
        process.wait()
        await_nothing_left(cluster)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
