# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The figures by which a measurement is judged, from the series of its flows.

Throughout, `gbps` is an array of shape (n_flows, n_samples) and sample i covers the time from i to i + 1 intervals.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tuner.goals.sample_window import window_samples

Series: TypeAlias = npt.NDArray[np.float64]

SETTLE_BLOCK_S = 0.05
SETTLE_TOLERANCE = 0.2


@dataclass(frozen=True, kw_only=True)
class Metrics:
    """Each is None where it has no meaning: without victims, without contributors, or never settled."""

    victim_throughput_gbps: float | None
    """Mean over the window and the victims."""
    contributor_total_gbps: float | None
    """Mean over the window of the contributors' sum."""
    treatment_variation_gbps2: float | None
    """Population variance of (highest - lowest contributor) over the window's samples: Gran et al. 2010, section VII."""
    spread_gbps: float | None
    """Mean of the same series. A constant unfairness has no variance, but it has a spread."""
    jain_index: float | None
    """Jain's fairness index of the contributors' means over the window: 1 is equal, 1/n is one flow only."""
    settle_time_s: float | None
    """See settle_time_s()."""
    # Later than schema 1's first release: measurements that were kept before lack them.
    total_throughput_gbps: float | None = None
    """Mean over the window of the sum over all flows, whatever their roles."""
    round_trip_p99_us: float | None = None
    """See round_trips.percentile_us(); None without a flow that has one message on the way at a time, or off the simulator."""

    def to_json(self) -> dict[str, float | None]:
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class Activity:
    """What the metrics need to know of a flow: its role, and when it is active."""

    role: str
    start_s: float
    stop_s: float


def compute_metrics(
    flows: Sequence[Activity],
    gbps: Series,
    *,
    window_s: tuple[float, float],
    interval_s: float,
    round_trip_p99_us: float | None = None,
) -> Metrics:
    """All metrics of one measurement. The window must hold at least one sample. `round_trip_p99_us` does not follow from the
    series, so whoever measured brings it."""
    window = gbps[:, window_samples(window_s, interval_s, gbps.shape[1])]
    victims = window[[flow.role == "victim" for flow in flows]]
    contributors = window[[flow.role == "contributor" for flow in flows]]
    differences = contributors.max(axis=0) - contributors.min(axis=0) if len(contributors) else None
    return Metrics(
        victim_throughput_gbps=float(victims.mean()) if len(victims) else None,
        contributor_total_gbps=float(contributors.sum(axis=0).mean()) if len(contributors) else None,
        treatment_variation_gbps2=None if differences is None else float(differences.var()),
        spread_gbps=None if differences is None else float(differences.mean()),
        jain_index=jain_index(contributors.mean(axis=1)) if len(contributors) else None,
        settle_time_s=settle_time_s(flows, gbps, interval_s=interval_s),
        total_throughput_gbps=float(window.sum(axis=0).mean()) if len(flows) else None,
        round_trip_p99_us=round_trip_p99_us,
    )


def jain_index(throughputs: Series) -> float | None:
    """(sum x)^2 / (n sum x^2); None when nothing at all got through."""
    squares = float((throughputs**2).sum())
    return None if squares == 0 else float(throughputs.sum()) ** 2 / (len(throughputs) * squares)


def settle_time_s(flows: Sequence[Activity], gbps: Series, *, interval_s: float) -> float | None:
    """The longest that the contributors take to become fair after one of them starts, in seconds.

    A start opens a phase that lasts until the next start or stop of a contributor. Within it, throughputs are averaged over
    blocks of 50 ms that begin at the start. The fair share in a block is the contributors' total in it divided by the number of
    active ones: what they would have if they shared equally what they get together. They have settled at the beginning of the
    first block from which on every one of them stays within 20 % of the fair share to the end of the phase.

    None if they do not settle in some phase, if a phase is too short for a single block, or if there is no contributor.
    """
    contributors = [(flow, gbps[i]) for i, flow in enumerate(flows) if flow.role == "contributor"]
    if not contributors:
        return None
    end_s = gbps.shape[1] * interval_s
    changes = sorted({t for flow, _ in contributors for t in (flow.start_s, flow.stop_s)} | {end_s})
    per_block = max(1, round(SETTLE_BLOCK_S / interval_s))
    worst = 0.0
    for start in sorted({flow.start_s for flow, _ in contributors}):
        stop = min(t for t in changes if t > start)
        phase = window_samples((start, stop), interval_s, gbps.shape[1])
        active = np.array([series[phase] for flow, series in contributors if flow.start_s <= start < flow.stop_s])
        n_blocks = active.shape[1] // per_block
        if n_blocks == 0:
            return None
        blocks = active[:, : n_blocks * per_block].reshape(len(active), n_blocks, per_block).mean(axis=2)
        fair = blocks.mean(axis=0)
        unfair = np.flatnonzero((np.abs(blocks - fair) > SETTLE_TOLERANCE * fair).any(axis=0) | (fair == 0))
        if len(unfair) and unfair[-1] == n_blocks - 1:
            return None
        if len(unfair):
            worst = max(worst, (int(unfair[-1]) + 1) * per_block * interval_s)
    return worst
