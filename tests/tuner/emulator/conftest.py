# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import itertools
import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tuner.documents.fabric import load_fabric
from tuner.emulator.client import ControlClient
from tuner.emulator.fabric import EmulatedFabric
from tuner.emulator.inside import environment
from tuner.emulator.server import ControlServer
from tuner.opensm.process import OpenSm

_number = itertools.count()


@pytest.fixture
def name(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Name of a fabric of the test's own; control sockets lie in a folder of its own."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
    return f"ibcc-control-{os.getpid()}-{next(_number)}"


@dataclass
class Bed:
    """The two-switch fabric, emulated: hosts H1 to H7 on the switches S1 and S2."""

    emulated: EmulatedFabric
    control: ControlServer
    client: ControlClient
    folder: Path

    def tool(self, *words: object, host: str = "H1") -> "subprocess.CompletedProcess[str]":
        """A program from its start to its end, attached to a host."""
        return subprocess.run(
            [str(word) for word in words],
            cwd=self.folder,
            env=environment(self.emulated.name, self.folder, host),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=60,
            check=False,
        )

    def output(self, *words: object, host: str = "H1") -> str:
        """What it prints; it must succeed."""
        done = self.tool(*words, host=host)
        assert done.returncode == 0, done
        return done.stdout

    def opensm(self, *arguments: str) -> OpenSm:
        """OpenSM, not waited for."""
        number = next(_number)
        return OpenSm(self.folder / f"opensm-{number}", environment(self.emulated.name, self.folder, "H1"), arguments=arguments)


@pytest.fixture
def bed(name: str, tmp_path: Path, infiniband_programs: None) -> Iterator[Bed]:
    with (
        EmulatedFabric(load_fabric("two-switch"), name=name, timeout_ms=50) as emulated,
        ControlServer(emulated) as control,
        ControlClient(name) as client,
    ):
        yield Bed(emulated, control, client, tmp_path)


@pytest.fixture
def up(bed: Bed) -> Iterator[Bed]:
    """The same with OpenSM on it, and the subnet up."""
    with ExitStack() as ends:
        ends.enter_context(bed.opensm()).await_subnet_up()
        yield bed
