# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""GPCNeT's metrics of a night: each canary alone, and the Congestion Impact Factor of the average and of the 99th percentile."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tuner.check_statistics.series import Assumptions
from tuner.checks.observation import Better, MetricKind

LATENCY, BANDWIDTH, ALLREDUCE = CANARIES = ("latency", "bandwidth", "allreduce")
STATISTICS = ("average", "p99")


@dataclass(frozen=True, kw_only=True)
class Figures:
    """Figures of one canary, alone and loaded, by statistic, in µs, or MiB/s of each host.

    `p99`: the value that 99 % do not exceed, or for a bandwidth the one that 99 % reach. A statistic that is missing cannot be
    measured; both have the same ones.
    """

    isolated: Mapping[str, float]
    loaded: Mapping[str, float]


def impact_of(canary: str, isolated: float, loaded: float) -> float | None:
    """The Congestion Impact Factor: 1 is ideal, and more is worse. None if one of the figures is 0."""
    if not isolated or not loaded:
        return None
    return isolated / loaded if canary == BANDWIDTH else loaded / isolated


def values(figures: Mapping[str, Figures]) -> Iterator[tuple[MetricKind, float | None]]:
    """Yields all metrics of the figures that there are, in the table's order. `figures`: by canary."""
    for metric, canary, statistic, is_impact in _ROWS:
        if canary not in figures or statistic not in figures[canary].isolated:
            continue
        isolated, loaded = figures[canary].isolated[statistic], figures[canary].loaded[statistic]
        yield metric, impact_of(canary, isolated, loaded) if is_impact else isolated


def _rows() -> Iterator[tuple[MetricKind, str, str, bool]]:
    """A tail scatters more than an average does, and the factor more than either."""
    for canary in CANARIES:
        for statistic in STATISTICS:
            tail = statistic == "p99"
            noise = Assumptions(
                resolution=0.1 if tail else 0.05, scale="log", floor=1e-2, tails="heavy" if tail else "medium", jobs=True
            )
            yield _metric(f"impact_{canary}_{statistic}", "1", "less", noise, 0.5 if tail else 0.2), canary, statistic, True
    for canary in CANARIES:
        better: Better = "more" if canary == BANDWIDTH else "less"
        unit = "MiB/s" if canary == BANDWIDTH else "µs"
        for statistic in STATISTICS:
            tail = statistic == "p99"
            noise = Assumptions(
                resolution=0.05 if tail else 0.03, scale="log", floor=1e-2, tails="heavy" if tail else "medium", jobs=True
            )
            metric = _metric(f"isolated_{canary}_{statistic}", unit, better, noise, 0.2 if tail else 0.1)
            yield metric, canary, statistic, False


def _metric(name: str, unit: str, better: Better, noise: Assumptions, least_effect: float) -> MetricKind:
    return MetricKind(name=name, unit=unit, better=better, assumptions=noise, least_effect=least_effect, relative=True)


_ROWS = tuple(_rows())
IMPACT_METRICS = tuple(metric for metric, *_ in _ROWS)
