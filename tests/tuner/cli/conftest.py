# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import pytest

from tuner.cli.main import run


@dataclass(frozen=True)
class Finished:
    """A command that has ended."""

    code: int
    out: str
    err: str


Command: TypeAlias = Callable[..., Finished]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs `ibcc` with the arguments given, in this process."""

    def finished(*arguments: object) -> Finished:
        code = run([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Finished(code, out, err)

    return finished
