# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""ETag and If-Match: who changes something has seen what they change."""

from typing import Annotated, TypeAlias

from fastapi import Header, Response

from api.base.problems import PreconditionFailed, PreconditionRequired

IfMatch: TypeAlias = Annotated[
    str | None,
    Header(alias="If-Match", description="The ETag that was read. 428 without it; 412 if the object has changed since."),
]

IfNoneMatch: TypeAlias = Annotated[
    str | None,
    Header(alias="If-None-Match", pattern=r"^\*$", description="`*`: the object must be new; 412 if it exists already."),
]


def etag(revision: int | str) -> str:
    """The strong ETag of a revision (RFC 9110, 8.8.3)."""
    return f'"{revision}"'


def set_etag(response: Response, revision: int | str) -> None:
    response.headers["ETag"] = etag(revision)


def require_match(if_match: str | None, revision: int | str, what: str) -> None:
    """Raises PreconditionRequired or PreconditionFailed. `what`: the object, in the sentence that people read."""
    if if_match is None:
        raise PreconditionRequired(f"To change {what}, send If-Match with the ETag that GET gives.")
    given = [one.strip() for one in if_match.split(",")]
    if "*" not in given and etag(revision) not in given:
        raise PreconditionFailed(
            f"{what} is at {etag(revision)}, not at {if_match[:80]}: it was changed since you read it; read it again."
        )


def require_match_or_none(if_match: str | None, if_none_match: str | None, revision: int | None, what: str) -> None:
    """Like require_match(), for an object that may not exist yet; `revision` is None then. Raises PreconditionRequired or
    PreconditionFailed."""
    if if_none_match is not None and revision is not None:
        raise PreconditionFailed(f"There is {what} already, at {etag(revision)}; read it, and send If-Match to change it.")
    if revision is not None:
        require_match(if_match, revision, what)
    elif if_match is not None:
        raise PreconditionFailed(f"There is no {what}, so it cannot be at {if_match[:80]}; send If-None-Match: * to add one.")
    elif if_none_match is None:
        raise PreconditionRequired(f"There is no {what}; send If-None-Match: * to add one.")
