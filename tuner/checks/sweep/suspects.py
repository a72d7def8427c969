# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Pairs that were slow: each is measured every night until it was as it is to be as often as ends an alarm."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, get_args

from tuner.checks import recovery
from tuner.checks.sweep.paths import Pair
from tuner.checks.sweep.probing import Slow, Where

_ANY: tuple[Where, ...] = get_args(Where)


@dataclass(frozen=True)
class Suspect:
    """`where`: what its last slow night suspected. `good_nights`: those in a row since then in which it was measured and not
    slow."""

    where: tuple[Where, ...]
    good_nights: int = 0


Suspects: TypeAlias = Mapping[tuple[str, str], Suspect]
"""By sender and receiver."""


def after(suspects: Suspects, slow: Iterable[Slow], measured: Collection[Pair]) -> dict[tuple[str, str], Suspect]:
    """Returns the suspects that a night leaves. `slow`: tonight's. One that was not measured stays what it was."""
    tonight = {(pair.src, pair.dst) for pair in measured}
    found = {pair: replace(suspect, good_nights=suspect.good_nights + (pair in tonight)) for pair, suspect in suspects.items()}
    found |= {(slow_pair.pair.src, slow_pair.pair.dst): Suspect(slow_pair.where) for slow_pair in slow}
    return {pair: suspect for pair, suspect in found.items() if suspect.good_nights < recovery.NIGHTS}


def again(suspects: Suspects, slow_pair: Slow, where: Where) -> bool:
    """Whether the pair was slow the last time it was measured too, and this end of it or its way was suspected then."""
    suspect = suspects.get((slow_pair.pair.src, slow_pair.pair.dst))
    return suspect is not None and not suspect.good_nights and where in suspect.where


def from_plain(rows: Iterable[Sequence[Any]]) -> dict[tuple[str, str], Suspect]:
    """A row of an older version lacks the nights, or what was suspected: any of it was."""
    return {(row[0], row[1]): Suspect(tuple(row[3]) if row[3:] else _ANY, *row[2:3]) for row in rows}


def to_plain(suspects: Suspects) -> list[list[Any]]:
    return sorted([*pair, suspect.good_nights, list(suspect.where)] for pair, suspect in suspects.items())
