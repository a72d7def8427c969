# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Growth of the ports' counters since the last reading."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from tuner.checks.links.growth import Growth, growth
from tuner.checks.links.ports import PortKey
from tuner.checks.links.reading import Counts
from tuner.checks.links.record import Past
from tuner.mads.performance import COUNTERS


@dataclass(frozen=True, kw_only=True)
class Since:
    """`elapsed_s`: above 0. `grown`: by port and counter; what is unknown is left out."""

    elapsed_s: float
    grown: Mapping[PortKey, Mapping[str, Growth]]

    @property
    def time(self) -> str:
        """The time that has elapsed, for people."""
        return f"{self.hours:.1f} h" if self.hours >= 1 else f"{self.elapsed_s:.0f} s"

    @property
    def hours(self) -> float:
        return self.elapsed_s / 3600


def since(past: Past | None, now: Mapping[PortKey, Counts], at: datetime) -> Since | None:
    """Returns None if there is no earlier reading, or none that is earlier by the clock."""
    elapsed_s = 0.0 if past is None else (at - past.at).total_seconds()
    if past is None or elapsed_s <= 0:
        return None
    # Counters of another width are not those that were read.
    both = {key: (past.counts[key], one) for key, one in now.items() if key in past.counts and past.counts[key].able == one.able}
    return Since(
        elapsed_s=elapsed_s,
        grown={key: _grown(before, one) for key, (before, one) in both.items()},
    )


def _grown(before: Counts, now: Counts) -> dict[str, Growth]:
    rows = zip(COUNTERS, before.values, now.values, now.able.largest, strict=True)
    found = {name: growth(b, n, largest) for name, b, n, largest in rows}
    return {name: one for name, one in found.items() if one is not None}


def saturated(counts: Counts) -> list[str]:
    """Names of the counters that stand at their largest value."""
    rows = zip(COUNTERS, counts.values, counts.able.largest, strict=True)
    return [name for name, value, largest in rows if value == largest]


def cleared(counts: Counts, names: list[str]) -> Counts:
    """Returns the counters as they are once these are cleared."""
    return Counts(counts.able, tuple(0 if name in names else value for name, value in zip(COUNTERS, counts.values, strict=True)))
