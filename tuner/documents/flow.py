# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One flow of a workload: who sends to whom, when, and how."""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, model_validator

from tuner.document_base.model import DocumentModel, Within

MAX_TIME_S = 9000.0
"""The simulator counts picoseconds in 63 bits, which end a little later."""
MIN_GBPS, MAX_GBPS = 0.001, 1e5

Role: TypeAlias = Literal["contributor", "victim", "other"]

Name: TypeAlias = Annotated[str, Field(min_length=1)]
Seconds: TypeAlias = Annotated[float, Within(0, MAX_TIME_S)]
"""A time within a run."""
Gbps: TypeAlias = Annotated[float, Within(MIN_GBPS, MAX_GBPS)]
"""A rate in Gb/s that the simulator can keep."""
HostReference: TypeAlias = Annotated[str, Field(min_length=1)]
"""A unique node description, `guid:0x…` or `lid:N`."""


class Traffic(DocumentModel):
    """Fields for the times and the make-up of traffic; flows and patterns share them."""

    start_s: Seconds = 0.0
    """Seconds from the start of the run."""
    stop_s: Annotated[float, Within(0, MAX_TIME_S, above=True)] | None = None
    """Seconds from the start of the run; without it, the end of the run."""
    message_bytes: Annotated[int, Within(1, 2**31)] = 65536
    """Size of each message; IBA allows up to 2 GiB."""
    qps: Annotated[int, Within(1, 4096)] = 1
    """Reliable connections that share the flow's messages."""
    sl: Annotated[int, Within(0, 15)] = 0
    """Service level."""
    rate_gbps: Gbps | None = None
    """Offered payload rate of the whole flow in Gb/s; without it, all that it can get."""

    def stretched(self, time_scale: float) -> dict[str, Any]:
        """The values with all times of the workload multiplied: those of the keys that end in `_s`. What happens on the devices'
        own scale, such as a think time, is stated in other units and stays."""
        return {
            key: round(value * time_scale, 12) if key.endswith("_s") and value is not None else value
            for key, value in self.model_dump().items()
        }

    @model_validator(mode="after")
    def _stops_after_it_starts(self) -> "Traffic":
        if self.stop_s is not None and self.stop_s <= self.start_s:
            raise ValueError(f"stops at {self.stop_s:g} s, but starts at {self.start_s:g} s; stop_s must be later")
        return self

    @model_validator(mode="after")
    def _paces_each_connection(self) -> "Traffic":
        if self.rate_gbps is not None and self.rate_gbps / self.qps < MIN_GBPS:
            share = f"{self.rate_gbps:g} Gb/s over {self.qps} qps is {self.rate_gbps / self.qps:g} Gb/s each"
            raise ValueError(f"is too slow: {share}, and the slowest possible is {MIN_GBPS:g} Gb/s")
        return self


class Flow(Traffic):
    """A stream of messages from one host to another."""

    name: Name
    src: HostReference
    dst: HostReference
    role: Role = "other"
    """`contributor`: goes through the root of the congestion. `victim`: does not, but may be held back by it."""

    @model_validator(mode="after")
    def _joins_two_hosts(self) -> "Flow":
        if self.src == self.dst:
            raise ValueError(f"sends from '{self.src}' to itself; src and dst must be two hosts")
        return self
