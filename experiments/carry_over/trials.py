# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Every trial of a campaign, judged as the cells of the matrix are, with its balance and room."""

from collections.abc import Iterator
from dataclasses import dataclass

from experiments.carry_over.balance import balance, room
from experiments.carry_over.matrix import HELD
from experiments.carry_over.searches import Found


@dataclass(frozen=True, kw_only=True)
class Tried:
    balance: float
    room: float
    cures: bool
    good: bool


def trials(found: Found) -> Iterator[Tried]:
    """Those that were measured to the end, or until a constraint was surely broken."""
    off_gbps = found.result.baseline_search.metrics.contributor_total_gbps
    for profile, metrics in found.trials():
        assert metrics.victim_throughput_gbps is not None
        assert metrics.contributor_total_gbps is not None
        assert off_gbps is not None
        cures = metrics.victim_throughput_gbps >= HELD * found.ground.victim_gbps
        yield Tried(
            balance=balance(profile, found.ground),
            room=room(profile, found.ground),
            cures=cures,
            good=cures and metrics.contributor_total_gbps >= HELD * off_gbps,
        )
