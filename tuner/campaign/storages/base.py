# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The seam between a campaign's memory and a database."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from optuna.storages import RDBStorage

from tuner.errors import BadInputError
from tuner.registry import Registry


class Lock(Protocol):
    """Held by one process, and gone with it, however it ends."""

    def require(self) -> None:
        """Raises UnreachableError if it is not held any more: the database was restarted, say."""

    def close(self) -> None:
        """Gives it back."""


class Storage(Protocol):
    """A database that campaigns are kept in. Nothing is created before `lock` or `connect`."""

    @property
    def label(self) -> str:
        """Value of `--storage` that names it, without a password."""

    def exists(self) -> bool:
        """A campaign may be there."""

    def lock(self, campaign: str) -> Lock:
        """Makes this process the only one that runs the campaign. Raises BadInputError that names the process which does, and
        UnreachableError."""

    def owner(self, campaign: str) -> str | None:
        """The process that runs the campaign, in words; None if nobody does."""

    def connect(self) -> RDBStorage:
        """Optuna's tables, which are created where they are missing. Raises BadInputError and UnreachableError."""

    def sync(self) -> None:
        """Has all that was written outlive a power cut, as far as the database does not see to it. Raises OSError."""

    def discard(self) -> None:
        """Leaves nothing behind, if this object has created the database."""


STORAGES: Registry[Callable[[str], Storage]] = Registry("kind of storage", "tuner.campaign.storages")
"""Kinds of storage by the scheme of an address; each takes the whole address."""


def storage_of(location: str | Path) -> Storage:
    """The storage that `--storage` means: a path is an SQLite file. Raises BadInputError."""
    scheme, separator, _ = str(location).partition("://")
    if isinstance(location, Path) or not separator:
        scheme = "sqlite"
    try:
        make = STORAGES.get(scheme)
    except BadInputError as error:
        raise BadInputError(
            f"--storage {scheme}://… cannot hold campaigns; a path or postgresql://USER@HOST/DATABASE would be right"
        ) from error
    return make(str(location))


def disconnect(tables: RDBStorage) -> None:
    """Closes every connection that `connect` led to."""
    tables.remove_session()
    tables.engine.dispose()
