# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.emulator.clients import Clients
from tuner.documents.fabric import FabricDocument, load_fabric
from tuner.emulator.fabric import EmulatedFabric

_number = itertools.count()


@dataclass(frozen=True)
class Bed:
    """An emulated fabric and what attaches programs to it."""

    fabric: FabricDocument
    emulated: EmulatedFabric
    clients: Clients


Emulate: TypeAlias = Callable[[FabricDocument], Bed]


@pytest.fixture
def emulate(tmp_path: Path, infiniband_programs: None) -> Iterator[Emulate]:
    """Serves fabrics until the end of the test, under names that nobody else has."""
    with ExitStack() as ends:

        def start(fabric: FabricDocument) -> Bed:
            socket = f"ibcc-test-{os.getpid()}-{next(_number)}"
            emulated = ends.enter_context(EmulatedFabric(fabric, name=socket))
            return Bed(fabric, emulated, Clients(socket, tmp_path / "clients"))

        yield start


@pytest.fixture
def two_switch(emulate: Emulate) -> Bed:
    return emulate(load_fabric("two-switch"))
