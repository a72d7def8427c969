# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The jobs on a fabric that are one call of its driver, without arguments: a row each."""

from collections.abc import Callable
from typing import Any

from api.fabric_drivers.base import FabricDriver, OnProgress, Outcome
from api.jobs.fabric_job import FabricJob
from api.queue.kind import KINDS

_CALLS: dict[str, Callable[[FabricDriver, OnProgress], Outcome]] = {
    # Asks the devices which congestion-control attributes they have; its message counts them. Nothing is set for it.
    "ask_devices": lambda driver, on_progress: driver.ask_devices(on_progress),
    # Clears NVIDIA's attributes of devices that somebody else has switched on.
    "clear_foreign": lambda driver, on_progress: driver.clear_foreign(on_progress),
    # Ends the fabric's trial run now, of whatever owner.
    "restore": lambda driver, on_progress: driver.restore(on_progress),
    # Reads back what the devices hold. Its result says whether all was right; what was not is set again.
    "verify": lambda driver, on_progress: driver.verify(on_progress),
}


class _OneCall(FabricJob):
    def __init__(self, kind: str) -> None:
        self.kind = kind

    def act(self, driver: FabricDriver, arguments: dict[str, Any], on_progress: OnProgress) -> Outcome:
        return _CALLS[self.kind](driver, on_progress)


for _kind in _CALLS:
    KINDS.add(_kind, _OneCall(_kind))
