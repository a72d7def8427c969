# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Kinds of devices that chaos comes over: each module of this folder has one, as KIND."""

import pkgutil
from dataclasses import dataclass
from importlib import import_module

from tuner.documents.congestion_control import CongestionControlRow
from tuner.documents.fabric import FabricDocument
from tuner.documents.hardware import HardwareRow


@dataclass(frozen=True)
class Kind:
    """What the devices of a fabric have, and what profiles and the plugin's options are to say for them."""

    name: str
    firmware: tuple[CongestionControlRow, ...] = ()
    hardware: tuple[HardwareRow, ...] = ()
    options: str = ""
    """More options of the plugin; `{folder}` stands for chaos's own."""

    def populated(self, fabric: FabricDocument) -> FabricDocument:
        return fabric.model_copy(update={"congestion_control": self.firmware, "hardware": self.hardware})

    def section(self, number: int) -> str:
        """Returns what profile `number` says beside annex A10's sections."""
        return ""

    def override(self, number: int, rank: int) -> str:
        """Returns what it says of one host alone, from 1, with a comma before it."""
        return ""


def kinds() -> dict[str, Kind]:
    """Returns all of them by name."""
    modules = [import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)]
    return {module.KIND.name: module.KIND for module in modules}
