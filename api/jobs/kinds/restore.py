# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Ends a fabric's experiment now."""

from typing import Any

from api.fabric_drivers.base import FabricDriver, OnProgress, Outcome
from api.jobs.fabric_job import FabricJob
from api.queue.kind import KINDS


class RestoreJob(FabricJob):
    """Whoever's experiment it is."""

    kind = "restore"

    def act(self, driver: FabricDriver, arguments: dict[str, Any], on_progress: OnProgress) -> Outcome:
        return driver.restore(on_progress)


KINDS.add(RestoreJob.kind, RestoreJob())
