# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The two kinds of congestion control: fields that a campaign searches, and the published profile beside it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ccsim.policy import Profile
from tuner.documents.congestion_control import Dialect
from tuner.documents.profile import load_profile
from tuner.suggest.scale import scaled

PUBLISHED = ("hpcc-dcqcn", "dcqcn-paper", "mlx5-defaults")
"""Sets for DCQCN, at 25 Gb/s."""
REFERENCE_GBPS = 400.0
"""Rate for which ranges of rates are written."""

_THRESHOLD, _RP = "nvidia.switch.thresholds.0.profile1", "nvidia.adapter.rp"


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of congestion control."""

    dialect: Dialect
    title: str
    space: Callable[[float], Mapping[str, Any]]
    """The space of a campaign on links of a rate in Gb/s."""


def published(name: str, rate_gbps: float) -> Profile:
    """One of PUBLISHED at a rate."""
    return scaled(load_profile(name), rate_gbps, name=name)


def _a10(rate_gbps: float) -> Mapping[str, Any]:
    return {
        "switch.marking_rate": {"low": 0, "high": 31},
        "ca.ccti_timer": {"low": 2, "high": 400, "log": True},
        "ca.ccti_increase": {"low": 1, "high": 4},
        "cct.curve.full_scale_packet_times": {"low": 4.0, "high": 4000.0, "log": True},
        "cct.curve.exponent": {"low": 0.5, "high": 3.0},
    }


def _dcqcn(rate_gbps: float) -> Mapping[str, Any]:
    def rates(low: float, high: float) -> Mapping[str, Any]:
        part = rate_gbps / REFERENCE_GBPS
        return {"low": max(1, round(low * part)), "high": round(high * part), "log": True}

    return {
        f"{_THRESHOLD}_min": {"low": 4, "high": 128, "log": True},
        f"{_THRESHOLD}_max": {"low": 16, "high": 512, "log": True},
        f"{_THRESHOLD}_percent": {"low": 1, "high": 100, "log": True},
        f"{_RP}.rpg_time_reset": {"low": 20, "high": 300, "log": True},
        f"{_RP}.rpg_threshold": {"low": 1, "high": 8},
        f"{_RP}.rpg_ai_rate": rates(10, 2000),
        f"{_RP}.rpg_hai_rate": rates(800, 16000),
        f"{_RP}.rpg_min_rate": rates(100, 25000),
        "nvidia.adapter.np.min_time_between_cnps": 0,
    }


A10 = Kind(dialect="a10", title="annex A10", space=_a10)
DCQCN = Kind(dialect="nvidia-dcqcn", title="DCQCN", space=_dcqcn)
KINDS = (A10, DCQCN)
