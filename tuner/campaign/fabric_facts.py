# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Facts that the fabric reports before a campaign begins: its present profile, and the capacity of its devices.

A backend that knows them has the methods of FabricFacts; one that makes its fabric itself lacks them.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol, runtime_checkable

from ccsim.policy import Profile
from tuner.campaign.setup import PRESENT, Setup
from tuner.errors import BadInputError
from tuner.measuring.backend import Backend
from tuner.search.device_support import DeviceSupport, check_support


@runtime_checkable
class FabricFacts(Protocol):
    """Facts about the fabric of an open backend."""

    def present(self) -> Profile | None:
        """The profile that the fabric has when nobody experiments with it; None if it has none, or congestion control is off."""

    def devices(self) -> Sequence[DeviceSupport]:
        """Every switch and every port of a channel adapter that has told what it can hold."""


def informed(setup: Setup, open_backend: Callable[[], Backend]) -> Setup:
    """The setup with the fabric's present profile among those measured first, if `start_from` names it.

    Raises BadInputError if a profile of the space would not fit the devices, or the present one is not within the space; and what
    opening the backend raises. Opens no backend that has nothing to tell.
    """
    backend = open_backend()
    if not isinstance(backend, FabricFacts):
        if setup.starts_from_present:
            raise BadInputError(
                f"cannot start from '{PRESENT}': a fabric of backend '{setup.campaign.backend}' has no profile before "
                "the campaign applies one"
            )
        return setup
    backend.open()
    try:
        devices, profile = backend.devices(), backend.present() if setup.starts_from_present else None
    finally:
        backend.close()
    check_support(setup.space, devices, setup.built.values())
    if profile is None:
        return setup
    try:
        params = setup.space.params_of(profile)
    except BadInputError as error:
        raise BadInputError(f"cannot start from '{PRESENT}', which is profile '{profile.name}': {error.sentence}") from error
    return replace(setup, starts={PRESENT: params, **setup.starts})
