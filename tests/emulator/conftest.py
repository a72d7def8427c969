# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import itertools
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.emulator.clients import Clients
from tuner.documents.fabric import FabricDocument, load_fabric
from tuner.emulator.fabric import EmulatedFabric
from tuner.errors import BadInputError
from tuner.opensm.preload import client_path, find_umad2sim

PROGRAMS = {"opensm": "opensm", "ibnetdiscover": "infiniband-diags", "ibdiagnet": "ibutils"}
"""By program, the package."""

_number = itertools.count()


@dataclass(frozen=True)
class Bed:
    """An emulated fabric and what attaches programs to it."""

    fabric: FabricDocument
    emulated: EmulatedFabric
    clients: Clients


Emulate: TypeAlias = Callable[[FabricDocument], Bed]


@pytest.fixture(autouse=True)
def programs() -> None:
    """What Debian brings: without it these tests are skipped, and fail where continuous integration should have it."""
    path = client_path()
    missing = [package for program, package in PROGRAMS.items() if shutil.which(program, path=path) is None]
    try:
        find_umad2sim()
    except BadInputError:
        missing.append("libumad2sim0")
    if missing:
        reason = f"missing Debian packages: {', '.join(missing)}"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.fixture
def emulate(tmp_path: Path) -> Iterator[Emulate]:
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
