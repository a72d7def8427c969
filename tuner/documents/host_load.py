# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Loads of hosts in a workload (`host_loads:`): memory-bound work beside the traffic."""

from typing import Annotated, Literal

from pydantic import model_validator

from tuner.document_base.model import DocumentModel, ListOf, Within
from tuner.documents.flow import MAX_TIME_S, HostReference, Seconds


class HostLoad(DocumentModel):
    """Memory-bound work on hosts that have a host_model, for a time."""

    kind: Literal["host-load"] = "host-load"
    hosts: ListOf[HostReference]
    """Hosts, written as in flows."""
    cores: Annotated[float, Within(0, 4096, above=True)] | None = None
    """Memory-bound cores, which keep their lines in flight whatever they get."""
    gbytes_per_s: Annotated[float, Within(0, 1e6, above=True)] | None = None
    """Memory bandwidth in GB/s that the work takes, instead of `cores`."""
    memory: Literal["near", "far"] = "near"
    """Memory node: the adapter's (`near`), or the other (`far`)."""
    start_s: Seconds = 0.0
    """Seconds from the start of the run."""
    stop_s: Annotated[float, Within(0, MAX_TIME_S, above=True)] | None = None
    """Seconds from the start of the run; without it, the end of the run."""

    @model_validator(mode="after")
    def _is_one_load(self) -> "HostLoad":
        if (self.cores is None) == (self.gbytes_per_s is None):
            which = "neither cores nor" if self.cores is None else "both cores and"
            raise ValueError(f"gives {which} gbytes_per_s; one of them is needed")
        if not self.hosts:
            raise ValueError("names no hosts; it needs at least one")
        if self.stop_s is not None and self.stop_s <= self.start_s:
            raise ValueError(f"stops at {self.stop_s:g} s, but starts at {self.start_s:g} s; stop_s must be later")
        return self

    def stretched(self, time_scale: float) -> "HostLoad":
        """The same with its times multiplied."""
        stop_s = None if self.stop_s is None else round(self.stop_s * time_scale, 12)
        return self.model_copy(update={"start_s": round(self.start_s * time_scale, 12), "stop_s": stop_s})
