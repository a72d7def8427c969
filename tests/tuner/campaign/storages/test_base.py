# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from pathlib import Path

import pytest

from tuner.campaign.storages.base import storage_of
from tuner.errors import BadInputError


@pytest.mark.parametrize("location", [Path("a/b.sqlite3"), "a/b.sqlite3", "sqlite:///a/b.sqlite3"])
def test_a_path_is_a_file(location: Path | str) -> None:
    assert storage_of(location).label == "a/b.sqlite3"


def test_an_unknown_database_is_refused() -> None:
    with pytest.raises(BadInputError, match=r"--storage mysql://… cannot hold campaigns; .* postgresql://USER@HOST/DATABASE"):
        storage_of("mysql://root:secret@host/db")
