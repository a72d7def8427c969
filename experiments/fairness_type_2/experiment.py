# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Flows that share an input with others, against flows that have one of their own: scenario 1 under four settings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from experiments._common.findings import Claim, Findings, Table
from experiments._common.reference import reference
from experiments._common.runs import Run, measure_all, seeds
from experiments._common.shares import contributors, phase, phase_means
from experiments.registry import Experiment, Options
from tuner.goals.series import Series
from tuner.measuring.measurement import Measurement
from tuner.report.plots.throughput import panels

SLOW = "Marking_Rate 10, CCTI_Timer 1500"
ONE_THRESHOLD = "one threshold"


@dataclass(frozen=True, kw_only=True)
class Setting:
    profile: str = "gran-2010"
    changes: Mapping[str, object] = field(default_factory=dict)
    """In the profile."""
    model: Mapping[str, object] = field(default_factory=dict)
    """In the simulated devices."""


def settings() -> Mapping[str, Setting]:
    """Returns the settings by name. gran-2010 has the default devices' two thresholds."""
    slow = reference("fairness_type_2.slow_setting")
    return {
        "off": Setting(profile="off"),
        "gran-2010": Setting(),
        SLOW: Setting(changes={"switch.marking_rate": slow["marking_rate"], "ca.ccti_timer": slow["ccti_timer"]}),
        ONE_THRESHOLD: Setting(model={"switch.hysteresis_bytes": 0}),
    }


def setting_run(name: str, *, seed: int = 1) -> Run:
    setting = settings()[name]
    return Run(workload="scenario-1", profile=setting.profile, profile_settings=setting.changes, model=setting.model, seed=seed)


def shares(measurement: Measurement) -> Series:
    """The four contributors' parts of their total over the last second, in the order of their start."""
    means = phase_means(measurement, len(measurement.flows) - 1)[contributors(measurement)]
    parts: Series = means / means.sum()
    return parts


def shared_input_part(measurement: Measurement) -> float:
    """Returns the part of the contributors' total that H2 and H3, which share an input of S2, get over the last second; a half is
    fair."""
    return float(shares(measurement)[:2].sum())


def unequal_s(measurement: Measurement, *, block_s: float = 0.05, tolerance: float = 0.1) -> float:
    """For how long, in all three phases with several contributors together, somebody was more than `tolerance` from the equal
    share, judged on means of 50 ms."""
    order = contributors(measurement)
    per_block = round(block_s / measurement.interval_s)
    unequal = 0
    for count in range(2, len(order) + 1):
        rates = phase(measurement, order[count - 1])[order[:count]]
        blocks = rates[:, : rates.shape[1] // per_block * per_block].reshape(count, -1, per_block).mean(axis=2)
        fair = blocks.mean(axis=0)
        unequal += int((np.abs(blocks - fair) > tolerance * fair).any(axis=0).sum())
    return unequal * block_s


def run(options: Options) -> Findings:
    chosen = seeds(1 if options.quick else 5)
    runs = {
        (name, seed): setting_run(name, seed=seed) for name in settings() for seed in (chosen if name != "off" else chosen[:1])
    }
    measured = measure_all(runs, workers=options.workers, on_progress=options.on_progress)
    by_name = {name: [m for (other, _), m in measured.items() if other == name] for name in settings()}
    figures = dict(
        zip(
            ("off", "gran-2010", "slow", "one-threshold"),
            panels([(n, ms[0]) for n, ms in by_name.items()], key="type-2"),
            strict=True,
        )
    )
    return Findings(
        claims=_claims(by_name),
        tables=[
            Table(
                title="The last second, and how long shares were unequal",
                columns=["setting", "seed", "H2", "H3", "H6", "H7", "unequal (s of 3)", "settle time (s)", "treatment variation"],
                rows=[_row(name, seed, m) for (name, seed), m in measured.items()],
            )
        ],
        figures=figures,
        data={
            "/".join(map(str, key)): {"shares": shares(m).tolist(), "unequal_s": unequal_s(m), "metrics": m.metrics.to_json()}
            for key, m in measured.items()
        },
    )


def _claims(by_name: Mapping[str, Sequence[Measurement]]) -> list[Claim]:
    claims = []
    for name, path in (("off", "cc_off_shares"), ("gran-2010", "cc_on_shares")):
        published = np.array(list(reference(f"fairness_type_2.{path}").values()))
        worst = max(float(np.abs(shares(m) / published - 1).max()) for m in by_name[name])
        claims.append(
            Claim(
                sentence=f"{name}: shares of H2, H3, H6, H7",
                published=" ".join(f"{x:.3f}" for x in published),
                here=f"within {worst:.1%}",
                holds=worst <= 0.1,
            )
        )
    quick, slow = ([unequal_s(m) for m in by_name[name]] for name in ("gran-2010", SLOW))
    claims.append(
        Claim(
            sentence=f"{SLOW}: unequal for an extended time after each start",
            published="for an extended period (Fig. 12)",
            here=f"{min(slow):.2f} to {max(slow):.2f} s of 3; gran-2010 {min(quick):.2f} to {max(quick):.2f} s",
            holds=min(slow) >= 0.6 and min(slow) >= 2 * max(quick),
        )
    )
    claims.append(
        Claim(
            sentence=f"{SLOW}: unequal for most of the time",
            published="most of each second (Fig. 12)",
            here=f"{min(slow):.2f} to {max(slow):.2f} s of 3",
            holds=min(slow) >= 1.5,
            known_to_fail=True,
        )
    )
    one, two = ([shared_input_part(m) for m in by_name[name]] for name in (ONE_THRESHOLD, "gran-2010"))
    unequal = [unequal_s(m) for m in by_name[ONE_THRESHOLD]]
    claims.append(
        Claim(
            sentence="fair with two thresholds, not with one: there, those who share an input get more, for long",
            published="it takes two thresholds (no figure)",
            here=f"H2 + H3 {min(one):.1%} to {max(one):.1%}, {min(unequal):.2f} to {max(unequal):.2f} s of 3 unequal; "
            f"with two {min(two):.1%} to {max(two):.1%}, {min(quick):.2f} to {max(quick):.2f} s",
            holds=min(one) > 0.52 and max(abs(part - 0.5) for part in two) < 0.02 and min(unequal) >= 2 * max(quick),
        )
    )
    return claims


def _row(name: str, seed: int, measurement: Measurement) -> list[str]:
    settle, variation = measurement.metrics.settle_time_s, measurement.metrics.treatment_variation_gbps2
    return [
        name,
        f"{seed}",
        *(f"{x:.3f}" for x in shares(measurement)),
        f"{unequal_s(measurement):.2f}",
        "never" if settle is None else f"{settle:.2f}",
        f"{variation:.3f}",
    ]


EXPERIMENT = Experiment(
    name="fairness_type_2",
    question="Does CC solve the parking lot problem, and which parameters make that slow?",
    source="Gran et al., CCGrid 2011, Figs. 9, 11 and 12",
    minutes=1,
    run=run,
)
