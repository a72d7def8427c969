# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Environments that have one product's packages alone: links to what is installed here, as to install them anew takes minutes."""

import subprocess
import sys
import sysconfig
from collections.abc import Collection, Iterator
from importlib import metadata
from pathlib import Path

from build_tools.products import needed


def make_environment(folder: Path, packages: Collection[metadata.Distribution]) -> Path:
    """Makes an environment in `folder` that has these packages alone, and returns its Python."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    for distribution in packages:
        here = Path(str(distribution.locate_file("")))
        for top in _tops(distribution):
            if not (site / top).exists():
                (site / top).symlink_to(here / top)
    return folder / "bin/python"


def _tops(distribution: metadata.Distribution) -> Iterator[str]:
    """Files and folders of a package in `site-packages`, each once."""
    yield from {file.parts[0] for file in distribution.files or () if file.parts[0] not in ("..", "__pycache__")}


def product(folder: Path, *extras: str) -> Path:
    """The Python of an environment that has `ibcc` with these extras; `ibcc` is this working tree."""
    own = metadata.distribution("ibcc")
    return make_environment(folder, [own, *needed(own.requires, extras)])
