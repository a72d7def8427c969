# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The table of metrics: the figures by which a measurement is judged, computed from the series of its flows.

A metric is a function here and a field of `Metrics` with its row. Each is an objective by the same name (objectives.py); one that
a recommendation may have to keep has a row in constraints.py too. docs/use/objectives.md shows both tables: `python -m
tuner.goals.tables` writes them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tuner.goals.sample_window import window_samples

if TYPE_CHECKING:
    from tuner.goals.series import Series

Direction: TypeAlias = Literal["maximize", "minimize"]

SETTLE_BLOCK_S = 0.05
SETTLE_TOLERANCE = 0.2


@dataclass(frozen=True, kw_only=True)
class Activity:
    """A flow, as far as the metrics depend on it: its role, and when it is active."""

    role: str
    start_s: float
    stop_s: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Observed:
    """One run, as metrics see it. `gbps` has shape (n_flows, n_samples); sample i covers the time from i to i + 1 intervals."""

    flows: Sequence[Activity]
    gbps: "Series"
    window: slice
    """The samples that are judged; at least one."""
    interval_s: float
    round_trip_p99_us: float | None
    """It does not follow from the series, so whoever measures brings it."""

    def in_window(self, role: str | None = None) -> "Series":
        """The samples of the window, of the flows with that role or of all."""
        window = self.gbps[:, self.window]
        return window if role is None else window[[flow.role == role for flow in self.flows]]


def victim_throughput(run: Observed) -> float | None:
    victims = run.in_window("victim")
    return float(victims.mean()) if len(victims) else None


def contributor_total(run: Observed) -> float | None:
    contributors = run.in_window("contributor")
    return float(contributors.sum(axis=0).mean()) if len(contributors) else None


def total_throughput(run: Observed) -> float | None:
    return float(run.in_window().sum(axis=0).mean()) if len(run.flows) else None


def _differences(run: Observed) -> "Series | None":
    """At each sample the highest minus the lowest contributor."""
    contributors = run.in_window("contributor")
    return contributors.max(axis=0) - contributors.min(axis=0) if len(contributors) else None


def treatment_variation(run: Observed) -> float | None:
    differences = _differences(run)
    return None if differences is None else float(differences.var())


def spread(run: Observed) -> float | None:
    differences = _differences(run)
    return None if differences is None else float(differences.mean())


def fairness(run: Observed) -> float | None:
    contributors = run.in_window("contributor")
    return jain_index(contributors.mean(axis=1)) if len(contributors) else None


def settling(run: Observed) -> float | None:
    return settle_time_s(run.flows, run.gbps, interval_s=run.interval_s)


def tail_latency(run: Observed) -> float | None:
    return run.round_trip_p99_us


def _of_profile(run: Observed) -> None:
    """The metric depends on the profile, which a run does not know: tuner/measuring/room.py adds it."""


def share(run: Observed) -> float | None:
    """None: a share needs other runs to compare with, which a campaign with scenarios makes (`Metrics.with_shares`)."""
    return None


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A row of the table."""

    name: str
    """What objectives and constraints call it."""
    key: str
    """In a measurement's `metrics`."""
    label: str
    """For tables that people read."""
    unit: str
    direction: Direction
    """The better direction."""
    meaning: str
    """Definition of the number, in one sentence for people."""
    source: str
    compute: Callable[[Observed], float | None]
    """None where the metric has no meaning: without victims, without contributors, or never settled."""
    when_null: float | None = None
    """Stands for a metric that is null although the workload has the flows for it; None: null is an error."""


def _row(**columns: Any) -> Any:
    """A field of `Metrics`: the columns of `Metric` but its key, which is the field's name."""
    return field(default=None, metadata=columns)


@dataclass(frozen=True, kw_only=True)
class Metrics:
    """The metrics of one measurement. Measurements that an earlier release kept lack those that were added later."""

    victim_throughput_gbps: float | None = _row(
        name="victim_throughput",
        label="victim throughput",
        unit="Gb/s",
        direction="maximize",
        meaning="payload received by the victim flows, mean over the window and the flows",
        source="Gran et al. 2010, section VII",
        compute=victim_throughput,
    )
    contributor_total_gbps: float | None = _row(
        name="contributor_total",
        label="contributors' total",
        unit="Gb/s",
        direction="maximize",
        meaning="payload received by all contributors together, mean over the window",
        source="Gran et al. 2010, section VII",
        compute=contributor_total,
    )
    treatment_variation_gbps2: float | None = _row(
        name="treatment_variation",
        label="treatment variation",
        unit="Gb²/s²",
        direction="minimize",
        meaning="variance over time of the highest minus the lowest contributor throughput",
        source="Gran et al. 2010, section VII",
        compute=treatment_variation,
    )
    spread_gbps: float | None = _row(
        name="spread",
        label="spread of the contributors",
        unit="Gb/s",
        direction="minimize",
        meaning="mean over time of the highest minus the lowest contributor throughput",
        source="ours, because the treatment variation does not see a constant unfairness",
        compute=spread,
    )
    jain_index: float | None = _row(
        name="jain_index",
        label="Jain's index of the contributors",
        unit="1",
        direction="maximize",
        meaning="(sum of the contributors' throughputs)² / (their number times the sum of squares): 1 is equal, "
        "1/n one flow has all",
        source="Jain, Chiu and Hawe 1984",
        compute=fairness,
    )
    settle_time_s: float | None = _row(
        name="settle_time",
        label="settle time",
        unit="s",
        direction="minimize",
        meaning="from a contributor's start until all contributors stay within 20 % of their fair share, on 50 ms means; "
        "worst start",
        source="ours, after the discussion of Fig. 13 in Gran et al. 2010",
        compute=settling,
        when_null=1e3,  # they never settled: worse than any run is long
    )
    total_throughput_gbps: float | None = _row(
        name="total_throughput",
        label="total of all flows",
        unit="Gb/s",
        direction="maximize",
        meaning="payload received by all flows together, whatever their roles, mean over the window",
        source="Gran et al. 2012, Table II (total network throughput)",
        compute=total_throughput,
    )
    round_trip_p99_us: float | None = _row(
        name="tail_latency",
        label="round trips, 99th percentile",
        unit="µs",
        direction="minimize",
        meaning="99th percentile of the round trips that end within the window, of all flows with one message on the way "
        "(ping-pong)",
        source="ours; the mean of the same is HPCC's ping-pong latency, thesis Paper III, Table III",
        compute=tail_latency,
    )
    room: float | None = _row(
        name="room",
        label="room of the table",
        unit="1",
        direction="maximize",
        meaning="throughput of a contributor in parts of what the end of the table lets it send, at the receiver where that is "
        "least: how many times as many contributors the table could hold back",
        source="ours; docs/use/carrying-over.md",
        compute=_of_profile,
    )

    victims_share: float | None = _row(
        name="victims_share",
        label="victims' share",
        unit="1",
        direction="maximize",
        meaning="victim throughput as a part of what the victims receive while the contributors are silent, at most all of it; "
        "in campaigns with scenarios",
        source="ours: no published profile is a yardstick where it fails itself",
        compute=share,
    )
    contributors_share: float | None = _row(
        name="contributors_share",
        label="contributors' share",
        unit="1",
        direction="maximize",
        meaning="contributors' total as a part of what they receive together with CC off; in campaigns with scenarios",
        source="ours, after the total of Gran et al. 2010",
        compute=share,
    )

    def with_shares(self, *, victims_gbps: float | None, contributors_gbps: float | None) -> "Metrics":
        """Returns the metrics with the shares of what victims receive while contributors are silent, and of what contributors
        receive with CC off, both in Gb/s; a share of nothing is None. Victims that ask for a rate and were held back before the
        window catch up in it: what is above that rate is no merit of a profile, and counts as all of it."""
        victims = _part(self.victim_throughput_gbps, victims_gbps)
        return replace(
            self,
            victims_share=None if victims is None else min(1.0, victims),
            contributors_share=_part(self.contributor_total_gbps, contributors_gbps),
        )

    def to_json(self) -> dict[str, float | None]:
        """Without the shares where there are none: most measurements have nothing to compare with."""
        shares = ("victims_share", "contributors_share")
        return {key: value for key, value in asdict(self).items() if value is not None or key not in shares}


def _part(value: float | None, whole: float | None) -> float | None:
    return None if value is None or not whole else value / whole


METRICS: Mapping[str, Metric] = {one.metadata["name"]: Metric(key=one.name, **one.metadata) for one in fields(Metrics)}
"""Metrics by name, in the order of the table."""


def compute_metrics(
    flows: Sequence[Activity],
    gbps: "Series",
    *,
    window_s: tuple[float, float],
    interval_s: float,
    round_trip_p99_us: float | None = None,
) -> Metrics:
    """All metrics of one measurement. The window must hold at least one sample."""
    run = Observed(
        flows=flows,
        gbps=gbps,
        window=window_samples(window_s, interval_s, gbps.shape[1]),
        interval_s=interval_s,
        round_trip_p99_us=round_trip_p99_us,
    )
    return Metrics(**{metric.key: metric.compute(run) for metric in METRICS.values()})


def jain_index(throughputs: "Series") -> float | None:
    """(sum x)^2 / (n sum x^2); None when nothing at all got through."""
    squares = float((throughputs**2).sum())
    return None if squares == 0 else float(throughputs.sum()) ** 2 / (len(throughputs) * squares)


def settle_time_s(flows: Sequence[Activity], gbps: "Series", *, interval_s: float) -> float | None:
    """The longest that the contributors take to become fair after one of them starts, in seconds.

    A start opens a phase that lasts until the next start or stop of a contributor. Within it, throughputs are averaged over
    blocks of 50 ms that begin at the start. The fair share in a block is the contributors' total in it divided by the number of
    active ones: what they would have if they shared equally what they get together. They have settled at the beginning of the
    first block from which on every one of them stays within 20 % of the fair share to the end of the phase.

    None if they do not settle in some phase, if a phase is too short for a single block, or if there is no contributor.
    """
    import numpy as np  # slow: documents import this file and compute nothing

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
