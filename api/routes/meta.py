# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Version, health and metrics: for people, probes and Prometheus."""

from importlib import metadata

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, Field

from api.access.dependencies import Open, RequiredRole, authenticate
from api.access.roles import Role
from api.base import problems
from api.http.openapi import also
from api.metrics import service_metrics as metrics
from api.metrics.readiness import NotReadyError
from api.routes.fields import Name

router = APIRouter(tags=["meta"])
root = APIRouter(tags=["meta"])


class Version(BaseModel):
    version: str = Field(examples=["0.2.0"])


class Health(BaseModel):
    status: str = Field(examples=["ok"])


class ReadyDocument(BaseModel):
    status: str = Field(examples=["ok"])
    remarks: list[str] = Field(description="Sentences about what needs attention, though requests are served.")
    synchronous_commit: str | None = Field(
        description="PostgreSQL's setting; with `off` a power cut may take answered changes away. Null: the database is SQLite, "
        "where each answered change is on the disk."
    )


@router.get("/version", dependencies=[Open])
def get_version() -> Version:
    """Return the version of the service."""
    return Version(version=metadata.version("ibcc"))


@root.get("/health", dependencies=[Open])
def get_health() -> Health:
    """Report that the process is alive. The database is not asked."""
    return Health(status="ok")


@root.get("/ready", dependencies=[Open], responses=also(problems.Unavailable))
def get_ready(request: Request) -> ReadyDocument:
    """Report whether requests can be served: the database responds, the disk can be written, and the threads for jobs and events
    work."""
    try:
        found = request.app.state.readiness.ask()
    except NotReadyError as error:
        raise problems.Unavailable(str(error)) from error
    return ReadyDocument(status="ok", remarks=found.remarks, synchronous_commit=found.synchronous_commit)


@root.get(
    "/metrics",
    dependencies=[Open],
    response_class=PlainTextResponse,
    responses=also(problems.Unauthenticated, problems.Unavailable),
)
def get_metrics(request: Request) -> Response:
    """Return metrics in the text format of Prometheus. Needs a viewer's token or session, unless the setting `open_metrics` is
    on. A token for some fabrics gets the metrics of those."""
    if request.app.state.settings.open_metrics:
        content, media_type = metrics.exposition(request.app.state.metrics, lambda fabric: True)
    else:
        principal = RequiredRole(Role.VIEWER)(request, authenticate(request))
        content, media_type = metrics.exposition(request.app.state.metrics, principal.may_use)
    return Response(content, media_type=media_type)


@root.get("/problems/{name}", dependencies=[Open], response_class=PlainTextResponse)
def explain_problem(name: Name) -> str:
    """Return what a kind of problem means: the page that `type` of a problem document names."""
    kind = problems.kinds().get(name)
    if kind is None:
        raise problems.NotFound(f"There is no kind of problem {name!r:.80}; there are {', '.join(problems.kinds())}.")
    return f"{kind.title} ({kind.status})\n\n{kind.explanation}\n"
