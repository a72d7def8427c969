# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a command imports: that, and not the clock, tells on any machine whether it starts fast."""

import os
import subprocess
import sys
from collections.abc import Mapping

HEAVY = {
    "ClusterShell",
    "alembic",
    "ccsim",
    "distributed",
    "fastapi",
    "matplotlib",
    "numpy",
    "optuna",
    "pydantic",
    "scipy",
    "sqlalchemy",
    "starlette",
    "uvicorn",
}
"""What takes a tenth of a second by itself, or is needed by that."""

_SCRIPT = r"""
import sys
from tuner.cli.main import run
code = run(sys.argv[1:])
print(*sorted(sys.modules), sep="\n", file=sys.stderr)
sys.exit(code)
"""


def imported(*arguments: str, code: int = 0, variables: Mapping[str, str] | None = None) -> set[str]:
    """The modules that `ibcc` with those arguments has imported at its end."""
    command = [sys.executable, "-c", _SCRIPT, *arguments]
    finished = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **(variables or {})})
    assert finished.returncode == code, finished.stderr
    return set(finished.stderr.splitlines())


def heavy(modules: set[str]) -> set[str]:
    """The heavy packages among them."""
    return {module.partition(".")[0] for module in modules} & HEAVY
