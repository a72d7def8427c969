# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Pairs that were slow: each is measured every night until it was as it is to be as often as ends an alarm."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from tuner.checks import recovery
from tuner.checks.sweep.paths import Pair

Suspects: TypeAlias = Mapping[tuple[str, str], int]
"""Sender and receiver, with the nights in a row in which they were measured and not slow."""


def after(suspects: Suspects, slow: Iterable[Pair], measured: Collection[Pair]) -> dict[tuple[str, str], int]:
    """Returns the suspects that a night leaves. `slow`: tonight's. One that was not measured stays what it was."""
    tonight = {(pair.src, pair.dst) for pair in measured}
    found = {one: nights + (one in tonight) for one, nights in suspects.items()}
    found |= {(pair.src, pair.dst): 0 for pair in slow}
    return {one: nights for one, nights in found.items() if nights < recovery.NIGHTS}


def from_plain(rows: Iterable[Sequence[Any]]) -> dict[tuple[str, str], int]:
    """A row of an older version has no nights: its pair was slow."""
    return {(src, dst): nights[0] if nights else 0 for src, dst, *nights in rows}


def to_plain(suspects: Suspects) -> list[list[Any]]:
    return sorted([src, dst, nights] for (src, dst), nights in suspects.items())
