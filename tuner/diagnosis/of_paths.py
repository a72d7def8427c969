# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Evidence from inside hosts: the links that loop-back tests name, from the JSON of `ibcc hosts ping`."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tuner.checks.hosts.paths import LINK_SYMPTOMS
from tuner.diagnosis.evidence import HostLinkSeen
from tuner.errors import BadInputError
from tuner.hostping.causes import Cause

MOST_AGE = timedelta(days=1)
"""Older tests tell nothing of today."""
_RIGHT = "the file of `ibcc hosts ping … --output json` would be right"


def read_host_links(path: Path, now: datetime | None = None) -> tuple[HostLinkSeen, ...]:
    """`now`: the present. Raises BadInputError for a file that is no such document, or is older than MOST_AGE."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        measured = datetime.fromisoformat(document["measured_at"])
        found = tuple(link for host in document["hosts"] for link in _links(host))
        age = (now or datetime.now(UTC)) - measured
    except OSError as error:
        raise BadInputError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise BadInputError(f"{path} has no loop-back tests ({type(error).__name__}: {str(error)[:80]}); {_RIGHT}") from error
    if age > MOST_AGE:
        raise BadInputError(f"the tests in {path} were made at {measured:%Y-%m-%d %H:%M} UTC, more than a day ago; test again")
    return found


def _links(host: Mapping[str, Any]) -> Iterator[HostLinkSeen]:
    """Links that are slow for certain, and groups of which one is. Grey links are no evidence: another path clears each."""
    if host["verdict"] != "slow":
        return
    names = {link["link"]: str(link["name"]) for link in host["links"]}
    told = set[str]()
    for link in host["links"]:
        if link["state"] not in ("abnormal", "cannot-be-told-apart") or link["link"] in told:
            continue
        together = sorted({link["link"], *link["others"]})
        told |= set(together)
        cause = None if link["cause"] is None or len(together) > 1 else Cause(link["cause"])
        yield HostLinkSeen(
            host=str(host["host"]),
            where=" or ".join(names[name] for name in together),
            kind="host-link-failed" if cause is None else LINK_SYMPTOMS[cause],
            slow_paths=len(host["slow_paths"]),
            advice=str(link["advice"]) or "ibcc hosts ping, when the host is idle",
        )
