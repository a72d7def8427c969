# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Requests to a service, and what its refusals are to a program."""

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx2

from api.base.problems import FabricFailed, exit_code
from tuner.errors import ApplyFailedError, BadInputError, IbccError, UnreachableError

_TRIES = 3
"""Number of attempts at a request that may be repeated when the connection breaks: a GET, or one with an Idempotency-Key."""


class RefusedError(IbccError):
    """The service said no. `problem` is its document (RFC 9457); the exit code is what `ibcc` itself would end with for that."""

    def __init__(self, problem: dict[str, Any]) -> None:
        self.problem = problem
        fabric_failed = problem.get("type") == f"/problems/{FabricFailed.name()}"  # a proxy's 502 is not that
        self.exit_code = ApplyFailedError.exit_code if fabric_failed else exit_code(self.status)
        super().__init__(str(problem.get("detail", problem)))

    @property
    def status(self) -> int:
        return int(self.problem.get("status", 0))


class FailedError(IbccError):
    """Failure of a job or campaign of the service. The exit code is what `ibcc` itself would end with."""

    def __init__(self, sentence: str, exit_code: int | None = None) -> None:
        self.exit_code = IbccError.exit_code if exit_code is None else exit_code
        super().__init__(sentence)


class Connection:
    """To `url`, with a token. A context manager; threads may share it."""

    def __init__(
        self, url: str, token: str | None, *, timeout_s: float = 60.0, transport: httpx2.BaseTransport | None = None
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise BadInputError(f"'{url}' is not the address of a service; http://127.0.0.1:8480 would be right")
        headers = {"Accept": "application/json"} | ({} if token is None else {"Authorization": f"Bearer {token}"})
        self._url = url.rstrip("/")
        # Redirects are not followed: the token is for this service.
        self._http = httpx2.Client(base_url=f"{self._url}/api/v1", headers=headers, timeout=timeout_s, transport=transport)

    def close(self) -> None:
        self._http.close()

    def get(self, path: str, **params: Any) -> Any:
        """The body of the answer. Raises RefusedError, UnreachableError."""
        return self.send("GET", path, params={key: value for key, value in params.items() if value is not None}).json()

    def items(self, path: str, **params: Any) -> Iterator[dict[str, Any]]:
        """All of a list, page by page."""
        cursor = None
        while True:
            page = self.get(path, limit=200, cursor=cursor, **params)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def post(self, path: str, body: Any = None) -> Any:
        return self.send("POST", path, json=body).json()

    def once(self, path: str, body: Any = None) -> Any:
        """A request that touches a fabric: it has a key of its own, and is sent again if the connection breaks."""
        return self.send("POST", path, json=body, headers={"Idempotency-Key": str(uuid.uuid4())}).json()

    def put(self, path: str, body: Any, etag: str) -> Any:
        return self.send("PUT", path, json=body, headers={"If-Match": etag}).json()

    @contextmanager
    def lines(self, path: str, headers: Mapping[str, str], **params: Any) -> Iterator[Iterator[str]]:
        """The lines of a body that has no end. Raises RefusedError; a broken connection raises httpx2.TransportError."""
        with self._http.stream("GET", path, params=params, headers=dict(headers)) as answer:
            if not answer.is_success:
                answer.read()
                raise RefusedError(_problem(answer))
            yield answer.iter_lines()

    @property
    def address(self) -> str:
        return self._url

    def send(self, method: str, path: str, **more: Any) -> httpx2.Response:
        """Raises RefusedError, UnreachableError."""
        if more.get("json", ...) is None:
            more.pop("json")
        repeatable = method == "GET" or "Idempotency-Key" in more.get("headers", {})
        for left in reversed(range(_TRIES if repeatable else 1)):
            try:
                answer = self._http.request(method, path, **more)
                break
            except httpx2.TransportError as error:
                if left == 0:
                    raise UnreachableError(f"the service at {self._url} is not responding: {error}") from error
        if answer.is_success:
            return answer
        raise RefusedError(_problem(answer))


def _problem(answer: httpx2.Response) -> dict[str, Any]:
    """Returns the service's problem, or one made up for the answer of something else, such as a proxy."""
    if answer.headers.get("content-type", "").startswith("application/problem+json"):
        document = answer.json()
        if isinstance(document, dict):
            return document
    return {"status": answer.status_code, "title": answer.reason_phrase, "detail": f"{answer.url} answered {answer.status_code}"}
