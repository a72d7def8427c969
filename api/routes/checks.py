# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Nightly checks of fabrics: documents, schedules, nights, trends and baselines."""

from datetime import date
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import JSONResponse
from pydantic import AfterValidator, ConfigDict, Field

from api.access.dependencies import Operator, Reading, Viewer, Writing, acting
from api.access.principal import Principal
from api.base import patterns
from api.base.problems import Conflict, NotFound
from api.documents.checks import (
    BaselineDocument,
    ChangesDocument,
    CheckDocument,
    CheckTemplate,
    Day,
    NightDocument,
    NightFinding,
    NightSummary,
    TrendsDocument,
)
from api.documents.jobs import JobDocument
from api.documents.validation import DocumentValidation
from api.http.idempotency import OnlyOnce
from api.http.openapi import also
from api.http.pages import Page, Paging, paginate_list
from api.http.preconditions import IfMatch, require_match, set_etag
from api.queue.documents import job_document
from api.queue.table import accepted_once
from api.routes.fields import Body, CheckName, Name, Text
from api.services.checks import baselines, creation, nights, queries
from api.services.checks.documents import (
    baseline_document,
    check_document,
    check_documents,
    night_document,
    night_findings,
    night_summaries,
)
from api.services.checks.files import MAX_DOCUMENT_BYTES, present_check
from api.services.checks.history import baseline_of, runs_of
from api.services.checks.privacy import run_for
from api.services.checks.schedule import Schedule
from api.services.checks.trends import changes, trends
from api.services.checks.validation import check_validation
from api.services.fabrics import get_fabric
from api.states.checks import CHECKS, CheckAction
from tuner.checks.store.history import KEEP_NIGHTS
from tuner.documents.zone_times import DAYS, Zone

router = APIRouter(tags=["checks"])

_EXAMPLE = """\
ibcc_check: 1
description: fairness of the published test bed
kinds:
- {kind: fairness, workload: scenario-1, profile: gran-2010, time_scale: 0.1}
"""

_Keep = Annotated[int, Field(ge=10, le=4000, description="Nights to keep; older ones are removed.")]
_Document = Annotated[
    Text,
    Field(
        min_length=1,
        max_length=MAX_DOCUMENT_BYTES,
        description="A check document (YAML). Its `name` and `fabric` are those given here, or are omitted; profiles and "
        "workloads are named as the service names them, and no entry names a socket.",
    ),
]
_Night = Annotated[date, Path(description="Date of the night, by the clocks of the schedule's zone.", examples=["2026-11-25"])]


def _some_days(days: list[Day]) -> list[Day]:
    return [day for day in DAYS if day in days]


class ScheduleBody(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"at": "02:17", "zone": "Europe/Oslo", "late_by_h": 6}]})

    enabled: bool = True
    at: Annotated[
        str,
        Field(
            pattern=patterns.TIME_OF_DAY,
            description="Time of day. Where clocks are set forward over it, the check runs later by as much; where it comes "
            "twice, it runs once, the first time.",
        ),
    ]
    zone: Annotated[Zone, Field(max_length=64, description="Zone whose clocks count, such as `Europe/Oslo`.")] = "UTC"
    days: Annotated[list[Day], AfterValidator(_some_days), Field(min_length=1, max_length=7)] = Field(
        default_factory=lambda: list(DAYS)
    )
    late_by_h: Annotated[
        float, Field(ge=0, le=23, description="Hours after `at` within which a night is still run; after that it is missed.")
    ] = 6.0
    when_busy: Annotated[
        Literal["wait", "skip"],
        Field(description="If something else measures on the fabric: `wait` until `late_by_h` is over, or `skip` the night."),
    ] = "wait"

    def schedule(self) -> Schedule:
        return Schedule(**self.model_dump())


class NewCheck(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "site", "fabric": "two-switch", "template": "quick"}]})

    name: Name
    fabric: Name
    template: Annotated[Text, Field(max_length=64, description="Name of a template, from `list_check_templates`.")] | None = None
    document: _Document | None = None
    schedule: ScheduleBody | None = None
    keep_nights: _Keep = KEEP_NIGHTS


class CheckToValidate(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"document": _EXAMPLE, "fabric": "two-switch"}]})

    document: _Document
    fabric: Name
    name: Name = "check"


class CheckChange(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"document": _EXAMPLE}]})

    document: _Document
    keep_nights: _Keep = KEEP_NIGHTS


class AcceptBody(Body):
    """Either `last`, or `first` and `until`, of which one may be omitted."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"last": 10}]})

    last: Annotated[int, Field(ge=1, le=10_000, description="Number of last nights to accept.")] | None = None
    first: date | None = Field(None, description="Accept the nights from this date on.")
    until: date | None = Field(None, description="Accept the nights up to this date.")
    only: Annotated[list[Annotated[Text, Field(min_length=1, max_length=128)]], Field(max_length=100)] = Field(
        [], description="Accept them for these entries and `entry.metric` alone; empty: all."
    )


def _may(action: CheckAction) -> Any:
    return acting(CHECKS.role(action))


@router.get("/check-templates", response_model=Page[CheckTemplate])
def list_check_templates(principal: Viewer, page: Paging) -> object:
    """List the checks that come with ibcc, as templates for your own."""
    found, cursor = paginate_list(list(creation.templates().values()), lambda one: one[0].name, page)
    items = [
        {
            "name": check.name,
            "description": check.description,
            "document": text,
            "kinds": [entry.kind for entry in check.kinds],
        }
        for check, text in found
    ]
    return {"items": items, "next_cursor": cursor}


@router.get("/checks", response_model=Page[CheckDocument])
def list_checks(
    principal: Viewer, session: Reading, page: Paging, fabric: Annotated[Text | None, Query(max_length=64)] = None
) -> object:
    """List the checks by name, each with its last night and its next run."""
    rows, cursor = queries.list_checks(session, principal, page, fabric=fabric)
    return {"items": check_documents(session, principal, rows), "next_cursor": cursor}


@router.post("/checks", status_code=201, responses=also(Conflict, NotFound))
def create_check(principal: Operator, session: Writing, body: NewCheck, response: Response) -> CheckDocument:
    """Create a check of a fabric, from a template or a document. Without a schedule it runs only by `run_check`."""
    principal.require_fabric(body.fabric)
    row = creation.create_check(
        session,
        principal,
        name=body.name,
        fabric=get_fabric(session, body.fabric),
        template=body.template,
        document=body.document,
        schedule=None if body.schedule is None else body.schedule.schedule(),
        keep_nights=body.keep_nights,
    )
    session.flush()
    set_etag(response, row.revision)
    response.headers["Location"] = f"/api/v1/checks/{row.name}"
    return check_document(session, principal, row)


@router.post("/checks/validate", responses=also(NotFound))
def validate_check(principal: Operator, session: Reading, body: CheckToValidate) -> DocumentValidation:
    """Validate a check's document on a fabric: return its errors with their places. Nothing is stored."""
    principal.require_fabric(body.fabric)
    return check_validation(session, principal, body.document, name=body.name, fabric=get_fabric(session, body.fabric))


@router.get("/checks/{name}")
def get_check(principal: Viewer, session: Reading, name: CheckName, response: Response) -> CheckDocument:
    """Return a check. `stream_events` with the topic `checks` reports its nights."""
    row = queries.get_check(session, principal, name)
    set_etag(response, row.revision)
    return check_document(session, principal, row)


@router.put("/checks/{name}", responses=also(Conflict))
def change_check(
    principal: Annotated[Principal, _may("change")],
    session: Writing,
    name: CheckName,
    body: CheckChange,
    response: Response,
    if_match: IfMatch = None,
) -> CheckDocument:
    """Replace a check's document. Entries whose options have changed are not compared with the baseline any more.
    Refused while a night is running."""
    row = queries.get_check(session, principal, name, locked=True)
    require_match(if_match, row.revision, f"check '{name}'")
    fabric = get_fabric(session, row.fabric)
    creation.change_check(session, principal, row, fabric, document=body.document, keep_nights=body.keep_nights)
    return _changed(session, principal, row, response)


@router.put("/checks/{name}/schedule")
def change_check_schedule(
    principal: Annotated[Principal, _may("schedule")],
    session: Writing,
    name: CheckName,
    body: ScheduleBody,
    response: Response,
    if_match: IfMatch = None,
) -> CheckDocument:
    """Set the time at which the check runs each night, or switch its schedule off."""
    row = queries.get_check(session, principal, name, locked=True)
    require_match(if_match, row.revision, f"check '{name}'")
    creation.change_schedule(session, principal, row, body.schedule())
    return _changed(session, principal, row, response)


@router.delete("/checks/{name}", status_code=204, responses=also(Conflict))
def delete_check(
    principal: Annotated[Principal, _may("delete")], session: Writing, name: CheckName, if_match: IfMatch = None
) -> None:
    """Delete a check with its nights, its baseline and its answers. Refused while a night is running."""
    row = queries.get_check(session, principal, name, locked=True)
    require_match(if_match, row.revision, f"check '{name}'")
    creation.delete_check(session, principal, row)


@router.post("/checks/{name}/run", status_code=202, response_model=JobDocument, responses=also(Conflict))
def run_check(principal: Annotated[Principal, _may("run")], session: Writing, once: OnlyOnce, name: CheckName) -> JSONResponse:
    """Run tonight's check now, or repeat it; the last run of a night counts. It starts when nothing else measures on the
    fabric."""
    queries.get_check(session, principal, name)  # a token for other fabrics gets no stored answer either

    def work() -> tuple[int, Any, dict[str, str]]:
        row = queries.get_check(session, principal, name, locked=True)
        return accepted_once(principal, nights.request_run(session, principal, row))

    return once(session, principal, None, work)


@router.post("/checks/{name}/cancel", responses=also(Conflict))
def cancel_check(principal: Annotated[Principal, _may("cancel")], session: Writing, name: CheckName) -> JobDocument:
    """Cancel the night that is running. Nothing of it is kept, and the fabric is left as it was found."""
    row = queries.get_check(session, principal, name, locked=True)
    return job_document(principal, nights.cancel(session, principal, row))


@router.get("/checks/{name}/nights", response_model=Page[NightSummary])
def list_nights(
    principal: Viewer,
    session: Reading,
    page: Paging,
    name: CheckName,
    before: Annotated[date | None, Query(description="Only nights before this date.")] = None,
    since: Annotated[date | None, Query(description="Only nights from this date on.")] = None,
) -> object:
    """List the nights, newest first, with those that were missed."""
    row = queries.get_check(session, principal, name)
    found, cursor = queries.list_nights(session, row, page, before=before, since=since)
    return {"items": night_summaries(session, principal, row, found), "next_cursor": cursor}


@router.get("/checks/{name}/nights/{night}")
def get_night(principal: Viewer, session: Reading, name: CheckName, night: _Night) -> NightDocument:
    """Return a night with all that was observed."""
    row = queries.get_check(session, principal, name)
    found = queries.get_night(session, row, night)
    return night_document(session, principal, row, found, queries.run_of(session, row, found))


@router.get("/checks/{name}/nights/{night}/findings", response_model=Page[NightFinding])
def list_night_findings(principal: Viewer, session: Reading, page: Paging, name: CheckName, night: _Night) -> object:
    """List all findings of a night by entry, the gravest of each first."""
    row = queries.get_check(session, principal, name)
    found = night_findings(principal, queries.run_of(session, row, queries.get_night(session, row, night)))
    items, cursor = paginate_list(list(enumerate(found)), lambda one: f"{one[0]:06d}", page)
    return {"items": [one for _, one in items], "next_cursor": cursor}


@router.delete("/checks/{name}/nights/{night}", status_code=204, responses=also(Conflict))
def delete_night(principal: Operator, session: Writing, name: CheckName, night: _Night) -> None:
    """Delete a night, such as one that a wrong clock has dated. Refused for one that belongs to a baseline."""
    row = queries.get_check(session, principal, name, locked=True)
    nights.delete_night(session, principal, row, queries.get_night(session, row, night, locked=True))


@router.get("/checks/{name}/metrics")
def get_check_metrics(principal: Viewer, session: Reading, name: CheckName) -> TrendsDocument:
    """Return the trend of each metric: its values by night, and what a change must reach to be found."""
    row = queries.get_check(session, principal, name)
    check = present_check(session, row)
    return TrendsDocument(items=trends(check, runs_of(session, name), baseline_of(row)))


@router.get("/checks/{name}/changes")
def get_check_changes(principal: Viewer, session: Reading, name: CheckName) -> ChangesDocument:
    """Return what the last night shows that the last good night before it does not."""
    row = queries.get_check(session, principal, name)
    check = present_check(session, row)
    return changes(check, [run_for(run, principal.role) for run in runs_of(session, name)])


@router.get("/checks/{name}/baseline")
def get_baseline(principal: Viewer, session: Reading, name: CheckName) -> BaselineDocument:
    """Return the accepted nights."""
    return baseline_document(baselines.get_baseline(queries.get_check(session, principal, name)))


@router.post("/checks/{name}/baseline")
def accept_nights(
    principal: Annotated[Principal, _may("accept")], session: Writing, name: CheckName, body: AcceptBody
) -> BaselineDocument:
    """Accept nights as the baseline that later nights are compared with: at least 5 that were observed."""
    row = queries.get_check(session, principal, name, locked=True)
    chosen = baselines.accept(session, principal, row, last=body.last, first=body.first, until=body.until, only=body.only)
    return baseline_document(chosen)


@router.delete("/checks/{name}/baseline", responses=also(Conflict))
def undo_accept(principal: Annotated[Principal, _may("undo_accept")], session: Writing, name: CheckName) -> BaselineDocument:
    """Put the baseline before the present one back, and return it."""
    row = queries.get_check(session, principal, name, locked=True)
    return baseline_document(baselines.undo_accept(session, principal, row))


def _changed(session: Any, principal: Principal, row: Any, response: Response) -> CheckDocument:
    session.flush()
    set_etag(response, row.revision)
    return check_document(session, principal, row)
