# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Machine that a report was made on, and versions of the software that made it."""

import os
import platform
from importlib import metadata
from pathlib import Path

_PACKAGES = ("ibcc", "optuna", "numpy", "matplotlib")


def versions() -> dict[str, str]:
    """Versions of what the results depend on."""
    return {"python": platform.python_version()} | {package: metadata.version(package) for package in _PACKAGES}


def machine() -> dict[str, str | int]:
    """The machine, without its name."""
    return {"system": platform.platform(), "processor": _processor(), "cpus": os.cpu_count() or 1}


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    models = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())
