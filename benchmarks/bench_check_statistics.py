# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How often the verdicts on nightly checks are wrong, and what they find: `make bench-check-statistics` runs it.

Prints the tables of docs/research/check-statistics.md as Markdown: false alarms of metrics that do not change, by the noise that
they have, the least changes that are found, and the nights until a drift is. All has fixed seeds.
"""

import argparse
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from tuner.check_statistics.evidence import log_evidence, standardized
from tuner.check_statistics.judgement import judge
from tuner.check_statistics.power import least_change
from tuner.check_statistics.series import Assumptions, Series
from tuner.check_statistics.simulated_noise import autoregressive, jobs_of_nights, yearly_wave
from tuner.check_statistics.tails import TAILS
from tuner.check_statistics.threshold import ALARM_PROBABILITY, NIGHTS_A_YEAR, threshold
from tuner.check_statistics.whitening import Array
from tuner.checks.repetition import SUSPICIOUS

METRICS = 10
BASELINES = (10, 20, 40)
NIGHTS = (1, 3, 7)
DRIFTS = (30, 90, 180)
_TOGETHER = 10


def _students_t(random: np.random.Generator, series: int, nights: int) -> Array:
    return random.standard_t(4, (series, nights))


def _lognormal(random: np.random.Generator, series: int, nights: int) -> Array:
    return np.exp(0.5 * random.standard_normal((series, nights)))


def _normal(rho: float) -> Callable[[np.random.Generator, int, int], Array]:
    return lambda random, series, nights: autoregressive(random, series, nights, rho)


NOISES: Mapping[str, tuple[Callable[[np.random.Generator, int, int], Array], float]] = {
    "normal, independent": (_normal(0), 1e-6),
    "normal, nights correlate by 0.3": (_normal(0.3), 1e-6),
    "normal, nights correlate by 0.45": (_normal(0.45), 1e-6),
    "normal, nights correlate by 0.6": (_normal(0.6), 1e-6),
    "Student's t, 4 degrees of freedom": (_students_t, 1e-6),
    "lognormal, sigma 0.5, on `plain`": (_lognormal, 1e-6),
    "counter, mean 0.3, resolution 1": (lambda random, series, nights: random.poisson(0.3, (series, nights)).astype(float), 1),
    "counter, always 0, resolution 1": (lambda random, series, nights: np.zeros((series, nights)), 1),
}
"""Name: what draws (series, nights), and the resolution."""
REPEATED = ("normal, independent", "Student's t, 4 degrees of freedom", "lognormal, sigma 0.5, on `plain`")
ASSUMED = (
    Assumptions(1, tails="heavy"),
    Assumptions(1, tails="medium"),
    Assumptions(1, tails="light"),
    Assumptions(1, tails="heavy", correlation=0.6),
)


SHARED: Mapping[str, Callable[[np.random.Generator, int, int], Array]] = {
    "normal": lambda random, series, nights: random.standard_normal((series, nights)),
    "one night of 20 is 6 lower": lambda random, series, nights: (
        random.standard_normal((series, nights)) - 6.0 * (random.random((series, nights)) < 0.05)
    ),
    "jobs of five nights, one night of six is 3 lower": lambda random, series, nights: (
        random.standard_normal((series, nights)) - 3 * jobs_of_nights(random, series, nights, nights=5, share=1 / 6)
    ),
    "a yearly wave of ±1": lambda random, series, nights: (
        random.standard_normal((series, nights)) + yearly_wave(random, series, nights, 1.0)
    ),
    "a yearly wave of ±2": lambda random, series, nights: (
        random.standard_normal((series, nights)) + yearly_wave(random, series, nights, 2.0)
    ),
    "nights correlate by 0.6": _normal(0.6),
}
"""What others do to a metric, in standard deviations."""
CHECK_METRICS = 27
"""Metrics of a whole check, as the packaged `nightly` has them."""
FOLLOWED = 5.0
"""Standard deviations by which the normal may move: the least effect of a throughput, 5 %, at a scatter of 1 %."""


def shared_cluster(series: int, baseline: int) -> None:
    """Prints the years of metrics judged without others' jobs and seasons in the noise, and as checks judge them."""
    print(
        f"Years of a metric with a false alarm, of {series}, and the share of years of a whole check of {CHECK_METRICS} metrics."
    )
    print("`plain`: compared with the baseline all year. `followed`: other jobs are thought of, and the normal follows.\n")
    heads = ["noise", *(f"{tails}, {how}" for tails in ("light", "heavy") for how in ("plain", "followed"))]
    table(heads, _shared_rows(series, baseline))


def _shared_rows(series: int, baseline: int) -> Iterator[list[str]]:
    for noise, draw in SHARED.items():
        values = draw(np.random.default_rng(9), series, baseline + NIGHTS_A_YEAR)
        cells = []
        for tails in ("light", "heavy"):
            for jobs, moves in ((False, None), (True, FOLLOWED)):
                assumed = Assumptions(1e-3, tails=tails, jobs=jobs)
                hits = sum(
                    _judged(part, baseline, assumed, moves) for part in np.array_split(values, max(1, series // _TOGETHER))
                )
                cells.append(f"{hits} of {series}")
                if jobs:
                    cells[-1] += f", {100 * (1 - (1 - hits / series) ** CHECK_METRICS):.0f} %"
        yield [noise, *cells]


def _judged(values: Array, baseline: int, assumed: Assumptions, moves: float | None) -> int:
    """Returns how many of these metrics have an alarm in their year, each with its part of a whole check's chance."""
    series = {str(i): Series([*row[:baseline]], [*row[baseline:]], assumed, moves) for i, row in enumerate(values)}
    found = judge(series, alarm_probability=ALARM_PROBABILITY * len(series) / CHECK_METRICS)
    return sum(one.changed for one in found.values())


def evidence(values: Array, baseline: int, resolution: float, assumed: Assumptions) -> Array:
    """Returns (series, nights)."""
    parts = [values[i : i + _TOGETHER] for i in range(0, len(values), _TOGETHER)]
    positions = np.arange(values.shape[1])
    return np.concatenate(
        [log_evidence(part, positions, baseline, np.full(len(part), resolution), assumed.rhos, assumed.freedom) for part in parts]
    )


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Prints rows as they come."""
    for row in itertools.chain((heads, ["--"] * len(heads)), rows):
        print(f"| {' | '.join(row)} |", flush=True)
    print()


def name(assumed: Assumptions) -> str:
    return f"{assumed.tails}, {assumed.correlation:g}"


def false_alarms(series: int, baseline: int) -> None:
    print(f"Years with a false alarm, in %: of a metric that is watched alone, and of {METRICS} metrics together.")
    print(f"{series} years of a metric in each cell; baselines of {baseline} nights.\n")
    alone, among = math.log(threshold(1)), math.log(threshold(METRICS))
    rows = []
    for noise, (draw, resolution) in NOISES.items():
        values = draw(np.random.default_rng(7), series, baseline + NIGHTS_A_YEAR)
        cells = []
        for assumed in ASSUMED:
            most = evidence(values, baseline, resolution, assumed).max(axis=1)
            any_of_all = 1 - (1 - (most >= among).mean()) ** METRICS
            cells.append(f"{100 * (most >= alone).mean():.1f} and {100 * any_of_all:.0f}")
        rows.append([noise, *cells])
    table(["noise", *map(name, ASSUMED)], rows)


def repetitions(series: int, baseline: int) -> None:
    """A night is measured again as `tuner.checks.repetition` does it."""
    print(
        f"False alarms where a night that looks changed is measured 2 more times, and the middle value counts; {series} years.\n"
    )
    alone, among = math.log(threshold(1)), math.log(threshold(METRICS))
    rows = []
    for noise in REPEATED:
        draw, resolution = NOISES[noise]
        first, *more = (draw(np.random.default_rng(seed), series, baseline + NIGHTS_A_YEAR) for seed in (7, 100, 101))
        scaled, _, _ = standardized(first, baseline, np.full(series, resolution))
        odd = (np.abs(scaled) > SUSPICIOUS) & (np.arange(first.shape[1]) >= baseline)
        values = np.where(odd, np.median(np.stack([first, *more]), axis=0), first)
        cells = []
        for given, tails in ((first, "heavy"), (first, "medium"), (values, "medium")):
            most = evidence(given, baseline, resolution, Assumptions(1, tails=tails)).max(axis=1)
            any_of_all = 1 - (1 - (most >= among).mean()) ** METRICS
            cells.append(f"{100 * (most >= alone).mean():.1f} and {100 * any_of_all:.0f}")
        rows.append([noise, *cells, f"{100 * odd[:, baseline:].mean():.1f}"])
    table(["noise", "once, heavy", "once, medium", "repeated, medium", "nights repeated, %"], rows)


def least_changes() -> None:
    print(f"Least step that is found with 90 %, in standard deviations; {METRICS} metrics.\n")
    rows = []
    for tails in TAILS:
        for correlation, jobs in ((0.0, False), (0.3, False), (0.6, False), (0.3, True)):
            for baseline in BASELINES:
                found = least_change(
                    baseline, METRICS, Assumptions(1, tails=tails, correlation=correlation, jobs=jobs), nights=NIGHTS
                )
                rows.append(
                    [
                        tails,
                        f"{correlation:g}{', jobs' if jobs else ''}",
                        str(baseline),
                        *(_number(found[count]) for count in NIGHTS),
                    ]
                )
    table(["tails", "correlation", "baseline", *(f"after {count}" for count in NIGHTS)], rows)


def drifts(series: int, baseline: int) -> None:
    print(f"Nights until a drift of 5 standard deviations is found: median, and 9 of 10; baselines of {baseline}.\n")
    limit = math.log(threshold(METRICS))
    rows = []
    for nights in DRIFTS:
        values = autoregressive(np.random.default_rng(8), series, baseline + 2 * nights, 0)
        values[:, baseline:] += 5 * np.minimum(1, np.arange(1, 2 * nights + 1) / nights)
        cells = []
        for assumed in ASSUMED:
            alarms = evidence(values, baseline, 1e-6, assumed) >= limit
            first = np.where(alarms.any(axis=1), alarms.argmax(axis=1) + 1, 10**9)
            cells.append(" and ".join(str(int(np.quantile(first, part, method="higher"))) for part in (0.5, 0.9)))
        rows.append([str(nights), *cells])
    table(["drift over nights", *map(name, ASSUMED)], rows)


def _number(change: float | None) -> str:
    return "above 200" if change is None else f"{change:.1f}" if change < 20 else f"{change:.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--series", type=int, default=200, help="years of a metric for each noise")
    parser.add_argument("--baseline", type=int, default=20, help="nights of the baseline")
    parser.add_argument("--shared", type=int, default=80, help="years of a metric for each noise of a shared cluster")
    parser.add_argument("--only", choices=("shared", "power"), help="this table alone")
    args = parser.parse_args()
    if args.only != "power":
        shared_cluster(args.shared, args.baseline)
    if args.only is None:
        false_alarms(args.series, args.baseline)
        repetitions(args.series, args.baseline)
        drifts(100, args.baseline)
    if args.only != "shared":
        least_changes()


if __name__ == "__main__":
    main()
