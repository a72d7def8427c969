# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A campaign's memory: a database that survives the process, written by the coordinating thread only.

The life of a trial, and what an end of the process at any point leaves behind:

    enqueued (WAITING) or sampled → RUNNING → its record is written → told COMPLETE, PRUNED (screened) or FAIL

- RUNNING without a record: the measurement is lost. The same values are enqueued again, then the trial is told FAIL.
- RUNNING with a record: the measurement is kept. A finished trial with that record is added, then the old one is told FAIL.

Both write the successor first and name the trial that it stands for in `replaces`; a trial that has been replaced counts nowhere.
So nothing is lost and nothing that was finished runs twice. Optuna's heartbeat cannot do this: it works only inside its own loop.

There is one writer, so what it knows need not be read again: each question would read all trials, or all facts. Only a request
of a person is written by another process.

A trial's number in the campaign is the smallest free one when it is asked for, and is written with its record. Those of trials
that ran when the process ended follow: they were asked for in Optuna's order, so they have the numbers that are free, in order.
"""

import bisect
import itertools
import json
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, TypeAlias

import optuna
from optuna.exceptions import ExperimentalWarning, StorageInternalError
from optuna.samplers import BaseSampler, RandomSampler
from optuna.storages import RDBStorage
from optuna.trial import FrozenTrial, Trial, TrialState, create_trial
from sqlalchemy.exc import DatabaseError

from tuner.campaign.record import SAMPLED, State, TrialRecord
from tuner.campaign.requests import REQUEST, Request
from tuner.campaign.storages.base import Lock, Storage, disconnect, storage_of
from tuner.documents.parameter import Scalar
from tuner.errors import BadInputError
from tuner.goals.objectives import Objective

OpenMode: TypeAlias = Literal["auto", "resume", "fresh"]

MEASURED = ":"
"""In the key of a fact that is the measurement of a profile, between its kind and its digest."""

_REQUEST_EVERY_S = 1.0
_ELAPSED_EVERY_S = 1.0

# The states as the sampler is told them. Of a stopped trial it sees a violated constraint, by which alone infeasible trials are
# compared; a screened trial has no values that compare with those of the plan, and counts as worse than any trial that has.
_TOLD: Mapping[State, TrialState] = {
    "complete": TrialState.COMPLETE,
    "stopped": TrialState.COMPLETE,
    "screened": TrialState.PRUNED,
    "failed": TrialState.FAIL,
}


class CampaignStore:
    """An open campaign. Close it, or use it as a context."""

    def __init__(
        self,
        study: optuna.Study,
        tables: RDBStorage,
        lock: Lock,
        storage: Storage,
        objectives: Sequence[Objective],
        *,
        is_new: bool,
    ) -> None:
        self._is_new = is_new
        self._study = study
        self._tables = tables
        self._lock = lock
        self._storage = storage
        self._objectives = list(objectives)
        self._facts = {key: json.dumps(value) for key, value in study.user_attrs.items()}
        self._records: list[TrialRecord] = []
        self._origins: set[str] = set()
        self._used: set[int] = set()
        self._begun = self._next_number = 0
        self._request_read_s = self._elapsed_kept_s = float("-inf")
        self._request: Request | None = None

    @classmethod
    def open(
        cls,
        location: Path | str,
        name: str,
        *,
        identity: Mapping[str, Any],
        objectives: Sequence[Objective],
        mode: OpenMode = "auto",
        former_name: str | None = None,
        former_identities: Sequence[Mapping[str, Any]] = (),
        outdated: Callable[[], str | None] = lambda: None,
    ) -> "CampaignStore":
        """Creates or resumes the campaign `name` in an SQLite file, or in the database of an address.

        `identity` is everything that the results depend on, by part; a stored campaign is resumed only if it is the same, or one
        of `former_identities`, as earlier releases stored it, unless `outdated` says why such a campaign is not continued.
        `mode`: `resume` wants a stored campaign, `fresh` forgets it, `auto` resumes it if it is there.
        `former_name` is the name under which an earlier release stored it: a campaign of that name is resumed and keeps it.
        Raises BadInputError and UnreachableError.
        """
        optuna.logging.set_verbosity(optuna.logging.WARNING)  # one line a trial on standard error otherwise
        storage = storage_of(location)
        if mode == "resume" and not storage.exists():
            raise BadInputError(f"there is no campaign to resume: '{storage.label}' does not exist, or holds none")
        if former_name is not None and former_name in study_names(storage):
            name = former_name
        with ExitStack() as opened:
            lock = storage.lock(name)
            opened.callback(lock.close)
            tables = storage.connect()
            opened.callback(disconnect, tables)
            study, is_new = _open_study(tables, storage.label, name, objectives, mode)
            store = cls(study, tables, lock, storage, objectives, is_new=is_new)
            store._check_identity(identity, former_identities, outdated)
            store._recover()
            store._load()
            store.remember(REQUEST, None)  # it was for the process that ran the campaign then
            opened.pop_all()
        return store

    @property
    def label(self) -> str:
        """Value of `--storage` that names it, without a password."""
        return self._storage.label

    def sync(self) -> None:
        """Has all that was kept outlive a power cut. Raises OSError."""
        self._storage.sync()

    def close(self) -> None:
        disconnect(self._tables)
        self._lock.close()

    def __enter__(self) -> "CampaignStore":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._is_new and not self._records and isinstance(error, BadInputError):  # a campaign that cannot run leaves nothing
            optuna.delete_study(study_name=self._study.study_name, storage=self._tables)
            self.close()
            self._storage.discard()
        else:
            self.close()

    # Facts about the whole campaign.

    def remember(self, key: str, value: Any) -> None:
        """Keeps a JSON value for good."""
        self._study.set_user_attr(key, value)
        self._facts[key] = json.dumps(value)

    def recall(self, key: str, default: Any = None) -> Any:
        """Returns what was kept, as JSON has it; a request as it stands in the storage now."""
        if key == REQUEST:
            return self._study.user_attrs.get(key, default)
        return json.loads(self._facts[key]) if key in self._facts else default

    def remember_elapsed(self, elapsed_s: float, *, now: bool = False) -> None:
        """Keeps the time spent searching, at most once a second unless `now`: a kill costs the campaign's clock that much."""
        if now or time.monotonic() >= self._elapsed_kept_s + _ELAPSED_EVERY_S:
            self.remember("elapsed_s", elapsed_s)
            self._elapsed_kept_s = time.monotonic()

    def request(self) -> Request | None:
        """Returns the request made of this campaign since it was opened, or None; looked up at most once a second."""
        if time.monotonic() >= self._request_read_s + _REQUEST_EVERY_S:
            self._request_read_s = time.monotonic()
            self._request = Request.from_json(self.recall(REQUEST))
        return self._request

    def kept(self) -> int:
        """Number of finished trials and of profiles that were measured beside them: it grows as the campaign gets further."""
        return len(self._records) + sum(MEASURED in key for key in self._facts)

    # Trials.

    def records(self) -> list[TrialRecord]:
        """The finished trials in the order of their numbers."""
        return list(self._records)

    def enqueue(self, origin: str, params: Mapping[str, Scalar]) -> None:
        """Has a published profile's values tried before anything is sampled, unless they already are."""
        if origin not in self._origins:
            self._origins.add(origin)
            self._study.enqueue_trial(dict(params), user_attrs={"origin": origin})

    def finished(self) -> int:
        return len(self._records)

    def begun(self) -> int:
        """Trials that are finished or running; one that was measured again counts once."""
        return self._begun

    def next_number(self) -> int:
        """The smallest that no trial has."""
        while self._next_number in self._used:
            self._next_number += 1
        return self._next_number

    def ask(self, sampler: BaseSampler, draw: Callable[[Trial], None], number: int) -> Trial:
        """A trial to measure: one that waits, or one that the sampler proposes as `draw` asks for its values. It gets the number
        unless it has one.

        Raises UnreachableError if the campaign's lock was lost."""
        self._lock.require()
        self._study.sampler = sampler
        trial = self._study.ask()
        self._begun += 1
        draw(trial)
        if "number" not in trial.user_attrs:
            # Only in this object: to write it would be a transaction more for each trial.
            trial._cached_frozen_trial.user_attrs["number"] = number
        self._used.add(trial.user_attrs["number"])
        return trial

    def finish(self, trial: Trial, record: TrialRecord) -> None:
        """Keeps a trial's result."""
        trial.set_user_attr("record", record.to_json())  # from here on the result is safe
        bisect.insort(self._records, record, key=lambda record: record.number)
        for key, violation in record.violations.items():
            trial.set_constraint(key, violation)
        self._study.tell(trial, self._told_values(record), state=_TOLD[record.state])

    def abandon(self, trial: Trial) -> None:
        """Puts a trial that was interrupted back into the queue."""
        self._replace(trial.number, trial.user_attrs["number"])
        self._begun -= 1

    # Resuming.

    def _load(self) -> None:
        trials = self._study.get_trials(deepcopy=False)
        replaced = _replaced(trials)
        self._records = finished_records(trials)
        self._origins = {trial.user_attrs["origin"] for trial in trials if "origin" in trial.user_attrs}
        self._begun = sum(trial.state != TrialState.WAITING and trial.number not in replaced for trial in trials)
        self._used = _numbers(trials)
        self._next_number = 0

    def _recover(self) -> None:
        """Settles the trials of a process that is gone; the lock says that it is."""
        trials = self._study.get_trials(deepcopy=False)
        used, replaced = _numbers(trials), _replaced(trials)
        free = (number for number in itertools.count() if number not in used)
        for trial in trials:
            if trial.state == TrialState.RUNNING:
                known = trial.number in replaced or "number" in trial.user_attrs or "record" in trial.user_attrs
                self._replace(trial.number, None if known else next(free))

    def _replace(self, number: int, in_campaign: int | None) -> None:
        """`in_campaign`: the trial's number there, unless it says so itself."""
        trial = self._study.trials[number]
        if number not in _replaced(self._study.get_trials(deepcopy=False)):
            kept = {key: trial.user_attrs[key] for key in ("number", "origin") if key in trial.user_attrs} | {"replaces": number}
            if in_campaign is not None:
                kept["number"] = in_campaign
            if "record" in trial.user_attrs:
                self._add_finished(trial, kept)
            else:
                # Asked but not all values drawn: what is missing is drawn then.
                self._study.enqueue_trial(trial.params or trial.system_attrs.get("fixed_params", {}), user_attrs=kept)
        self._study.tell(number, state=TrialState.FAIL)

    def _add_finished(self, trial: FrozenTrial, kept: dict[str, Any]) -> None:
        record = TrialRecord.from_json(trial.user_attrs["record"])
        self._study.add_trial(
            create_trial(
                state=_TOLD[record.state],
                values=self._told_values(record),
                params=trial.params,
                distributions=trial.distributions,
                user_attrs=kept | {"record": trial.user_attrs["record"]},
                constraints=dict(record.violations) or None,
            )
        )

    def _told_values(self, record: TrialRecord) -> list[float] | None:
        if _TOLD[record.state] != TrialState.COMPLETE:
            return None
        return [record.values[objective.name] for objective in self._objectives]

    def _check_identity(
        self, identity: Mapping[str, Any], former: Sequence[Mapping[str, Any]], outdated: Callable[[], str | None]
    ) -> None:
        canonical = json.loads(json.dumps(identity))
        stored = self.recall("identity")
        if stored == canonical:
            return
        if stored is not None and stored in [json.loads(json.dumps(one)) for one in former]:
            measured = finished_records(self._study.get_trials(deepcopy=False))
            if measured and (reason := outdated()):
                raise BadInputError(f"'{self.label}' holds campaign '{self._study.study_name}', which {reason}")
            stored = None
        if stored is None:
            self.remember("identity", canonical)
            return
        changed = sorted(key for key in canonical.keys() | stored.keys() if canonical.get(key) != stored.get(key))
        if changed:
            raise BadInputError(
                f"'{self.label}' holds campaign '{self._study.study_name}', and differs in {', '.join(changed)}; "
                "only the budget may change: start over with --fresh, or give another --storage"
            )


def finished_records(trials: Sequence[FrozenTrial]) -> list[TrialRecord]:
    """Returns the finished trials of a campaign in Optuna's tables, in the order of their numbers."""
    replaced = _replaced(trials)
    return sorted(
        (
            TrialRecord.from_json(trial.user_attrs["record"])
            for trial in trials
            if trial.state.is_finished() and "record" in trial.user_attrs and trial.number not in replaced
        ),
        key=lambda record: record.number,
    )


def _numbers(trials: Sequence[FrozenTrial]) -> set[int]:
    """In the campaign, as far as they are written."""
    attributes = [trial.user_attrs for trial in trials]
    return {attribute["number"] for attribute in attributes if "number" in attribute} | {
        attribute["record"]["number"] for attribute in attributes if "record" in attribute
    }


def _replaced(trials: Sequence[FrozenTrial]) -> set[int]:
    return {trial.user_attrs["replaces"] for trial in trials if "replaces" in trial.user_attrs}


def origin_of(trial: Trial) -> str:
    origin: str = trial.user_attrs.get("origin", SAMPLED)
    return origin


def study_names(storage: Storage) -> list[str]:
    """Returns the names of the campaigns in a storage, sorted. Raises BadInputError and UnreachableError."""
    if not storage.exists():
        return []
    tables = storage.connect()
    try:
        return sorted(optuna.get_all_study_names(tables))
    finally:
        disconnect(tables)


def _open_study(
    tables: RDBStorage, label: str, name: str, objectives: Sequence[Objective], mode: OpenMode
) -> tuple[optuna.Study, bool]:
    """The study, and whether it is a new one."""
    try:
        stored = name in optuna.get_all_study_names(tables)
        if mode == "resume" and not stored:
            raise BadInputError(f"there is no campaign to resume: '{label}' holds none named '{name}'")
        if mode == "fresh" and stored:
            optuna.delete_study(study_name=name, storage=tables)
        study = optuna.create_study(
            storage=tables,
            study_name=name,
            sampler=RandomSampler(),  # replaced at every ask
            directions=[objective.direction for objective in objectives],
            load_if_exists=True,
        )
        _name_metrics(study, objectives)
    except (DatabaseError, StorageInternalError) as error:
        raise BadInputError(f"'{label}' cannot hold a campaign: {str(error).splitlines()[0]}") from error
    return study, not stored or mode == "fresh"


def _name_metrics(study: optuna.Study, objectives: Sequence[Objective]) -> None:
    """Names the study's values, so that programs that read Optuna's tables, such as optuna-dashboard, show them by name."""
    names = [f"{objective.name} [{objective.unit}]" if objective.unit else objective.name for objective in objectives]
    if study.metric_names != names and len(study.directions) == len(names):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ExperimentalWarning)
            study.set_metric_names(names)
