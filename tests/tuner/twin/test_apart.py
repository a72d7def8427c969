# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A twin in a process of its own leaves nothing, whoever ends."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tuner.documents.fabric_text import fabric_text
from tuner.errors import BadInputError
from tuner.fabric.topologies.base import generate
from tuner.twin.apart import Order, make

WAIT_S = 60.0
SLEEPING = "#!/bin/sh\nexec sleep 1000\n"
STARTER = """
import sys
import tempfile
from pathlib import Path
from tuner.twin.apart import Order, make
document = Path(sys.argv[1]).read_text()
order = Order(document=document, name="small", source="small", read={}, memory_bytes=2**32, time_s=600)
make(order, on_step=lambda step, fraction: None, should_stop=lambda: False)
"""


@pytest.fixture
def document() -> str:
    return fabric_text(generate("leaf-spine", leaves=4, spines=2, hosts_per_leaf=5), [])


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary files, and an `opensm` that never brings anything up."""
    folder, programs = tmp_path / "temporary", tmp_path / "bin"
    folder.mkdir()
    programs.mkdir()
    (programs / "opensm").write_text(SLEEPING)
    (programs / "opensm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def order(document: str, **more: float) -> Order:
    values = {"memory_bytes": 2**32, "time_s": 600.0} | more
    return Order(document=document, name="small", source="small", read={}, **values)  # type: ignore[arg-type]


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT_S
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def of_folder(folder: Path) -> list[int]:
    """Processes whose environment names the folder as that of temporary files, but for this one."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            environment = (process / "environ").read_bytes()
        except OSError:
            continue
        if f"TMPDIR={folder}".encode() in environment.split(b"\0") and int(process.name) != os.getpid():
            found.append(int(process.name))
    return found


@pytest.mark.long
def test_stopped_it_ends_opensm_first(document: str, temporary: Path, infiniband_programs: None) -> None:
    stop = threading.Event()

    def on_step(step: str, fraction: float) -> None:
        if step.startswith("trying the line on OpenSM"):
            until(lambda: any(temporary.glob("ibcc-trial-*/opensm.log")))
            stop.set()

    assert make(order(document), on_step=on_step, should_stop=stop.is_set) is None
    assert list(temporary.iterdir()) == []
    assert of_folder(temporary) == []


@pytest.mark.thorough
def test_beyond_its_time_it_is_ended(document: str, temporary: Path, infiniband_programs: None) -> None:
    with pytest.raises(BadInputError, match="was not made within 4 s, the setting twin_time_s"):
        make(order(document, time_s=4.0), on_step=lambda step, fraction: None, should_stop=lambda: False)
    assert list(temporary.iterdir()) == []
    assert of_folder(temporary) == []


@pytest.mark.thorough
def test_nothing_stays_when_its_starter_is_killed(document: str, temporary: Path, infiniband_programs: None) -> None:
    file = temporary.parent / "small.yaml"
    file.write_text(document)
    with subprocess.Popen([sys.executable, "-c", STARTER, str(file)]) as starter:
        until(lambda: any(temporary.glob("ibcc-trial-*/opensm.log")))
        starter.send_signal(signal.SIGKILL)
        starter.wait()
    until(lambda: not of_folder(temporary))
    until(lambda: not any(temporary.iterdir()))


@pytest.mark.thorough
def test_too_little_memory_is_said(document: str, temporary: Path) -> None:
    with pytest.raises(BadInputError, match="needs more than 200 MiB of memory, the setting twin_memory_bytes"):
        make(order(document, memory_bytes=200 * 2**20), on_step=lambda step, fraction: None, should_stop=lambda: False)
    assert list(temporary.iterdir()) == []
