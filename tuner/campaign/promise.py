# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Forecasts which trials are worth a measurement in the variants: those that the rule of balance does not rule out.

A profile whose CCTI_Timer takes back more than the notifications of some variant's devices add does nothing there. Such trials,
which are most of a search's, are left alone. Where the expert's balance is below 1 as well, its balance is the bound.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ccsim.policy import Profile
from tuner.campaign.setup import Setup
from tuner.documents.device_model import device_model
from tuner.errors import BadInputError
from tuner.measuring.configuration import Configuration
from tuner.suggest.ground import ground_of
from tuner.suggest.notifier import Notifier
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
    """Forecast for the trials of one campaign with variants."""

    def __init__(self, setup: Setup) -> None:
        self._places = tuple(_places(setup))

    def of(self, configuration: Configuration) -> bool:
        """The configuration may hold in every variant, as far as a forecast tells: without a hotspot nothing is ruled out, and
        nothing that brings a model of its own."""
        if configuration.model:
            return True
        profile = configuration.profile
        return all(_balance(profile, place.gap_ns, place.notifier) >= SLACK * place.bound for place in self._places)


def _places(setup: Setup) -> Iterator[_Place]:
    for built, workload in setup.placed:
        try:
            ground = ground_of([(built, workload)], setup.backend_settings)
        except BadInputError:
            continue
        for name in setup.campaign.variants if ground is not None else ():
            assert ground is not None
            document = built.document
            notifier = Notifier.of(device_model(document.model, setup.variant_settings(name), mtu_bytes=document.mtu_bytes))
            bound = min(1.0, _balance(setup.expert, ground.gap_ns, notifier))
            yield _Place(gap_ns=ground.gap_ns, notifier=notifier, bound=bound)


def _balance(profile: Profile, gap_ns: float, notifier: Notifier) -> float:
    """0 of a profile that turns congestion control off."""
    document = profile.to_dict()
    return balance_of(profile, gap_ns, notifier) if document.get("enable", True) and "ca" in document else 0.0
