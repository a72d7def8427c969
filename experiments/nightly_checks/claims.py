# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Claims of the experiment."""

from collections.abc import Callable, Iterator, Sequence

from experiments._common.findings import Claim
from experiments.nightly_checks.detection import Cell, Trial
from experiments.nightly_checks.false_alarms import AS_THEY_ARE, STATED, Row
from experiments.nightly_checks.fault import STRENGTHS
from tuner.check_statistics.threshold import ALARM_PROBABILITY

HIDDEN = frozenset(
    {
        ("forest", "aggressive tenant"),
        ("forest", "drifted tables"),
        ("forest", "flapping link"),
    }
)
"""Faults that fairness does not show on a bed at any strength; README.md says why."""


def claims(cells: Sequence[Cell], rows: Sequence[Row], *, quick: bool) -> list[Claim]:
    found = list(_found(cells))
    return found if quick else [*found, *_false_alarms(rows)]


def _found(cells: Sequence[Cell]) -> Iterator[Claim]:
    trials = [trial for cell in cells for trial in cell.trials]
    strongest = [one for one in trials if one.strength == STRENGTHS - 1]
    seen = [one for one in strongest if (one.bed, one.fault) not in HIDDEN]
    yield _all(
        "each fault at its greatest strength is noticed within seven nights, but for those that README.md names", seen, _noticed
    )
    nights, alarms = sum(cell.watched for cell in cells), sum(cell.alarms for cell in cells)
    yield Claim(sentence="no night without a fault fails", published="-", here=f"{alarms} of {nights} nights", holds=alarms == 0)
    held = [one for one in trials if "emulated" in one.bed and one.fault in ("drifted tables", "wrong threshold")]
    if held:
        yield _all("what devices should not hold is found in the first night, at any strength", held, _at_once)


def _all(sentence: str, trials: Sequence[Trial], holds: Callable[[Trial], bool]) -> Claim:
    hits = [one for one in trials if holds(one)]
    missing = sorted({f"{one.fault} ({one.bed})" for one in trials if not holds(one)})
    here = f"{len(hits)} of {len(trials)}" + (f"; not {', '.join(missing)}" if missing else "")
    return Claim(sentence=sentence, published="-", here=here, holds=not missing)


def _noticed(trial: Trial) -> bool:
    """It failed, or it could not be run."""
    return trial.found_after is not None or trial.not_run > 0


def _at_once(trial: Trial) -> bool:
    return trial.found_after == 1


def _false_alarms(rows: Sequence[Row]) -> Iterator[Claim]:
    for row in rows:
        low, high = row.rate
        known = row.name not in (AS_THEY_ARE, STATED)
        yield Claim(
            sentence=f"the 95 % interval of the yearly rate of false alarms is below {ALARM_PROBABILITY:g}: {row.name}",
            published="-",
            here=f"{low:.3f} to {high:.3f}, of {row.years} years",
            holds=high < ALARM_PROBABILITY,
            known_to_fail=known,
        )
