# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Runs, for each bed and stream, a baseline, nights without a fault, and each fault at each strength."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from experiments.nightly_checks.beds import Bed, Ground
from experiments.nightly_checks.emulated import EMULATED_FAULTS, emulated
from experiments.nightly_checks.fault import STRENGTHS, Fault, Struck
from experiments.nightly_checks.faults import FAULTS
from experiments.nightly_checks.nights import Stream, living
from tuner.atomic_file import write_atomically
from tuner.checks.run_check import Outcome
from tuner.checks.states import FAIL, NOT_RUN, WARN

WATCHED = 7
"""Nights with a fault, at most."""


@dataclass(frozen=True, kw_only=True)
class Nights:
    """`quiet`: nights without a fault after each baseline. `faults`: names; None: all."""

    baseline: int = 20
    quiet: int = 14
    faults: frozenset[str] | None = None


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A fault in one stream. `found_after`: nights until the check failed; None if it did not within WATCHED. `raised`: what it
    failed by, the subjects of the remarks. `rank`: place of the true cause among those of that night, from 1; None if it is not
    among them, or nothing was found. `rank_place`: the same if the cause must name the right place too. `causes`: (name, place).
    `warned`, `not_run`: nights before that one which warned, or on which something could not be run."""

    bed: str
    seed: int
    fault: str
    strength: int
    found_after: int | None
    raised: tuple[str, ...] = ()
    rank: int | None = None
    rank_place: int | None = None
    causes: tuple[tuple[str, str], ...] = ()
    warned: int = 0
    not_run: int = 0
    values: dict[str, float | None] = field(default_factory=dict)
    """Values of the last night, by metric."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One stream of one bed, after a baseline of so many nights. `alarms`: nights that failed of those without a fault after the
    baseline. `quiet`: the metrics' values on all nights without a fault, baseline and after, by metric."""

    bed: str
    seed: int
    baseline: int
    alarms: int
    quiet: dict[str, list[float | None]]
    trials: tuple[Trial, ...]

    @property
    def watched(self) -> int:
        """Nights without a fault after the baseline."""
        return len(next(iter(self.quiet.values()))) - self.baseline

    def to_text(self) -> str:
        return json.dumps(asdict(self)) + "\n"

    @classmethod
    def from_text(cls, text: str) -> "Cell":
        document = json.loads(text)
        trials = tuple(_trial(one) for one in document.pop("trials"))
        return cls(**document, trials=trials)


def _trial(document: dict[str, Any]) -> Trial:
    causes = tuple((name, where) for name, where in document["causes"])
    return Trial(**document | {"raised": tuple(document["raised"]), "causes": causes})


def measure(
    beds: Sequence[Bed],
    folder: Path,
    *,
    streams: int | None,
    fabric: Path | None,
    nights: "Nights | None" = None,
    workers: int | None = None,
    on_progress: Callable[[float], None] = lambda fraction: None,
) -> list[Cell]:
    """Goes on with the cells that `folder` has. `streams`: of each bed, instead of its own. Raises what the first failing one
    raises."""
    wanted = [(bed, seed) for bed in beds for seed in range(1, (streams or bed.streams) + 1)]
    cells: dict[tuple[str, int], Cell] = {}
    with ThreadPoolExecutor(max_workers=workers) as pool:

        def cell(bed: Bed, seed: int) -> Cell:
            kept = folder / f"{bed.slug}-{seed}.json"
            if not kept.is_file():
                write_atomically(kept, _cell(bed, folder, seed, fabric, nights or Nights()).to_text())
            return Cell.from_text(kept.read_text(encoding="utf-8"))

        folder.mkdir(parents=True, exist_ok=True)
        futures = {pool.submit(cell, *one): one for one in wanted}
        try:
            for done, future in enumerate(as_completed(futures), start=1):
                bed, seed = futures[future]
                cells[bed.name, seed] = future.result()
                on_progress(done / len(wanted))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return [cells[bed.name, seed] for bed, seed in wanted]


def _cell(bed: Bed, folder: Path, seed: int, fabric: Path | None, nights: Nights) -> Cell:
    ground = Ground(bed, folder / f"{bed.slug}-{seed}", fabric)
    nature = ground.nature(seed, nights.baseline + max(nights.quiet, WATCHED))
    with (emulated if bed.emulated else living)(ground) as its_fabric:
        stream = Stream(its_fabric, ground.path.parent, nature, seed=seed)
        values: dict[str, list[float | None]] = {}
        for index in range(nights.baseline):
            _keep(values, stream.run(index))
        stream.accept(0, nights.baseline - 1)
        trials = [
            _trial_of(stream, ground, seed, nights.baseline, Struck(fault=fault, strength=strength))
            for fault in faults_of(bed)
            if nights.faults is None or fault.name in nights.faults
            for strength in range(STRENGTHS)
        ]
        alarms = 0
        with stream.branch() as branch:
            for index in range(nights.baseline, nights.baseline + nights.quiet):
                outcome = branch.run(index)
                _keep(values, outcome)
                alarms += outcome.verdict.state is FAIL
    return Cell(bed=bed.name, seed=seed, baseline=nights.baseline, alarms=alarms, quiet=values, trials=tuple(trials))


def faults_of(bed: Bed) -> Iterator[Fault]:
    yield from (fault for fault in (EMULATED_FAULTS if bed.emulated else FAULTS) if bed.name not in fault.not_on)


def _keep(values: dict[str, list[float | None]], outcome: Outcome) -> None:
    for entry in outcome.run.entries:
        for name, value in entry.values.items():
            values.setdefault(f"{entry.name}.{name}", []).append(value)


def _trial_of(stream: Stream, ground: Ground, seed: int, baseline: int, struck: Struck) -> Trial:
    known: dict[str, Any] = {
        "bed": ground.bed.name,
        "seed": seed,
        "fault": struck.fault.name,
        "strength": struck.strength,
    }
    states = Counter[str]()
    with stream.branch() as branch:
        for night in range(1, WATCHED + 1):
            outcome = branch.run(baseline + night - 1, struck)
            values = {f"{one.name}.{name}": value for one in outcome.run.entries for name, value in one.values.items()}
            if outcome.verdict.state is FAIL:
                raised = tuple(remark.subject for remark in outcome.verdict.remarks if remark.state == FAIL.name)
                causes = tuple((cause.name, cause.place) for cause in outcome.run.causes)
                right = [name in struck.fault.causes for name, _ in causes]
                places = struck.fault.places(ground, struck.strength)
                named = [one and any(p in where for p in places) for one, (_, where) in zip(right, causes, strict=True)]
                return Trial(
                    **known,
                    found_after=night,
                    raised=raised,
                    rank=_rank(right),
                    rank_place=_rank(named),
                    causes=causes,
                    warned=states[WARN.name],
                    not_run=states[NOT_RUN.name],
                    values=values,
                )
            states[outcome.verdict.state.name] += 1
    return Trial(**known, found_after=None, warned=states[WARN.name], not_run=states[NOT_RUN.name], values=values)


def _rank(right: Sequence[bool]) -> int | None:
    return right.index(True) + 1 if True in right else None


def of(cells: Sequence[Cell], bed: str, fault: str, strength: int) -> Iterator[Trial]:
    for cell in cells:
        for trial in cell.trials:
            if (trial.bed, trial.fault, trial.strength) == (bed, fault, strength):
                yield trial
