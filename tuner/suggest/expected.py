# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Decides what a profile is made for: the expected fan-in, and the receivers that it is expected at."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.suggest import rule
from tuner.suggest.fan_in import Hotspot, hotspots
from tuner.suggest.path import Path
from tuner.suggest.receivers import kinds, paths

SERVED = 4.0
"""Ratio to the most frequent receivers above which slower ones are left out: a CCTI_Timer for them would hold back all others for
too long."""


@dataclass(frozen=True, kw_only=True)
class Expected:
    """Traffic that is expected at one receiver at a time."""

    path: Path
    """The way to the receivers where a contributor waits longest, from the fastest senders."""
    contributors: tuple[int, int]
    """Their number, from least to most."""
    made_for: int
    """Contributors that values are to be worked out for."""
    most: int
    """Contributors that the fabric has hosts for."""
    balance: float
    """Balance that suits the fabric's routes."""
    reasons: tuple[str, ...]
    unknowns: tuple[str, ...]
    uncongested: str | None = None
    """Name of the workload from which the fan-in could not be read, as it congests nothing."""


def expected(built: BuiltFabric, workload: Workload | None, contributors: int | tuple[int, int] | None) -> Expected:
    """Returns what is expected by a number, else by a workload, else by the size of the fabric. Raises BadInputError."""
    found = paths(built)
    most = len(found) - 1
    path, left_out = _slowest(kinds(found))
    balance = rule.balance_for(built.document.routing)
    spots = [] if contributors is not None or workload is None else hotspots(built, workload, found)
    reasons, unknowns = list(left_out), []
    if contributors is not None:
        low, high = (contributors, contributors) if isinstance(contributors, int) else contributors
        _check(built, low, high, most)
        made_for = high
        reasons.append(f"{_range(low, high)} contributors send to one receiver at a time, as given.")
    elif spots:
        low, high = min(spot.contributors for spot in spots), max(spot.contributors for spot in spots)
        worst = max(spots, key=lambda spot: spot.path.gap_ns(spot.contributors))
        path, made_for = worst.path, worst.contributors
        assert workload is not None
        reasons = [_of_workload(workload, worst, spots)]
    else:
        made_for = low = high = max(2, min(most, round(math.sqrt(2 * most))))
        why = "no workload and no number of contributors is given"
        if workload is not None:
            why = f"workload '{workload.name}' has no hotspot, flows to destinations that are drawn aside"
        reasons.append(f"{made_for} contributors are taken, the geometric mean of 2 and {most}, the most that the fabric allows.")
        if most > 2:
            unknowns.append(
                f"The fan-in is not known, as {why}: it can be anything from 2 to {most}. Give the most senders that one host "
                "has at a time, or a workload."
            )
    return Expected(
        path=path,
        contributors=(low, high),
        made_for=made_for,
        most=most,
        balance=balance,
        reasons=tuple(reasons),
        unknowns=tuple(unknowns),
        uncongested=None if contributors is not None or workload is None or spots else workload.name,
    )


def _check(built: BuiltFabric, low: int, high: int, most: int) -> None:
    if not 2 <= low <= high:
        raise BadInputError(f"contributors are {_range(low, high)}; they must be at least 2, and the most not below the least")
    if high > most:
        raise BadInputError(
            f"{high} contributors and a receiver are more than fabric '{built.document.name}' has hosts with a link; there can "
            f"be at most {most}"
        )


def _slowest(found: Sequence[tuple[Path, int]]) -> tuple[Path, list[str]]:
    """Returns the slowest kind of receiver that is served, and sentences on the others."""
    usual = found[0][0].receive_gbps
    served = [path for path, _ in found if path.receive_gbps * SERVED >= usual]
    slowest = min(served, key=lambda path: path.receive_gbps)
    sentences = []
    if len(served) > 1:
        rates = ", ".join(f"{gbps:.4g}" for gbps in sorted({path.receive_gbps for path in served}))
        sentences.append(
            f"Receivers take {rates} Gb/s: the values are for the slowest, where a contributor waits longest between two packets."
        )
    if slower := sum(count for path, count in found if path not in served):
        sentences.append(
            f"{slower} receivers are more than {SERVED:g} times slower than the {usual:.4g} Gb/s of most, and left out: with as "
            "many contributors there, the profile does nothing."
        )
    return slowest, sentences


def _of_workload(workload: Workload, worst: Hotspot, spots: Sequence[Hotspot]) -> str:
    others = "" if len(spots) == 1 else f", and {len(spots) - 1} other hotspots"
    return (
        f"Workload '{workload.name}' has {worst.contributors} contributors to {worst.name} ({worst.path.receive_gbps:.4g} Gb/s) "
        f"at a time{others}."
    )


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"
