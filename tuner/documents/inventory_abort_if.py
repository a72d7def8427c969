# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`abort_if:` of an inventory."""

from typing import Annotated

from pydantic import Field, model_validator

from tuner.document_base.model import DocumentModel, ListOf, Within


class CounterLimit(DocumentModel):
    """A counter of the hosts' adapters, as the kernel has it under `counters` or `hw_counters`."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_]{1,64}$")]
    """Such as `port_xmit_wait` or `np_cnp_sent`."""
    at_most_per_s: Annotated[float | int, Within(0)]
    """Limit for each adapter's port, as the mean over `for_s`."""
    for_s: Annotated[float | int, Within(0.01, 3600)] = 1.0
    """Seconds over which the mean is taken; a shorter peak does not abort."""


class WatchedJob(DocumentModel):
    """A job that runs beside the measurement, such as a small allreduce, and writes what it gets into a file again and again."""

    name: Annotated[str, Field(min_length=1, max_length=64)]
    file: Annotated[str, Field(min_length=1)]
    """On this machine. It holds one number and nothing else, and is replaced by a rename."""
    at_most: float | int | None = None
    at_least: float | int | None = None
    max_age_s: Annotated[float | int, Within(1, 86400)] = 30
    """Age of the file, in seconds, from which on the job counts as stuck, which aborts the measurement too."""

    @model_validator(mode="after")
    def _has_a_limit(self) -> "WatchedJob":
        if self.at_most is None and self.at_least is None:
            raise ValueError("has neither at_most nor at_least; it needs one of them")
        return self


class AbortLimits(DocumentModel):
    """An inventory's `abort_if`."""

    counters: ListOf[CounterLimit] = ()
    jobs: ListOf[WatchedJob] = ()
