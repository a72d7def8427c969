# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Version, health and metrics: for people, probes and Prometheus."""

from importlib import metadata

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, Field
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from api import metrics, problems
from api.access.dependencies import Open, RequiredRole, authenticate
from api.access.roles import Role
from api.openapi import also
from api.routes.fields import Name

router = APIRouter(tags=["meta"])
root = APIRouter(tags=["meta"])


class Version(BaseModel):
    version: str = Field(examples=["0.1.0"])


class Health(BaseModel):
    status: str = Field(examples=["ok"])


@router.get("/version", dependencies=[Open])
def get_version() -> Version:
    """Return the version of the service."""
    return Version(version=metadata.version("ibcc"))


@root.get("/health", dependencies=[Open])
def get_health() -> Health:
    """Report that the process is alive. The database is not asked."""
    return Health(status="ok")


@root.get("/ready", dependencies=[Open], responses=also(problems.Unavailable))
def get_ready(request: Request) -> Health:
    """Report whether requests can be served: the database responds, and the threads for jobs and events are alive."""
    try:
        with request.app.state.database.reading() as session:
            session.execute(text("SELECT 1"))
    except SQLAlchemyError as error:
        raise problems.Unavailable("The database is not responding.") from error
    for part, name in ((request.app.state.worker, "jobs"), (request.app.state.hub, "events")):
        if part is not None and not part.is_alive():
            raise problems.Unavailable(f"The thread for {name} has ended; restart the service.")
    return Health(status="ok")


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
