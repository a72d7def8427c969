# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Names models of the devices: designers of adapters are free in them, and how a profile does depends on them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from tuner.documents.device_model import leaves
from tuner.suggest.path import Path

NOTIFYING = frozenset({"ca.becn_carrier", "ca.cnp_spacing_ns", "ca.ack_every_packets"})
"""Settings that decide how often an adapter notifies a contributor, see Notifier."""
CALIBRATED_PACKETS = 19.3
"""Spacing of CNPs that calibration found at 16 Gb/s, 20 us, in times of the packets there (docs/research/calibration.md)."""


@dataclass(frozen=True, kw_only=True)
class DeviceModel:
    """Settings of the simulator that make devices behave in one way."""

    name: str
    meaning: str
    settings: Callable[[Path], Mapping[str, Any]]
    """Returns settings by dotted name, such as `ca.cnp_spacing_ns`, for devices on a path."""


DEVICE_MODELS: Mapping[str, DeviceModel] = MappingProxyType(
    {
        model.name: model
        for model in (
            DeviceModel(
                name="calibrated",
                meaning="CNPs at least 20 us apart, as calibrated at 16 Gb/s",
                settings=lambda path: {"ca.cnp_spacing_ns": 20000, "ca.becn_carrier": "cnp"},
            ),
            DeviceModel(
                name="cnp-each-mark",
                meaning="a CNP for each marked packet",
                settings=lambda path: {"ca.cnp_spacing_ns": 0, "ca.becn_carrier": "cnp"},
            ),
            DeviceModel(
                name="cnp-packet-times",
                meaning="CNPs as many packet times apart as calibrated",
                settings=lambda path: {
                    "ca.cnp_spacing_ns": round(min(20000.0, CALIBRATED_PACKETS * path.packet_ns)),
                    "ca.becn_carrier": "cnp",
                },
            ),
            DeviceModel(
                name="becn-on-ack",
                meaning="BECNs on acknowledgements, one in 32 packets",
                settings=lambda path: {"ca.becn_carrier": "ack", "ca.ack_every_packets": 32},
            ),
            DeviceModel(
                name="timer-a-flow",
                meaning="a CCTI_Timer for each flow, which each BECN restarts",
                settings=lambda path: {"ca.ccti_timer": "flow", "ca.cnp_spacing_ns": 20000, "ca.becn_carrier": "cnp"},
            ),
        )
    }
)
"""Device models in the order in which tables show them."""


def says_how_adapters_notify(*settings: Mapping[str, Any]) -> bool:
    """True if one of these settings of devices, dotted or nested, decides how often adapters notify a contributor; others, such
    as `ca.qp_scheduling`, do not."""
    return any(path in NOTIFYING for one in settings for path, _ in leaves(one))
