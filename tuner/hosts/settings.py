# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Settings of the cluster backend, its driver's included: `--set backend.ttl_s=60`."""

from typing import Annotated, Literal, TypeAlias

from tuner.document_base.model import DocumentModel, Within

Verb: TypeAlias = Literal["write", "send", "read"]


class ClusterSettings(DocumentModel):
    driver: str | None = None
    """Name of the fabric driver; needed only where there are several."""
    ttl_s: Annotated[int, Within(1, 86400)] = 60
    """Seconds without a sign of life from here after which the base profile comes back."""
    settle_s: Annotated[float | int, Within(0, 3600)] = 1.0
    """Time that a fabric gets after a change of profile before it is measured: queues empty, and CCTIs fall."""
    attempts: Annotated[int, Within(1, 100)] = 3
    """Greatest number of times that a measurement is started if hosts are lost in it."""
    inventory: str | None = None
    """The hosts: an inventory document, by path. The driver `perftest` needs one."""
    control: Literal["plugin", "none"] = "plugin"
    """`none`: the fabric is left as it is, and no profile can be tried; for `ibcc run` where there is no plugin."""
    canary: bool = False
    """True to find out first which adapters throttle, as `ibcc hosts canary` does."""
    verb: Verb = "write"
    """Operation that carries the traffic: RDMA WRITE, SEND or RDMA READ."""
    dwell_s: Annotated[float | int, Within(0.1, 3600)] = 1.0
    """Time that a flow with many destinations stays with each: perftest cannot change its peer with each message."""
    lead_s: Annotated[float | int, Within(0.5, 600)] = 10.0
    """Time that the hosts get to connect before the first workload begins; later ones get twice what the slowest has needed."""
    interval_ms: Annotated[int, Within(10, 60000)] | None = None
    """Interval between readings of counters; without it, that of the workload's samples, or a longer one on many hosts."""
