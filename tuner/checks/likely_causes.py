# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The likely causes of what a night has shown, by all rules of `tuner.checks.causes`."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tuner.checks.cause import Cause
from tuner.checks.verdict import Entry, Verdict
from tuner.documents.check import Check
from tuner.registry import Registry


@dataclass(frozen=True, kw_only=True)
class Seen:
    """All that a rule can know of a night."""

    check: Check
    entries: Sequence[Entry]
    verdict: Verdict


Rule: TypeAlias = Callable[[Seen], Iterator[Cause]]

RULES: Registry[Rule] = Registry("rule for causes", "tuner.checks.causes")


def causes_of(seen: Seen) -> list[Cause]:
    """Returns them, the most likely first; none of a night that shows nothing."""
    found = [cause for rule in RULES for cause in rule(seen)]
    return sorted(found, key=lambda cause: (-cause.weight, cause.name, cause.place))
