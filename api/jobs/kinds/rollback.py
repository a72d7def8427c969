# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Makes a fabric's former base profile its base again."""

from typing import Any

from api.fabric_drivers.base import FabricDriver, OnProgress, Outcome
from api.jobs.fabric_job import FabricJob
from api.queue.kind import KINDS


class RollbackJob(FabricJob):
    """Knows which base it is to undo: a second run, after a worker was lost, does not go back twice."""

    kind = "rollback"

    def act(self, driver: FabricDriver, arguments: dict[str, Any], on_progress: OnProgress) -> Outcome:
        state = driver.state()
        if state.base is not None and arguments["from_revision"] not in (None, state.base.revision):
            return Outcome(
                revision=state.base.revision, message=f"the base profile is '{state.base.name}' again", devices=state.devices
            )
        return driver.rollback(on_progress)


KINDS.add(RollbackJob.kind, RollbackJob())
