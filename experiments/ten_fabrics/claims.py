# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The claims of the experiment, so that a run shows when one of them stops being true."""

from collections.abc import Iterator, Sequence

from experiments._common.findings import Claim
from experiments.ten_fabrics.compare import ELSEWHERE, HELD, HOME, SUGGESTED, TOLD, Compared, Where
from experiments.ten_fabrics.ground import OTHER_DEVICES

KNOWN = frozenset({(SUGGESTED, "hypercube"), (TOLD, "hypercube"), (TOLD, "mixed")})
"""Profiles and fabrics of which the README says why contributors lose more."""


def claims(compared: Sequence[Compared]) -> list[Claim]:
    return list(_claims(compared))


def _claims(compared: Sequence[Compared]) -> Iterator[Claim]:
    for name in (SUGGESTED, TOLD):
        for comparison in compared:
            judged, ground = comparison.judged(name), comparison.ground.name
            yield Claim(
                sentence=f"{name}, {ground}: victims have {HELD:.0%} of the campaign's best, contributors of CC off",
                published="-",
                here=f"{judged['victims'].value:.1%}, {judged['contributors'].value:.1%}",
                holds=comparison.keeps(name),
                known_to_fail=(name, comparison.ground.name) in KNOWN,
            )
    every = (HOME, ELSEWHERE, *(Where(devices=kind) for kind in OTHER_DEVICES))
    for name in (SUGGESTED, TOLD):
        for where in every:
            kept = [one.ground.name for one in compared if one.keeps(name, where)]
            missed = [one.ground.name for one in compared if one.ground.name not in kept]
            yield Claim(
                sentence=f"{name}, {where}: so on every fabric",
                published="-",
                here=f"{len(kept)} of {len(compared)}" + (f"; not {', '.join(missed)}" if missed else ""),
                holds=not missed,
                known_to_fail=all((name, bed) in KNOWN for bed in missed),
            )
