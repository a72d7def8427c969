# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Idempotency-Key: a request that acts on a fabric is done once, however often it is sent.

The answer is stored with the key in the transaction that did the work; a repetition gets it again. The same key with another
request is refused. A request that failed is not stored: it changed nothing, and may be sent again.
"""

import hashlib
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Annotated, Any, TypeAlias

from fastapi import Depends, Header, Request
from fastapi.encoders import jsonable_encoder
from fastapi.responses import JSONResponse
from sqlalchemy import delete
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.base.problems import BadRequest, KeyReused
from api.base.times import now
from api.database.models.idempotency_record import IdempotencyRecord

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"

_KEPT_S = 7 * 86400


class Once:
    """Does the work of a request at most once. As a parameter of a route: `once: OnlyOnce`."""

    def __init__(self, key: str, method: str, path: str) -> None:
        self._key, self._method, self._path = key, method, path

    def __call__(
        self, session: Session, principal: Principal, body: Any, work: Callable[[], tuple[int, Any, dict[str, str]]]
    ) -> JSONResponse:
        """The answer: of `work`, which gives status, body and headers, or the stored one. Raises KeyReused.

        `body` is the request's, as read. All in the transaction of `session`.
        """
        fingerprint = self._fingerprint(body)
        record = IdempotencyRecord(user_id=principal.user_id, key=self._key, fingerprint=fingerprint)
        try:
            # First of all: whoever sends the same at the same time waits here until this transaction ends.
            with session.begin_nested():
                session.add(record)
        except IntegrityError:
            earlier = session.get(IdempotencyRecord, (principal.user_id, self._key), populate_existing=True)
            assert earlier is not None, "only sweep() removes records, and only old ones"
            return self._again(earlier, fingerprint)
        status, answer, headers = work()
        record.status, record.body, record.headers = status, jsonable_encoder(answer), headers
        session.flush()
        return JSONResponse(record.body, status, headers=headers)

    def _again(self, record: IdempotencyRecord, fingerprint: str) -> JSONResponse:
        if record.fingerprint != fingerprint:
            raise KeyReused(f"{HEADER} {self._key!r} was used for another request; use a new one.")
        assert record.status is not None, "the record is committed with its answer"
        return JSONResponse(record.body, record.status, headers={**(record.headers or {}), REPLAYED: "true"})

    def _fingerprint(self, body: Any) -> str:
        request = [self._method, self._path, jsonable_encoder(body)]
        return hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()


def _once(
    request: Request,
    key: Annotated[
        str | None,
        Header(
            alias=HEADER, description="A value that you choose: new for each request, and the same when you send a request again."
        ),
    ] = None,
) -> Once:
    if key is None:
        raise BadRequest(
            f"Send the header {HEADER} with a value that you choose, such as a UUID, since this request acts on a fabric."
        )
    if not 1 <= len(key) <= 128 or not key.isascii() or not key.isprintable():
        raise BadRequest(f"{HEADER} {key!r:.80} is not 1 to 128 printable ASCII characters.")
    return Once(key, request.method, request.url.path)


OnlyOnce: TypeAlias = Annotated[Once, Depends(_once)]


def sweep(session: Session) -> None:
    """Forgets answers that nobody will ask for again."""
    session.execute(delete(IdempotencyRecord).where(IdempotencyRecord.created_at < now() - timedelta(seconds=_KEPT_S)))
