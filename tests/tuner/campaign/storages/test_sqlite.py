# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tuner.campaign.storages.base import disconnect
from tuner.campaign.storages.sqlite import SqliteStorage
from tuner.errors import BadInputError


def test_the_lock_tells_its_owner_and_ends_with_it(tmp_path: Path) -> None:
    storage = SqliteStorage(str(tmp_path / "c.sqlite3"))
    assert storage.owner("any") is None
    lock = storage.lock("any")
    assert storage.owner("any") == f"process {os.getpid()}"
    with pytest.raises(BadInputError, match=f"in use by process {os.getpid()}"):
        storage.lock("any")
    lock.require()
    lock.close()
    assert storage.owner("any") is None
    storage.lock("any").close()


def test_a_new_file_is_opened_by_several_at_once(tmp_path: Path) -> None:
    """`ibcc campaign list` while `ibcc tune` creates it, say."""
    begin = threading.Barrier(4)

    def open_it(_: int) -> None:
        storage = SqliteStorage(str(tmp_path / "c.sqlite3"))
        begin.wait(10)
        disconnect(storage.connect())

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(open_it, range(4))) == [None] * 4


def test_nothing_is_left_of_a_file_that_was_not_there(tmp_path: Path) -> None:
    storage = SqliteStorage(str(tmp_path / "c.sqlite3"))
    lock = storage.lock("any")
    disconnect(storage.connect())
    assert storage.exists()
    lock.close()
    storage.discard()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_was_there_stays(tmp_path: Path) -> None:
    first = SqliteStorage(str(tmp_path / "c.sqlite3"))
    disconnect(first.connect())
    again = SqliteStorage(str(tmp_path / "c.sqlite3"))
    again.lock("any").close()
    again.discard()
    assert again.exists()


def test_a_folder_that_cannot_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInputError, match="cannot hold a campaign"):
        SqliteStorage(str(tmp_path / "file" / "c.sqlite3")).lock("any")
