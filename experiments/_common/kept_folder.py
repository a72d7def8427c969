# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The folder for files with which another run of an experiment continues."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory


@contextmanager
def kept_folder(output: Path | None, name: str) -> Iterator[Path]:
    """Yields the folder `name` in the output folder; without one, a folder that lives as long as the context."""
    if output is not None:
        yield output / name
        return
    with TemporaryDirectory() as temporary:
        yield Path(temporary)
