# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Makes a profile that was confirmed a fabric's base."""

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.database.models.fabric import Fabric
from api.database.models.job import Job
from api.database.models.promotion import Promotion
from api.fabric_drivers.base import FabricDriver, OnProgress, Outcome
from api.jobs.fabric_job import FabricJob
from api.queue.kind import KINDS
from ccsim.policy import Profile


class PromoteJob(FabricJob):
    """Puts what the promotion holds, not what the profile's name means by now."""

    kind = "promote"

    def act(self, driver: FabricDriver, arguments: dict[str, Any], on_progress: OnProgress) -> Outcome:
        return driver.promote(Profile.from_text(arguments["document"]), owner=arguments["owner"], on_progress=on_progress)

    def settled(self, session: Session, fabric: Fabric, arguments: dict[str, Any], base: str | None) -> None:
        if (promotion := session.get(Promotion, arguments["promotion"])) is not None:
            promotion.state = "done"

    def more_about(self, session: Session, arguments: dict[str, Any]) -> dict[str, Any]:
        promotion = session.get(Promotion, arguments["promotion"])
        return {} if promotion is None else {"asked_by": promotion.created_by}

    def failed(self, session: Session, job: Job, sentence: str) -> None:
        promotion = session.scalars(select(Promotion).where(Promotion.job == job.id)).one_or_none()
        if promotion is not None and promotion.state == "running":
            promotion.state, promotion.problem = "failed", sentence


KINDS.add(PromoteJob.kind, PromoteJob())
