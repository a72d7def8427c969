# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One line for each key of a profile: what an administrator needs to know to read it. docs/profiles.md has the rest."""

MEANINGS = {
    "enable": "false: the devices' congestion control is cleared",
    "link.rate_gbps": "data rate that microseconds in this profile are relative to, Gb/s",
    "link.mtu_bytes": "MTU that microseconds in this profile are relative to",
    "switch.threshold": "when a queue counts as congested: 0 never, 1 late … 15 early",
    "switch.marking_rate": "mean packets between two marks: each is marked with probability 1/(n+1)",
    "switch.packet_size": "packets below this many 64-byte units are not marked",
    "switch.victim_mask": "ports that mark even when they are held up themselves",
    "switch.credit_mask": "ports under credit starvation control",
    "switch.cs_threshold": "credit starvation: as threshold, for ports of credit_mask",
    "switch.cs_return_delay": "credit starvation: delay of returned credits, as an entry of a CCT",
    "ca.level": "what slows down: qp, the marked connection; sl, everything on its service level",
    "ca.sls": "service levels under congestion control",
    "ca.ccti_timer": "how often a flow recovers one step: its CCTI falls by 1, units of 1.024 µs",
    "ca.ccti_increase": "steps by which a flow's CCTI rises with each BECN",
    "ca.ccti_min": "step below which CCTI does not fall",
    "ca.trigger_threshold": "CCTI at which an adapter logs an event",
    "cct.ccti_limit": "highest step, the last entry of the table",
    "cct.limit_mode": "CCTI_Limit in each block of the table: the final one, or the one reached so far",
    "cct.entries": "the table, written out",
    "cct.curve.kind": "power: delay = full scale · (step/at_index)^exponent; geometric: equal ratios",
    "cct.curve.full_scale_us": "delay between packets at at_index, µs",
    "cct.curve.full_scale_packet_times": "delay between packets at at_index, in times of a full packet",
    "cct.curve.at_index": "step at which the full scale is reached",
    "cct.curve.exponent": "how steeply the delays rise",
    "cct.curve.first": "delay of step 1, in times of a full packet",
    "cct.curve.last": "delay of the last step, in times of a full packet",
}
"""By the key's path in a profile."""
