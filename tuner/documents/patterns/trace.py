# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Trace: the messages of a file, each at its time."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from tuner.document_base.model import ListOf, Within
from tuner.documents import catalogue
from tuner.documents.expanded_flow import ExpandedFlow, make_flow
from tuner.documents.flow import HostReference, Role
from tuner.documents.patterns.base import PATTERNS, HostSelector, Pattern, select_all, select_one
from tuner.documents.traces import TraceFlow, load_trace
from tuner.errors import BadInputError


class Trace(Pattern):
    """One flow for each source, destination and SL in the file, NAME-1 being the first that the file has. Times in the file count
    from `start_s`; what falls after `stop_s` or the end of the run is left out. `message_bytes` is not used."""

    examples = ({"file": str(catalogue.folder("workload") / "trace-example.csv")},)

    kind: Literal["trace"]
    role: Role = "other"
    file: Annotated[str, Field(min_length=1)]
    """CSV with the columns time_s, src, dst, bytes and maybe sl (docs/use/workloads.md); relative to the workload's document."""
    hosts: ListOf[HostReference] | None = None
    """Only messages whose source and destination are both among these; without it, all."""
    time_factor: Annotated[float, Within(0, 1e9, above=True)] = 1.0
    """Multiplies the times in the file; so does `--time-scale`."""

    def anchored(self, folder: Path) -> Self:
        return self.model_copy(update={"file": str((folder / self.file).absolute())})

    def stretched(self, time_scale: float) -> dict[str, object]:
        return super().stretched(time_scale) | {"time_factor": self.time_factor * time_scale}

    def expand(self, hosts: HostSelector, duration_s: float) -> list[ExpandedFlow]:
        wanted = None if self.hosts is None else set(select_all(hosts, self.hosts))
        end_s = duration_s if self.stop_s is None else min(self.stop_s, duration_s)
        flows: list[ExpandedFlow] = []
        for traced in load_trace(Path(self.file)):
            src, dst = (_host(hosts, reference, traced, self.file) for reference in (traced.src, traced.dst))
            if src == dst:
                sentence = f"'{traced.src}' and '{traced.dst}' are the same host; a message needs two"
                raise BadInputError(sentence, source=self.file, line=traced.line)
            if wanted is not None and not {src, dst} <= wanted:
                continue
            at = ((round(self.start_s + t * self.time_factor, 12), size) for t, size in traced.messages)
            messages = tuple((t, size) for t, size in at if t < end_s)
            if messages:
                name, sl = f"{self.name}-{len(flows) + 1}", self.sl if traced.sl is None else traced.sl
                flows.append(make_flow(self, name=name, src=src, dst=dst, role=self.role, sl=sl, messages=messages))
        if not flows:
            raise BadInputError(f"pattern '{self.name}': no message of {self.file} is between its hosts and within the run")
        return flows

    @model_validator(mode="after")
    def _has_no_rate(self) -> "Trace":
        if self.rate_gbps is not None:
            raise ValueError(f"has a rate_gbps of {self.rate_gbps:g}, but the file says when to send; leave rate_gbps out")
        return self


def _host(hosts: HostSelector, reference: str, traced: TraceFlow, file: str) -> str:
    try:
        return select_one(hosts, reference)
    except BadInputError as error:
        raise BadInputError(error.sentence, source=file, line=traced.line) from error


PATTERNS.add("trace", Trace)
