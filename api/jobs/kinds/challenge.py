# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Challenges what a campaign recommends; `tuner.campaign.challenge` does all the work, and keeps it in the campaign's store."""

import functools
import json
from typing import Any, Literal

from sqlalchemy.orm import Session

from api.base.private_folder import make_private_folder
from api.database.models.campaign import CampaignArtifact, StoredCampaign
from api.database.models.job import Job
from api.jobs.kinds.campaign import Facts, opened_store
from api.queue.context import JobContext, Stopped
from api.queue.kind import KINDS
from api.services.campaigns.backend import SIMULATED
from api.services.campaigns.events import publish_state
from api.services.campaigns.files import setup_of
from api.services.campaigns.queries import CHALLENGE, CHALLENGE_FILE
from api.services.campaigns.stores import folder_of
from tuner.backends.registry import create_backend
from tuner.campaign.challenge.run import challenge
from tuner.campaign.runner import run_campaign
from tuner.errors import BadInputError, InterruptedRunError
from tuner.measuring.options import BackendOptions


class ChallengeJob:
    """A worker that is lost loses the scenarios that were being measured, and no more."""

    resumable: bool = True
    urgent: bool = False
    place: Literal["any", "server"] = "any"

    def run(self, context: JobContext, arguments: dict[str, Any]) -> dict[str, Any]:
        facts = self._facts(context, arguments["campaign"])
        folder = folder_of(context.settings.state_folder, facts.campaign)
        make_private_folder(folder)
        setup = setup_of(facts.files, facts.model, folder)
        options = BackendOptions(
            settings={f"model.{key}": value for key, value in facts.model.items()},
            profiles=setup.profiles,
            owner=f"challenge of campaign {facts.name}, through the ibcc service",
        )
        open_backend = functools.partial(create_backend, SIMULATED, options)
        with opened_store(context, facts, setup, folder) as store:
            try:
                result = run_campaign(
                    setup,
                    store,
                    open_backend,
                    open_other=lambda name, settings: create_backend(
                        name, BackendOptions(settings=dict(settings), profiles=setup.profiles)
                    ),
                    should_stop=context.should_stop,
                )
                found = challenge(
                    result,
                    store,
                    open_backend,
                    runs=arguments["runs"],
                    seed=arguments["seed"],
                    should_stop=context.should_stop,
                    on_progress=lambda done, runs, worst: context.progress(done, runs, "simulations"),
                )
            except InterruptedRunError as error:
                raise Stopped from error
        with context.database.writing() as session:
            row = session.get(StoredCampaign, facts.campaign, with_for_update=True)
            if row is None:
                raise BadInputError(f"campaign {facts.campaign} was deleted")
            text = json.dumps(found.to_json(), ensure_ascii=False, allow_nan=False)
            session.merge(CampaignArtifact(campaign=row.id, name=CHALLENGE_FILE, text=text))
            row.revision += 1
            publish_state(session, row)
        return {"holds": found.holds, "sentence": found.sentence, "runs": found.runs}

    def given_up(self, session: Session, job: Job) -> None:
        """The campaign stays as it is."""

    def _facts(self, context: JobContext, campaign_id: str) -> Facts:
        with context.database.reading() as session:
            row = session.get(StoredCampaign, campaign_id)
            if row is None:
                raise BadInputError(f"campaign {campaign_id} was deleted")
            return Facts(row.id, row.name, row.fabric, row.created_by, dict(row.files), dict(row.settings))


KINDS.add(CHALLENGE, ChallengeJob())
