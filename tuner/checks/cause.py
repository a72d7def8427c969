# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A likely cause of what a night has shown."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Cause:
    """`name`: the kind of cause in short, such as "degraded-link". `sentence`: what is probably wrong. `place`: the link, device,
    host or table. `evidence`: sentences about what was seen, the strongest first. `next_step`: a command that shows more or
    repairs it. `known`: true if it was there in
    the night before. `weight`: natural logarithm of the odds for it, up to a constant that all causes of a night share.
    """

    name: str
    sentence: str
    place: str
    evidence: tuple[str, ...]
    next_step: str
    weight: float
    known: bool = False

    @classmethod
    def from_plain(cls, document: dict[str, Any]) -> "Cause":
        return cls(**document | {"evidence": tuple(document["evidence"])})
