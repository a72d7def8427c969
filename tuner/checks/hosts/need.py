# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Needs of an entry of a check, known before any host is asked."""

from dataclasses import dataclass

from tuner.documents.workload import Workload


@dataclass(frozen=True, kw_only=True)
class HostNeed:
    """`least`: fewest hosts with which the entry can be observed; it gets as many as the check allows, and each may send what its
    port carries. `workload`: instead, the hosts on which this one can be placed. `seconds`: how long it takes, about, without the
    time to connect."""

    least: int = 2
    workload: Workload | None = None
    seconds: float
