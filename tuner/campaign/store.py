# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A campaign's memory: one SQLite file that survives the process, written by the coordinating thread only.

The life of a trial, and what an end of the process at any point leaves behind:

    enqueued (WAITING) or sampled → RUNNING → its record is written → told COMPLETE or FAIL

- RUNNING without a record: the measurement is lost. The same values are enqueued again, then the trial is told FAIL.
- RUNNING with a record: the measurement is kept. A finished trial with that record is added, then the old one is told FAIL.

Both write the successor first and name the trial that it stands for in `replaces`; a trial that has been replaced counts nowhere.
So nothing is lost and nothing that was finished runs twice. Optuna's heartbeat cannot do this: it works only inside its own loop.
"""

import fcntl
import json
import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, TextIO, TypeAlias

import optuna
from optuna.samplers import BaseSampler, RandomSampler
from optuna.trial import FrozenTrial, Trial, TrialState, create_trial
from sqlalchemy.exc import DatabaseError
from sqlalchemy.pool import SingletonThreadPool

from tuner.campaign.record import SAMPLED, State, TrialRecord
from tuner.documents.parameter import Scalar
from tuner.errors import BadInputError
from tuner.objectives.base import Objective

OpenMode: TypeAlias = Literal["auto", "resume", "fresh"]

_BUSY_TIMEOUT_S = 30

# What the sampler learns. Of a stopped trial it sees a violated constraint, by which alone the infeasible ones are compared; a
# screened one has no values that compare with those of the plan, and counts as worse than any that has.
_TOLD: Mapping[State, TrialState] = {
    "complete": TrialState.COMPLETE,
    "stopped": TrialState.COMPLETE,
    "screened": TrialState.PRUNED,
    "failed": TrialState.FAIL,
}


class CampaignStore:
    """An open campaign. Close it, or use it as a context."""

    def __init__(self, study: optuna.Study, lock: TextIO, path: Path, objectives: Sequence[Objective], *, is_new: bool) -> None:
        self._is_new = is_new
        self._study = study
        self._lock = lock
        self._objectives = list(objectives)
        self.path = path

    @classmethod
    def open(
        cls, path: Path, name: str, *, identity: Mapping[str, Any], objectives: Sequence[Objective], mode: OpenMode = "auto"
    ) -> "CampaignStore":
        """Creates or resumes the campaign `name` in a file.

        `identity` is everything that the results depend on, by part; a stored campaign is resumed only if it is the same.
        `mode`: `resume` wants a stored campaign, `fresh` forgets it, `auto` resumes it if it is there.
        Raises BadInputError.
        """
        optuna.logging.set_verbosity(optuna.logging.WARNING)  # one line a trial on standard error otherwise
        if mode == "resume" and not path.is_file():
            raise BadInputError(f"there is no campaign to resume: '{path}' does not exist")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            is_new = not path.exists()
            lock = _lock(path)
        except OSError as error:
            raise BadInputError(f"'{path}' cannot hold a campaign: {error.strerror}") from error
        try:
            study = _open_study(path, name, objectives, mode)
            store = cls(study, lock, path, objectives, is_new=is_new)
            store._check_identity(identity)
            store._recover()
        except BaseException:
            lock.close()
            raise
        return store

    def close(self) -> None:
        self._study._storage.remove_session()
        self._lock.close()

    def __enter__(self) -> "CampaignStore":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        empty = self._is_new and not self._study.get_trials(deepcopy=False)
        self.close()
        if empty and isinstance(error, BadInputError):  # a campaign that cannot run leaves no file
            for suffix in ("", "-wal", "-shm", ".lock"):
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)

    # Facts about the whole campaign.

    def remember(self, key: str, value: Any) -> None:
        """Keeps a JSON value for good."""
        self._study.set_user_attr(key, value)

    def recall(self, key: str, default: Any = None) -> Any:
        return self._study.user_attrs.get(key, default)

    # Trials.

    def records(self) -> list[TrialRecord]:
        """The finished trials in the order of their numbers."""
        replaced = _replaced(self._study.get_trials(deepcopy=False))
        finished = [
            TrialRecord.from_json(trial.user_attrs["record"])
            for trial in self._study.get_trials(deepcopy=False, states=(TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL))
            if "record" in trial.user_attrs and trial.number not in replaced
        ]
        return sorted(finished, key=lambda record: record.number)

    def enqueue(self, origin: str, params: Mapping[str, Scalar]) -> None:
        """Has a published profile's values tried before anything is sampled, unless they already are."""
        if all(trial.user_attrs.get("origin") != origin for trial in self._study.get_trials(deepcopy=False)):
            self._study.enqueue_trial(dict(params), user_attrs={"origin": origin})

    def finished(self) -> int:
        return len(self.records())

    def begun(self) -> int:
        """Trials that are finished or running; one that was measured again counts once."""
        trials = self._study.get_trials(deepcopy=False)
        replaced = _replaced(trials)
        return sum(trial.state != TrialState.WAITING and trial.number not in replaced for trial in trials)

    def next_number(self) -> int:
        numbers = [trial.user_attrs["number"] for trial in self._study.get_trials(deepcopy=False) if "number" in trial.user_attrs]
        return max(numbers, default=-1) + 1

    def ask(self, sampler: BaseSampler, draw: Callable[[Trial], None], number: int) -> Trial:
        """A trial to measure: one that waits, or one that the sampler proposes as `draw` asks for its values. It gets the number
        unless it has one."""
        self._study.sampler = sampler
        trial = self._study.ask()
        draw(trial)
        if "number" not in trial.user_attrs:
            trial.set_user_attr("number", number)
        return trial

    def finish(self, trial: Trial, record: TrialRecord) -> None:
        """Keeps a trial's result."""
        trial.set_user_attr("record", record.to_json())  # from here on the result is safe
        for key, violation in record.violations.items():
            trial.set_constraint(key, violation)
        self._study.tell(trial, self._told_values(record), state=_TOLD[record.state])

    def abandon(self, trial: Trial) -> None:
        """Puts a trial that was interrupted back into the queue."""
        self._replace(trial.number)

    # Resuming.

    def _recover(self) -> None:
        """Settles the trials of a process that is gone; the lock says that it is."""
        for trial in self._study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
            self._replace(trial.number)

    def _replace(self, number: int) -> None:
        trial = self._study.trials[number]
        if number not in _replaced(self._study.get_trials(deepcopy=False)):
            kept = {key: trial.user_attrs[key] for key in ("number", "origin") if key in trial.user_attrs} | {"replaces": number}
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

    def _check_identity(self, identity: Mapping[str, Any]) -> None:
        canonical = json.loads(json.dumps(identity))
        stored = self.recall("identity")
        if stored is None:
            self.remember("identity", canonical)
            return
        changed = sorted(key for key in canonical.keys() | stored.keys() if canonical.get(key) != stored.get(key))
        if changed:
            raise BadInputError(
                f"'{self.path}' holds campaign '{self._study.study_name}' with another {', another '.join(changed)}; "
                "only the budget may change: start over with --fresh, or give another --storage"
            )


def _replaced(trials: Sequence[FrozenTrial]) -> set[int]:
    return {trial.user_attrs["replaces"] for trial in trials if "replaces" in trial.user_attrs}


def origin_of(trial: Trial) -> str:
    origin: str = trial.user_attrs.get("origin", SAMPLED)
    return origin


def _lock(path: Path) -> TextIO:
    """Held as long as the process lives, however it ends."""
    lock = path.with_name(path.name + ".lock").open("a+", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.seek(0)
        owner = lock.read().strip()
        lock.close()
        raise BadInputError(
            f"'{path}' is in use by process {owner or 'unknown'}; wait until that campaign ends, or give another --storage"
        ) from error
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()
    return lock


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_BUSY_TIMEOUT_S)
    connection.execute("PRAGMA journal_mode=WAL")  # those who look at the file do not block the writer
    # The end of the process loses nothing; a power failure may lose the last trials, but never the file.
    connection.execute("PRAGMA synchronous=NORMAL")
    return connection


def _open_study(path: Path, name: str, objectives: Sequence[Objective], mode: OpenMode) -> optuna.Study:
    try:
        storage = optuna.storages.RDBStorage(
            f"sqlite:///{path}",
            engine_kwargs={"creator": lambda: _connect(path), "poolclass": SingletonThreadPool},
        )
        stored = name in optuna.get_all_study_names(storage)
        if mode == "resume" and not stored:
            raise BadInputError(f"there is no campaign to resume: '{path}' holds none named '{name}'")
        if mode == "fresh" and stored:
            optuna.delete_study(study_name=name, storage=storage)
        return optuna.create_study(
            storage=storage,
            study_name=name,
            sampler=RandomSampler(),  # replaced at every ask
            directions=["minimize" if objective.sign > 0 else "maximize" for objective in objectives],
            load_if_exists=True,
        )
    except (sqlite3.DatabaseError, DatabaseError, RuntimeError) as error:
        raise BadInputError(f"'{path}' cannot hold a campaign: {str(error).splitlines()[0]}") from error
