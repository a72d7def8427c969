# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What came out on one bed, by scheme."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from experiments.flow_isolation.reading import Reading
from experiments.flow_isolation.traffic import Bed
from tuner.goals.metrics import jain_index


@dataclass(frozen=True, kw_only=True)
class Outcome:
    bed: Bed
    readings: Mapping[str, Reading]
    """By name of the scheme, in the order of SCHEMES."""

    def throughput(self, scheme: str) -> float:
        """Payload received in the judged part of the run, as a part of what the links of all hosts carry."""
        return self.readings[scheme].mean_gbps(self.bed.traffic.judged_s) / self.bed.configuration.capacity_gbps

    def curve(self, scheme: str) -> list[float]:
        """The same of each sample."""
        return [gbps / self.bed.configuration.capacity_gbps for gbps in self.readings[scheme].total_gbps]

    def spread(self, scheme: str) -> float:
        """Standard deviation of the samples of the judged part, by their mean."""
        samples = self.readings[scheme].samples(self.bed.traffic.judged_s)
        return float(np.std(samples) / np.mean(samples))

    def gain(self, scheme: str, over: str) -> float | None:
        """Part by which a scheme carries more than another; None if one of them was not measured."""
        if scheme not in self.readings or over not in self.readings:
            return None
        return self.throughput(scheme) / self.throughput(over) - 1

    def flow_gbps(self, scheme: str) -> Mapping[str, float]:
        """Mean of each flow from the start of the last one on, of the traffic's own flows."""
        flows = [flow["name"] for flow in self.bed.traffic.flows]
        return {name: self.readings[scheme].mean_gbps(self.bed.traffic.judged_s, name) for name in flows}

    def fairness(self, scheme: str) -> float:
        """Jain's index of the contributors among them."""
        contributors: Sequence[str] = [flow["name"] for flow in self.bed.traffic.flows if flow["role"] == "contributor"]
        means = self.flow_gbps(scheme)
        return jain_index(np.array([means[name] for name in contributors])) or 0.0
