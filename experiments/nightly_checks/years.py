# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Years drawn from a hundred nights without a fault, and how many of them have a false alarm.

Moving blocks (H. R. Künsch, "The jackknife and the bootstrap for general stationary observations", Ann. Statist. 17, 1989) of
BLOCK nights keep how nights resemble each other; a block begins on the same day of the week as the nights that it takes the place
of, so the weekly cycle goes on. All metrics of a night come together, so they depend on each other as they did.
"""

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from experiments.nightly_checks.hundred import Hundred
from tuner.check_statistics.evidence import standardized
from tuner.check_statistics.judgement import judge
from tuner.check_statistics.series import Series
from tuner.check_statistics.simulated_noise import autoregressive, jobs_of_nights, yearly_wave
from tuner.check_statistics.threshold import ALARM_PROBABILITY, NIGHTS_A_YEAR
from tuner.check_statistics.whitening import Array
from tuner.checks.kind import KINDS
from tuner.checks.observation import MetricKind
from tuner.checks.repetition import SUSPICIOUS, judged_as
from tuner.documents.check_kinds import KindOptions

BLOCK = 14
BASELINE = 20
WEEK = 7
YEARS = 1000
_TOGETHER = 25
"""Series that are judged at once: more take more memory, and no less time."""
_MOST_PROBABLE = 4
"""Series that are judged at once, for each metric of the check: their parts of the stated chance are together below 1."""


@dataclass(frozen=True, kw_only=True)
class Worse:
    """Changes that are added to the drawn nights. A metric's standard deviation is robust, and at least its resolution.

    `drift`: so many of them in a year, in a straight line, in the bad direction. `share`: the part of the variance in whose place
    comes normal noise whose nights correlate by `resemblance`. `jobs`: by which jobs of five nights, in one night of six, are
    worse. `wave`: of a yearly wave to either side.
    """

    drift: float = 0.0
    resemblance: float = 0.0
    share: float = 0.0
    jobs: float = 0.0
    wave: float = 0.0


def metric_of(name: str, options: Mapping[str, KindOptions]) -> MetricKind:
    """Returns the metric as its nights are judged. `name`: entry and metric. `options`: by entry."""
    entry, _, metric = name.partition(".")
    known = KINDS.get(options[entry].kind).metrics
    return judged_as(next(one for one in known if one.name == metric), options[entry])


def with_normal(names: Sequence[str], options: Mapping[str, KindOptions]) -> list[str]:
    """Returns those that are no counts, which a check compares with nothing."""
    return [name for name in names if metric_of(name, options).assumptions is not None]


def draw(nights: int, length: int, years: int, random: np.random.Generator) -> npt.NDArray[np.int_]:
    """Returns (years, length): which of so many nights each night of a year is. The first night of both is a day of the week."""
    blocks = math.ceil(length / BLOCK)
    starts = np.arange(0, nights - BLOCK + 1, WEEK)
    chosen = random.choice(starts, (years, blocks))
    assert BLOCK % WEEK == 0
    return (chosen[:, :, None] + np.arange(BLOCK)).reshape(years, -1)[:, :length]


@dataclass(frozen=True)
class Alarms:
    """Alarms of one metric, by year. `raised`: an alarm was raised. `failed`: the metric is worse by its least effect, so that
    the check fails; otherwise it warns."""

    raised: npt.NDArray[np.bool_]
    failed: npt.NDArray[np.bool_]


def alarms(
    hundred: Hundred,
    options: Mapping[str, KindOptions],
    *,
    years: int = YEARS,
    worse: Worse | None = None,
    baseline: int = BASELINE,
    seed: int = 1,
    workers: int | None = None,
) -> dict[str, Alarms]:
    """Returns them by metric, of the year after the baseline. `options`: the entries of the check."""
    worse = worse or Worse()
    random = np.random.default_rng(seed)
    names = with_normal(hundred.names, options)
    nights = draw(len(hundred.nights), baseline + NIGHTS_A_YEAR, years, random)
    metrics = {name: metric_of(name, options) for name in names}
    first, again = ({name: _scaled(hundred, name, metrics[name], middle) for name in names} for middle in (False, True))
    odd = {entry: np.zeros(nights.shape, dtype=bool) for entry in options}
    for name in names:
        entry = name.partition(".")[0]
        if options[entry].repetitions:
            odd[entry] |= _odd(first[name][nights], baseline, metrics[name])
    drawn = {}
    for name in names:
        values = np.where(odd[name.partition(".")[0]], again[name][nights], first[name][nights])
        drawn[name] = _worse(values, _deviation(first[name], metrics[name]), metrics[name], worse, random)

    def judged(name: str) -> Alarms:
        return _alarms(drawn[name], baseline, metrics[name], len(names))

    with ThreadPoolExecutor(max_workers=workers) as pool:
        return dict(zip(names, pool.map(judged, names), strict=True))


def _scaled(hundred: Hundred, name: str, metric: MetricKind, middle: bool) -> Array:
    """A first night without a value has that of the second."""
    series = hundred.middle(name) if middle else hundred.series(name)
    filled = [series[0]] * (len(hundred.nights) - len(series)) + series
    return metric.noise.row.forward(np.array(filled, dtype=float), metric.noise.floor)


def _odd(drawn: Array, baseline: int, metric: MetricKind) -> npt.NDArray[np.bool_]:
    """Nights after the baseline that a check measures again."""
    seen, _, _ = standardized(drawn, baseline, np.full(len(drawn), metric.noise.resolution))
    found = np.abs(seen) > SUSPICIOUS
    found[:, :baseline] = False
    return np.asarray(found)


def _deviation(scaled: Array, metric: MetricKind) -> float:
    return float(standardized(scaled[None, :], len(scaled), np.array([metric.noise.resolution]))[2][0])


def _worse(drawn: Array, deviation: float, metric: MetricKind, worse: Worse, random: np.random.Generator) -> Array:
    if np.ptp(drawn) == 0:
        return drawn
    if worse.share:
        noise = autoregressive(random, drawn.shape[0], drawn.shape[1], worse.resemblance)
        middle = np.median(drawn)
        kept, added = math.sqrt(1 - worse.share), math.sqrt(worse.share)
        drawn = middle + kept * (drawn - middle) + added * deviation * noise
    bad = -1 if metric.better == "more" else 1
    years, nights = drawn.shape
    drift = worse.drift * np.arange(drawn.shape[1]) / NIGHTS_A_YEAR
    jobs = worse.jobs * jobs_of_nights(random, years, nights, nights=5, share=1 / 6) if worse.jobs else 0.0
    wave = yearly_wave(random, years, nights, worse.wave) if worse.wave else 0.0
    return np.asarray(drawn + bad * deviation * (drift + jobs) + deviation * wave)


def _alarms(drawn: Array, baseline: int, metric: MetricKind, metrics: int) -> Alarms:
    """`metrics`: of the whole check. Judged alone, the chance of a false alarm is this metric's part."""
    assumed = metric.noise  # a check has values, and none beyond what a share or a quantity can be
    rows = assumed.row.backward(drawn if np.ptp(drawn) else drawn[:1])  # all years may be one
    raised, failed = [], []
    for part in np.array_split(rows, math.ceil(len(rows) / min(_TOGETHER, _MOST_PROBABLE * metrics))):
        series = {str(i): _series(row, baseline, metric) for i, row in enumerate(part)}
        for judgement in judge(series, alarm_probability=ALARM_PROBABILITY * len(part) / metrics).values():
            raised.append(judgement.changed)
            failed.append(
                judgement.change is not None and metric.matters(judgement.change.before.value, judgement.change.shift.value)
            )
    return Alarms(*(np.broadcast_to(np.array(one), len(drawn)) if len(rows) == 1 else np.array(one) for one in (raised, failed)))


def _series(values: Array, baseline: int, metric: MetricKind) -> Series:
    """As a check judges it."""
    moves = metric.least(float(np.median(values[:baseline])))
    return Series([*values[:baseline]], [*values[baseline:]], metric.noise, moves)
