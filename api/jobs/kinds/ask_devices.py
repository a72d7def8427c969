# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Asks a fabric's devices which congestion-control attributes they have."""

from typing import Any

from api.fabric_drivers.base import FabricDriver, OnProgress, Outcome
from api.jobs.fabric_job import FabricJob
from api.queue.kind import KINDS


class AskDevicesJob(FabricJob):
    """Its message counts the devices by their attributes. Nothing is set for it."""

    kind = "ask_devices"

    def act(self, driver: FabricDriver, arguments: dict[str, Any], on_progress: OnProgress) -> Outcome:
        return driver.ask_devices(on_progress)


KINDS.add(AskDevicesJob.kind, AskDevicesJob())
