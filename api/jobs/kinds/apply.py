# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tries a profile on a fabric for a time."""

from typing import Any

from api.fabric_drivers.base import FabricDriver, OnProgress, Outcome
from api.jobs.fabric_job import FabricJob
from api.queue.context import JobContext
from api.queue.kind import KINDS
from api.services.trial_outcomes import begin_outcome
from ccsim.policy import Profile


class ApplyJob(FabricJob):
    """Puts a profile in force as an experiment. It replaces the same owner's experiment, so a second run starts the time over."""

    kind = "apply"

    def run(self, context: JobContext, arguments: dict[str, Any]) -> dict[str, Any]:
        document = super().run(context, arguments)
        with context.database.writing() as session:
            begin_outcome(session, context.job_id)
        return document

    def act(self, driver: FabricDriver, arguments: dict[str, Any], on_progress: OnProgress) -> Outcome:
        profile = Profile.from_text(arguments["document"])
        return driver.apply(profile, ttl_s=arguments["ttl_s"], owner=arguments["owner"], on_progress=on_progress)


KINDS.add(ApplyJob.kind, ApplyJob())
