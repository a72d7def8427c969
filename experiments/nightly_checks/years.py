# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Years drawn from a hundred nights without a fault, and how many of them have a false alarm.

Moving blocks (H. R. Künsch, "The jackknife and the bootstrap for general stationary observations", Ann. Statist. 17, 1989) of
BLOCK nights keep how nights resemble each other; a block begins on the same day of the week as the nights that it takes the place
of, so the weekly cycle goes on. All metrics of a night come together, so they depend on each other as they did.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tuner.check_statistics.evidence import log_evidence, standardized
from tuner.check_statistics.series import Assumptions
from tuner.check_statistics.simulated_noise import autoregressive
from tuner.check_statistics.threshold import ALARM_PROBABILITY, NIGHTS_A_YEAR, threshold
from tuner.check_statistics.whitening import Array
from tuner.checks.kind import KINDS

BLOCK = 14
BASELINE = 20
WEEK = 7
YEARS = 1000
_TOGETHER = 25
"""Series that are judged at once: more take more memory, and no less time."""


@dataclass(frozen=True, kw_only=True)
class Worse:
    """What is added to the drawn nights, in standard deviations of a night on each metric's scale. `drift`: over a year, in a
    straight line. `resemblance`: correlation of nights of an autoregressive noise that takes the place of the part `share` of
    the variance."""

    drift: float = 0.0
    resemblance: float = 0.0
    share: float = 0.0


def assumptions_of(name: str, kinds: Mapping[str, str]) -> Assumptions:
    """`name`: entry and metric. `kinds`: the kind of each entry."""
    entry, _, metric = name.partition(".")
    return next(one.assumptions for one in KINDS.get(kinds[entry]).metrics if one.name == metric)


def draw(nights: int, length: int, years: int, random: np.random.Generator) -> npt.NDArray[np.int_]:
    """Returns (years, length): which of so many nights each night of a year is. The first night of both is a day of the week."""
    blocks = math.ceil(length / BLOCK)
    starts = np.arange(0, nights - BLOCK + 1, WEEK)
    chosen = random.choice(starts, (years, blocks))
    assert BLOCK % WEEK == 0
    return (chosen[:, :, None] + np.arange(BLOCK)).reshape(years, -1)[:, :length]


def alarms(
    values: Mapping[str, Sequence[float]],
    kinds: Mapping[str, str],
    *,
    years: int = YEARS,
    worse: Worse | None = None,
    baseline: int = BASELINE,
    seed: int = 1,
    on_progress: Callable[[float], None] = lambda fraction: None,
) -> dict[str, npt.NDArray[np.bool_]]:
    """Returns by metric, (years): whether it raised a false alarm within the year after its baseline. `values`: of each night."""
    worse = worse or Worse()
    random = np.random.default_rng(seed)
    length = baseline + NIGHTS_A_YEAR
    nights = draw(len(next(iter(values.values()))), length, years, random)
    limit = math.log(threshold(len(values), ALARM_PROBABILITY))
    found = {}
    for done, (name, series) in enumerate(values.items(), start=1):
        assumed = assumptions_of(name, kinds)
        scaled = assumed.row.forward(np.array(series), assumed.floor)
        drawn = _worse(scaled, nights, worse, random)
        found[name] = _alarmed(drawn, baseline, assumed, limit)
        on_progress(done / len(values))
    return found


def _worse(scaled: Array, nights: npt.NDArray[np.int_], worse: Worse, random: np.random.Generator) -> Array:
    deviation = float(scaled.std())
    drawn = scaled[nights]
    if deviation == 0:
        return drawn
    if worse.share:
        noise = autoregressive(random, *nights.shape, worse.resemblance)
        middle = scaled.mean()
        kept, added = math.sqrt(1 - worse.share), math.sqrt(worse.share)
        drawn = middle + kept * (drawn - middle) + added * deviation * noise
    return drawn + worse.drift * deviation * np.arange(nights.shape[1]) / NIGHTS_A_YEAR


def _alarmed(drawn: Array, baseline: int, assumed: Assumptions, limit: float) -> npt.NDArray[np.bool_]:
    if not np.ptp(drawn):  # all years are one
        return np.repeat(_alarmed_rows(drawn[:1], baseline, assumed, limit), len(drawn))
    parts = [drawn[i : i + _TOGETHER] for i in range(0, len(drawn), _TOGETHER)]
    return np.concatenate([_alarmed_rows(part, baseline, assumed, limit) for part in parts])


def _alarmed_rows(rows: Array, baseline: int, assumed: Assumptions, limit: float) -> npt.NDArray[np.bool_]:
    positions, fine = np.arange(rows.shape[1]), np.full(len(rows), assumed.resolution)
    path = log_evidence(rows, positions, baseline, fine, assumed.rhos, assumed.freedom)
    return np.asarray(path.max(axis=1) >= limit)


@dataclass(frozen=True, kw_only=True)
class Noise:
    """What nights without a fault show of a metric, on its scale. `deviation`: standard deviation. `believed`: the least one that
    is believed, the resolution. `next_night`, `second_night`: correlation with the night before and the one before that.
    `furthest`: the night that is the furthest from the middle, in robust standard deviations."""

    nights: int
    deviation: float
    believed: float
    next_night: float
    second_night: float
    furthest: float


def noise_of(series: Sequence[float], assumed: Assumptions) -> Noise:
    scaled = assumed.row.forward(np.array(series, dtype=float), assumed.floor)
    seen, _, _ = standardized(scaled[None, :], len(scaled), np.array([1e-12]))
    return Noise(
        nights=len(scaled),
        deviation=float(scaled.std()),
        believed=assumed.resolution,
        next_night=_correlation(scaled, 1),
        second_night=_correlation(scaled, 2),
        furthest=float(np.abs(seen).max()) if scaled.std() > 0 else 0.0,
    )


def _correlation(values: Array, lag: int) -> float:
    if values.std() == 0:
        return 0.0
    centred = values - values.mean()
    return float((centred[lag:] * centred[:-lag]).sum() / (centred**2).sum())
