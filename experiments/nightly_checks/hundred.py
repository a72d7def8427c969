# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A hundred nights of the packaged check `nightly` without a fault, in full: tables, links and routes of an emulated fabric with
OpenSM and the plugin, fairness and impact of congestion of the living one, whose nights differ.

`python -m experiments.nightly_checks hundred` writes hundred-nights.json.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from experiments.nightly_checks.beds import HERE
from experiments.nightly_checks.living_backend import LivingFairness, LivingImpact
from experiments.nightly_checks.nature import Nature
from experiments.nightly_checks.nights import FIRST
from experiments.nightly_checks.standing import Standing, standing
from experiments.nightly_checks.world import Place, place
from tuner.check_statistics.evidence import standardized
from tuner.checks.kind import KINDS, GoodRecord, Night
from tuner.checks.observation import MetricKind
from tuner.checks.observe import observed
from tuner.documents.check import load_check
from tuner.documents.check_kinds import CongestionImpact, Fairness, KindOptions, Links, Routes, Sweep, Tables
from tuner.documents.fabric import load_fabric
from tuner.documents.workload import load_workload
from tuner.errors import UnreachableError

NIGHTS = 100
SEED = 0
CHECK, PROFILE = "nightly", "gran-2010"
FILE = HERE / "hundred-nights.json"
_AT = time(2, 17)
ODD = 2.5
"""Robust standard deviations from the middle of all nights from which on a night is measured again, as a check measures nights
again that look changed to it. That is at 4 of its baseline's, which may be narrower than all nights are."""

Values = dict[str, float | None]


@dataclass(frozen=True, kw_only=True)
class Hundred:
    """`nights`: the values of each by metric. `again`: those of further measurements, by night and then by measurement."""

    first: date
    nights: list[Values]
    again: dict[int, list[Values]] = field(default_factory=dict)

    def series(self, name: str) -> list[float]:
        """The nights that have a value."""
        return [value for night in self.nights if (value := night[name]) is not None]

    def middle(self, name: str) -> list[float]:
        """The same, but of nights that were measured again the middle value."""
        return [
            float(np.median([value, *(one[name] for one in self.again.get(index, []) if name in one)]))
            for index, night in enumerate(self.nights)
            if (value := night[name]) is not None
        ]

    @property
    def names(self) -> list[str]:
        """Metrics that have a value in every night but the first, which has no night before it."""
        return [name for name in self.nights[0] if all(night[name] is not None for night in self.nights[1:])]

    def to_text(self) -> str:
        """Six digits of each value."""
        document = {
            "first": self.first.isoformat(),
            "values": {name: [_rounded(night[name]) for night in self.nights] for name in self.nights[0]},
            "again": {index: [{name: _rounded(one[name]) for name in one} for one in runs] for index, runs in self.again.items()},
        }
        values = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in document["values"].items())  # type: ignore[attr-defined]
        again = ",\n".join(f"  {json.dumps(str(key))}: {json.dumps(row)}" for key, row in document["again"].items())  # type: ignore[attr-defined]
        return f'{{\n "first": "{self.first}",\n "values": {{\n{values}\n }},\n "again": {{\n{again}\n }}\n}}\n'

    @classmethod
    def from_text(cls, text: str) -> "Hundred":
        document: dict[str, Any] = json.loads(text)
        values: Mapping[str, list[float | None]] = document["values"]
        count = len(next(iter(values.values())))
        return cls(
            first=date.fromisoformat(document["first"]),
            nights=[{name: row[index] for name, row in values.items()} for index in range(count)],
            again={int(index): runs for index, runs in document["again"].items()},
        )


def stored() -> Hundred:
    """Returns the nights of FILE, which `python -m experiments.nightly_checks hundred` has written."""
    return Hundred.from_text(FILE.read_text(encoding="utf-8"))


def simulate(nights: int, *, on_progress: Callable[[float], None] = lambda fraction: None, again: bool = True) -> Hundred:
    """Raises UnreachableError without OpenSM or the plugin, and if a night could not be run."""
    check = load_check(CHECK)
    fabric = load_fabric(check.fabric)
    drawn = max(NIGHTS, nights)  # fewer nights are the first ones of them all
    nature = Nature(fabric, load_workload("scenario-1"), {"kind": "uniform", "name": "others"}, seed=SEED, nights=drawn)
    with TemporaryDirectory(prefix="ibcc-nights-") as name, place() as at, standing(fabric, PROFILE, Path(name)) as emulated:
        entries = [_placed(entry, emulated, at) for entry in check.kinds if not isinstance(entry, Sweep)]  # it has no normal
        looking = _Looking(check.fabric)

        def observe(index: int, chosen: list[KindOptions], repetition: int = 0) -> Values:
            night = FIRST + timedelta(days=index)
            at.world = nature.world(index, night)
            return looking.observe(chosen, night, repetition)

        found = []
        for index in range(nights):
            found.append(observe(index, entries))
            on_progress(0.8 * (index + 1) / nights)
        repeated = [entry for entry in entries if entry.repetitions]
        odd = sorted({index for entry in repeated for index in _odd(entry, found)}) if again else []
        more = {}
        for done, index in enumerate(odd, 1):
            more[index] = [observe(index, repeated, number) for number in (1, 2)]
            on_progress(0.8 + 0.2 * done / len(odd))
    return Hundred(first=FIRST, nights=found, again=more)


def _placed(entry: KindOptions, emulated: Standing, at: Place) -> KindOptions:
    """The entry as it is run here: on the emulated fabric, or on the living one."""
    match entry:
        case Tables() | Routes():
            return entry.model_copy(update={"socket": str(emulated.plugin)})
        case Links():
            return entry.model_copy(update={"socket": str(emulated.plugin), "emulated": str(emulated.control)})
        case Fairness():
            return LivingFairness(workload=entry.workload, profile=PROFILE, repeat=entry.repeat, socket=at.address)
        case CongestionImpact():
            return LivingImpact(profile=PROFILE, rings=entry.rings, seed=entry.seed, socket=at.address)
    raise AssertionError(f"kind '{entry.kind}' of check '{CHECK}' has no place in these nights yet")


class _Looking:
    """Observes entries night by night; each night knows the records of the one before."""

    def __init__(self, fabric: str) -> None:
        self._fabric = fabric
        self._records: dict[str, GoodRecord] = {}

    def observe(self, entries: list[KindOptions], night: date, repetition: int = 0) -> Values:
        """`repetition`: above 0, nothing is remembered. Raises UnreachableError if one could not be run."""
        return dict(self._values(entries, night, repetition))

    def _values(self, entries: list[KindOptions], night: date, repetition: int) -> Iterator[tuple[str, float | None]]:
        moment = datetime.combine(night, _AT, UTC)
        for entry in entries:
            known = self._records.get(entry.entry)
            told = Night(fabric=self._fabric, date=night, good=known, latest=known, clock=lambda: moment, repetition=repetition)
            seen = observed(entry, told)
            if seen.not_run is not None:
                raise UnreachableError(f"{entry.entry} could not be run on {night}: {seen.not_run}")
            if seen.record is not None and not repetition:
                self._records[entry.entry] = GoodRecord(night, json.loads(json.dumps(seen.record)))
            for metric, value in seen.metrics:
                yield f"{entry.entry}.{metric.name}", value


def _odd(entry: KindOptions, nights: list[Values]) -> Iterator[int]:
    for metric in KINDS.get(entry.kind).metrics:
        name = f"{entry.entry}.{metric.name}"
        if metric.assumptions is not None and name in nights[0]:
            yield from np.flatnonzero(_distances(metric, [night[name] for night in nights]) >= ODD).tolist()


def _distances(metric: MetricKind, values: list[float | None]) -> Any:
    assumed = metric.noise
    scaled = assumed.row.forward(np.array(values, dtype=float), assumed.floor)
    return np.abs(standardized(scaled[None, :], len(values), np.array([assumed.resolution]))[0][0])


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")
