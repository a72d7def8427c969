# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Reads back what a fabric's devices hold."""

from typing import Any

from api.fabric_drivers.base import FabricDriver, OnProgress, Outcome
from api.jobs.fabric_job import FabricJob
from api.queue.kind import KINDS


class VerifyJob(FabricJob):
    """Its result says whether all was right; what was not is set again."""

    kind = "verify"

    def act(self, driver: FabricDriver, arguments: dict[str, Any], on_progress: OnProgress) -> Outcome:
        return driver.verify(on_progress)


KINDS.add(VerifyJob.kind, VerifyJob())
