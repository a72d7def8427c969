# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Decides what a profile is made for: the expected fan-in, and the receivers that it is expected at."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tuner.document_base.words import listed
from tuner.documents.hosts import Endport
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.suggest import rule
from tuner.suggest.fan_in import Hotspot, hotspots
from tuner.suggest.path import Path
from tuner.suggest.receivers import kinds, notifying, paths

SERVED = 4.0
"""Ratio to the median receiver above which slower ones are left out: a CCTI_Timer for them would hold back all others for too
long."""
_MOST_NAMED = 3


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
    several_rates: bool
    """Some receivers at which a profile works take other rates than those of `path`."""
    uncongested: str | None = None
    """Name of the workload from which the fan-in could not be read, as it congests nothing."""


def expected(built: BuiltFabric, workload: Workload | None, contributors: int | tuple[int, int] | None) -> Expected:
    """Returns what is expected by a number, else by a workload, else by the size of the fabric. Raises BadInputError."""
    found = paths(built)
    most = _most(built, found)
    told = notifying(built.document, found)
    path, left_out = _slowest(kinds({endport: found[endport] for endport in told or found}))
    balance = rule.balance_for(built.document.routing)
    all_spots = [] if contributors is not None or workload is None else hotspots(built, workload, found)
    spots = [spot for spot in all_spots if spot.notifies]
    silent = [spot for spot in all_spots if not spot.notifies]
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
        unknowns += [f"{_of_silent(silent)}."] if silent else []
    elif silent:
        assert workload is not None
        raise BadInputError(f"workload '{workload.name}' congests nothing else: {_of_silent(silent, first='no')}")
    else:
        made_for = low = high = max(2, min(most, round(math.sqrt(2 * most))))
        why = "no workload and no number of contributors is given"
        if workload is not None:
            why = f"workload '{workload.name}' has no hotspot, flows to destinations that are drawn aside"
        mean = f", the geometric mean of 2 and {most}" if most > 2 else ""
        reasons.append(f"{made_for} contributors are taken{mean}, the most that {_where(built)} allows.")
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
        several_rates=len({round(found[endport].receive_gbps, 6) for endport in told or found}) > 1,
        uncongested=None if contributors is not None or workload is None or spots else workload.name,
    )


def _most(built: BuiltFabric, found: Iterable[Endport]) -> int:
    """Returns how many contributors one receiver can have: all other hosts of the largest subnet. Raises BadInputError if that is
    one."""
    members = Counter(built.document.subnets[endport.node, endport.port] for endport in found)
    most = max(members.values()) - 1
    if most < 2:
        raise BadInputError(
            f"no subnet of fabric '{built.document.name}' has more than {most + 1} hosts with a link; congestion needs three, of "
            "which two send to the third"
        )
    return most


def _where(built: BuiltFabric) -> str:
    count = len(set(built.document.subnets.values()))
    return "the fabric" if count == 1 else f"the largest of its {count} subnets"


def _check(built: BuiltFabric, low: int, high: int, most: int) -> None:
    if not 2 <= low <= high:
        raise BadInputError(f"contributors are {_range(low, high)}; they must be at least 2, and the most not below the least")
    if high > most:
        raise BadInputError(
            f"{high} contributors and a receiver are more than fabric '{built.document.name}' has hosts with a link"
            f"{'' if _where(built) == 'the fabric' else ' in one subnet'}; there can be at most {most}"
        )


def _slowest(found: Sequence[tuple[Path, int]]) -> tuple[Path, list[str]]:
    """Returns the slowest kind of receiver that is served, and sentences on the others."""
    usual = _median(found)
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
            f"{slower} of {sum(count for _, count in found)} receivers are more than {SERVED:g} times slower than the median of "
            f"{usual:.4g} Gb/s, and left out: with as many contributors there, the profile does nothing."
        )
    return slowest, sentences


def _median(found: Sequence[tuple[Path, int]]) -> float:
    """Returns what the middle one of all receivers takes, in Gb/s, of two the slower."""
    rates = sorted(path.receive_gbps for path, count in found for _ in range(count))
    return rates[(len(rates) - 1) // 2]


def _of_silent(silent: Sequence[Hotspot], *, first: str = "No") -> str:
    names = [spot.name for spot in silent[:_MOST_NAMED]]
    more = [] if len(silent) <= _MOST_NAMED else [f"{len(silent) - _MOST_NAMED} more"]
    return (
        f"{first} profile holds back contributors to {listed([*names, *more])}, as no sender learns of congestion there: a "
        "switch that marks and an adapter that answers marks are needed, and the congestion control of one of these is none, "
        "PPCC or not known"
    )


def _of_workload(workload: Workload, worst: Hotspot, spots: Sequence[Hotspot]) -> str:
    others = "" if len(spots) == 1 else f", and {len(spots) - 1} other hotspots"
    return (
        f"Workload '{workload.name}' has {worst.contributors} contributors to {worst.name} ({worst.path.receive_gbps:.4g} Gb/s) "
        f"at a time{others}."
    )


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"
