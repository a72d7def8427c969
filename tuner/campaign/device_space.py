# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The search space that suits the devices of a fabric, for campaigns that leave it open: fields of the attributes that switches
and adapters have, about the values that the rules of `ibcc profile suggest` give for the hotspot.

Published sets are what these are measured against: that of Gran et al. (IPDPS 2010) where devices have annex A10's attributes,
HPCC's DCQCN where they have NVIDIA's, both carried to the fabric's links.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ccsim.policy import Profile
from tuner.documents.parameter import Parameter, Scalar
from tuner.documents.profile import load_profile
from tuner.documents.workload import Workload
from tuner.fabric.built_fabric import BuiltFabric
from tuner.suggest import rule
from tuner.suggest.notifier import Notifier
from tuner.suggest.path import Path
from tuner.suggest.scale import scaled
from tuner.suggest.several import suggest_for_all
from tuner.suggest.suggestion import Suggestion

_GRAN = "gran-2010"
_GRAN_PATH, _GRAN_CONTRIBUTORS = Path(rate_gbps=16, mtu_bytes=2048, receive_gbps=13.6), 4
"""Links, receivers and contributors that the set of Gran et al. is for."""
_GRAN_NOTIFIER = Notifier(spacing_ns=20_000)
"""Their adapters, as calibration finds them (docs/research/calibration.md)."""
_DCQCN = "hpcc-dcqcn"
_SPAN = 8
"""Ratio of a range's ends to the suggested value, both ways, where nothing else bounds it."""
_MOST_ROOM = 32
"""Contributors that the strongest table of the space holds back, as a multiple of those that there are."""
_MOST_STEP = 65535
"""Largest step of a rate, in Mb/s."""


@dataclass(frozen=True, kw_only=True)
class DeviceSpace:
    """What a campaign searches on the devices of a fabric."""

    published: Profile
    """Base profile, and expert."""
    space: Mapping[str, Parameter]
    variants: Mapping[str, Mapping[str, Scalar]]
    """Readings of what is not published of such devices."""


def device_space(placed: Sequence[tuple[BuiltFabric, Workload]], model: Mapping[str, Any]) -> DeviceSpace:
    """Returns the space for the hotspot of placed workloads. `model`: settings of the simulated devices, by dotted name. Raises
    BadInputError where the devices have no congestion control that a profile can set, or where it is not known."""
    made = suggest_for_all(placed, model=model)
    kinds = made.kinds
    space: dict[str, Parameter] = {}
    variants: dict[str, Mapping[str, Scalar]] = {}
    if kinds.a10_marks:
        space |= {
            "switch.threshold": Parameter(low=12, high=15),
            "switch.marking_rate": Parameter(low=0, high=31),
        }
    if kinds.nvidia_marks:
        thresholds = "nvidia.switch.thresholds.0.profile1_"
        space |= {  # kilobytes
            f"{thresholds}min": Parameter(low=4, high=128, log=True),
            f"{thresholds}max": Parameter(low=16, high=512, log=True),
            f"{thresholds}percent": Parameter(low=1, high=100, log=True),
        }
        variants["marks-the-share-above-max"] = {"model.switch.mark_above_max": "percent"}
    if kinds.a10:
        space |= _reaction(made)
        variants["becns-on-acknowledgements"] = {"model.ca.becn_carrier": "ack"}
        variants["one-timer-a-flow"] = {"model.ca.ccti_timer": "flow"}
    if kinds.dcqcn:
        space |= _dcqcn(made)
        variants["cnps-spaced-by-port"] = {"model.ca.cnp_limit": "port"}
    return DeviceSpace(published=_published(made), space=space, variants=variants)


def _reaction(made: Suggestion) -> dict[str, Parameter]:
    """Annex A10's adapters. The weakest table holds back the contributors that there are: a weaker one is no cure."""
    timer = made.values.ccti_timer
    pause = made.path.pause_packet_times(made.made_for)
    least = max(1.0, pause)
    most = max(_SPAN * least, rule.full_scale_packet_times(pause, _MOST_ROOM))
    return {
        "ca.ccti_timer": Parameter(low=max(1, timer // _SPAN), high=min(rule.MOST_TIMER, max(timer * _SPAN, 16)), log=True),
        "ca.ccti_increase": Parameter(low=1, high=4),
        "cct.curve.full_scale_packet_times": Parameter(
            low=_rounded(least), high=_rounded(min(most, rule.full_scale_packet_times(rule.MOST_PACKET_TIMES))), log=True
        ),
        "cct.curve.exponent": Parameter(low=0.5, high=3.0),
    }


def _dcqcn(made: Suggestion) -> dict[str, Parameter]:
    """Adapters that run DCQCN. A short run does not show how long a flow needs to come back to its link's rate: times and hyper
    steps hold that to some 20 ms at most."""
    assert made.dcqcn is not None
    values, rp = made.dcqcn, "nvidia.adapter.rp."
    return {
        f"{rp}rpg_time_reset": Parameter(low=20, high=max(100, 2 * values.increase_us), log=True),
        f"{rp}rpg_ai_rate": Parameter(
            low=max(1, values.ai_rate // _SPAN), high=min(_MOST_STEP, 2 * _SPAN * values.ai_rate), log=True
        ),
        f"{rp}rpg_hai_rate": Parameter(low=max(1, values.hai_rate // 2), high=min(_MOST_STEP, 4 * values.hai_rate), log=True),
        f"{rp}rpg_threshold": Parameter(low=1, high=8),
        # Room for twice as many contributors at least.
        f"{rp}rpg_min_rate": Parameter(low=max(1, values.least_rate // 8), high=max(2, 2 * values.least_rate), log=True),
        "nvidia.adapter.np.min_time_between_cnps": Parameter(value=0),
    }


def _published(made: Suggestion) -> Profile:
    """Annex A10's sections go together, and so do NVIDIA's: a device takes what it knows."""
    link = {"rate_gbps": made.path.rate_gbps, "mtu_bytes": made.path.mtu_bytes}
    parts: list[dict[str, Any]] = []
    if made.kinds.a10 or made.kinds.a10_marks:
        parts.append(carried_gran(made.path, made.made_for))
    if made.kinds.dcqcn or made.kinds.nvidia_marks:
        parts.append(scaled(load_profile(_DCQCN), made.path.rate_gbps).to_dict())
    document = {key: value for part in parts for key, value in part.items()}
    version = max(part["ibcc_profile"] for part in parts)
    names = [_GRAN] * (made.kinds.a10 or made.kinds.a10_marks) + [_DCQCN] * (made.kinds.dcqcn or made.kinds.nvidia_marks)
    name = f"{' and '.join(names)} at {made.path.rate_gbps:.4g} Gb/s"
    return Profile.from_dict(document | {"ibcc_profile": version, "name": name, "link": link})


def carried_gran(path: Path, contributors: int) -> dict[str, Any]:
    """Returns the set of Gran et al., carried to a path and contributors by the fair share: its balance and its room stay, where
    adapters notify for each mark."""
    published = load_profile(_GRAN)
    balance = rule.balance_of(published, _GRAN_PATH.gap_ns(_GRAN_CONTRIBUTORS), _GRAN_NOTIFIER)
    document = published.to_dict()
    every = document["switch"]["marking_rate"] + 1
    document["ca"]["ccti_timer"] = rule.timer_units(Notifier().between_ns(path.gap_ns(contributors), every), 1, balance)
    curve = document["cct"]["curve"]
    pause = path.pause_packet_times(contributors) / _GRAN_PATH.pause_packet_times(_GRAN_CONTRIBUTORS)
    full_scale = 1e3 * curve.pop("full_scale_us") / _GRAN_PATH.packet_ns * pause
    curve["full_scale_packet_times"] = _rounded(min(full_scale, rule.full_scale_packet_times(rule.MOST_PACKET_TIMES)))
    return document | {"link": {"rate_gbps": path.rate_gbps, "mtu_bytes": path.mtu_bytes}}


def _rounded(value: float) -> float:
    return float(f"{max(value, 1.0):.4g}")
