# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import os
import socket
from pathlib import Path

import pytest

from tests.postgresql import Server
from tuner.campaign.storages.base import disconnect
from tuner.campaign.storages.postgresql import PostgresqlStorage
from tuner.errors import BadInputError, UnreachableError


@pytest.mark.parametrize(
    ("address", "label"),
    [
        ("postgresql://ibcc:secret@db.site:5433/tuning", "postgresql://ibcc@db.site:5433/tuning"),
        ("postgres://ibcc@db/tuning?password=secret&sslmode=require", "postgresql://ibcc@db/tuning?sslmode=require"),
        ("postgresql:///tuning?host=/run/postgresql", "postgresql:///tuning?host=%2Frun%2Fpostgresql"),
        ("postgresql://u:secret@a:1,b:2/d", "postgresql://u@/d?host=a%2Cb&port=1%2C2"),
    ],
)
def test_the_label_is_an_address_without_a_password(address: str, label: str) -> None:
    storage = PostgresqlStorage(address)
    assert storage.label == label
    assert PostgresqlStorage(label).label == label


def test_no_sentence_holds_a_password(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="postgresql://USER@HOST/DATABASE would be right") as refused:
        PostgresqlStorage("postgresql://u:secret@host/db?no_such_option=1")
    assert "secret" not in str(refused.value)
    nowhere = PostgresqlStorage(f"postgresql://u:secret@/db?host={tmp_path}")
    with pytest.raises(UnreachableError, match="cannot be reached") as unreached:
        nowhere.lock("any")
    assert "secret" not in str(unreached.value)


def test_the_lock_tells_its_owner_and_ends_with_its_connection(postgresql: Server, tmp_path: Path) -> None:
    storage = PostgresqlStorage(postgresql.address(tmp_path.name))
    assert storage.owner("a") is None
    lock = storage.lock("a")
    owner = f"process {os.getpid()} on {socket.gethostname()}"[:50]
    assert (storage.owner("a") or "").startswith(owner)
    assert storage.owner("b") is None
    storage.lock("b").close()
    with pytest.raises(BadInputError, match="campaign 'a' in .* is in use by process"):
        storage.lock("a")
    lock.require()
    lock.close()
    storage.lock("a").close()


def test_a_database_without_campaigns_has_none(postgresql: Server, tmp_path: Path) -> None:
    storage = PostgresqlStorage(postgresql.address(tmp_path.name))
    assert not storage.exists()
    disconnect(storage.connect())
    assert storage.exists()
