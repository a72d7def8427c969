# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The application: `create_app` assembles middleware and routes.

A module of `api.routes` that has `router` is served under /api/v1, and one that has `root` at the root; none is listed here.
"""

import functools
import importlib
import pkgutil
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import metadata
from typing import Any

from fastapi import FastAPI

from api import routes
from api.access.dependencies import declared_role
from api.background.check_scheduler import CheckScheduler
from api.background.fabric_watcher import FabricWatcher
from api.background.host_watch_scheduler import HostWatchScheduler
from api.background.housekeeping import Housekeeping
from api.backups.restoring import require_whole
from api.base.places import add_own_folder
from api.base.private_folder import make_private_folder
from api.configuration.notification_addresses import with_log
from api.configuration.settings import Settings
from api.database.engine import Database
from api.database.upgrade import upgrade
from api.events.hub import Hub
from api.http import openapi, problem_answers, ui_files
from api.http.route_list import api_routes
from api.jobs.worker import Worker
from api.metrics.readiness import Readiness
from api.metrics.service_metrics import Metrics
from api.middleware.body_limit import BodyLimit
from api.middleware.conditional_get import ConditionalGet
from api.middleware.request_log import RequestLog
from api.middleware.security_headers import SecurityHeaders
from api.middleware.single_parameters import SingleParameters
from api.middleware.trusted_host import TrustedHost
from api.middleware.unhandled_errors import UnhandledErrors
from api.notifiers.notifier import Notifying
from api.services.fabric_hosting import FabricHosting

API = "/api/v1"

DESCRIPTION = """\
Congestion control of InfiniBand fabrics: profiles, campaigns that search for better ones, and the tables on the devices.

Log in with `POST /api/v1/session`, or send `Authorization: Bearer ibcc_…`. Errors are returned as problem documents
(RFC 9457). Lists are returned in pages. A change of an object that others can edit needs `If-Match`, and an action on a fabric
needs `Idempotency-Key`. What was created or begun is at the `Location` of the answer, 201 or 202: long-running actions return
202 with that of a job. Answers to GET without the ETag of a revision have a weak one of their content; with it in
`If-None-Match`, an answer that has not changed is 304.
"""


_ABOUT: dict[str, Any] = {
    "title": "ibcc",
    "version": metadata.version("ibcc"),
    "description": DESCRIPTION,
    "openapi_url": None,  # openapi.install() serves it, as its own route would ignore parameters
    "docs_url": None,  # its page loads scripts from elsewhere
    "redoc_url": None,
    "redirect_slashes": False,
    "generate_unique_id_function": lambda route: route.name,
    "separate_input_output_schemas": False,
}


def create_app(settings: Settings, database: Database | None = None) -> FastAPI:
    """The application, whose `state` has `settings`, `database`, `hub`, `metrics` and `worker`.

    The schema is brought up to date here. Threads begin with the application's lifespan and end with it; so does `database`, if
    it was made here.
    """
    make_private_folder(settings.state_folder)
    require_whole(settings.state_folder)
    add_own_folder(settings.state_folder)
    own = database is None
    addresses = with_log(settings.notify)
    database = database or Database(settings.database)
    upgrade(database.engine)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        names = ("hub", "fabrics", "worker", "housekeeping", "check_scheduler", "host_watches", "fabric_watcher", "notifying")
        parts = [getattr(app.state, name) for name in names]
        for part in parts:
            part.start()
        try:
            yield
        finally:
            for part in reversed(parts):  # jobs end before the fabrics that they are about
                part.stop()
            app.state.metrics.readings.close()
            if own:
                app.state.database.close()

    app = FastAPI(lifespan=lifespan, **_ABOUT)
    app.state.settings = settings
    app.state.database = database
    app.state.hub = Hub(database, settings.events_kept_s)
    app.state.metrics = Metrics(database, app.state.hub)
    # Without workers, the server still runs jobs that only it can run.
    app.state.worker = Worker(database, settings, slots=max(settings.workers, 1), place="both" if settings.workers else "server")
    app.state.housekeeping = Housekeeping(database, settings.events_kept_s)
    app.state.check_scheduler = CheckScheduler(database)
    app.state.host_watches = HostWatchScheduler(database, settings.host_watch_s)
    app.state.fabric_watcher = FabricWatcher(database)
    app.state.notifying = Notifying(database, addresses)
    app.state.fabrics = FabricHosting(database)
    app.state.readiness = Readiness(settings, database, app.state.worker, app.state.hub, app.state.fabrics)
    problem_answers.install(app)
    app.router.routes.extend(_routed().routes)
    openapi.install(app, f"{API}/openapi.json", _document)
    ui_files.install(app)
    # The last one added is the first that a request passes.
    app.add_middleware(ConditionalGet)
    app.add_middleware(UnhandledErrors)
    app.add_middleware(SingleParameters)
    app.add_middleware(
        BodyLimit,
        limit_bytes=settings.body_limit_bytes,
        uploads=re.compile(rf"{API}/fabric-imports(/[0-9a-f]+/routes)?"),
        upload_limit_bytes=settings.import_limit_bytes,
    )
    app.add_middleware(TrustedHost, hosts=settings.hosts)
    app.add_middleware(SecurityHeaders)
    app.add_middleware(RequestLog, state=app.state)
    return app


@functools.cache
def _routed() -> FastAPI:
    """Returns an application with all routes of `api/routes` and nothing else. The routes hold nothing of an application, and
    FastAPI works long on their parameters: the applications of a process share them."""
    routers = FastAPI(**_ABOUT)
    for module in pkgutil.iter_modules(routes.__path__):
        loaded = importlib.import_module(f"{routes.__name__}.{module.name}")
        if hasattr(loaded, "router"):
            routers.include_router(loaded.router, prefix=API)
        if hasattr(loaded, "root"):
            routers.include_router(loaded.root)
    _require_roles(routers)
    return routers


@functools.cache
def _document() -> dict[str, Any]:
    """Returns the OpenAPI document, which the applications of a process share too."""
    return openapi.document_of(_routed())


def _require_roles(app: FastAPI) -> None:
    for route in api_routes(app):
        try:
            declared_role(route.dependant)
        except LookupError as error:
            raise AssertionError(f"{sorted(route.methods or ())} {route.path}: {error}") from error
