# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Other ways of carrying BECNs and of timing CCTI, which the specification leaves to designers: where does a gain survive?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from experiments._common.runs import Run
from experiments.scenario_1_campaign.bed import EXPERT, off, steady
from experiments.scenario_1_campaign.replicated import SPREAD, TOTAL, VARIATION, VICTIM, Replicated, percent
from tuner.campaign.replicates import Estimate
from tuner.documents.parameter import Scalar

EVERY_MARK, ACKS_16 = "a CNP for every mark", "BECNs on ACKs, one in 16 packets"
CALIBRATED = "as calibrated: CNPs 20 µs apart"
DEVICES: Mapping[str, Mapping[str, Any]] = {
    CALIBRATED: {},
    "CNPs 10 µs apart": {"ca.cnp_spacing_ns": 10_000},
    "CNPs 40 µs apart": {"ca.cnp_spacing_ns": 40_000},
    # With the distance between the thresholds that docs/research/calibration.md finds for it.
    EVERY_MARK: {"ca.cnp_spacing_ns": 0, "switch.hysteresis_bytes": 2 * 2112},
    "CNPs on a VL of their own": {"ca.control_vl": "last", "num_vls": 2},
    "BECNs on ACKs, one in 8 packets": {"ca.becn_carrier": "ack", "ca.ack_every_packets": 8},
    ACKS_16: {"ca.becn_carrier": "ack", "ca.ack_every_packets": 16},
    "BECNs on ACKs, one in 32 packets": {"ca.becn_carrier": "ack"},
    "one CCTI_Timer a flow": {"ca.ccti_timer": "flow"},
    "one CCTI_Timer a flow, CNPs 10 µs apart": {"ca.ccti_timer": "flow", "ca.cnp_spacing_ns": 10_000},
    "each VOQ judged on its own": {"switch.threshold_mode": "voq"},
}
KEPT_ON: Sequence[str] = (CALIBRATED, "CNPs on a VL of their own", "each VOQ judged on its own")
"""Devices on which the gain survives; README.md says why it is lost on others."""
OFF, FOUND = "off", "found"
VICTIM_PART, TOTAL_PART = 0.99, 0.98

Key = tuple[str, str]
"""Device and profile: OFF, EXPERT or FOUND."""


def runs(found: Mapping[str, Scalar], devices: Sequence[str]) -> dict[Key, Run]:
    """The expert and what was found, its values of the space, on each of the devices."""
    return {
        (device, profile): steady(values, DEVICES[device])
        for device in devices
        for profile, values in {EXPERT: {}, FOUND: found}.items()
    }


def runs_off(devices: Sequence[str]) -> dict[Key, Run]:
    """Congestion control off on each of the devices. Nothing is random then: one seed is enough."""
    return {(device, OFF): off(DEVICES[device]) for device in devices}


@dataclass(frozen=True, kw_only=True)
class Survival:
    """The measurements that show whether the gain survives on a device."""

    expert: Replicated
    found: Replicated
    off: Replicated

    @property
    def victim(self) -> bool:
        """It keeps 99 % of the expert's throughput there."""
        return self.found.ratio(VICTIM, self.expert).value >= VICTIM_PART

    @property
    def total(self) -> bool:
        """The contributors keep 98 % of what they get with congestion control off."""
        return self._keeps_total(self.found)

    @property
    def expert_short(self) -> bool:
        """The expert's do not either."""
        return not self._keeps_total(self.expert)

    def _keeps_total(self, one: Replicated) -> bool:
        return one.estimate(TOTAL).value >= TOTAL_PART * self.off.estimate(TOTAL).value

    @property
    def variation(self) -> Estimate:
        """Variation of the victim's throughput, as a fraction of that under the expert's profile."""
        return self.found.ratio(VARIATION, self.expert)

    @property
    def better(self) -> bool:
        """Variation and spread are below the expert's with 95 %."""
        return all(_below(self.found, self.expert, metric) for metric in (VARIATION, SPREAD))

    @property
    def holds(self) -> bool:
        return self.victim and self.total and self.better

    @property
    def sentence(self) -> str:
        if not self.victim:
            return "victim lost"
        short = "" if self.total else f", contributors short{' as under gran-2010' if self.expert_short else ''}"
        return f"{percent(self.variation)}{'' if self.better else ', no better'}{short}"

    def to_json(self) -> dict[str, Any]:
        """Returns the measurements and the conclusions from them."""
        return {
            "holds": self.holds,
            "sentence": self.sentence,
            "variation": self.variation.to_json(),
            "runs": {name: one.to_json() for name, one in ((OFF, self.off), (EXPERT, self.expert), (FOUND, self.found))},
        }


def survival(measured: Mapping[Key, Replicated], device: str) -> Survival:
    """Compared with the expert and with congestion control off on the same device."""
    return Survival(expert=measured[device, EXPERT], found=measured[device, FOUND], off=measured[device, OFF])


def _below(one: Replicated, other: Replicated, metric: str) -> bool:
    interval = one.ratio(metric, other).interval()
    return interval is not None and interval[1] < 1
