# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Finished runs in a file, so that an experiment that was interrupted or killed is resumed."""

import json
import sqlite3
from collections.abc import Callable, Hashable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Generic, TypeVar

from experiments._common.run import Run
from experiments._common.run_identity import run_identity, simulator_identity
from tuner.campaign.dask_job import fabric_digest
from tuner.documents.fabric import load_fabric
from tuner.errors import BadInputError
from tuner.measuring.measurement import Measurement

FILE = "runs.sqlite3"
Key = TypeVar("Key", bound=Hashable)
Reading = TypeVar("Reading")


class RunStore(Generic[Reading]):
    """Readings in `folder`/runs.sqlite3, each under the identity of its run: with another simulator, other contents of a document
    or another way to read, it is another run. Several processes may use one file. Raises BadInputError if that is not possible.
    """

    def __init__(
        self, folder: Path, pack: Callable[[Reading], dict[str, Any]], unpack: Callable[[dict[str, Any]], Reading]
    ) -> None:
        """`pack` makes plain values for JSON of a reading, `unpack` the reading again. The runs of other simulators stay in the
        file: hours of work must be there still when that ibcc is back."""
        self._path = folder / FILE
        self._pack = pack
        self._unpack = unpack
        self._fabrics: dict[str, str] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInputError(f"cannot write into {folder}: {error.strerror}") from error
        self._do("CREATE TABLE IF NOT EXISTS runs (identity TEXT PRIMARY KEY, simulator TEXT, reading TEXT)")

    @classmethod
    def kept_in(
        cls, folder: Path | None, pack: Callable[[Reading], dict[str, Any]], unpack: Callable[[dict[str, Any]], Reading]
    ) -> "RunStore[Reading] | None":
        """Opens the store of a folder. Returns None if there is no folder; nothing is kept then."""
        return None if folder is None else cls(folder, pack, unpack)

    def recalled(self, runs: Mapping[Key, Run], reading: Callable[[Measurement], Reading]) -> dict[Key, Reading]:
        """Returns the readings of those runs that are finished."""
        texts = dict(self._do("SELECT identity, reading FROM runs"))
        identities = {key: self._identity(run, reading) for key, run in runs.items()} if texts else {}
        return {key: self._unpack(json.loads(texts[name])) for key, name in identities.items() if name in texts}

    def keep(self, run: Run, reading: Callable[[Measurement], Reading], result: Reading) -> None:
        """The result is in the file when this returns."""
        text = json.dumps(self._pack(result))
        self._do("INSERT OR REPLACE INTO runs VALUES (?, ?, ?)", self._identity(run, reading), simulator_identity(), text)

    def _identity(self, run: Run, reading: Callable[[Measurement], Reading]) -> str:
        name = run.fabric_name()
        if name not in self._fabrics:
            self._fabrics[name] = fabric_digest(load_fabric(name))
        return run_identity(run, self._fabrics[name], reading)

    def _do(self, statement: str, *values: str) -> list[Any]:
        try:
            with closing(sqlite3.connect(self._path, timeout=60)) as database, database:
                return list(database.execute(statement, values))
        except sqlite3.Error as error:
            raise BadInputError(f"cannot keep runs in {self._path}: {error}; remove that file, or give another folder") from error


def numbers_in(folder: Path | None) -> RunStore[float] | None:
    """Keeps readings that are one number each; None without a folder."""
    return RunStore.kept_in(folder, lambda number: {"number": number}, lambda kept: float(kept["number"]))
