# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Ways to take a profile from one fabric to another, and one to do without."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ccsim.policy import PACKET_OVERHEAD_BYTES, Profile, ProfileError
from experiments.carry_over.balance import notification_ns
from experiments.carry_over.beds import Ground
from tuner.documents.device_model import device_model
from tuner.suggest.notifier import Notifier
from tuner.suggest.path import Path
from tuner.suggest.queue import Queue
from tuner.suggest.rule import EXPONENT, balance_for, choose

FULL_SCALE = "cct.curve.full_scale_packet_times"
TIMER = "ca.ccti_timer"


def in_packet_times(profile: Profile) -> Profile:
    """The same table with its full scale in packet times of the profile's own link."""
    document = profile.to_dict()
    packet_us = (document["link"]["mtu_bytes"] + PACKET_OVERHEAD_BYTES) * 8e-3 / document["link"]["rate_gbps"]
    return profile.with_settings({FULL_SCALE: document["cct"]["curve"]["full_scale_us"] / packet_us})


def on_link(profile: Profile, ground: Ground) -> Profile:
    """The same values, with the link of a fabric's hosts written beside them."""
    return profile.with_settings({"link.rate_gbps": ground.rate_gbps, "link.mtu_bytes": ground.mtu_bytes})


def pause_packet_times(ground: Ground) -> float:
    """Returns the delay by which the table must hold a contributor back for its fair share, in packet times."""
    return ground.gap_ns / ground.packet_ns - 1


@dataclass(frozen=True, kw_only=True)
class Way:
    """A way to rewrite a profile of one fabric for another."""

    name: str
    changes: Callable[[Mapping[str, Any], Ground, Ground], Mapping[str, object]]
    """Function of the profile's document, the fabric that it comes from, and the one that it goes to."""

    def carried(self, profile: Profile, source: Ground, target: Ground) -> Profile | None:
        """None if the table cannot hold the delays. `profile` must have its full scale in packet times."""
        try:
            return on_link(profile.with_settings(dict(self.changes(profile.to_dict(), source, target))), target)
        except ProfileError:
            return None


AS_WRITTEN = Way(name="as on the wire", changes=lambda document, source, target: {})
"""Every value as it is: delays keep their packet times."""
IN_MICROSECONDS = Way(
    name="in microseconds",
    changes=lambda document, source, target: {FULL_SCALE: _full_scale(document) * source.packet_ns / target.packet_ns},
)
"""Delays keep their microseconds, as a profile has it whose curve says full_scale_us."""
BY_SHARE = Way(
    name="by the fair share",
    changes=lambda document, source, target: {
        FULL_SCALE: _full_scale(document) * pause_packet_times(target) / pause_packet_times(source),
        TIMER: max(
            1, round(document["ca"]["ccti_timer"] * _notification_ns(document, target) / _notification_ns(document, source))
        ),
    },
)
"""Delays go with the pause that a fair share takes, and CCTI_Timer with the time between two notifications at a fair share."""


def by_rule(published: Profile, ground: Ground, *, times: float = 1.0) -> Profile:
    """Without any search: the values of `ibcc profile suggest`, for `times` as many contributors as there are. All else is a
    published profile's, with its full scale in packet times."""
    document = ground.built.document
    values = choose(
        Path(rate_gbps=ground.rate_gbps, mtu_bytes=ground.mtu_bytes, receive_gbps=ground.receive_gbps),
        ground.contributors * times,
        [Notifier(spacing_ns=ground.cnp_spacing_ns)],
        Queue.of(device_model(document.model, mtu_bytes=ground.mtu_bytes)),
        balance=balance_for(document.routing),
    )
    settings = {
        "switch.threshold": values.threshold,
        "switch.marking_rate": values.marking_rate,
        "ca.ccti_increase": values.ccti_increase,
        TIMER: values.ccti_timer,
        FULL_SCALE: values.full_scale_packet_times,
        "cct.curve.exponent": EXPONENT,
    }
    return on_link(published.with_settings(settings), ground)


def _full_scale(document: Mapping[str, Any]) -> float:
    full_scale: float = document["cct"]["curve"]["full_scale_packet_times"]
    return full_scale


def _notification_ns(document: Mapping[str, Any], ground: Ground) -> float:
    return notification_ns(ground.gap_ns, ground.cnp_spacing_ns, document["switch"]["marking_rate"])
