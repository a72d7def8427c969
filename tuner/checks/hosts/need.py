# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What an entry of a check needs of hosts, known before any of them is asked."""

from dataclasses import dataclass

from tuner.documents.workload import Workload


@dataclass(frozen=True, kw_only=True)
class HostNeed:
    """`least`: fewest hosts with which the entry can be observed. `most`: more are of no use; None: as many as the check allows.
    `workload`: the hosts must be such that it can be placed on them; then `least` and `most` do not count. `gbps_each`: greatest
    load that each host offers, without a workload; None: what its port carries. `seconds`: how long it
    takes, about, without the time to connect."""

    least: int = 2
    most: int | None = None
    workload: Workload | None = None
    gbps_each: float | None = None
    seconds: float
