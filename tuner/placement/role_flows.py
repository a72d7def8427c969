# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Roles as flows between hosts that are not chosen yet."""

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from tuner.document_base.model import build_model
from tuner.documents.roles import Contributors, RoleCounts, Roles, Victims
from tuner.documents.workload import Workload
from tuner.errors import BadInputError


def counted(workload: Workload, counts: RoleCounts | None) -> Roles | None:
    """Returns a workload's roles with other counts. Raises BadInputError for a workload without roles that are to be counted,
    and for counts that do not go together."""
    if counts is None or not counts.model_dump(exclude_none=True):
        return workload.roles
    if workload.roles is None:
        given = ", ".join(counts.model_dump(exclude_none=True))
        raise BadInputError(f"workload '{workload.name}' has no roles, so their number ({given}) cannot be changed")
    try:
        return workload.roles.counted(counts)
    except ValidationError as error:
        raise BadInputError(f"workload '{workload.name}': roles {error.errors()[0]['ctx']['error']}") from error
    except ValueError as error:
        raise BadInputError(f"workload '{workload.name}': {error}") from error


def unplaced(workload: Workload, roles: Roles) -> Workload:
    """Returns single flows for contributors and victims, between hosts called by their parts. Victims of a ping-pong are one
    flow each. Raises BadInputError."""
    contributors, victims = roles.contributors, roles.victims or Victims(count=0)
    assert contributors is not None
    after = victims.count if victims.name == contributors.name and victims.traffic == "stream" else 0
    flows = [*_victims(victims), *_contributors(contributors, after)]
    return build_model(
        Workload,
        workload.model_dump(exclude={"roles", "flows", "patterns"}) | {"flows": flows},
        source=f"workload {workload.name}",
    )


def _victims(victims: Victims) -> Iterator[dict[str, Any]]:
    for i in range(victims.count):
        ends = {"src": f"victim {i + 1}", "dst": f"receiver of victim {i + 1}", "role": "victim"}
        yield _traffic(victims, i) | ends | {"name": f"{victims.name}{i + 1}"}


def _contributors(contributors: Contributors, after: int) -> Iterator[dict[str, Any]]:
    for i in range(contributors.count):
        receiver = "hotspot" if contributors.receivers == "one" else f"receiver of contributor {i + 1}"
        ends = {"src": f"contributor {i + 1}", "dst": receiver, "role": "contributor"}
        yield _traffic(contributors, i) | ends | {"name": f"{contributors.name}{after + i + 1}"}


def _traffic(group: Contributors | Victims, i: int) -> dict[str, Any]:
    values = group.model_dump(include={"stop_s", "message_bytes", "qps", "sl", "rate_gbps"})
    return values | {"start_s": round(group.start_s + i * group.stagger_s, 12)}
