# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Objects of a service as people name them: by a name, by an identifier, or by the beginning of one."""

import re
from collections.abc import Callable, Iterable
from typing import Protocol

from api.client import Client
from tuner.errors import BadInputError

_WHOLE = re.compile(r"[0-9a-f]{32}")


class Identified(Protocol):
    id: str


def campaign_id(service: Client, given: str) -> str:
    """Returns the identifier of a campaign by its name, its identifier or the beginning of one. Raises BadInputError."""
    return _one(given, "campaign", lambda: ((one, one.name) for one in service.campaigns()))


def promotion_id(service: Client, given: str) -> str:
    """Returns the identifier of a promotion by itself or its beginning. Raises BadInputError."""
    return _one(given, "promotion", lambda: ((one, "") for one in service.promotions()))


def job_id(service: Client, given: str) -> str:
    """Returns the identifier of a job by itself or its beginning. Raises BadInputError."""
    return _one(given, "job", lambda: ((one, "") for one in service.jobs()))


def _one(given: str, what: str, known: Callable[[], Iterable[tuple[Identified, str]]]) -> str:
    if _WHOLE.fullmatch(given):
        return given
    rows = [(one.id, name) for one, name in known()]
    found = [identifier for identifier, name in rows if name == given]
    if not found and given:
        found = [identifier for identifier, _ in rows if identifier.startswith(given.lower())]
    if len(found) == 1:
        return found[0]
    if not found:
        by = "has this name or an identifier" if any(name for _, name in rows) else "has an identifier"
        raise BadInputError(f"no {what} {by} that begins with '{given:.80}'; `ibcc --server URL {what} list` shows them")
    raise BadInputError(f"'{given:.80}' may be {len(found)} {what}s; give the identifier of one: {', '.join(sorted(found)[:5])}")
