# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric that cannot be reached, as it was when somebody last saw it."""

from collections.abc import Sequence

from api.fabric_drivers.base import Congested, Device, FabricState
from tuner.documents.fabric import FabricDocument
from tuner.errors import UnreachableError


class RememberedFabric:
    """A `FabricPicture`."""

    def __init__(self, document: FabricDocument | None, devices: Sequence[Device]) -> None:
        self._document, self._devices = document, list(devices)

    def state(self) -> FabricState:
        raise UnreachableError("the fabric cannot be reached, and its state is unknown")

    def document(self) -> FabricDocument | None:
        return self._document

    def devices(self) -> list[Device]:
        return self._devices

    def congestion(self) -> list[Congested]:
        return []
