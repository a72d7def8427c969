# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Roles of a workload (`roles:`): how many hosts send and suffer, and what their paths share. Hosts are found for them on any
fabric, by its routes (tuner/placement)."""

from typing import Annotated, Any, Literal

from pydantic import model_validator

from tuner.document_base.model import DocumentModel, Within
from tuner.documents.flow import Name, Seconds, Traffic

MOST = 65536


class _Group(Traffic):
    """Traffic of all flows of one role; `start_s` is the first one's."""

    stagger_s: Seconds = 0.0
    """Seconds from the start of a flow to that of the next one."""
    load: Annotated[float, Within(0, 1, above=True)] | None = None
    """Offered payload rate as a fraction of what the source can send; instead of `rate_gbps`."""

    @model_validator(mode="after")
    def _has_one_rate(self) -> "_Group":
        if self.load is not None and self.rate_gbps is not None:
            raise ValueError(f"gives both load {self.load:g} and rate_gbps {self.rate_gbps:g}; one of them is enough")
        return self


class Contributors(_Group):
    """Hosts that send to the hotspot."""

    count: Annotated[int, Within(1, MOST)] = 4
    sharing: Annotated[int, Within(0, MOST)] | None = None
    """Number of contributors that share a link between switches with the first victim; without it, half of them, rounded down,
    but at least 1. Without victims, number of those that share a link, while the others come by other ways."""
    receivers: Literal["one", "each"] = "one"
    """`one`: all send to the same host. `each`: every contributor has a receiver, and all of them share one link between
    switches."""
    name: Name = "C"
    """Flows are called NAME1, NAME2, …; roles with one name are numbered together, victims first."""


class Victims(_Group):
    """Pairs of hosts whose path shares a link between switches with contributors, and ends elsewhere."""

    count: Annotated[int, Within(0, MOST)] = 1
    traffic: Literal["stream", "ping-pong"] = "stream"
    """`stream`: one flow a pair, which without `load` and `rate_gbps` asks for the room that contributors' fair shares leave on
    its links. `ping-pong`: a message back and forth, as latency is measured."""
    name: Name = "V"
    """Prefix of the flows' names; for a ping-pong, the name of the pattern."""


class RoleCounts(DocumentModel):
    """Other counts than a workload's `roles` have; without a count, that of the workload stays."""

    contributors: Annotated[int, Within(1, MOST)] | None = None
    victims: Annotated[int, Within(0, MOST)] | None = None
    sharing: Annotated[int, Within(0, MOST)] | None = None
    hosts: Annotated[int, Within(3, MOST)] | None = None


class WrittenFor(DocumentModel):
    """Links to hosts, and the largest packets on them."""

    host_gbps: Annotated[float, Within(0.001, 1e5)]
    """Data rate in Gb/s, after line encoding."""
    mtu_bytes: Annotated[int, Within(256, 4096)]


class Roles(DocumentModel):
    """Says how the workload looks on a fabric other than the one that it names; without flows and patterns, on that one too.

    Either `contributors`, maybe with `victims`, or `hosts`.
    """

    contributors: Contributors | None = None
    victims: Victims | None = None
    hosts: Annotated[int, Within(3, MOST)] | None = None
    """Maximum number of hosts that patterns over all hosts of the fabric take, spread over the fabric; so the cost is bounded."""
    busy: Annotated[float, Within(0, 1, above=True)] | None = None
    """Fraction of the fabric's hosts that take part at least, if there is room for them: in further groups of these roles, each
    with its own hotspot, or as hosts of the patterns, beyond `hosts`."""
    written_for: WrittenFor | None = None
    """Links of hosts that the workload's times are written for: on a fabric with other packet times, all times and the sample
    interval are multiplied by the ratio. Without it, times stay."""

    @model_validator(mode="after")
    def _fit_together(self) -> "Roles":
        if (self.contributors is None) == (self.hosts is None):
            raise ValueError("needs either contributors or hosts, the number that patterns over all hosts take")
        if self.victims is not None and self.contributors is None:
            raise ValueError("has victims without contributors; a victim suffers from contributors")
        if self.contributors is not None:
            self._fit_to_contributors(self.contributors)
        return self

    def _fit_to_contributors(self, contributors: Contributors) -> None:
        sharing, victims = contributors.sharing, 0 if self.victims is None else self.victims.count
        if sharing is not None and sharing > contributors.count:
            raise ValueError(f"has sharing {sharing}, more than its {contributors.count} contributors")
        if contributors.receivers == "each" and victims:
            raise ValueError(f"has {victims} victims beside contributors with a receiver each; victims go with `receivers: one`")
        if sharing == 0 and victims:
            raise ValueError("has victims, and sharing is 0; a victim shares a link with 1 contributor or more")

    def counted(self, counts: RoleCounts) -> "Roles":
        """Returns these roles with other counts. Raises ValueError (pydantic's) for counts that do not go together, and for a
        count of a role that the workload lacks."""
        document = self.model_dump(exclude_unset=True)
        if counts.hosts is not None:
            if self.hosts is None:
                raise ValueError(f"hosts is {counts.hosts}, but the workload has contributors and no pattern over all hosts")
            document["hosts"] = counts.hosts
        changed = {"count": counts.contributors, "sharing": counts.sharing}
        if given := {key: value for key, value in changed.items() if value is not None}:
            if self.contributors is None:
                raise ValueError(
                    f"{'contributors' if 'count' in given else 'sharing'} is given, but the workload has no contributors"
                )
            group = document["contributors"]
            if "sharing" not in given and "count" in given and group.get("sharing", 0) > given["count"]:
                group = {key: value for key, value in group.items() if key != "sharing"}
            document["contributors"] = {"count": self.contributors.count} | group | given
            _keep_last_start(document["contributors"], self.contributors)
        if counts.victims is not None:
            if self.contributors is None:
                raise ValueError(f"victims is {counts.victims}, but the workload has no contributors")
            document["victims"] = document.get("victims", {}) | {"count": counts.victims}
            if self.victims is not None:
                _keep_last_start(document["victims"], self.victims)
        return Roles.model_validate(document)


def _keep_last_start(group: dict[str, Any], before: Contributors | Victims) -> None:
    """More flows start in the time in which fewer did, so that the run is as long as before."""
    if group["count"] > before.count and before.stagger_s:
        group["stagger_s"] = float(f"{before.stagger_s * max(1, before.count - 1) / (group['count'] - 1):.6g}")
