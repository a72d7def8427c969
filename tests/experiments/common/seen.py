# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A reading that counts how often it is made, and runs to make it of."""

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from experiments._common.runs import Run
from tuner.measuring.measurement import Measurement


@dataclass(frozen=True)
class Seen:
    count: ClassVar[int] = 0

    seed: int
    means_gbps: list[float]

    @classmethod
    def of(cls, measurement: Measurement) -> "Seen":
        cls.count += 1
        return cls(measurement.seed, measurement.gbps.mean(axis=1).tolist())

    @classmethod
    def first(cls, measurement: Measurement) -> "Seen":
        return cls(measurement.seed, measurement.gbps.mean(axis=1).tolist()[:1])

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> "Seen":
        return cls(**document)


RUNS = {seed: Run(workload="scenario-1", profile="gran-2010", seed=seed, time_scale=0.1) for seed in range(1, 40)}
