# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""However a campaign ends, its fabric holds the base profile afterwards, nobody holds the fabric, and nothing is left running."""

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.patience import within
from tests.tuner.backends.standing import SITE, Standing
from tuner.backends.emulated import EmulatedBackend
from tuner.backends.registry import create_backend
from tuner.campaign.evaluation import Plan
from tuner.campaign.pool import BackendPool
from tuner.documents.profile import load_profile
from tuner.documents.workload import Workload, load_workload
from tuner.errors import ApplyFailedError, BadInputError, InterruptedRunError, NeedsPersonError, UnreachableError
from tuner.measuring.backend import Backend
from tuner.measuring.configuration import Configuration
from tuner.measuring.measurement import Measurement
from tuner.measuring.options import BackendOptions

SHORT = load_workload("scenario-1").scaled(0.05)
TTL_S = 2
HOLDING = Path(__file__).with_name("holding_process.py")

pytestmark = pytest.mark.usefixtures("infiniband_programs", "library")


@contextmanager
def tuning(ibcc: Path, standing: Standing, folder: Path, *, trials: int, time_scale: float) -> Iterator[subprocess.Popen[str]]:
    settings = {**standing.settings(ttl_s=TTL_S), "campaign.backend": "emulated", "campaign.parallel": 1}
    settings["campaign.confirmation.time_scale"] = time_scale
    words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    command = [str(ibcc), "tune", "scenario-1", "--trials", str(trials), "--time-scale", str(time_scale), *words]
    command += ["--storage", str(folder / "campaign.sqlite3"), "--output", "json", "-o", str(folder / "result.json")]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        assert process.stderr is not None
        process.stderr.close()


@pytest.mark.thorough
def test_finished(ibcc: Path, standing: Standing, tmp_path: Path) -> None:
    with tuning(ibcc, standing, tmp_path, trials=4, time_scale=0.05) as process:
        _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert json.loads((tmp_path / "result.json").read_text())["counts"]["trials"] == 4
    assert standing.is_free()
    assert standing.holds(SITE)


@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped(number: signal.Signals, ibcc: Path, standing: Standing, tmp_path: Path) -> None:
    with tuning(ibcc, standing, tmp_path, trials=60, time_scale=1.0) as process:
        standing.await_experiment()
        assert not standing.holds(SITE)
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == InterruptedRunError.exit_code, errors
    assert "--resume" in errors
    assert standing.is_free()
    assert standing.holds(SITE)


@pytest.mark.timing("the plugin ends a trial run of 2 s by the clock, and a busy machine may keep its owner from renewing it")
@pytest.mark.thorough
def test_killed(ibcc: Path, standing: Standing, tmp_path: Path) -> None:
    second = tmp_path / "second"
    second.mkdir()
    with tuning(ibcc, standing, tmp_path, trials=60, time_scale=1.0) as process:
        standing.await_experiment()
        with tuning(ibcc, standing, second, trials=4, time_scale=0.05) as another:
            _, errors = another.communicate(timeout=60)
        assert another.returncode == NeedsPersonError.exit_code
        assert f"is taken: ibcc tune scenario-1, process {process.pid} on " in errors
        process.kill()
        before_s = time.monotonic()
        standing.await_restored()
    assert within(time.monotonic() - before_s, TTL_S + 2)
    assert standing.is_free()
    assert standing.holds(SITE)


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """One whose path leaves room for the names of sockets."""
    with tempfile.TemporaryDirectory(prefix="ibcc-") as folder:
        yield Path(folder)


def test_killed_with_a_fabric_of_its_own(short_folder: Path) -> None:
    environment = os.environ | {"TMPDIR": str(short_folder)}
    process = subprocess.Popen(
        [sys.executable, str(HOLDING), "{}"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        (host,) = json.loads(process.stdout.readline())["hosts"]
        session = {pid: os.pidfd_open(pid) for pid in pids_of_session(host)}
        assert len(session) >= 3  # the emulator, OpenSM, and what waits for the end
        process.kill()
        for ended in session.values():  # a descriptor of a process becomes readable when that ends
            assert select.select([ended], [], [], 60)[0]
            os.close(ended)
        assert pids_of_session(host) == set()
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def test_what_runs_inside_ends_with_the_backend_even_if_its_parent_was_killed() -> None:
    backend = EmulatedBackend(BackendOptions(fabric="two-switch"))
    try:
        backend.open()
        (site,) = backend.sites
        assert site.host is not None
        host = site.host.pid
        os.kill(host, signal.SIGKILL)
        with pytest.raises((UnreachableError, ApplyFailedError)):
            backend.measure(SHORT, seed=1)
        backend.restore()
    finally:
        backend.close()
    before_s = time.monotonic()
    while left := pids_of_session(host):  # a kill is heard when the process is next to run
        assert time.monotonic() - before_s < 60, {pid: Path(f"/proc/{pid}/cmdline").read_text() for pid in left}
        time.sleep(0.01)


def pids_of_session(leader: int) -> set[int]:
    """Running processes of the session that `leader` has begun."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, session = stat.read_text().rpartition(")")[2].split()[:4]
        except OSError:  # ended meanwhile
            continue
        if int(session) == leader and state != "Z":
            found.add(int(stat.parent.name))
    return found


class Broken:
    """A backend whose measurements fail in the middle."""

    def __init__(self, inner: Backend) -> None:
        self.open, self.apply, self.restore, self.close = inner.open, inner.apply, inner.restore, inner.close
        self._inner = inner

    def measure(
        self,
        workload: Workload,
        *,
        seed: int,
        should_stop: Callable[[], bool] = lambda: False,
        on_progress: Callable[[float], None] = lambda fraction: None,
    ) -> Measurement:
        def fail(fraction: float) -> None:
            raise RuntimeError("a bug in the middle of a measurement")

        return self._inner.measure(workload, seed=seed, should_stop=should_stop, on_progress=fail)


def lost_host() -> Workload:
    document = SHORT.model_dump()
    document["flows"][0]["dst"] = "no-such-host"
    return Workload.model_validate(document)


@pytest.mark.parametrize("name", ["simulated", "emulated"])
@pytest.mark.parametrize(
    ("workload", "error", "broken"), [(SHORT, RuntimeError, True), (lost_host(), BadInputError, False)], ids=["bug", "bad input"]
)
def test_failed_in_the_middle(name: str, workload: Workload, error: type[Exception], broken: bool, standing: Standing) -> None:
    settings = standing.settings() if name == "emulated" else {}

    def opened() -> Backend:
        backend = create_backend(name, BackendOptions(settings=settings))
        return Broken(backend) if broken else backend

    profile = load_profile("gran-2010")
    with BackendPool(opened, 1) as pool, pytest.raises(error):
        pool.submit(Configuration(profile), Plan(workloads=(workload,), seeds=(1,))).result()
    assert standing.is_free()
    assert standing.holds(SITE)
    # The fabric is as good as before.
    with BackendPool(lambda: create_backend(name, BackendOptions(settings=settings)), 1) as pool:
        _, (measurement,) = pool.submit(Configuration(profile), Plan(workloads=(SHORT,), seeds=(1,))).result()
    assert (measurement.metrics.victim_throughput_gbps or 0) > 12


def test_a_workload_that_somebody_else_runs_is_waited_for_by_nobody(standing: Standing) -> None:
    backend = EmulatedBackend(BackendOptions(settings=standing.settings()))
    try:
        backend.open()
        with pytest.raises(InterruptedRunError):
            backend.measure(load_workload("scenario-1"), seed=1, should_stop=lambda: True)
    finally:
        backend.close()
    assert standing.is_free()
