# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Assumptions that could make congestion by chance do more harm, one at a time around Paper IV's devices."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from experiments.fat_tree_648.bed import PACKET_BYTES, devices

INJECT_GBPS, RECEIVE_GBPS = 13.5, 13.6
"""Payload rates of a host, as in Paper IV."""


@dataclass(frozen=True, kw_only=True)
class Variant:
    model: Mapping[str, Any] = field(default_factory=devices)
    """Settings of the simulated devices, by dotted key."""
    profile: Mapping[str, object] = field(default_factory=dict)
    """Changes to gran-2012."""
    traffic: Mapping[str, object] = field(default_factory=dict)
    """Changes to the pattern, by key."""
    fabric: Mapping[str, object] = field(default_factory=dict)
    """Changes to the fabric's parameters."""

    @property
    def same_without_cc(self) -> str:
        """Variants with the same text are the same run without CC."""
        return repr([sorted(part.items()) for part in (self.model, self.traffic, self.fabric)])


AS_IT_IS = "as it is"
DEVICES: Mapping[str, Variant] = {
    "frozen devices": Variant(model={}),
    "buffers of 4 packets": Variant(model=devices(buffer_packets=4)),
    "buffers of 16 packets": Variant(model=devices(buffer_packets=16)),
    "buffers of 62 packets": Variant(model=devices(buffer_packets=62)),
    "Threshold 15 at 1 packet": Variant(model=devices(level_packets=1)),
    "Threshold 15 at 4 packets": Variant(model=devices(level_packets=4)),
    "one threshold": Variant(model=devices(switch__hysteresis_bytes=0)),
    "root_test both": Variant(model=devices(switch__root_test="both")),
    "read_ports 1": Variant(model=devices(switch__read_ports=1)),
    "cnp_spacing_ns 0": Variant(model=devices(ca__cnp_spacing_ns=0)),
    "CNPs behind data": Variant(model=devices(own_vl=False)),
    "BECNs on ACKs, one each 2 packets": Variant(model=devices(ca__becn_carrier="ack", ca__ack_every_packets=2)),
    "ccti_timer flow": Variant(model=devices(ca__ccti_timer="flow")),
    "receive buffers of 4 packets": Variant(model=devices(ca__input_buffer_bytes=4 * PACKET_BYTES)),
}
PROFILE: Mapping[str, Variant] = {
    "Victim_Mask none": Variant(profile={"switch.victim_mask": "none"}),
    "Victim_Mask all": Variant(profile={"switch.victim_mask": "all"}),
    "CCT for 65 contributors": Variant(profile={"cct.curve.full_scale_us": 139}),
    "CCTI_Timer 300": Variant(profile={"ca.ccti_timer": 300}),
    "CCTI_Timer 600": Variant(profile={"ca.ccti_timer": 600}),
    "CCTI_Timer 1500": Variant(profile={"ca.ccti_timer": 1500}),
    "CCTI_Increase 4": Variant(profile={"ca.ccti_increase": 4}),
    "CCTI_Increase 10": Variant(profile={"ca.ccti_increase": 10}),
    "BECNs throttle the SL": Variant(profile={"ca.level": "sl"}),
    "BECNs throttle the SL, CCT for 65": Variant(profile={"ca.level": "sl", "cct.curve.full_scale_us": 139}),
    "BECNs throttle the SL, gran-2010's CCT": Variant(profile={"ca.level": "sl", "cct.curve.full_scale_us": 7}),
}
TRAFFIC: Mapping[str, Variant] = {
    "messages of 1 packet": Variant(traffic={"message_bytes": 2048}),
    "messages of 8 packets": Variant(traffic={"message_bytes": 16384}),
    "messages of 32 packets": Variant(traffic={"message_bytes": 65536}),
    "destinations in turn": Variant(traffic={"kind": "all-to-all"}),
    "one destination each (a random permutation)": Variant(traffic={"kind": "permutation"}),
    "hosts receive 13.5 Gb/s": Variant(fabric={"receive_gbps": 13.5}),
    "hosts receive 13.3 Gb/s": Variant(fabric={"receive_gbps": 13.3}),
    "hosts inject and receive what links carry": Variant(fabric={"inject_gbps": None, "receive_gbps": None}),
    "routing minhop": Variant(fabric={"routing": "minhop"}),
    "routing updown": Variant(fabric={"routing": "updown"}),
}
VARIANTS: Mapping[str, Variant] = {AS_IT_IS: Variant(), **DEVICES, **PROFILE, **TRAFFIC}
GROUPS: Mapping[str, Mapping[str, Variant]] = {"devices": DEVICES, "profile": PROFILE, "traffic, hosts and routing": TRAFFIC}
