# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How the metrics of a measurement vary from night to night, and which changes of them are of interest: rows of a table.

Quantities above 0 are compared by their ratio, so their scale is `log`; Jain's index is a share. A simulated night differs from
the next by its seed alone, so `resolution` is what keeps a tiny scatter from making a tiny change significant.
"""

from collections.abc import Collection, Mapping

from tuner.check_statistics.series import Assumptions
from tuner.checks.observation import MetricKind
from tuner.goals.metrics import METRICS, SETTLE_BLOCK_S

_THROUGHPUT = Assumptions(resolution=0.01, scale="log", floor=1e-3, tails="light", jobs=True)
_SETTLING = Assumptions(resolution=0.3, scale="log", floor=SETTLE_BLOCK_S, tails="heavy", jobs=True)  # counted in blocks

_ROWS: Mapping[str, tuple[Assumptions, float, bool]] = {
    "victim_throughput": (_THROUGHPUT, 0.05, True),
    "contributor_total": (_THROUGHPUT, 0.05, True),
    "total_throughput": (_THROUGHPUT, 0.05, True),
    "treatment_variation": (Assumptions(resolution=0.1, scale="log", floor=1e-3, tails="heavy", jobs=True), 0.5, True),
    "spread": (Assumptions(resolution=0.05, scale="log", floor=1e-2, tails="medium", jobs=True), 0.25, True),
    "jain_index": (Assumptions(resolution=0.05, scale="share", floor=1e-4, tails="medium", jobs=True), 0.02, False),
    "settle_time": (_SETTLING, 0.5, True),
    "tail_latency": (Assumptions(resolution=0.05, scale="log", floor=1e-3, tails="heavy", jobs=True), 0.2, True),
}
"""Assumptions about the noise, least effect, and whether that is a share of the value, by the metric's name."""

_NEEDED_ROLE = {
    "victim_throughput": "victim",
    "contributor_total": "contributor",
    "treatment_variation": "contributor",
    "spread": "contributor",
    "jain_index": "contributor",
    "settle_time": "contributor",
}
"""Role that some flow must have, or the metric has no meaning."""


FAIRNESS_METRICS = tuple(
    MetricKind(
        name=name,
        unit=METRICS[name].unit,
        better="more" if METRICS[name].direction == "maximize" else "less",
        assumptions=assumptions,
        least_effect=least_effect,
        relative=relative,
    )
    for name, (assumptions, least_effect, relative) in _ROWS.items()
)


def meaningful(roles: Collection[str], values: Mapping[str, float | None]) -> tuple[MetricKind, ...]:
    """Returns the metrics that have a meaning for flows of these roles, in the table's order. `values`: by a metric's key; one
    that needs no role is left out where it has no value."""
    return tuple(
        metric
        for metric in FAIRNESS_METRICS
        if (_NEEDED_ROLE[metric.name] in roles if metric.name in _NEEDED_ROLE else values[METRICS[metric.name].key] is not None)
    )
