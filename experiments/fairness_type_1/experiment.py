# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Flows that enter one switch by a port each: what the distance between the two thresholds does to their shares."""

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path

import numpy as np

from experiments._common.findings import Claim, Findings, Table
from experiments._common.lines import lines
from experiments._common.reference import reference
from experiments._common.runs import Run, measure_all, seeds
from experiments._common.shares import contributors, phase_means
from experiments.registry import Experiment, Options
from tuner.goals.series import Series
from tuner.measuring.measurement import Measurement
from tuner.report.plots.throughput import panels

FOLDER = Path(__file__).parent
WORKLOAD = str(FOLDER / "type-1.yaml")
RECEIVERS = {"receives all": str(FOLDER / "one-switch.yaml"), "receives 13.3 Gb/s": str(FOLDER / "one-switch-slow-receiver.yaml")}
FAST = "receives all"

PACKET_BYTES = 2112
"""The room of a packet of the MTU in credit blocks: 33 of 64 bytes."""
DISTANCES_PACKETS = (0.0, 0.5, 1.0, 1.5, 2.0, 4.0, 8.0)
EMPTY_PACKETS = 8.0
"""Threshold 15 stands for 8 packets: with this distance marking lasts until the queue is empty."""
MODES = ("voq", "sum", "contributing")
CARRIERS: Mapping[str, Mapping[str, object]] = {
    "CNP, 20 us apart": {"ca.becn_carrier": "cnp", "ca.cnp_spacing_ns": 20_000},
    "CNP for every mark": {"ca.becn_carrier": "cnp", "ca.cnp_spacing_ns": 0},
    "ACK of 28 packets": {"ca.becn_carrier": "ack", "ca.ack_every_packets": 28},
}
CARRIER = "CNP, 20 us apart"
WARMUP_S = 0.2
EQUAL = 1.2
"""Largest over smallest share up to which all are within 10 % of their mean."""


def cc_run(
    *, mode: str, distance: float, carrier: str = CARRIER, receiver: str = FAST, seed: int = 1, time_scale: float = 1
) -> Run:
    """gran-2010 on one switch. `distance`: between the two thresholds in packets; 0: there is one."""
    model = {"switch.threshold_mode": mode, "switch.hysteresis_bytes": round(distance * PACKET_BYTES), **CARRIERS[carrier]}
    return Run(workload=WORKLOAD, profile="gran-2010", fabric=RECEIVERS[receiver], model=model, seed=seed, time_scale=time_scale)


def shares(measurement: Measurement, count: int) -> Series:
    """Means of the contributors in the order of their start, while `count` of them are active and settled, in Gb/s."""
    order = contributors(measurement)[:count]
    means: Series = phase_means(measurement, order[-1], warmup_s=WARMUP_S)[order]
    return means


def unfairness(measurement: Measurement) -> float:
    """Largest over smallest share, the worst of the phases with two, three and four contributors."""
    return max(float(s.max() / s.min()) for s in (shares(measurement, count) for count in (2, 3, 4)))


def last_gets_most(measurement: Measurement, count: int) -> bool:
    """True if, of `count` contributors, the one that started last has the largest share by more than a tenth."""
    means = shares(measurement, count)
    return float(means[-1]) > 1.1 * float(means[:-1].max())


def run(options: Options) -> Findings:
    distances = (0.0, 1.0, 2.0, 8.0) if options.quick else DISTANCES_PACKETS
    chosen = seeds(1 if options.quick else 2)
    scale = 0.5 if options.quick else 1.0
    sweep = {
        ("sweep", mode, distance, seed): cc_run(mode=mode, distance=distance, seed=seed, time_scale=scale)
        for mode, distance, seed in product(MODES, distances, chosen)
    }
    variants = {
        ("one", mode, carrier, receiver, seed): cc_run(
            mode=mode, distance=0, carrier=carrier, receiver=receiver, seed=seed, time_scale=scale
        )
        for mode, carrier, receiver, seed in product(MODES, CARRIERS, RECEIVERS, chosen)
    }
    off = {("off",): Run(workload=WORKLOAD, time_scale=scale)}
    measured = measure_all(
        off | sweep | variants, workers=options.workers, dask=options.dask, folder=options.folder, on_progress=options.on_progress
    )
    curves = {
        f"threshold_mode {mode}": (
            distances,
            [float(np.mean([unfairness(measured["sweep", mode, distance, seed]) for seed in chosen])) for distance in distances],
        )
        for mode in MODES
    }
    one, two = measured["sweep", "sum", 1.0, 1], measured["sweep", "sum", 2.0, 1]
    shown = [("CC off", measured["off",]), ("thresholds one packet apart", one), ("two packets apart", two)]
    figures = dict(zip(("off", "one-packet", "two-packets"), panels(shown, key="type-1"), strict=True))
    figures["unfairness"] = lines(
        curves,
        x_label="distance between the thresholds (packets)",
        y_label="largest / smallest share",
        title="",
        key="unfairness",
    )
    near = [measured["sweep", "sum", distance, seed] for distance, seed in product(distances, chosen) if distance <= 1]
    far = {
        mode: {distance: [measured["sweep", mode, distance, seed] for seed in chosen] for distance in distances if distance > 1}
        for mode in MODES
    }
    return Findings(
        claims=_claims(measured["off",], near, far),
        tables=[
            Table(
                title="One threshold: shares by variant (Gb/s; in the order of their start)",
                columns=["variant", "two", "three", "four", "largest / smallest", "last gets most of"],
                rows=[_row(", ".join(map(str, key[1:-1])) + f", seed {key[-1]}", measured[key]) for key in variants],
            ),
            Table(
                title="Distance between the thresholds",
                columns=["variant", "two", "three", "four", "largest / smallest", "last gets most of"],
                rows=[_row(f"{key[1]}, {key[2]:g} packets, seed {key[3]}", measured[key]) for key in sweep],
            ),
        ],
        figures=figures,
        data={"shares_gbps": {"/".join(map(str, k)): [shares(m, n).tolist() for n in (2, 3, 4)] for k, m in measured.items()}},
    )


def _claims(
    off: Measurement, near: Sequence[Measurement], far: Mapping[str, Mapping[float, Sequence[Measurement]]]
) -> list[Claim]:
    """`near`: thresholds at most a packet apart, `sum`; `far`: further apart, by mode and distance."""
    known = reference("fairness_type_1.one_threshold")
    last = [last_gets_most(measurement, count) for measurement in near for count in (3, 4)]
    pair = [float(s[1] / s[0]) for s in (shares(measurement, 2) for measurement in near)]
    worst = {
        mode: {distance: max(map(unfairness, found)) for distance, found in by_distance.items()}
        for mode, by_distance in far.items()
    }
    by_packets = [ratio for mode in ("voq", "sum") for ratio in worst[mode].values()]
    to_empty = worst["contributing"][EMPTY_PACKETS]
    partly = [ratio for distance, ratio in worst["contributing"].items() if distance < EMPTY_PACKETS]
    last_two = [float(s[2] / s[1]) for s in (shares(measurement, 3) for measurement in near)]
    three = [float(s.max() / s.min()) for s in (shares(measurement, 3) for measurement in near)]
    return [
        Claim(
            sentence="CC off: equal shares, by round robin",
            published="equal (Fig. 3)",
            here=f"largest / smallest {unfairness(off):.3f}",
            holds=unfairness(off) <= 1.02,
        ),
        Claim(
            sentence="thresholds at most one packet apart, on the sum of the inputs: unfair to three and to four contributors",
            published="unfair (Fig. 4)",
            here=f"largest / smallest {min(three):.2f} to {max(three):.2f} of three",
            holds=min(three) >= 1.3,
        ),
        Claim(
            sentence="there, of three contributors the last to start gets twice what the one before it gets, within 10 %",
            published=f"{known['three']['H6_over_H3']:.1f} times",
            here=f"{min(last_two):.2f} to {max(last_two):.2f} times",
            holds=all(abs(ratio / known["three"]["H6_over_H3"] - 1) <= 0.1 for ratio in last_two),
            known_to_fail=True,
        ),
        Claim(
            sentence="there, who starts last gets most, mostly",
            published="always (Fig. 4)",
            here=f"in {sum(last)} of {len(last)} phases with three or four contributors",
            holds=sum(last) >= 0.75 * len(last),
        ),
        Claim(
            sentence="there, who starts last gets most, always",
            published="always (Fig. 4)",
            here=f"in {sum(last)} of {len(last)} phases with three or four contributors",
            holds=all(last),
            known_to_fail=True,
        ),
        Claim(
            sentence="there, of two contributors the last to start gets a little more",
            published=f"{known['two']['H3'] / known['two']['H2']:.2f} times the other's share",
            here=f"{min(pair):.2f} to {max(pair):.2f} times",
            holds=all(1.05 < r < 1.5 for r in pair),
            known_to_fail=True,
        ),
        Claim(
            sentence="thresholds more than one packet apart, of each VOQ or on the sum: equal shares",
            published="equal (Fig. 7)",
            here=f"largest / smallest at most {max(by_packets):.2f}",
            holds=max(by_packets) <= EQUAL,
        ),
        Claim(
            sentence="thresholds more than one packet apart, divided by the contributing inputs: equal shares",
            published="equal (Fig. 7)",
            here=f"largest / smallest up to {max(partly):.2f}",
            holds=max(partly) <= EQUAL,
            known_to_fail=True,
        ),
        Claim(
            sentence="marking until the queue is empty, divided by the contributing inputs: equal shares",
            published="equal (Fig. 7)",
            here=f"largest / smallest at most {to_empty:.2f}",
            holds=to_empty <= EQUAL,
        ),
    ]


def _row(name: str, measurement: Measurement) -> list[str]:
    cells = [" ".join(f"{x:.2f}" for x in shares(measurement, count)) for count in (2, 3, 4)]
    last = [str(count) for count in (2, 3, 4) if last_gets_most(measurement, count)]
    return [name, *cells, f"{unfairness(measurement):.2f}", ", ".join(last) or "never"]


EXPERIMENT = Experiment(
    name="fairness_type_1",
    question="Does CC keep what a fair switch gives, and does that depend on one threshold or two?",
    source="Gran et al., CCGrid 2011, Figs. 3, 4 and 7",
    minutes=3,
    run=run,
    takes_dask=True,
)
