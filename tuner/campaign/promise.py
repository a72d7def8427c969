# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Which trials are worth a measurement in the variants: those that the rule of balance does not rule out.

A profile whose CCTI_Timer takes back more than the notifications of some variant's devices add does nothing there. Such trials,
which are most of a search's, are left alone. Where the expert's balance is below 1 as well, its balance is the bound.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ccsim.policy import Profile
from tuner.campaign.setup import Setup
from tuner.documents.device_model import device_model, nested
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.suggest.fan_in import hotspots
from tuner.suggest.notifier import Notifier
from tuner.suggest.receivers import paths
from tuner.suggest.rule import balance_of

SLACK = 0.95
"""Part of the bound that a balance may have, as it is a forecast."""


@dataclass(frozen=True, kw_only=True)
class _Place:
    """A workload's worst hotspot, with the devices of a variant."""

    gap_ns: float
    notifier: Notifier
    bound: float


class Promise:
    """Of a campaign with variants."""

    def __init__(self, setup: Setup) -> None:
        self._places = tuple(_places(setup))

    def of(self, profile: Profile) -> bool:
        """The profile may hold in every variant, as far as a forecast tells: without a hotspot nothing is ruled out."""
        return all(_balance(profile, place.gap_ns, place.notifier) >= SLACK * place.bound for place in self._places)


def _places(setup: Setup) -> Iterator[_Place]:
    for workload in setup.workloads:
        fabric = setup.fabrics[workload.fabric]
        built = build(fabric)
        try:
            spots = hotspots(built, workload, paths(built))
        except BadInputError:
            continue
        gap_ns = max((spot.path.gap_ns(spot.contributors) for spot in spots), default=None)
        for name in setup.campaign.variants if gap_ns is not None else ():
            assert gap_ns is not None
            model = device_model(fabric.model, nested(setup.variant_settings(name)), mtu_bytes=fabric.mtu_bytes)
            notifier = Notifier.of(model)
            yield _Place(gap_ns=gap_ns, notifier=notifier, bound=min(1.0, _balance(setup.expert, gap_ns, notifier)))


def _balance(profile: Profile, gap_ns: float, notifier: Notifier) -> float:
    """0 of a profile that turns congestion control off."""
    document = profile.to_dict()
    return balance_of(profile, gap_ns, notifier) if document.get("enable", True) and "ca" in document else 0.0
