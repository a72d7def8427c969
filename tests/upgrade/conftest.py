# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What the service of an earlier version left behind (tests/data/upgrade/make.sh)."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.api.conftest import quick_hashes, settings

__all__ = ["quick_hashes", "settings"]


@pytest.fixture
def unpack(root: Path) -> Callable[[str, Path], None]:
    """Writes one of the SQLite files to a path."""

    def write(name: str, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.decompress((root / f"tests/data/upgrade/{name}.gz").read_bytes()))

    return write
