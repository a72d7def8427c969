# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Optuna's tables of campaigns, as other programs of Optuna's see them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from optuna.storages import RDBStorage

from tuner.campaign.storages.base import disconnect, storage_of


@contextmanager
def tables_in(file: Path) -> Iterator[RDBStorage]:
    tables = storage_of(file).connect()
    try:
        yield tables
    finally:
        disconnect(tables)
