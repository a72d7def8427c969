# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Failures as problem documents (RFC 9457): one class a kind, raised anywhere, turned into answers in `api.http.problem_answers`.

The `detail` is one clear sentence with the offending value and what would be right; `type` is `/problems/NAME`, a page that
explains the kind.
"""

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from tuner.errors import ApplyFailedError, BadInputError, IbccError, NeedsPersonError, UnreachableError

MEDIA_TYPE = "application/problem+json"

BUG = 70
"""Exit code of a command that met a bug of ibcc, here or in the service (EX_SOFTWARE of sysexits.h)."""


def exit_code(status: int) -> int:
    """The exit code of a command whose request was answered with that status."""
    if status in (401, 403, 429):
        return IbccError.exit_code  # not for you, or not now
    if status in (409, 412, 428):
        return NeedsPersonError.exit_code
    if status == 500:
        return BUG
    return UnreachableError.exit_code if status > 500 else BadInputError.exit_code


class FieldProblem(TypedDict):
    """An error in one field of a body, query or header."""

    field: str
    detail: str


class ProblemDocument(BaseModel):
    """The body of every error (RFC 9457)."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "examples": [
                {
                    "type": "/problems/not-found",
                    "title": "Not found",
                    "status": 404,
                    "detail": "There is no user '018f'.",
                    "instance": "/api/v1/users/018f",
                }
            ]
        },
    )

    type: str = Field(description="Kind of the problem: the path of a page that explains it.")
    title: str
    status: int
    detail: str = Field(description="A sentence with the offending value and what would be right.")
    instance: str = Field(description="Path of the request.")
    errors: list[FieldProblem] | None = Field(None, description="Errors by field.")


class Problem(Exception):  # noqa: N818  (the name is the RFC's)
    """Base of all kinds. `more` are further members of the document."""

    status: ClassVar[int] = 400
    title: ClassVar[str] = "Bad request"
    explanation: ClassVar[str] = "The request is malformed."

    def __init__(
        self, detail: str, *, errors: list[FieldProblem] | None = None, headers: dict[str, str] | None = None, **more: Any
    ) -> None:
        self.detail, self.errors, self.headers, self.more = detail, errors, headers or {}, more
        super().__init__(detail)

    @property
    def exit_code(self) -> int:
        """Exit code of a command that fails with this problem."""
        return exit_code(self.status)

    @classmethod
    def name(cls) -> str:
        return cls.title.lower().replace(" ", "-")

    def document(self, instance: str) -> dict[str, Any]:
        document = {
            "type": f"/problems/{self.name()}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "instance": instance,
            **self.more,
        }
        return document if self.errors is None else document | {"errors": self.errors}


class BadRequest(Problem):
    pass


class Unauthenticated(Problem):
    status, title = 401, "Unauthenticated"
    explanation = "Log in, or send a valid token: Authorization: Bearer ibcc_…"


class Forbidden(Problem):
    status, title = 403, "Forbidden"
    explanation = "Your role or your token does not allow this."


class NotFound(Problem):
    status, title = 404, "Not found"
    explanation = "Nothing has that name or identifier."


class MethodNotAllowed(Problem):
    status, title = 405, "Method not allowed"
    explanation = "The path does not support this method; the header Allow lists the methods that it supports."


class NotAcceptable(Problem):
    status, title = 406, "Not acceptable"
    explanation = "The answer is not available in the requested media type."


class Conflict(Problem):
    status, title = 409, "Conflict"
    explanation = "The request conflicts with the present state."


class StoreBehind(Problem):
    status, title = 409, "Store behind"
    explanation = (
        "The campaign's own store has fewer trials than the database: restore it from the same backup, or resume with "
        "measure_again, which measures the others again."
    )


class Busy(Problem):
    status, title = 409, "Busy"
    explanation = "Somebody else is using the fabric now; the detail names them."


class KeyReused(Problem):
    status, title = 409, "Key reused"
    explanation = "An Idempotency-Key belongs to one request: use a new key for another request."


class PreconditionFailed(Problem):
    status, title = 412, "Precondition failed"
    explanation = "Somebody has changed the object since you read it: read it again, and decide again."


class TooLarge(Problem):
    status, title = 413, "Too large"
    explanation = (
        "The body is larger than the setting body_limit_bytes allows, import_limit_bytes for a file to import, or 64 KiB for "
        "a request without a session or token."
    )


class UnsupportedMedia(Problem):
    status, title = 415, "Unsupported media"
    explanation = "The body must be JSON: send Content-Type: application/json. A file to import is application/octet-stream."


class InvalidInput(Problem):
    status, title = 422, "Invalid input"
    explanation = "A value in the request is wrong; errors lists the fields."

    @classmethod
    def of_field(cls, field: str, detail: str) -> "InvalidInput":
        """Returns the problem of one field, parameter or header."""
        return cls(f"{field}: {detail}", errors=[{"field": field, "detail": detail}])


class PreconditionRequired(Problem):
    status, title = 428, "Precondition required"
    explanation = "Send If-Match with the ETag that you read, so that no other change is lost."


class TooManyRequests(Problem):
    status, title = 429, "Too many requests"
    explanation = "Wait as long as the header Retry-After says, in seconds."


class InternalError(Problem):
    status, title = 500, "Internal error"
    explanation = "This is a bug of ibcc; the server's log has the details under the same request_id."


class FabricFailed(Problem):
    status, title = 502, "Fabric failed"
    explanation = "The fabric did not accept the profile; the base profile is in force again."

    @property
    def exit_code(self) -> int:
        return ApplyFailedError.exit_code


class Unavailable(Problem):
    status, title = 503, "Unavailable"
    explanation = "The fabric or the database is unreachable, or too many passwords are being checked."


def kinds() -> dict[str, type[Problem]]:
    """All kinds by name, those of other modules too."""
    found: dict[str, type[Problem]] = {}
    classes = list(Problem.__subclasses__())
    while classes:
        kind = classes.pop()
        classes += kind.__subclasses__()
        found[kind.name()] = kind
    return dict(sorted(found.items()))
