# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Keeps the number of findings small: a switch that is gone takes all its links along."""

from collections.abc import Iterable, Iterator

from tuner.checks.observation import Finding

MOST = 20
"""Findings of one code that are listed one by one."""


def bounded(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yields the gravest of one code, in the order given, and then one that counts the others."""
    found = sorted(findings, key=lambda one: one.severity != "fail")
    yield from found[:MOST]
    if rest := found[MOST:]:
        first = rest[0]
        yield Finding(
            code=first.code,
            sentence=f"{len(rest)} more findings of the kind '{first.code}', such as: {first.sentence}",
            place=first.place,
            evidence=first.evidence,
            next_step=first.next_step,
            severity=first.severity,
        )
