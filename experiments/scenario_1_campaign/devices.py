# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Other ways of carrying BECNs and of timing CCTI, which the specification leaves to designers: where does a gain survive?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from experiments._common.runs import Run
from experiments.scenario_1_campaign.bed import EXPERT, off, steady
from experiments.scenario_1_campaign.replicated import SPREAD, TOTAL, VARIATION, VICTIM, Replicated
from tuner.documents.parameter import Scalar

EVERY_MARK, ACKS_16 = "a CNP for every mark", "BECNs on ACKs, one in 16 packets"
CALIBRATED = "as calibrated: CNPs 20 µs apart"
DEVICES: Mapping[str, Mapping[str, Any]] = {
    CALIBRATED: {},
    "CNPs 10 µs apart": {"hca.cnp_spacing_ns": 10_000},
    "CNPs 40 µs apart": {"hca.cnp_spacing_ns": 40_000},
    # With the distance between the thresholds that docs/calibration.md finds for it.
    EVERY_MARK: {"hca.cnp_spacing_ns": 0, "switch.hysteresis_bytes": 2 * 2112},
    "CNPs on a VL of their own": {"hca.control_vl": "last", "num_vls": 2},
    "BECNs on ACKs, one in 8 packets": {"hca.becn_carrier": "ack", "hca.ack_every_packets": 8},
    ACKS_16: {"hca.becn_carrier": "ack", "hca.ack_every_packets": 16},
    "BECNs on ACKs, one in 32 packets": {"hca.becn_carrier": "ack"},
    "one CCTI_Timer a flow": {"hca.ccti_timer": "flow"},
    "one CCTI_Timer a flow, CNPs 10 µs apart": {"hca.ccti_timer": "flow", "hca.cnp_spacing_ns": 10_000},
    "each VOQ judged on its own": {"switch.threshold_mode": "voq"},
}
OFF = "off"
VICTIM_PART, TOTAL_PART = 0.99, 0.98

Key = tuple[str, str]
"""Device and profile: OFF, EXPERT, or a name of those that were found."""


def runs(found: Mapping[str, Mapping[str, Scalar]], devices: Sequence[str]) -> dict[Key, Run]:
    """`found`: values of the space by name. The expert and all of these on each of the devices."""
    return {
        (device, profile): steady(values, DEVICES[device])
        for device in devices
        for profile, values in {EXPERT: {}, **found}.items()
    }


def runs_off(devices: Sequence[str]) -> dict[Key, Run]:
    """Congestion control off on each of the devices. Nothing is random then: one seed is enough."""
    return {(device, OFF): off(DEVICES[device]) for device in devices}


@dataclass(frozen=True, kw_only=True)
class Survival:
    """What becomes of a profile's gain on a device."""

    victim: bool
    """It keeps 99 % of the expert's there."""
    total: bool
    """The contributors keep 98 % of what they get with congestion control off."""
    variation: float
    """The treatment variation as a part of the expert's there."""
    better: bool
    """Variation and spread are below the expert's with 95 %."""

    @property
    def holds(self) -> bool:
        return self.victim and self.total and self.better

    @property
    def sentence(self) -> str:
        if not self.victim:
            return "victim lost"
        short = "" if self.total else ", contributors short"
        return f"{self.variation:.0%}{'' if self.better else ', no better'}{short}"


def survival(measured: Mapping[Key, Replicated], device: str, profile: str) -> Survival:
    """Compared with the expert and with congestion control off on the same device."""
    here, expert, nothing = (measured[device, one] for one in (profile, EXPERT, OFF))
    return Survival(
        victim=here.ratio(VICTIM, expert).value >= VICTIM_PART,
        total=here.estimate(TOTAL).value >= TOTAL_PART * nothing.estimate(TOTAL).value,
        variation=here.ratio(VARIATION, expert).value,
        better=all(_below(here, expert, metric) for metric in (VARIATION, SPREAD)),
    )


def _below(one: Replicated, other: Replicated, metric: str) -> bool:
    interval = one.ratio(metric, other).interval()
    return interval is not None and interval[1] < 1
