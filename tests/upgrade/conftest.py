# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What release 0.1 left behind (tests/data/upgrade/make.sh), in a folder of the test's own."""

import gzip
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.api.conftest import quick_hashes, settings

__all__ = ["quick_hashes", "settings"]

FORMER_FOLDER = "/tmp/ibcc-0.1"
"""Where the files were when 0.1 wrote them: the places of documents stand in the identity of a campaign."""


@pytest.fixture
def old(root: Path, tmp_path: Path) -> Path:
    """The documents, and the recording."""
    folder = tmp_path / "old"
    shutil.copytree(root / "tests/data/upgrade", folder, ignore=shutil.ignore_patterns("*.gz", "*.sh", "state"))
    for name in ("clone.yaml", "recording.jsonl"):
        (folder / name).write_text((folder / name).read_text().replace(FORMER_FOLDER, str(folder)))
    return folder


@pytest.fixture
def database(root: Path, old: Path) -> Callable[[str], Path]:
    """Unpacks one of the SQLite files."""

    def unpack(name: str) -> Path:
        path = old / name
        path.write_bytes(gzip.decompress((root / f"tests/data/upgrade/{name}.gz").read_bytes()))
        if name == "campaign.sqlite3":
            with closing(sqlite3.connect(path)) as connection, connection:
                connection.execute(
                    "UPDATE study_user_attributes SET value_json = replace(value_json, ?, ?)", [FORMER_FOLDER, str(old)]
                )
        return path

    return unpack
