# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TypeAlias

import pytest

from benchmarks.ibsim import Ibsim
from tests.emulator.clients import Clients
from tuner.documents.fabric import FabricDocument, load_fabric

_number = itertools.count()

Emulate: TypeAlias = Callable[[FabricDocument], Clients]


@pytest.fixture
def emulate(tmp_path: Path) -> Iterator[Emulate]:
    with ExitStack() as ends:

        def start(fabric: FabricDocument) -> Clients:
            socket = f"ibcc-test-{os.getpid()}-{next(_number)}"
            ends.enter_context(Ibsim(fabric, socket, tmp_path / socket))
            return Clients(socket, tmp_path / "clients")

        yield start


@pytest.fixture
def two_switch(emulate: Emulate) -> Clients:
    return emulate(load_fabric("two-switch"))
