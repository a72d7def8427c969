# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The service's operations as methods: one for each that programs use, with the service's own types."""

import time
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import Any, Self, TypeVar
from urllib.parse import quote

import httpx2
from pydantic import BaseModel

from api.client.connection import Connection, FailedError, RefusedError
from api.client.events import ServiceEvent, events
from api.documents.campaign_plans import CampaignPlan
from api.documents.campaigns import CampaignDocument, ChallengeDocument, TemplateDocument, TrialDocument
from api.documents.checks import (
    AlarmsDocument,
    AnswerDocument,
    BaselineDocument,
    CheckDocument,
    NightDocument,
    NightSummary,
    TrendsDocument,
)
from api.documents.fabric_diagnosis import FabricDiagnosis
from api.documents.fabric_imports import ImportOut, VersionOut
from api.documents.fabric_twins import TwinOut
from api.documents.fabrics import AdoptedOut, ClearForeignOut, FabricDocumentOut, FabricStateOut, FabricSummary, PlanOut
from api.documents.host_paths import FleetOut, HostPathsOut, HostPathsRow
from api.documents.hosts import HostOut, HostsCheckOut
from api.documents.inventories import InventoryDocument
from api.documents.jobs import JobDocument
from api.documents.notifications import AddressDocument, DeliveryDocument
from api.documents.profiles import ProfileDocument, Validation
from api.documents.promotions import PromotionDocument, PromotionEvidence
from api.documents.suggestions import SuggestionDocument
from api.documents.trial_runs import TrialRunOutcome
from api.documents.workloads import WorkloadDocument
from tuner.checks.decisions import DecisionKind

__all__ = ["Client", "FailedError", "RefusedError", "ServiceEvent"]

Model = TypeVar("Model", bound=BaseModel)

POLL_S = 0.5

_FILE = {"Content-Type": "application/octet-stream"}


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

    def fabrics(self) -> Iterator[FabricSummary]:
        return self._all(FabricSummary, "/fabrics")

    def fabric(self, fabric: str) -> FabricDocumentOut:
        """With its options, as `document`."""
        return FabricDocumentOut.model_validate(self.connection.get(f"/fabrics/{_part(fabric)}"))

    def fabric_state(self, fabric: str) -> FabricStateOut:
        return FabricStateOut.model_validate(self.connection.get(f"/fabrics/{_part(fabric)}/state"))

    def plan_profile(self, fabric: str, profile: str, version: int | None = None) -> PlanOut:
        body = _given(profile=profile, version=version)
        return PlanOut.model_validate(self.connection.post(f"/fabrics/{_part(fabric)}/plan", body))

    def apply_profile(self, fabric: str, profile: str, *, ttl_s: int, version: int | None = None) -> JobDocument:
        """Applies a profile for `ttl_s` seconds."""
        return self._fabric_job(fabric, "apply", _given(profile=profile, version=version, ttl_s=ttl_s))

    def verify_fabric(self, fabric: str) -> JobDocument:
        return self._fabric_job(fabric, "verify")

    def ask_fabric_devices(self, fabric: str) -> JobDocument:
        """Asks all devices which congestion-control attributes they have."""
        return self._fabric_job(fabric, "ask-devices")

    def clear_foreign(self, fabric: str) -> ClearForeignOut:
        """Clears devices that somebody else has switched on; without a job, another admin has to ask for the same."""
        return ClearForeignOut.model_validate(self.connection.once(f"/fabrics/{_part(fabric)}/clear-foreign", None))

    def restore_fabric(self, fabric: str) -> JobDocument:
        """Ends the trial run now."""
        return self._fabric_job(fabric, "restore")

    def adopt_fabric(self, fabric: str, name: str) -> AdoptedOut:
        """Makes a profile of what devices held before ibcc set anything on them, and stores it under that name."""
        return AdoptedOut.model_validate(self.connection.post(f"/fabrics/{_part(fabric)}/adopt", {"name": name}))

    def plan_rollback(self, fabric: str) -> PlanOut:
        return PlanOut.model_validate(self.connection.get(f"/fabrics/{_part(fabric)}/rollback-plan"))

    def roll_back_fabric(self, fabric: str) -> JobDocument:
        return self._fabric_job(fabric, "rollback")

    # Imports of fabrics

    def import_fabric(
        self,
        content: bytes,
        *,
        file_name: str,
        name: str | None = None,
        fabric: str | None = None,
        mtu_bytes: int = 4096,
        routing: str | None = None,
        subnet: int | None = None,
        congestion_control: str | None = None,
        strict: bool = False,
    ) -> ImportOut:
        """Has the service read a file, which gzip may have packed: as a new fabric, or as the next version of `fabric`.
        `subnet`: the one to take of several; `congestion_control`: of all devices; `strict`: refuse the first odd row."""
        params = _given(
            file_name=file_name,
            name=name,
            fabric=fabric,
            mtu_bytes=mtu_bytes,
            routing=routing,
            subnet=subnet,
            congestion_control=congestion_control,
        )
        params |= {"strict": "true"} if strict else {}
        answer = self.connection.send("POST", "/fabric-imports", params=params, content=content, headers=_FILE)
        return ImportOut.model_validate(answer.json())

    def import_from_opensm(self, fabric: str) -> ImportOut:
        """Has the service read a fabric as its OpenSM has it at this moment."""
        return ImportOut.model_validate(self.connection.post(f"/fabrics/{_part(fabric)}/import"))

    def fabric_import(self, import_id: str) -> ImportOut:
        return ImportOut.model_validate(self.connection.get(f"/fabric-imports/{_part(import_id)}"))

    def put_import_routes(self, import_id: str, content: bytes, *, file_name: str) -> ImportOut:
        """Has the service read an import again with forwarding tables."""
        return self._put_import_file(import_id, "routes", content, file_name)

    def put_import_names(self, import_id: str, content: bytes, *, file_name: str) -> ImportOut:
        """Has the service read an import again with a node name map."""
        return self._put_import_file(import_id, "names", content, file_name)

    def _put_import_file(self, import_id: str, part: str, content: bytes, file_name: str) -> ImportOut:
        path = f"/fabric-imports/{_part(import_id)}/{part}"
        answer = self.connection.send("PUT", path, params={"file_name": file_name}, content=content, headers=_FILE)
        return ImportOut.model_validate(answer.json())

    def await_import(self, one: ImportOut, tell: Callable[[JobDocument], None] = lambda job: None) -> ImportOut:
        """The import when it is read; raises FailedError if it could not be read. `tell` hears how far it is."""
        assert one.job is not None
        self.result_of(self.await_job(self.job(one.job), tell))
        return self.fabric_import(one.id)

    def keep_import(self, import_id: str, new: dict[str, Any] | None = None) -> ImportOut:
        """Makes it the new fabric that `new` describes by `name`, `kind` and `options`, or the next version of its fabric."""
        path = f"/fabric-imports/{_part(import_id)}/keep"
        return ImportOut.model_validate(self.connection.post(path, {"fabric": new}))

    def fabric_versions(self, fabric: str) -> Iterator[VersionOut]:
        """The newest first."""
        return self._all(VersionOut, f"/fabrics/{_part(fabric)}/versions")

    def restore_fabric_version(self, old: FabricDocumentOut, version: int) -> VersionOut:
        """Refused if somebody has changed the fabric since `old` was read."""
        path = f"/fabrics/{_part(old.name)}/versions/{version}/restore"
        return VersionOut.model_validate(self.connection.send("POST", path, headers={"If-Match": old.etag}).json())

    # Twins

    def make_twin(self, fabric: str) -> TwinOut:
        """Begins the twin of a fabric; its job makes it."""
        return TwinOut.model_validate(self.connection.post(f"/fabrics/{_part(fabric)}/twin"))

    def make_import_twin(self, import_id: str) -> TwinOut:
        """Begins the twin of an import."""
        return TwinOut.model_validate(self.connection.post(f"/fabric-imports/{_part(import_id)}/twin"))

    def twin(self, fabric: str) -> TwinOut | None:
        """The twin of a fabric; None if none was begun."""
        answer = self.connection.get(f"/fabrics/{_part(fabric)}/twin")
        return None if answer is None else TwinOut.model_validate(answer)

    def import_twin(self, import_id: str) -> TwinOut | None:
        answer = self.connection.get(f"/fabric-imports/{_part(import_id)}/twin")
        return None if answer is None else TwinOut.model_validate(answer)

    def twin_report(self, twin: TwinOut) -> str:
        """Its page. Refused if none was made."""
        of = f"/fabrics/{_part(twin.fabric)}" if twin.fabric is not None else f"/fabric-imports/{_part(str(twin.import_id))}"
        return str(self.connection.send("GET", f"{of}/twin/report").text)

    # Host or fabric

    def fabric_diagnosis(self, fabric: str) -> FabricDiagnosis:
        """What makes flows slow, by the last diagnosis and the last nights."""
        return FabricDiagnosis.model_validate(self.connection.get(f"/fabrics/{_part(fabric)}/diagnosis"))

    def diagnose_fabric(self, fabric: str, asked: dict[str, Any]) -> JobDocument:
        """`asked`: `workload`, `usual_version`, `seconds`, `seed`, `time_scale`, as far as they are chosen."""
        return self._fabric_job(fabric, "diagnosis", asked)

    # Hosts

    def inventory(self, fabric: str) -> InventoryDocument:
        return InventoryDocument.model_validate(self.connection.get(f"/fabrics/{_part(fabric)}/inventory"))

    def create_inventory(self, fabric: str, document: str) -> InventoryDocument:
        """Refused if there is one already."""
        path = f"/fabrics/{_part(fabric)}/inventory"
        headers = {"If-None-Match": "*"}
        return InventoryDocument.model_validate(
            self.connection.send("PUT", path, json={"document": document}, headers=headers).json()
        )

    def change_inventory(self, old: InventoryDocument, document: str) -> InventoryDocument:
        """Refused if somebody has changed it since `old` was read."""
        path = f"/fabrics/{_part(old.fabric)}/inventory"
        return InventoryDocument.model_validate(self.connection.put(path, {"document": document}, old.etag))

    def hosts(self, fabric: str) -> Iterator[HostOut]:
        """Yields the inventory's hosts, each with what its last check found."""
        return self._all(HostOut, f"/fabrics/{_part(fabric)}/hosts")

    def hosts_check(self, fabric: str) -> HostsCheckOut:
        """Returns the readiness of the hosts, by the last check of each."""
        return HostsCheckOut.model_validate(self.connection.get(f"/fabrics/{_part(fabric)}/hosts/check"))

    def check_hosts(self, fabric: str, *, nodes: str | None = None, patience_s: float | None = None) -> JobDocument:
        """Has the service ask the agents of all hosts, or of those of a NodeSet."""
        return self._fabric_job(fabric, "hosts/check", _given(nodes=nodes, patience_s=patience_s))

    def fleet(self, fabric: str) -> FleetOut:
        """Returns which hosts differ from others of their model, by the last tests inside each."""
        return FleetOut.model_validate(self.connection.get(f"/fabrics/{_part(fabric)}/hosts/paths"))

    def host_paths(self, fabric: str, node: str) -> HostPathsOut:
        """Returns the matrix of a host of the inventory."""
        return HostPathsOut.model_validate(self.connection.get(f"/fabrics/{_part(fabric)}/hosts/paths/nodes/{_part(node)}"))

    def all_host_paths(self, fabric: str) -> Iterator[HostPathsRow]:
        """Yields the inventory's hosts, each with the verdict of the last tests inside it."""
        return self._all(HostPathsRow, f"/fabrics/{_part(fabric)}/hosts/paths/nodes")

    def ping_hosts(self, fabric: str, *, nodes: str | None = None, triggered: bool = False) -> JobDocument:
        """Has the service test the paths inside all hosts, or those of a NodeSet. `triggered`: busy ones too."""
        return self._fabric_job(fabric, "hosts/paths", _given(nodes=nodes, triggered=triggered))

    def watch_hosts(self, fabric: str, *, seconds: int, test: bool = False) -> JobDocument:
        """Has the service watch the switches' ports to the hosts. `test`: then test those whose counters ask for it."""
        return self._fabric_job(fabric, "hosts/watch", _given(seconds=seconds, test=test))

    # Profiles

    def profiles(self) -> Iterator[ProfileDocument]:
        return self._all(ProfileDocument, "/profiles")

    def profile(self, name: str, version: int | None = None) -> ProfileDocument:
        """Returns that version of the profile, or the latest."""
        path = f"/profiles/{_part(name)}" + ("" if version is None else f"/versions/{version}")
        return ProfileDocument.model_validate(self.connection.get(path))

    def create_profile(self, name: str, document: str, comment: str = "", *, belongs_to: str | None = None) -> ProfileDocument:
        """`belongs_to`: the fabric on which alone it is used, and whose tokens may change it."""
        body = _given(name=name, document=document, comment=comment, belongs_to=belongs_to)
        return ProfileDocument.model_validate(self.connection.post("/profiles", body))

    def change_profile(self, old: ProfileDocument, document: str, comment: str = "") -> ProfileDocument:
        """Stores a new version; refused if there is a newer one than `old`."""
        body = {"document": document, "comment": comment}
        return ProfileDocument.model_validate(self.connection.put(f"/profiles/{_part(old.name)}", body, old.etag))

    def validate_profile(self, document: str, fabric: str | None = None) -> Validation:
        return Validation.model_validate(self.connection.post("/profiles/validate", _given(document=document, fabric=fabric)))

    def suggest_profile(self, fabric: str, **question: Any) -> SuggestionDocument:
        """A profile without any trial; `create_profile` stores its `document` under its `name`. `question`: fields of the
        request's body, such as `workloads=["scenario-1"]` or `contributors={"least": 2, "most": 5}`."""
        return SuggestionDocument.model_validate(self.connection.post(f"/fabrics/{_part(fabric)}/suggestion", question))

    # Promotions

    def promote(self, fabric: str, profile: str, version: int, plan_digest: str, comment: str = "") -> PromotionDocument:
        """Makes a profile the fabric's base, if its plan is still the one with that digest."""
        body = {"fabric": fabric, "profile": profile, "version": version, "plan_digest": plan_digest, "comment": comment}
        return PromotionDocument.model_validate(self.connection.once("/promotions", body))

    def promotions(self, *, fabric: str | None = None, state: str | None = None) -> Iterator[PromotionDocument]:
        return self._all(PromotionDocument, "/promotions", fabric=fabric, state=state)

    def promotion(self, promotion_id: str) -> PromotionDocument:
        return PromotionDocument.model_validate(self.connection.get(f"/promotions/{_part(promotion_id)}"))

    def approve_promotion(self, promotion_id: str, comment: str = "") -> PromotionDocument:
        path = f"/promotions/{_part(promotion_id)}/approve"
        return PromotionDocument.model_validate(self.connection.once(path, {"comment": comment}))

    def trial_runs(
        self, *, fabric: str | None = None, profile: str | None = None, version: int | None = None
    ) -> Iterator[TrialRunOutcome]:
        """The newest first."""
        return self._all(TrialRunOutcome, "/trial-runs", fabric=fabric, profile=profile, version=version)

    def promotion_evidence(self, promotion_id: str) -> PromotionEvidence:
        """Returns what is known of its profile, and what would undo it."""
        return PromotionEvidence.model_validate(self.connection.get(f"/promotions/{_part(promotion_id)}/evidence"))

    def plan_promotion(self, promotion_id: str) -> PlanOut:
        """Returns its plan as it is now; if that is another one than was shown, the promotion is outdated."""
        return PlanOut.model_validate(self.connection.post(f"/promotions/{_part(promotion_id)}/plan", None))

    def repeat_promotion(self, promotion_id: str) -> PromotionDocument:
        """Asks again for one that is outdated."""
        return PromotionDocument.model_validate(self.connection.once(f"/promotions/{_part(promotion_id)}/repeat", None))

    def reject_promotion(self, promotion_id: str, comment: str = "") -> PromotionDocument:
        path = f"/promotions/{_part(promotion_id)}/reject"
        return PromotionDocument.model_validate(self.connection.post(path, {"comment": comment}))

    # Workloads

    def workloads(self) -> Iterator[WorkloadDocument]:
        return self._all(WorkloadDocument, "/workloads")

    def workload(self, name: str) -> WorkloadDocument:
        return WorkloadDocument.model_validate(self.connection.get(f"/workloads/{_part(name)}"))

    def create_workload(self, name: str, document: str, *, belongs_to: str | None = None) -> WorkloadDocument:
        """`belongs_to`: the fabric on which alone it is used, and whose tokens may change it."""
        body = _given(name=name, document=document, belongs_to=belongs_to)
        return WorkloadDocument.model_validate(self.connection.post("/workloads", body))

    def change_workload(self, old: WorkloadDocument, document: str) -> WorkloadDocument:
        """Refused if somebody has changed it since `old` was read."""
        path = f"/workloads/{_part(old.name)}"
        return WorkloadDocument.model_validate(self.connection.put(path, {"document": document}, old.etag))

    # Campaigns

    def campaigns(self, *, fabric: str | None = None, state: str | None = None) -> Iterator[CampaignDocument]:
        return self._all(CampaignDocument, "/campaigns", fabric=fabric, state=state)

    def campaign(self, campaign_id: str) -> CampaignDocument:
        return CampaignDocument.model_validate(self.connection.get(f"/campaigns/{_part(campaign_id)}"))

    def campaign_templates(self, fabric: str | None = None) -> Iterator[TemplateDocument]:
        """`fabric`: its offers come with them."""
        return self._all(TemplateDocument, "/campaign-templates", fabric=fabric)

    def create_campaign(
        self,
        name: str,
        fabric: str,
        template: str | None = None,
        settings: dict[str, Any] | None = None,
        *,
        spec: dict[str, Any] | None = None,
        on_simulator: bool = False,
    ) -> CampaignDocument:
        """From a template or from a document, `spec`. `settings`: values by dotted path."""
        body = _given(name=name, fabric=fabric, template=template, spec=spec, settings=settings or {}, on_simulator=on_simulator)
        return CampaignDocument.model_validate(self.connection.post("/campaigns", body))

    def change_campaign(
        self,
        old: CampaignDocument,
        spec: dict[str, Any],
        *,
        name: str | None = None,
        fabric: str | None = None,
        settings: dict[str, Any] | None = None,
        on_simulator: bool = False,
    ) -> CampaignDocument:
        """Replaces the document of a draft; without `name` or `fabric`, it keeps them. Refused if somebody has changed or started
        it since `old` was read."""
        body = _given(
            name=name or old.name, fabric=fabric or old.fabric, spec=spec, settings=settings or {}, on_simulator=on_simulator
        )
        return CampaignDocument.model_validate(self.connection.put(f"/campaigns/{_part(old.id)}", body, old.etag))

    def plan_campaign(
        self,
        name: str,
        fabric: str,
        template: str | None = None,
        settings: dict[str, Any] | None = None,
        *,
        spec: dict[str, Any] | None = None,
        on_simulator: bool = False,
    ) -> CampaignPlan:
        """Returns the hosts and the cost of such a campaign; arguments as `create_campaign`."""
        body = _given(name=name, fabric=fabric, template=template, spec=spec, settings=settings or {}, on_simulator=on_simulator)
        return CampaignPlan.model_validate(self.connection.post("/campaigns/plan", body))

    def start_campaign(self, campaign_id: str) -> CampaignDocument:
        return self._campaign(campaign_id, "start")

    def pause_campaign(self, campaign_id: str) -> CampaignDocument:
        return self._campaign(campaign_id, "pause")

    def resume_campaign(self, campaign_id: str, *, measure_again: bool = False) -> CampaignDocument:
        """`measure_again`: trials too that the campaign's own store has lost."""
        return self._campaign(campaign_id, "resume", {"measure_again": True} if measure_again else None)

    def stop_campaign(self, campaign_id: str, *, confirm: bool = False) -> CampaignDocument:
        """At once, or with `confirm` after the confirmation of what was found, with a report."""
        return self._campaign(campaign_id, "stop", {"confirm": confirm})

    def challenge_campaign(self, campaign_id: str, *, runs: int, seed: int) -> JobDocument:
        """Begins a challenge of what a finished campaign recommends."""
        body = {"runs": runs, "seed": seed}
        return JobDocument.model_validate(self.connection.once(f"/campaigns/{_part(campaign_id)}/challenge", body))

    def challenge(self, campaign_id: str) -> ChallengeDocument:
        return ChallengeDocument.model_validate(self.connection.get(f"/campaigns/{_part(campaign_id)}/challenge"))

    def report(self, campaign_id: str) -> str:
        """`report.json`, as the campaign left it."""
        return self.connection.send("GET", f"/campaigns/{_part(campaign_id)}/report.json").text

    def report_html(self, campaign_id: str) -> str:
        return self.connection.send("GET", f"/campaigns/{_part(campaign_id)}/report").text

    def trials(self, campaign_id: str) -> Iterator[TrialDocument]:
        return self._all(TrialDocument, f"/campaigns/{_part(campaign_id)}/trials")

    def recommended_profile(self, campaign_id: str, *, file: str | None = None) -> str:
        """YAML. `file`: of the campaign's `best.profiles`, for the best profile of one model of the devices."""
        return self.connection.send("GET", f"/campaigns/{_part(campaign_id)}/profile", params=_given(file=file)).text

    # Checks

    def checks(self, *, fabric: str | None = None) -> Iterator[CheckDocument]:
        return self._all(CheckDocument, "/checks", fabric=fabric)

    def check(self, name: str) -> CheckDocument:
        return CheckDocument.model_validate(self.connection.get(f"/checks/{_part(name)}"))

    def create_check(self, name: str, fabric: str, *, template: str | None = None, document: str | None = None) -> CheckDocument:
        """Creates a check from a template or from a document."""
        body = _given(name=name, fabric=fabric, template=template, document=document)
        return CheckDocument.model_validate(self.connection.post("/checks", body))

    def change_check_schedule(self, old: CheckDocument, **schedule: Any) -> CheckDocument:
        """Refused if somebody has changed the check since `old` was read."""
        path = f"/checks/{_part(old.name)}/schedule"
        return CheckDocument.model_validate(self.connection.put(path, schedule, old.etag))

    def run_check(self, name: str) -> JobDocument:
        """Runs tonight's check now, or once more."""
        return JobDocument.model_validate(self.connection.once(f"/checks/{_part(name)}/run"))

    def nights(self, check: str) -> Iterator[NightSummary]:
        """The newest first."""
        return self._all(NightSummary, f"/checks/{_part(check)}/nights")

    def night(self, check: str, night: date) -> NightDocument:
        return NightDocument.model_validate(self.connection.get(f"/checks/{_part(check)}/nights/{night}"))

    def check_metrics(self, check: str) -> TrendsDocument:
        return TrendsDocument.model_validate(self.connection.get(f"/checks/{_part(check)}/metrics"))

    def check_alarms(self, check: str) -> AlarmsDocument:
        return AlarmsDocument.model_validate(self.connection.get(f"/checks/{_part(check)}/alarms"))

    def decide(
        self,
        check: str,
        kind: DecisionKind,
        place: str,
        *,
        because: str,
        first: date | None = None,
        until: date | None = None,
    ) -> AlarmsDocument:
        """Says that something is repaired, muted, or planned to be gone or moved."""
        days = {key: None if day is None else day.isoformat() for key, day in (("first", first), ("until", until))}
        body = {"kind": kind, "place": place, "because": because, **_given(**days)}
        return AlarmsDocument.model_validate(self.connection.post(f"/checks/{_part(check)}/decisions", body))

    def withdraw_decision(self, check: str, number: int) -> AlarmsDocument:
        path = f"/checks/{_part(check)}/decisions/{number}"
        return AlarmsDocument.model_validate(self.connection.send("DELETE", path).json())

    def expect_fabric(self, check: str, *, because: str, night: date | None = None, imported: bool = False) -> AlarmsDocument:
        """Makes the fabric of a night, or the document of the fabric, the expected one."""
        body = {"because": because, "imported": imported, **_given(night=None if night is None else night.isoformat())}
        return AlarmsDocument.model_validate(self.connection.post(f"/checks/{_part(check)}/expected", body))

    def accept_nights(
        self,
        check: str,
        *,
        last: int | None = None,
        first: date | None = None,
        until: date | None = None,
        only: Sequence[str] = (),
    ) -> BaselineDocument:
        """Makes the last so many nights, or those of a time, the baseline. `only`: of these entries and metrics."""
        days = {key: None if day is None else day.isoformat() for key, day in (("first", first), ("until", until))}
        body = {"only": list(only), **_given(last=last, **days)}
        return BaselineDocument.model_validate(self.connection.post(f"/checks/{_part(check)}/baseline", body))

    def undo_accept(self, check: str) -> BaselineDocument:
        return BaselineDocument.model_validate(self.connection.send("DELETE", f"/checks/{_part(check)}/baseline").json())

    def answers(self, check: str) -> Iterator[AnswerDocument]:
        return self._all(AnswerDocument, f"/checks/{_part(check)}/answers")

    def undo_answer(self, check: str, answer_id: str) -> AnswerDocument:
        path = f"/checks/{_part(check)}/answers/{_part(answer_id)}/undo"
        return AnswerDocument.model_validate(self.connection.once(path))

    # Notifications

    def notification_addresses(self) -> Iterator[AddressDocument]:
        """Yields the addresses of the service's settings file."""
        return self._all(AddressDocument, "/notifications/addresses")

    def test_notification(self, address: str) -> DeliveryDocument:
        """Sends a test message to an address, soon."""
        answer = self.connection.post(f"/notifications/addresses/{_part(address)}/test")
        return DeliveryDocument.model_validate(answer)

    def notification_deliveries(self, address: str) -> Iterator[DeliveryDocument]:
        """Yields the messages to an address, newest first."""
        return self._all(DeliveryDocument, "/notifications/deliveries", address=address)

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

    def result_of(self, job: JobDocument) -> dict[str, Any]:
        """Returns the result of a job that has ended. Raises FailedError unless the job is done."""
        if job.state != "done":
            raise FailedError(job.problem or f"job {job.id} was {job.state}", job.exit_code)
        return job.result or {}

    # Events

    def events(self, *topics: str) -> Iterator[ServiceEvent]:
        """Yields the service's events from now on, without end; see `api.client.events`."""
        return events(self.connection, topics)

    def _all(self, model: type[Model], path: str, **params: Any) -> Iterator[Model]:
        return map(model.model_validate, self.connection.items(path, **params))

    def _fabric_job(self, fabric: str, action: str, body: Any = None) -> JobDocument:
        return JobDocument.model_validate(self.connection.once(f"/fabrics/{_part(fabric)}/{action}", body))

    def _campaign(self, campaign_id: str, action: str, body: Any = None) -> CampaignDocument:
        return CampaignDocument.model_validate(self.connection.once(f"/campaigns/{_part(campaign_id)}/{action}", body))


def _part(name: str) -> str:
    """A name as one part of a path, whatever is in it."""
    return quote(name, safe="")


def _given(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}
