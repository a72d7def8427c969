# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Base of the patterns whose messages wait for other messages: what is sent depends on what has arrived."""

from typing import Annotated

from pydantic import model_validator

from tuner.document_base.model import Within
from tuner.documents.expanded_flow import ClosedLoop as Loop
from tuner.documents.expanded_flow import ExpandedFlow, make_flow
from tuner.documents.flow import Role
from tuner.documents.patterns.base import Pattern


class ClosedLoop(Pattern):
    """No rate: how fast it goes is what is measured (`counters.loops`)."""

    role: Role = "other"
    think_us: Annotated[float, Within(0, 1e9)] = 0.0
    """From a message's delivery to the next that it allows, in µs. Not scaled: it is the hosts' time, not the workload's."""

    def exchange(self, i: int, client: str, server: str, *, window: int, answer_bytes: int) -> list[ExpandedFlow]:
        """Two flows: `window` messages from the client on the way at most, counted until each one's answer is back. The client
        thinks, the server answers at once."""
        names = f"{self.name}-request-{i + 1}", f"{self.name}-answer-{i + 1}"
        request = Loop(window=window, grants=(names[1],))
        answer = Loop(window=0, grants=(names[0],), think_us=self.think_us)
        return [
            make_flow(self, name=names[0], src=client, dst=server, role=self.role, loop=request),
            make_flow(self, name=names[1], src=server, dst=client, role=self.role, loop=answer, message_bytes=answer_bytes),
        ]

    @model_validator(mode="after")
    def _has_no_rate(self) -> "ClosedLoop":
        if self.rate_gbps is not None:
            raise ValueError(f"has a rate_gbps of {self.rate_gbps:g}, but the arrivals of messages pace it; leave rate_gbps out")
        return self
