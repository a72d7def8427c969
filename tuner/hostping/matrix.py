# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What loop-back tests of a host have measured: for each adapter and endpoint, latency and bandwidth beside their baselines."""

from collections.abc import Mapping
from dataclasses import dataclass, field

ABNORMAL_SHARE = 0.2
"""A path that is worse than its baseline by more than this share is abnormal (Hostping, section 5)."""
IDLE_SHARE = 0.05
"""An adapter with less traffic than this share of its line rate is idle (section 5)."""
OVERLOADED_SHARE = 0.9
"""A bus that is used at least so much is overloaded (section 5)."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One adapter with one endpoint. None: not measured, or no baseline is known."""

    bandwidth_gbps: float | None = None
    latency_us: float | None = None
    baseline_bandwidth_gbps: float | None = None
    baseline_latency_us: float | None = None

    @property
    def is_slow(self) -> bool | None:
        """None if there is nothing to compare."""
        if self.bandwidth_gbps is None or self.baseline_bandwidth_gbps is None:
            return None
        return self.bandwidth_gbps < (1 - ABNORMAL_SHARE) * self.baseline_bandwidth_gbps

    @property
    def is_late(self) -> bool | None:
        """None if there is nothing to compare."""
        if self.latency_us is None or self.baseline_latency_us is None:
            return None
        return self.latency_us > (1 + ABNORMAL_SHARE) * self.baseline_latency_us


Place = tuple[str, str]
"""Adapter and endpoint."""


@dataclass(frozen=True, kw_only=True)
class Matrix:
    """A run of a host. Places that it lacks are not measured."""

    cells: Mapping[Place, Cell]
    busy: frozenset[str] = frozenset()
    """Adapters with traffic of others: at least `IDLE_SHARE` of line rate."""
    triggered_by: str | None = None
    """The adapter whose counters started the run while the host is busy; None: the host is idle."""
    used_share: Mapping[str, float] = field(default_factory=dict)
    """How much of a link others use, 0 to 1, by the link's name, where that can be read."""
    unfit: str | None = None
    """Why the host is unfit to measure, as the end of a sentence: "its cores are 97 % busy"; None: it is fit."""
