# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A log of measurements: JSON lines, each with the conditions of one and the measurement itself."""

import fcntl
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ccsim.policy import Profile
from tuner.document_base.model import describe_place
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.measuring.measurement import Measurement

SCHEMA = 1


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """Conditions of a measurement. A profile is compared by its settings; its name makes no difference to a fabric."""

    profile: Mapping[str, Any] | None
    """None: the base profile."""
    workload: Mapping[str, Any]
    fabric: str
    model: Mapping[str, Any]
    """Parameters of the simulated devices that were set, by dotted name."""
    seed: int

    @classmethod
    def of(
        cls, profile: Profile | None, workload: Workload, *, fabric: str | None, model: Mapping[str, Any], seed: int
    ) -> "Conditions":
        settings = None if profile is None else {key: value for key, value in profile.to_dict().items() if key != "name"}
        return cls(
            profile=settings,
            workload=workload.model_dump(mode="json"),
            fabric=fabric or workload.fabric,
            model=dict(model),
            seed=seed,
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "profile": self.profile,
            "workload": self.workload,
            "fabric": self.fabric,
            "model": self.model,
            "seed": self.seed,
        }

    @property
    def digest(self) -> str:
        return hashlib.sha256(json.dumps(self.to_json(), sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Entry:
    """One line of a log. The measurement is read when it is asked for: a log may be larger than memory."""

    conditions: dict[str, Any]
    deterministic: bool
    path: Path
    offset: int

    def measurement(self) -> Measurement:
        """Raises BadInputError."""
        with self.path.open("rb") as log:
            log.seek(self.offset)
            return Measurement.from_json(json.loads(log.readline())["measurement"])


def append(path: Path, conditions: Conditions, measurement: Measurement, *, deterministic: bool) -> None:
    """Adds a line; several threads and processes may do so. Raises BadInputError if the file cannot be written."""
    document = {
        "ibcc_recording": SCHEMA,
        "digest": conditions.digest,
        "deterministic": deterministic,
        "conditions": conditions.to_json(),
        "measurement": measurement.to_json(),
    }
    line = json.dumps(document, separators=(",", ":"), allow_nan=False).encode() + b"\n"
    try:
        with path.open("ab+", buffering=0) as log:
            fcntl.flock(log, fcntl.LOCK_EX)  # until it is closed
            size = log.seek(0, os.SEEK_END)
            if size:
                log.seek(-1, os.SEEK_END)
                if log.read(1) != b"\n":  # somebody was killed while writing: that line is lost, and not this one too
                    line = b"\n" + line
            while line:
                line = line[log.write(line) :]
    except OSError as error:
        raise BadInputError(f"cannot write the recording: {error.strerror}", source=str(path)) from error


def entries(path: Path, on_warning: Callable[[str], None]) -> dict[str, list[Entry]]:
    """Returns the entries by digest, in the log's order. A line that was cut off is left out with a warning. Raises
    BadInputError."""
    found: dict[str, list[Entry]] = {}
    try:
        with path.open("rb") as log:
            for number, offset, line in _lines(log):
                try:
                    document = json.loads(line)
                except ValueError:
                    on_warning(f"{path}:{number}: not a complete line of a recording; it is ignored")
                    continue
                if not isinstance(document, dict) or document.get("ibcc_recording") != SCHEMA:
                    raise BadInputError("not a recording of measurements", source=str(path), line=number)
                entry = Entry(document["conditions"], bool(document["deterministic"]), path, offset)
                found.setdefault(document["digest"], []).append(entry)
    except OSError as error:
        raise BadInputError(f"cannot be read: {error.strerror}", source=str(path)) from error
    return found


def _lines(log: Any) -> Iterator[tuple[int, int, bytes]]:
    """Each line with its number and where it begins."""
    offset = 0
    for number, line in enumerate(log, start=1):
        yield number, offset, line
        offset += len(line)


def difference(asked: Any, recorded: Any, place: tuple[str | int, ...] = ()) -> str | None:
    """The first in which two conditions differ, in words; None if they are the same."""
    if isinstance(asked, Mapping) and isinstance(recorded, Mapping):
        for key in sorted(asked.keys() | recorded.keys()):
            if (found := difference(asked.get(key), recorded.get(key), (*place, key))) is not None:
                return found
        return None
    if isinstance(asked, list) and isinstance(recorded, list) and len(asked) == len(recorded):
        for index, (one, other) in enumerate(zip(asked, recorded, strict=True)):
            if (found := difference(one, other, (*place, index))) is not None:
                return found
        return None
    if asked == recorded:
        return None
    return f"{describe_place(place)} is {_shown(recorded)} there and {_shown(asked)} here"


def difference_count(asked: Any, recorded: Any) -> int:
    """In how many values they differ: by which the nearest is found."""
    if isinstance(asked, Mapping) and isinstance(recorded, Mapping):
        return sum(difference_count(asked.get(key), recorded.get(key)) for key in asked.keys() | recorded.keys())
    if isinstance(asked, list) and isinstance(recorded, list) and len(asked) == len(recorded):
        return sum(difference_count(one, other) for one, other in zip(asked, recorded, strict=True))
    return 0 if asked == recorded else max(_size(asked), _size(recorded))


def _size(value: Any) -> int:
    """Returns the number of single values in a value."""
    if isinstance(value, Mapping):
        return sum(_size(part) for part in value.values())
    return sum(_size(part) for part in value) if isinstance(value, list) else 1


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."
