# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Clears NVIDIA's attributes of a fabric's devices that somebody else has switched on."""

from typing import Any

from api.fabric_drivers.base import FabricDriver, OnProgress, Outcome
from api.jobs.fabric_job import FabricJob
from api.queue.kind import KINDS


class ClearForeignJob(FabricJob):
    kind = "clear_foreign"

    def act(self, driver: FabricDriver, arguments: dict[str, Any], on_progress: OnProgress) -> Outcome:
        return driver.clear_foreign(on_progress)


KINDS.add(ClearForeignJob.kind, ClearForeignJob())
