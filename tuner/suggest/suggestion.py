# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A profile for a fabric without any trial, with the reasons for its values and what is not known."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import ccsim
from ccsim.policy import TIMER_UNIT_NS, Profile
from tuner.documents.device_model import device_model, nested
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.suggest import rule
from tuner.suggest.fan_in import Hotspot, hotspots
from tuner.suggest.receivers import kinds, receivers


@dataclass(frozen=True, kw_only=True)
class Suggestion:
    """A profile made for `made_for` contributors to a receiver of `link`."""

    profile: Profile
    link: rule.Link
    """The receiver that the profile is made for."""
    notifier: rule.Notifier
    """How the adapters notify, as assumed."""
    contributors: tuple[int, int]
    """Fan-in, from least to most, that is expected at one receiver at a time."""
    made_for: int
    """Contributors that the values are worked out for."""
    reasons: tuple[str, ...]
    unknowns: tuple[str, ...]
    """A sentence for each thing that decides and is not known, with how to find it out."""

    @cached_property
    def document(self) -> dict[str, Any]:
        """The profile as a mapping, in the profile's own form."""
        return self.profile.to_dict()

    @property
    def receive_gbps(self) -> float:
        """Payload that the receiver takes."""
        return self.link.receive_gbps

    @property
    def gap_ns(self) -> float:
        """Time between two packets of a contributor at its fair share."""
        return self.link.gap_ns(self.made_for)

    @property
    def delay_at_limit(self) -> float:
        """The table's last delay, in packet times."""
        curve, limit = self.document["cct"]["curve"], self.document["cct"]["ccti_limit"]
        return float(curve["full_scale_packet_times"] * (limit / curve["at_index"]) ** curve["exponent"])

    def timer_for(self, *, marking_rate: int = 0, increase: int = 1) -> int:
        """Returns the CCTI_Timer that keeps the balance with another Marking_Rate and CCTI_Increase."""
        return rule.timer_units(self.notifier.between_ns(self.gap_ns, marking_rate), increase)


def suggest(
    built: BuiltFabric,
    *,
    workload: Workload | None = None,
    contributors: int | tuple[int, int] | None = None,
    model: Mapping[str, Any] | None = None,
) -> Suggestion:
    """Returns a profile for a fabric by the rule of balance and room.

    `workload`: read for its fan-in, unless `contributors` says it: N, or the least and the most at one receiver. Without either
    it is unknown. `model`: settings of the devices, such as `{"ca.cnp_spacing_ns": 1600}`, over those of the fabric's document.

    Raises BadInputError if the fabric has fewer than three hosts, or if workload, contributors or model do not fit it.
    """
    document = built.document
    links = receivers(built)
    devices = device_model(document.model, nested(model or {}), mtu_bytes=document.mtu_bytes)
    found = hotspots(built, workload, links) if workload is not None else []
    low, high, why, unknowns = _fan_in(len(links), workload, found, contributors)
    link = _link_of(found) or kinds(links)[0][0]
    unknowns += _unknown_devices(devices, model)
    return _by_rule(document.name, link, rule.Notifier.of(devices), (low, high), [why], unknowns)


def _by_rule(
    fabric: str,
    link: rule.Link,
    notifier: rule.Notifier,
    contributors: tuple[int, int],
    reasons: list[str],
    unknowns: list[str],
) -> Suggestion:
    n = contributors[1]
    gap_ns = link.gap_ns(n)
    between_ns = notifier.between_ns(gap_ns)
    timer = rule.timer_units(between_ns)
    full_scale = rule.full_scale_packet_times(link.pause_packet_times(n))
    reasons += [
        f"At its fair share one of {n} contributors to a receiver of {link.receive_gbps:.4g} Gb/s sends a packet each "
        f"{gap_ns / 1e3:.4g} us, and gets a notification each {between_ns / 1e3:.4g} us.",
        f"CCTI_Timer {timer} ({timer * TIMER_UNIT_NS / 1e3:.4g} us) is {timer * TIMER_UNIT_NS / between_ns:.2g} times that, "
        "so that a CCTI can stay up at the fair share.",
        f"The table's delay at index {rule.AT_INDEX} is {full_scale:.4g} packet times, {rule.ROOM:g} times "
        "the pause of a fair share.",
    ]
    profile = Profile.from_dict(
        {
            "ibcc_profile": 1,
            "name": f"{fabric[:200]}-{n}-contributors",
            "link": {"rate_gbps": link.rate_gbps, "mtu_bytes": link.mtu_bytes},
            "switch": {"threshold": 15, "marking_rate": 0, "packet_size": 8, "victim_mask": "ca_ports"},
            "ca": {"level": "qp", "ccti_timer": timer, "ccti_increase": 1, "ccti_min": 0},
            "cct": {
                "ccti_limit": rule.CCTI_LIMIT,
                "curve": {
                    "kind": "power",
                    "full_scale_packet_times": float(f"{full_scale:.4g}"),
                    "at_index": rule.AT_INDEX,
                    "exponent": rule.EXPONENT,
                },
            },
        }
    )
    return Suggestion(
        profile=profile,
        link=link,
        notifier=notifier,
        contributors=contributors,
        made_for=n,
        reasons=tuple(reasons),
        unknowns=tuple(unknowns),
    )


def _fan_in(
    hosts: int, workload: Workload | None, found: list[Hotspot], contributors: int | tuple[int, int] | None
) -> tuple[int, int, str, list[str]]:
    """(least, most, why, what is unknown)."""
    if contributors is not None:
        low, high = (contributors, contributors) if isinstance(contributors, int) else contributors
        if not 2 <= low <= high:
            raise BadInputError(f"contributors are {low} to {high}; they must be at least 2, and the most not below the least")
        if high >= hosts:
            raise BadInputError(f"{high} contributors and a receiver are more than the fabric's {hosts} hosts with a link")
        return low, high, f"{low} to {high} contributors at a receiver, as given.", []
    if workload is not None and found:
        low, high = min(one.contributors for one in found), max(one.contributors for one in found)
        return low, high, f"Workload '{workload.name}' has {high} contributors to '{found[0].host}' at a time.", []
    middle = max(2, min(hosts - 1, round(math.sqrt(2 * max(2, hosts - 1)))))
    whose = (
        f"workload '{workload.name}' has no receiver that is asked for more than it takes" if workload else "no workload is given"
    )
    why = f"The fan-in is not known ({whose}); {middle} contributors are taken, the middle between 2 and {hosts - 1}."
    unknown = f"The fan-in can be anything from 2 to {hosts - 1}; give a workload, or the number of contributors to one receiver."
    return middle, middle, why, [unknown]


def _link_of(found: list[Hotspot]) -> rule.Link | None:
    return found[0].link if found else None


def _unknown_devices(devices: ccsim.Model, model: Mapping[str, Any] | None) -> list[str]:
    if model:
        return []
    return [
        f"How adapters space their notifications is not known; {devices.ca.cnp_spacing_ns / 1e3:g} us by "
        f"{str(devices.ca.becn_carrier).upper()} are taken, the simulator's."
    ]
