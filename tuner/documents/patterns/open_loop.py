# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Base of the patterns whose sources send on their own, at a rate or as fast as they can, one flow a source."""

from abc import abstractmethod
from typing import Annotated, Any

from pydantic import model_validator

from tuner.document_base.model import Within
from tuner.documents.expanded_flow import Destinations, ExpandedFlow, make_flow
from tuner.documents.flow import MAX_TIME_S, MIN_GBPS, Role, Seconds
from tuner.documents.patterns.base import Ends, HostSelector, Pattern
from tuner.errors import BadInputError


class OpenLoop(Pattern):
    """A subclass says who sends to whom."""

    role: Role
    count: Annotated[int, Within(1)] | None = None
    """Number of flows to take, the first ones; without it, all that the lists give."""
    stagger_s: Seconds = 0.0
    """Seconds from the start of a flow to that of the next one."""
    load: Annotated[float, Within(0, 1, above=True)] | None = None
    """Offered payload rate as a fraction of what the source can send; instead of `rate_gbps`."""

    @abstractmethod
    def ends(self, hosts: HostSelector) -> Ends:
        """(source, destination) of every flow that the lists give, before `count` is applied."""

    def extras(self) -> dict[str, Any]:
        """Returns further properties of every flow, by the names of ExpandedFlow."""
        return {}

    def expand(self, hosts: HostSelector, duration_s: float) -> list[ExpandedFlow]:
        """As Pattern.expand. Raises BadInputError too if the lists give fewer flows than `count`, or none."""
        ends = self.ends(hosts)
        wanted = len(ends) if self.count is None else self.count
        if not ends or len(ends) < wanted:
            raise BadInputError(
                f"pattern '{self.name}' finds {len(ends)} flows on this fabric; it must find {max(wanted, 1)}, and a flow needs "
                "two hosts"
            )
        flows = []
        for i, (src, dst) in enumerate(ends[:wanted]):
            name, start_s = f"{self.name}-{i + 1}", round(self.start_s + i * self.stagger_s, 12)
            self._check_start(name, start_s)
            if isinstance(dst, Destinations) and self.qps > 1:
                raise BadInputError(
                    f"flow '{name}' has {self.qps} qps, but it sends to many hosts over one connection to each; leave out qps"
                )
            changes = self.extras() | {"start_s": start_s, "role": self.role, "rate_gbps": self._rate_gbps(hosts, src)}
            flows.append(make_flow(self, name=name, src=src, dst=dst, **changes))
        return flows

    def _check_start(self, name: str, start_s: float) -> None:
        if start_s > MAX_TIME_S:
            raise BadInputError(f"flow '{name}': start_s is {start_s}; it must be {Within(0, MAX_TIME_S).describe()}")
        if self.stop_s is not None and self.stop_s <= start_s:
            raise BadInputError(f"flow '{name}' stops at {self.stop_s:g} s, but starts at {start_s:g} s; stop_s must be later")

    def _rate_gbps(self, hosts: HostSelector, src: str) -> float | None:
        if self.load is None:
            return self.rate_gbps
        return share_gbps(hosts.capacity_gbps(src, self.message_bytes), self.load, qps=self.qps)

    @model_validator(mode="after")
    def _has_one_rate(self) -> "OpenLoop":
        if self.load is not None and self.rate_gbps is not None:
            raise ValueError(f"gives both load {self.load:g} and rate_gbps {self.rate_gbps:g}; one of them is enough")
        return self


def share_gbps(capacity_gbps: float, share: float, *, qps: int = 1) -> float:
    """Returns that share of a host's capacity, in Gb/s. Raises BadInputError if the simulator cannot keep so low a rate."""
    rate_gbps = capacity_gbps * share
    if rate_gbps / qps < MIN_GBPS:
        over = f" over {qps} qps" if qps > 1 else ""
        raise BadInputError(
            f"a share of {share:g} of {capacity_gbps:g} Gb/s{over} is {rate_gbps / qps:g} Gb/s; "
            f"the slowest possible is {MIN_GBPS:g} Gb/s"
        )
    return rate_gbps
