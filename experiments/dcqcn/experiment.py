# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fixed points beside the fluid model, incasts under documented parameter sets, and how a flow that joins comes to its share."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np

from experiments._common.findings import Claim, Findings, Table
from experiments._common.lines import lines
from experiments.dcqcn.bed import PAYLOAD_GBPS, SAMPLE_S, Run, Steady, simulate, steady
from experiments.dcqcn.fluid import fluid_share, joining, queue_bytes, renewal_share
from experiments.dcqcn.settings import LINE_GBPS, PAPER, SETS, Settings
from experiments.registry import Experiment, Options
from tuner.goals.series import Series

CLOSE = 0.15
"""Tolerance of mean shares and queues."""
FAST = replace(PAPER, cnp_us=4)
"""CNPs so close to each other that the fluid model may leave their distance out."""
FLOWS = (2, 3, 4, 6, 8, 10)
CLAIMED = (3, 4, 6)
"""Flows whose queue neither runs empty nor comes to Kmax in its swings, where the share of marks has corners."""
WARMUP_S = 0.05
SETTLED, SETTLE_S, WATCHED_S = 2, 0.03, 0.04
"""Flows before one joins, when it joins, and for how long it is watched."""
WINDOW_S = 1e-3
"""Rates of the flow that joins are means over so long."""
ARRIVED = 0.8
"""Part of the fair share at which it counts as arrived."""
SEEDS, QUICK_SEEDS = 32, 16
"""Runs that the time of its arrival is a mean of: single runs vary by 7 ms (standard deviation), and the claim allows 7."""


@dataclass(frozen=True, kw_only=True)
class FixedPoint:
    flows: int
    fluid: float
    renewal: float
    found: Steady

    def off(self, settings: Settings, share: float) -> float:
        """The larger of how far mean share and mean queue are from those of a fixed point."""
        return max(abs(self.found.share / share - 1), abs(self.found.mean_queue_bytes / queue_bytes(settings, share) - 1))


@dataclass(frozen=True, kw_only=True)
class Joined:
    """Rates in Gb/s of the flow that joins, by millisecond after that, and the time in ms after which it has arrived for good."""

    gbps: Series
    arrived_ms: float

    @classmethod
    def of(cls, gbps: Series) -> "Joined":
        below = np.flatnonzero(gbps < ARRIVED * LINE_GBPS / (SETTLED + 1))
        first = int(np.flatnonzero(gbps >= ARRIVED * LINE_GBPS / (SETTLED + 1))[0]) if len(below) < len(gbps) else len(gbps)
        return cls(gbps=gbps, arrived_ms=float(first))


def run_all(options: Options) -> Findings:
    seconds = 0.1 if options.quick else 0.4
    fast = [_fixed_point(FAST, flows, seconds) for flows in FLOWS]
    options.on_progress(0.3)
    spaced = [_fixed_point(PAPER, flows, seconds) for flows in FLOWS]
    options.on_progress(0.6)
    incasts = {name: steady(settings, 2, warmup_s=WARMUP_S, seconds=seconds) for name, settings in SETS.items()}
    options.on_progress(0.8)
    fluid = Joined.of(_by_window(np.array([rates[-1] for _, rates in joining(PAPER, settled=SETTLED, seconds=WATCHED_S)]), 1e-6))
    joined = [_join(seed) for seed in range(1, 1 + (QUICK_SEEDS if options.quick else SEEDS))]
    return Findings(
        claims=[*_fixed_points(fast, spaced), *_incasts(incasts), _arrives(fluid, joined)],
        tables=[_table("CNPs 4 us apart", FAST, fast), _table("CNPs 50 us apart", PAPER, spaced), _incast_table(incasts)],
        figures={
            "joining": _figure(fluid, joined),
            **{f"incast-{i}": _incast_figure(name, one.run) for i, (name, one) in enumerate(incasts.items(), 1)},
        },
        data={
            "fixed_points": {
                name: [_plain(s, one) for one in points] for name, s, points in (("fast", FAST, fast), ("paper", PAPER, spaced))
            },
            "incasts": {name: _incast_numbers(one) for name, one in incasts.items()},
            "arrived_ms": {"fluid": fluid.arrived_ms, "here": [one.arrived_ms for one in joined]},
        },
    )


def _fixed_point(settings: Settings, flows: int, seconds: float) -> FixedPoint:
    return FixedPoint(
        flows=flows,
        fluid=fluid_share(settings, flows),
        renewal=renewal_share(settings, flows),
        found=steady(settings, flows, warmup_s=WARMUP_S, seconds=seconds),
    )


def _by_window(gbps: Series, sample_s: float) -> Series:
    each = round(WINDOW_S / sample_s)
    whole = len(gbps) // each
    means: Series = gbps[: whole * each].reshape(whole, each).mean(axis=1)
    return means


def _join(seed: int) -> Joined:
    run = simulate(PAPER, [0.0] * SETTLED + [SETTLE_S], SETTLE_S + WATCHED_S, seed=seed)
    return Joined.of(_by_window(run.tail(SETTLE_S).gbps[-1] * LINE_GBPS / PAYLOAD_GBPS, SAMPLE_S))


def _fixed_points(fast: Sequence[FixedPoint], spaced: Sequence[FixedPoint]) -> Iterator[Claim]:
    for title, settings, points, of, known in (
        ("CNPs 4 µs apart: the fluid model's fixed point", FAST, fast, "fluid", False),
        ("CNPs 50 µs apart: the fixed point that counts their distance", PAPER, spaced, "renewal", False),
        ("CNPs 50 µs apart: the fluid model's fixed point", PAPER, spaced, "fluid", True),
    ):
        for point in points:
            if point.flows not in CLAIMED:
                continue
            share: float = getattr(point, of)
            off = point.off(settings, share)
            yield Claim(
                sentence=f"{title}, N = {point.flows}: mean share of marks and mean queue within {CLOSE:.0%}",
                published=f"p* {share:.3%} (Pmax {settings.pmax:.0%}), q* {queue_bytes(settings, share) / 1e3:.0f} kB",
                here=f"{point.found.share:.3%}, {point.found.mean_queue_bytes / 1e3:.0f} kB ({off:.0%} off)",
                holds=share <= settings.pmax and off <= CLOSE,
                known_to_fail=known,
            )


def _incasts(incasts: Mapping[str, Steady]) -> Iterator[Claim]:
    for name, incast in incasts.items():
        yield Claim(
            sentence=f"{name}: 2 to 1 fills the link, and both flows get the same within 10 %",
            published="-",
            here=f"{incast.run.total_gbps / PAYLOAD_GBPS:.1%} of the link, {incast.run.apart:.1%} from the fair share",
            holds=incast.run.total_gbps >= 0.98 * PAYLOAD_GBPS and incast.run.apart <= 0.1,
        )
    sample = SETS["ns3-rdma sample"]
    share = renewal_share(sample, 2)
    queue = incasts["ns3-rdma sample"].mean_queue_bytes
    yield Claim(
        sentence=f"ns3-rdma sample: mean queue of the fixed point within {CLOSE:.0%}",
        published=f"{queue_bytes(sample, share) / 1e3:.1f} kB",
        here=f"{queue / 1e3:.1f} kB",
        holds=abs(queue / queue_bytes(sample, share) - 1) <= CLOSE,
    )


def _arrives(fluid: Joined, joined: Sequence[Joined]) -> Claim:
    mean = fmean(one.arrived_ms for one in joined)
    return Claim(
        sentence=f"a third flow comes to {ARRIVED:.0%} of its share in the fluid model's time, within a quarter",
        published=f"{fluid.arrived_ms:.0f} ms",
        here=f"{mean:.1f} ms, mean of {len(joined)} seeds",
        holds=abs(mean / fluid.arrived_ms - 1) <= 0.25,
    )


def _table(title: str, settings: Settings, points: Sequence[FixedPoint]) -> Table:
    rows = []
    for point in points:
        both = [f"{share:.4%}, {queue_bytes(settings, share) / 1e3:.1f}" for share in (point.fluid, point.renewal)]
        rows.append([str(point.flows), *both, f"{point.found.share:.4%}, {point.found.mean_queue_bytes / 1e3:.1f}"])
    return Table(
        title=f"{title}: share of marks, queue in kB", columns=["N", "fluid model", "with the distance", "here"], rows=rows
    )


def _incast_numbers(one: Steady) -> dict[str, float]:
    return {
        "link": one.run.total_gbps / PAYLOAD_GBPS,
        "apart": one.run.apart,
        "share": one.share,
        "mean_queue_bytes": one.mean_queue_bytes,
        "p99_queue_bytes": float(np.quantile(one.run.queue_bytes, 0.99)),
    }


def _incast_table(incasts: Mapping[str, Steady]) -> Table:
    rows = []
    for name, incast in incasts.items():
        n = _incast_numbers(incast)
        cells = [f"{n['link']:.2%}", f"{n['apart']:.1%}", f"{n['share']:.3%}"]
        rows.append([name, *cells, f"{n['mean_queue_bytes'] / 1e3:.1f}", f"{n['p99_queue_bytes'] / 1e3:.1f}"])
    columns = ["set", "of the link", "farthest from fair", "marked", "mean queue (kB)", "99 % (kB)"]
    return Table(title="2 to 1 at 40 Gb/s", columns=columns, rows=rows)


def _plain(settings: Settings, point: FixedPoint) -> dict[str, float]:
    return {
        "flows": point.flows,
        "fluid": point.fluid,
        "renewal": point.renewal,
        "share": point.found.share,
        "queue_bytes": point.found.mean_queue_bytes,
        "fluid_queue_bytes": queue_bytes(settings, point.fluid),
    }


def _figure(fluid: Joined, joined: Sequence[Joined]) -> str:
    times = [float(i) + 0.5 for i in range(len(fluid.gbps))]
    mean = np.mean([one.gbps for one in joined], axis=0)
    return lines(
        {"fluid model": (times, fluid.gbps.tolist()), "here, mean": (times, mean.tolist())},
        x_label="ms after joining",
        y_label="Gb/s",
        title="A third flow joins",
        key="dcqcn-joining",
    )


def _incast_figure(name: str, run: Run) -> str:
    each = round(WINDOW_S / SAMPLE_S)
    shown = 50
    times = [float(i) + 0.5 for i in range(shown)]
    rates = [_by_window(gbps, SAMPLE_S)[:shown].tolist() for gbps in run.gbps]
    queue = run.queue_bytes[: shown * each].reshape(shown, each).mean(axis=1) / 1e4
    return lines(
        {"flow 1 (Gb/s)": (times, rates[0]), "flow 2 (Gb/s)": (times, rates[1]), "queue (10 kB)": (times, queue.tolist())},
        x_label="ms",
        y_label="Gb/s, 10 kB",
        title=f"2 to 1, {name}",
        key=f"dcqcn-{name}",
    )


EXPERIMENT = Experiment(
    name="dcqcn",
    question="Is the simulated DCQCN that of the paper and of NVIDIA's parameters?",
    source="Zhu et al., SIGCOMM 2015 and CoNEXT 2016; parameter sets of ns3-rdma and HPCC's simulator",
    minutes=1,
    run=run_all,
)
