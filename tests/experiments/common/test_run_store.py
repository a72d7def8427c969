# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Finished runs that are kept, and the identity under which they are."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from experiments._common import run_identity as identities
from experiments._common import run_store
from experiments._common.run_identity import MEASURING, run_identity, simulator_identity
from experiments._common.run_store import FILE, RunStore
from experiments._common.runs import Run, measure_all, read_all
from tests.experiments.common.seen import Seen
from tuner.documents.profile import load_profile
from tuner.documents.workload import load_workload
from tuner.errors import BadInputError

SHORT = 0.02
RUN = Run(workload="scenario-1", profile="gran-2010", time_scale=SHORT)


def store(folder: Path) -> RunStore[Seen]:
    return RunStore(folder, Seen.to_json, Seen.from_json)


def test_only_what_is_missing_is_run(tmp_path: Path) -> None:
    runs = {seed: replace(RUN, seed=seed) for seed in (1, 2, 3)}
    Seen.count = 0
    first = read_all({seed: runs[seed] for seed in (1, 3)}, Seen.of, kept=store(tmp_path))
    done: list[float] = []
    every = read_all(runs, Seen.of, kept=store(tmp_path), on_progress=done.append)
    assert Seen.count == 3
    assert done == pytest.approx([2 / 3, 1])
    assert list(every) == [1, 2, 3]
    assert (every[1], every[3]) == (first[1], first[3])
    assert every == read_all(runs, Seen.of)


def test_whole_measurements_are_kept_too(tmp_path: Path) -> None:
    first, again = (measure_all({"a": RUN}, folder=tmp_path)["a"] for _ in range(2))
    assert np.array_equal(first.gbps, again.gbps)
    assert (first.metrics, first.flows, first.performance) == (again.metrics, again.flows, again.performance)


@pytest.mark.parametrize(
    "other",
    [
        replace(RUN, seed=2),
        replace(RUN, time_scale=2 * SHORT),
        replace(RUN, profile="gran-2012"),
        replace(RUN, profile_settings={"ca.ccti_timer": 151}),
        replace(RUN, model={"switch.hysteresis_bytes": 0}),
        replace(RUN, workload="scenario-2"),
    ],
)
def test_another_run_has_another_identity(other: Run) -> None:
    assert run_identity(other, "fabric", Seen.of) != run_identity(RUN, "fabric", Seen.of)


def test_so_has_one_on_another_fabric_or_read_otherwise() -> None:
    own = run_identity(RUN, "fabric", Seen.of)
    assert run_identity(RUN, "another", Seen.of) != own
    assert run_identity(RUN, "fabric", Seen.first) != own


def test_the_same_run_by_name_and_by_its_documents_is_one(tmp_path: Path) -> None:
    workload = load_workload("scenario-1").scaled(SHORT)
    elsewhere = workload.model_copy(update={"fabric": str(tmp_path / "two-switch.yaml")})
    named = Run(workload=elsewhere, profile=load_profile("gran-2010"))
    assert run_identity(named, "fabric", Seen.of) == run_identity(RUN, "fabric", Seen.of)


def test_what_another_simulator_found_is_never_taken_nor_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read_all({1: RUN}, Seen.of, kept=store(tmp_path))
    Seen.count = 0
    with monkeypatch.context() as patch:
        for module in (run_store, identities):
            patch.setattr(module, "simulator_identity", lambda: "another")
        read_all({1: RUN}, Seen.of, kept=store(tmp_path))
    assert Seen.count == 1
    with closing(sqlite3.connect(tmp_path / FILE)) as database:
        assert set(database.execute("SELECT simulator FROM runs")) == {("another",), (simulator_identity(),)}
    read_all({1: RUN}, Seen.of, kept=store(tmp_path))
    assert Seen.count == 1


@pytest.mark.long
def test_the_identity_covers_all_of_tuner_that_a_measurement_passes_through() -> None:
    """Whatever else of tuner/ that loads does not decide what a run gives."""
    script = (
        "import sys, tuner.backends.simulated\n"
        "print(*(m for m in sys.modules if m.startswith('tuner.') and getattr(sys.modules[m], '__file__', '')))"
    )
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    covered = tuple("tuner." + part.removesuffix(".py").replace("/", ".") for part in MEASURING)
    others = {name for name in loaded if not name.startswith(covered)}
    recording = {"tuner.backends.recording", "tuner.backends.recording_log"}
    assert others <= {"tuner.backends", "tuner.backends.registry", "tuner.errors", "tuner.registry"} | recording
    assert len(simulator_identity()) == 64


@pytest.mark.long
def test_a_killed_call_is_resumed(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from experiments._common.run_store import RunStore; from experiments._common.runs import read_all\n"
        "from tests.experiments.common.seen import RUNS, Seen\n"
        "read_all(RUNS, Seen.of, workers=1, kept=RunStore(Path(sys.argv[1]), Seen.to_json, Seen.from_json))"
    )
    with subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], cwd=Path(__file__).parents[3]) as process:
        deadline = time.monotonic() + 600
        while _finished(tmp_path) < 2 and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
    before = _finished(tmp_path)
    assert before >= 2
    from tests.experiments.common.seen import RUNS

    Seen.count = 0
    read_all(dict(list(RUNS.items())[: before + 1]), Seen.of, kept=store(tmp_path))
    assert Seen.count == 1


def test_a_folder_or_file_that_cannot_be_used_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInputError, match="cannot write into"):
        store(tmp_path / "file" / "folder")
    (tmp_path / FILE).write_text("no database, and long enough to be told from an empty one" * 20)
    with pytest.raises(BadInputError, match="remove that file, or give another folder"):
        store(tmp_path)


def _finished(folder: Path) -> int:
    try:
        with closing(sqlite3.connect(f"file:{folder / FILE}?mode=ro", uri=True)) as database:
            return int(database.execute("SELECT count(*) FROM runs").fetchone()[0])
    except sqlite3.Error:
        return 0
