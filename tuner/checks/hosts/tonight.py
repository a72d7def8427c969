# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Hosts that an entry of a check may use tonight."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from tuner.documents.inventory import Inventory
from tuner.documents.workload import Workload
from tuner.errors import UnreachableError


@dataclass(frozen=True, kw_only=True)
class TonightHosts:
    """Hosts that are the check's alone until `until`, or until `lost` says otherwise.

    `inventory`: these hosts only, in the order in which they were chosen; its launcher reaches them. `how`: what they are, in
    words. `until`: the end of the time. `most_gbps`: greatest load that may be offered, over all hosts together; None: any.
    `workload`: the one that the entry needs, on these hosts. `foreign`: a sentence that says why figures of these hosts are not
    those of the fabric; None if they are. `lead_s`: the time that hosts get to connect. `lost`: tells why the hosts may not be
    used any longer, such as a job that was preempted; None as long as they may. It is quick, and safe from other threads.
    `look`: the same as it is now, which may take seconds.
    """

    inventory: Inventory
    how: str
    until: datetime
    most_gbps: float | None = None
    workload: Workload | None = None
    foreign: str | None = None
    lead_s: float = 10.0
    lost: Callable[[], str | None] = field(default=lambda: None, compare=False)
    look: Callable[[], str | None] = field(default=lambda: None, compare=False)

    def ended(self, *, look: bool = False) -> str | None:
        """Returns a sentence that says why the hosts may not be used any longer; None as long as they may. `look`: as it is now,
        and not as it was seen last."""
        lost = self.look() if look else self.lost()
        if lost is None and datetime.now(UTC) >= self.until:
            return (
                f"the time for which hosts may be used ended at {self.until:%H:%M:%S} UTC (hosts.most_s, or a maintenance window)"
            )
        return lost

    def should_stop(self) -> bool:
        """`should_stop` of a measurement on these hosts."""
        return self.ended() is not None

    def require(self, seconds: float) -> None:
        """Raises UnreachableError if the hosts may not be used for so many seconds from now on."""
        ended = self.ended()
        left_s = (self.until - datetime.now(UTC)).total_seconds()
        if ended is None and left_s < seconds:
            ended = (
                f"it takes {seconds:.0f} s, and the hosts may be used for {left_s:.0f} s more, until {self.until:%H:%M:%S} UTC; "
                "a greater hosts.most_s or a longer maintenance window would be right"
            )
        if ended is not None:
            raise UnreachableError(ended)
