# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The service's operations as methods: one for each that programs use, with the service's own types."""

import time
from collections.abc import Callable, Iterator
from typing import Any, Self, TypeVar
from urllib.parse import quote

import httpx2
from pydantic import BaseModel

from api.client.connection import Connection, RefusedError
from api.jobs.documents import JobDocument
from api.routes.profiles import ProfileDocument
from api.services.campaign_documents import CampaignDocument, TrialDocument
from api.services.fabric_documents import FabricDocumentOut, FabricStateOut, PlanOut

__all__ = ["Client", "RefusedError"]

Model = TypeVar("Model", bound=BaseModel)

POLL_S = 0.5


class Client:
    """A service at `url`. Everything raises RefusedError with the service's sentence, and UnreachableError.

    with Client("http://127.0.0.1:8480", token) as service:
        job = service.await_job(service.apply_profile("two-switch", "gran-2010", ttl_s=600))
    """

    def __init__(self, url: str, token: str | None = None, *, transport: httpx2.BaseTransport | None = None) -> None:
        self.connection = Connection(url, token, transport=transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    # Fabrics

    def fabrics(self) -> Iterator[FabricDocumentOut]:
        return self._all(FabricDocumentOut, "/fabrics")

    def fabric_state(self, fabric: str) -> FabricStateOut:
        return FabricStateOut.model_validate(self.connection.get(f"/fabrics/{_part(fabric)}/state"))

    def plan_profile(self, fabric: str, profile: str, version: int | None = None) -> PlanOut:
        body = _given(profile=profile, version=version)
        return PlanOut.model_validate(self.connection.post(f"/fabrics/{_part(fabric)}/plan", body))

    def apply_profile(self, fabric: str, profile: str, *, ttl_s: int, version: int | None = None) -> JobDocument:
        """Tries a profile for `ttl_s` seconds."""
        return self._fabric_job(fabric, "apply", _given(profile=profile, version=version, ttl_s=ttl_s))

    def verify_fabric(self, fabric: str) -> JobDocument:
        return self._fabric_job(fabric, "verify")

    def restore_fabric(self, fabric: str) -> JobDocument:
        """Ends the experiment now."""
        return self._fabric_job(fabric, "restore")

    def roll_back_fabric(self, fabric: str) -> JobDocument:
        return self._fabric_job(fabric, "rollback")

    # Profiles

    def profiles(self) -> Iterator[ProfileDocument]:
        return self._all(ProfileDocument, "/profiles")

    # Campaigns

    def campaigns(self, *, fabric: str | None = None, state: str | None = None) -> Iterator[CampaignDocument]:
        return self._all(CampaignDocument, "/campaigns", fabric=fabric, state=state)

    def campaign(self, campaign_id: str) -> CampaignDocument:
        return CampaignDocument.model_validate(self.connection.get(f"/campaigns/{_part(campaign_id)}"))

    def create_campaign(self, name: str, fabric: str, template: str, settings: dict[str, Any] | None = None) -> CampaignDocument:
        body = {"name": name, "fabric": fabric, "template": template, "settings": settings or {}}
        return CampaignDocument.model_validate(self.connection.post("/campaigns", body))

    def start_campaign(self, campaign_id: str) -> CampaignDocument:
        return self._campaign(campaign_id, "start")

    def pause_campaign(self, campaign_id: str) -> CampaignDocument:
        return self._campaign(campaign_id, "pause")

    def resume_campaign(self, campaign_id: str) -> CampaignDocument:
        return self._campaign(campaign_id, "resume")

    def stop_campaign(self, campaign_id: str) -> CampaignDocument:
        return self._campaign(campaign_id, "stop")

    def trials(self, campaign_id: str) -> Iterator[TrialDocument]:
        return self._all(TrialDocument, f"/campaigns/{_part(campaign_id)}/trials")

    def recommended_profile(self, campaign_id: str) -> str:
        """YAML."""
        return self.connection.send("GET", f"/campaigns/{_part(campaign_id)}/profile").text

    # Jobs

    def jobs(self, *, kind: str | None = None, state: str | None = None) -> Iterator[JobDocument]:
        return self._all(JobDocument, "/jobs", kind=kind, state=state)

    def job(self, job_id: str) -> JobDocument:
        return JobDocument.model_validate(self.connection.get(f"/jobs/{_part(job_id)}"))

    def cancel_job(self, job_id: str) -> JobDocument:
        return JobDocument.model_validate(self.connection.post(f"/jobs/{_part(job_id)}/cancel"))

    def await_job(self, job: JobDocument, tell: Callable[[JobDocument], None] = lambda job: None) -> JobDocument:
        """The job when it has ended, however it did; `tell` hears how far it is."""
        while job.ended_at is None:
            time.sleep(POLL_S)
            job = self.job(job.id)
            tell(job)
        return job

    def _all(self, model: type[Model], path: str, **params: Any) -> Iterator[Model]:
        return map(model.model_validate, self.connection.items(path, **params))

    def _fabric_job(self, fabric: str, action: str, body: Any = None) -> JobDocument:
        return JobDocument.model_validate(self.connection.once(f"/fabrics/{_part(fabric)}/{action}", body))

    def _campaign(self, campaign_id: str, action: str) -> CampaignDocument:
        return CampaignDocument.model_validate(self.connection.once(f"/campaigns/{_part(campaign_id)}/{action}"))


def _part(name: str) -> str:
    """A name as one part of a path, whatever is in it."""
    return quote(name, safe="")


def _given(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}
