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
from tuner.check_statistics.evidence import log_evidence, standardized
from tuner.check_statistics.judgement import Judgement, judge
from tuner.check_statistics.series import Series
from tuner.check_statistics.simulated_noise import autoregressive
from tuner.check_statistics.threshold import ALARM_PROBABILITY, NIGHTS_A_YEAR, threshold
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


@dataclass(frozen=True, kw_only=True)
class Worse:
    """Changes that are added to the drawn nights. A metric's standard deviation is robust, and at least its resolution.

    `drift`: so many of them in a year, in a straight line, in the bad direction. `share`: the part of the variance in whose place
    comes normal noise whose nights correlate by `resemblance`.
    """

    drift: float = 0.0
    resemblance: float = 0.0
    share: float = 0.0


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
    limit = math.log(threshold(len(names), ALARM_PROBABILITY))
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
        return _alarms(drawn[name], baseline, metrics[name], len(names), limit)

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
    return drawn + bad * worse.drift * deviation * np.arange(drawn.shape[1]) / NIGHTS_A_YEAR


def _alarms(drawn: Array, baseline: int, metric: MetricKind, metrics: int, limit: float) -> Alarms:
    assumed = metric.noise  # a check has values, and none beyond what a share or a quantity can be
    drawn = assumed.row.forward(assumed.row.backward(drawn), assumed.floor)
    rows = drawn if np.ptp(drawn) else drawn[:1]  # all years may be one
    parts = [rows[i : i + _TOGETHER] for i in range(0, len(rows), _TOGETHER)]
    raised = np.concatenate([_raised(part, baseline, metric, limit) for part in parts])
    failed = np.array([hit and _fails(row, baseline, metric, metrics) for hit, row in zip(raised, rows, strict=True)])
    return Alarms(*(np.broadcast_to(one, len(drawn)) if len(one) == 1 else one for one in (raised, failed)))


def _raised(rows: Array, baseline: int, metric: MetricKind, limit: float) -> npt.NDArray[np.bool_]:
    assumed = metric.noise
    positions, fine = np.arange(rows.shape[1]), np.full(len(rows), assumed.resolution)
    path = log_evidence(rows, positions, baseline, fine, assumed.rhos, assumed.freedom)
    return np.asarray(path.max(axis=1) >= limit)


def _fails(row: Array, baseline: int, metric: MetricKind, metrics: int) -> bool:
    """Returns True if the check fails by it on the night of the alarm or at the end of the year."""
    values = [float(value) for value in metric.noise.row.backward(row)]
    alarmed_on = _judged(values, baseline, metric, metrics, len(values)).alarmed_on
    assert alarmed_on is not None
    for until in (baseline + alarmed_on + 1, len(values)):
        change = _judged(values, baseline, metric, metrics, until).change
        if change is not None and metric.matters(change.before.value, change.shift.value):
            return True
    return False


def _judged(values: Sequence[float], baseline: int, metric: MetricKind, metrics: int, until: int) -> Judgement:
    """`metrics`: of the whole check. Judged alone, the chance of a false alarm is this metric's part."""
    series = Series(baseline=values[:baseline], nights=values[baseline:until], assumptions=metric.noise)
    return judge({"one": series}, alarm_probability=ALARM_PROBABILITY / metrics)["one"]
