# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Every failure of a request as a problem document; `api.middleware.unhandled_errors` answers for what is not foreseen here."""

from typing import Any
from urllib.parse import unquote

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import iter_route_contexts
from sqlalchemy.exc import OperationalError
from starlette.exceptions import HTTPException

from api.access import redaction
from api.base import problems
from api.base.problems import FieldProblem, Problem
from api.base.validation_words import complaint
from api.database.failures import failure_sentence
from api.middleware.refused_body import RefusedBodyError
from tuner.documents.printable import printable
from tuner.errors import ApplyFailedError, BadInputError, IbccError, NeedsPersonError, UnreachableError

_BY_STATUS: dict[int, type[Problem]] = {
    kind.status: kind
    for kind in (
        problems.BadRequest,
        problems.Unauthenticated,
        problems.Forbidden,
        problems.NotFound,
        problems.MethodNotAllowed,
        problems.NotAcceptable,
        problems.UnsupportedMedia,
    )
}

_log = structlog.get_logger()


def answer(request: Request, problem: Problem) -> JSONResponse:
    document = _without_places(request, problem.document(request.url.path))
    return JSONResponse(document, problem.status, headers=problem.headers, media_type=problems.MEDIA_TYPE)


def _without_places(request: Request, document: dict[str, Any]) -> dict[str, Any]:
    """Returns the document without paths of this machine that the caller's role may not see; those that the caller sent stay.
    Sentences may repeat what others wrote, so characters that are not printable become visible escapes."""
    role = getattr(request.state, "role", None)
    # A body that nobody has read is not in the sentence.
    body: bytes = getattr(request, "_body", b"")
    typed = f"{unquote(str(request.url))} {body.decode(errors='replace')}"

    def redacted(value: Any) -> Any:
        if isinstance(value, str):
            return printable(redaction.redacted(value, role, typed=typed) if "/" in value else value)
        if isinstance(value, dict):
            return {name: redacted(one) for name, one in value.items()}
        return [redacted(one) for one in value] if isinstance(value, list) else value

    return {name: value if name in ("type", "instance") else redacted(value) for name, value in document.items()}


def from_failure(error: IbccError) -> Problem:
    """The problem that a failure of tuner is for a client."""
    if isinstance(error, BadInputError):
        return problems.InvalidInput(error.sentence, errors=None if error.line is None else [_at_line(error)])
    if isinstance(error, UnreachableError):
        return problems.Unavailable(str(error))
    if isinstance(error, ApplyFailedError):
        return problems.FabricFailed(str(error))
    if isinstance(error, NeedsPersonError):
        return problems.Conflict(str(error))
    return problems.Conflict(str(error))


def _at_line(error: BadInputError) -> FieldProblem:
    return {"field": f"line {error.line}", "detail": error.sentence}


def from_validation(found: list[Any]) -> Problem:
    """All fields that a body, path, query or header has wrong."""
    fields: list[FieldProblem] = []
    for error in found:
        place = [_printable(str(part)) for part in error["loc"]]
        if error["type"] == "json_invalid":
            return problems.BadRequest(f"The body is not JSON: {error.get('ctx', {}).get('error', error['msg'])}.")
        where = ".".join(place[1:] if place[0] == "body" and len(place) > 1 else place)
        detail = complaint(error)
        given = error.get("input")
        shown = isinstance(given, str | int | float) and not _is_secret(where) and error["type"] != "missing"
        fields.append({"field": where, "detail": f"{detail} (given: {_short(given)})" if shown else detail})
    first = fields[0]
    more = f", and {len(fields) - 1} more" if len(fields) > 1 else ""
    return problems.InvalidInput(f"{first['field']} {first['detail']}{more}", errors=fields)


def _printable(text: str) -> str:
    """The name of a field may be anything; half of a surrogate pair cannot be written."""
    return text.encode("utf-8", "backslashreplace").decode()


def _is_secret(field: str) -> bool:
    return any(word in field.lower() for word in ("password", "token", "secret", "current", "new", "authorization", "cookie"))


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}…"


def install(app: FastAPI) -> None:
    """Registers the handlers."""

    @app.exception_handler(Problem)
    async def of_ours(request: Request, error: Problem) -> JSONResponse:
        return answer(request, error)

    @app.exception_handler(IbccError)
    async def of_tuner(request: Request, error: IbccError) -> JSONResponse:
        return answer(request, from_failure(error))

    @app.exception_handler(RequestValidationError)
    async def of_validation(request: Request, error: RequestValidationError) -> JSONResponse:
        if isinstance(error.body, bytes):  # what is sent as something else than JSON is not read
            given = request.headers.get("content-type")
            said = "no Content-Type" if given is None else f"the Content-Type {given!r:.80}"
            return answer(request, problems.UnsupportedMedia(f"The body has {said}; application/json would be right."))
        return answer(request, from_validation(list(error.errors())))

    @app.exception_handler(HTTPException)
    async def of_framework(request: Request, error: HTTPException) -> JSONResponse:
        if not isinstance(error, RefusedBodyError):
            return answer(request, _from_framework(request, error))
        if isinstance(error.cause, Problem):
            return answer(request, error.cause)
        if isinstance(error.cause, OperationalError):
            return await of_database(request, error.cause)
        raise error.cause

    @app.exception_handler(OperationalError)
    async def of_database(request: Request, error: OperationalError) -> JSONResponse:
        _log.error("database", error=str(error.orig))
        return answer(request, problems.Unavailable(failure_sentence(error)))


def _from_framework(request: Request, error: HTTPException) -> Problem:
    kind = _BY_STATUS.get(error.status_code)
    headers = dict(error.headers or {})
    if error.status_code == 405:
        # The framework knows the methods of one route; a path has several.
        methods = _methods_of(request)
        if not methods:
            return problems.NotFound(f"There is nothing at {request.url.path}.")
        headers["Allow"] = ", ".join(methods)
    if kind is None:
        kind = problems.BadRequest if error.status_code < 500 else problems.InternalError
    sentence = {
        404: f"There is nothing at {request.url.path}.",
        405: f"{request.method} does not exist for {request.url.path}; {headers.get('Allow')} would be right.",
    }.get(error.status_code, str(error.detail))
    return kind(sentence, headers=headers)


def _methods_of(request: Request) -> list[str]:
    """Returns the methods of a path; none where only the page for all other paths would answer."""
    found: set[str] = set()
    for route in iter_route_contexts(request.app.routes):
        if route.methods and route.name != "page" and route.path_regex.match(request.url.path):
            found |= route.methods
    return sorted(found)
