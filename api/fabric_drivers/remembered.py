# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric that cannot be reached, as it was when somebody last saw it."""

from collections.abc import Sequence

from api.fabric_drivers.base import Attribute, Congested, Device, FabricState
from api.fabric_drivers.documents import WiringOptions, built_wiring, wiring
from tuner.documents.fabric import FabricDocument
from tuner.errors import UnreachableError
from tuner.fabric.built_fabric import BuiltFabric


class RememberedFabric:
    """A `FabricPicture`."""

    def __init__(self, options: WiringOptions, devices: Sequence[Device]) -> None:
        self._options, self._devices = options, list(devices)

    def state(self) -> FabricState:
        raise UnreachableError("the fabric cannot be reached, and its state is unknown")

    def document(self) -> FabricDocument | None:
        return wiring(self._options)

    def wiring(self) -> BuiltFabric | None:
        return built_wiring(self._options)

    def devices(self) -> list[Device]:
        return self._devices

    def congestion(self) -> list[Congested]:
        return []

    def attributes(self, guid: str, port: int) -> list[Attribute]:
        return []

    def stamp(self) -> str | None:
        return None
