# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Campaigns as others than the process that runs them see them: what is in a storage, who runs it, and asking for a pause."""

import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import optuna
from optuna.storages import RDBStorage
from optuna.trial import TrialState

from tuner.campaign.record import TrialRecord
from tuner.campaign.requests import REQUEST, Request
from tuner.campaign.storages.base import Storage, disconnect, storage_of
from tuner.campaign.store import finished_records
from tuner.errors import BadInputError
from tuner.simulation.traffic_version import OTHER_TRAFFIC, TRAFFIC_VERSION, names_unequal_turns

_WAIT_STEP_S = 0.2


@dataclass(frozen=True, kw_only=True)
class StoredCampaign:
    """A look at a campaign; it may go on meanwhile."""

    name: str
    storage: str
    """Value of `--storage` that names it, without a password."""
    owner: str | None
    """The process that runs it, in words."""
    facts: Mapping[str, Any]
    """Facts that the campaign keeps: the `settings` that it was started with, `elapsed_s`, `ended`."""
    records: tuple[TrialRecord, ...]
    running: int
    """Trials that are being measured, or were when the process was killed."""

    @property
    def budget(self) -> Mapping[str, Any]:
        """The stored document's; empty of a campaign that an older ibcc began."""
        budget: Mapping[str, Any] = self.facts.get("settings", {}).get("campaign", {}).get("budget", {})
        return budget

    @property
    def outdated(self) -> str | None:
        """End of a sentence, behind the campaign's name, on what has changed since it was measured; None: its documents show no
        change."""
        identity = self.facts.get("identity") or {}
        if not self.records or identity.get("traffic") == TRAFFIC_VERSION or not identity.get("devices"):
            return None
        return OTHER_TRAFFIC if any(map(names_unequal_turns, identity["workloads"])) else None

    @property
    def state(self) -> str:
        """`running`, `finished` or `paused`."""
        if self.owner is not None:
            return "running"
        return "finished" if self.facts.get("ended") else "paused"


def stored_campaigns(location: str | Path) -> list[StoredCampaign]:
    """All of a storage, by name. Raises BadInputError and UnreachableError."""
    with _tables(location) as (storage, tables):
        return [_look(storage, tables, name) for name in sorted(optuna.get_all_study_names(tables))]


def stored_campaign(location: str | Path, name: str | None = None) -> StoredCampaign:
    """The campaign of that name, or the only one. Raises BadInputError and UnreachableError."""
    with _tables(location) as (storage, tables):
        return _look(storage, tables, _name_of(storage, tables, name))


def most_records(file: Path) -> int:
    """Returns an upper bound of the number of finished trials in an SQLite file: those that were measured again count twice.
    Returns 0 if there is no such file, or it has no campaign. To open the campaign takes a hundred times as long."""
    try:
        with closing(sqlite3.connect(f"file:{quote(str(file.absolute()))}?mode=ro", uri=True)) as connection:
            query = "SELECT COUNT(*) FROM trial_user_attributes WHERE key = 'record'"
            return int(connection.execute(query).fetchone()[0])
    except sqlite3.DatabaseError:
        return 0


def ask(location: str | Path, request: Request, name: str | None = None) -> str:
    """Asks whoever runs the campaign; tells its name. Raises BadInputError if nobody does."""
    with _tables(location) as (storage, tables):
        name = _name_of(storage, tables, name)
        if storage.owner(name) is None:
            raise BadInputError(f"campaign '{name}' in {storage.label} is not running; there is nothing to {request.kind}")
        optuna.load_study(study_name=name, storage=tables).set_user_attr(REQUEST, request.to_json())
        return name


def wait_until_idle(location: str | Path, name: str, timeout_s: float) -> bool:
    """Waits until nobody runs the campaign any more; tells whether that came in time."""
    storage, deadline = storage_of(location), time.monotonic() + timeout_s
    while storage.owner(name) is not None:
        if time.monotonic() >= deadline:
            return False
        time.sleep(_WAIT_STEP_S)
    return True


@contextmanager
def _tables(location: str | Path) -> Iterator[tuple[Storage, RDBStorage]]:
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    storage = storage_of(location)
    if not storage.exists():
        raise BadInputError(f"'{storage.label}' does not exist, or holds no campaign")
    tables = storage.connect()
    try:
        yield storage, tables
    finally:
        disconnect(tables)


def _name_of(storage: Storage, tables: RDBStorage, name: str | None) -> str:
    names = sorted(optuna.get_all_study_names(tables))
    if name is None and len(names) == 1:
        return names[0]
    if name is None or name not in names:
        wanted = "the campaign is ambiguous" if name is None else f"there is no campaign '{name}'"
        raise BadInputError(f"{wanted} in {storage.label}; --campaign may be {', '.join(names)}")
    return name


def _look(storage: Storage, tables: RDBStorage, name: str) -> StoredCampaign:
    study = optuna.load_study(study_name=name, storage=tables)
    trials = study.get_trials(deepcopy=False)
    return StoredCampaign(
        name=name,
        storage=storage.label,
        owner=storage.owner(name),
        facts=study.user_attrs,
        records=tuple(finished_records(trials)),
        running=sum(trial.state == TrialState.RUNNING for trial in trials),
    )
