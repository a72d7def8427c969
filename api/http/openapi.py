# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The OpenAPI document, with what follows from the code of each route: who may call it, and which problems it returns."""

import threading
from collections.abc import Callable
from typing import Any

from fastapi import FastAPI, Request
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse

from api.access.dependencies import declared_role, reads_database
from api.access.parameters import require_parameters_of
from api.access.roles import Role
from api.access.sessions import COOKIE, CSRF_HEADER
from api.base import problems
from api.base.problems import Problem, ProblemDocument
from api.http import idempotency
from api.http.route_list import api_routes

_SECURITY = {
    "token": {"type": "http", "scheme": "bearer", "description": "A token from POST /api/v1/tokens: ibcc_…"},
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": COOKIE,
        "description": f"A browser's session; requests that change something also need the header {CSRF_HEADER}.",
    },
}


_SERVERS = [{"url": "/", "description": "The service that serves this document."}]
"""Relative to the document's address (OpenAPI 3.1, 4.8.5): a service may have any name, and a proxy before it."""

_LOCATION = {"Location": {"description": "Path of what was created or begun.", "required": True, "schema": {"type": "string"}}}
_NOT_MODIFIED = {"description": "The answer is the one whose ETag `If-None-Match` names; it has no body."}


def install(app: FastAPI, path: str, document: Callable[[], dict[str, Any]]) -> None:
    """Serves what `document()` returns at that path, to everybody."""

    lock = threading.Lock()

    def serve(request: Request) -> JSONResponse:  # in a thread: making the document for the first time takes seconds
        require_parameters_of(request, set())
        with lock:
            return JSONResponse(app.openapi())

    app.openapi = document  # type: ignore[method-assign]
    app.add_route(path, serve, include_in_schema=False)


def document_of(app: FastAPI) -> dict[str, Any]:
    """Makes the document of an application's routes."""
    document = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes, servers=_SERVERS)
    components = document.setdefault("components", {})
    components["securitySchemes"] = _SECURITY
    schemas = components.setdefault("schemas", {})
    schemas["ProblemDocument"] = ProblemDocument.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas.update(schemas["ProblemDocument"].pop("$defs", {}))
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    for route in api_routes(app):
        role = declared_role(route.dependant)
        for method in route.methods or ():
            operation = document["paths"].get(route.path_format, {}).get(method.lower())
            if operation is not None:
                _complete(operation, method, role, reads_database(route.dependant))
    components["responses"] = _shared_problems(document["paths"])
    return document


def _shared_problems(paths: dict[str, Any]) -> dict[str, Any]:
    """Returns the answers with a problem, by name of its class, and has the operations refer to them: 14 stand for a thousand."""
    shared = {kind.__name__: problem_response(kind) for kind in problems.kinds().values()}
    references = {kind.title: {"$ref": f"#/components/responses/{kind.__name__}"} for kind in problems.kinds().values()}
    used = set()
    for operation in (operation for methods in paths.values() for operation in methods.values() if isinstance(operation, dict)):
        for status, response in operation.get("responses", {}).items():
            for name, answer in shared.items():
                if response == answer:
                    operation["responses"][status] = references[answer["description"]]
                    used.add(name)
    return {name: answer for name, answer in sorted(shared.items()) if name in used}


def _complete(operation: dict[str, Any], method: str, role: Role | None, with_database: bool) -> None:
    """Adds what follows from the operation's shape, and no more: `tests/api/test_answers.py` has a case for each answer that
    the document lists."""
    # A parameter that is given twice, and one that there is not, are refused by all.
    answers: list[type[Problem]] = [problems.BadRequest, problems.InvalidInput]
    changes = method in ("POST", "PUT", "PATCH", "DELETE")
    parameters = {(one["in"], one["name"].lower()) for one in operation.get("parameters", [])}
    operation["responses"].pop("422", None)
    for parameter in operation.get("parameters", []):
        if parameter["name"] == idempotency.HEADER:
            # A parameter to the code, so that its absence is told in a sentence of its own; a duty to clients.
            parameter["required"] = True
            parameter["schema"] = {"type": "string", "minLength": 1, "maxLength": 128, "pattern": "^[ -~]+$"}
    if role is not None:
        operation["security"] = [{"token": []}, {"session": []}]
        operation["x-role"] = str(role)
        answers.append(problems.Unauthenticated)
        # Too low a role; a token for other fabrics; a browser without the CSRF token.
        if role is not Role.VIEWER or ("path", "fabric") in parameters or changes:
            answers.append(problems.Forbidden)
    if with_database:
        answers.append(problems.Unavailable)
    if any(place == "path" for place, _ in parameters):
        answers.append(problems.NotFound)
    if changes:
        answers.append(problems.TooLarge)
    if "requestBody" in operation:
        answers.append(problems.UnsupportedMedia)
    if ("header", idempotency.HEADER.lower()) in parameters:
        answers.append(problems.KeyReused)
    if ("header", "if-match") in parameters:
        answers += [problems.PreconditionFailed, problems.PreconditionRequired]
    for status, response in operation["responses"].items():
        if status in ("201", "202"):
            response["headers"] = response.get("headers", {}) | _LOCATION
    if method == "GET":
        operation["responses"].setdefault("304", _NOT_MODIFIED)
    for kind in answers:
        operation["responses"].setdefault(str(kind.status), problem_response(kind))
    operation["responses"] = dict(sorted(operation["responses"].items()))


def problem_response(kind: type[Problem]) -> dict[str, Any]:
    """A response of OpenAPI. A route that raises what does not follow from its shape says so: `responses=also(Unavailable)`."""
    return {
        "description": kind.title,
        "content": {problems.MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemDocument"}}},
    }


def also(*kinds: type[Problem]) -> dict[int | str, dict[str, Any]]:
    """For `responses=` of a route."""
    return {kind.status: problem_response(kind) for kind in kinds}
