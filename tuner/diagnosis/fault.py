# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What can be wrong, and one fault with its place and evidence."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal[
    "slow-receiver",
    "slow-sender",
    "hotspot",
    "degraded-link",
    "drifted-table",
    "host-misconfigured",
    "host-link-failed",
    "host-link-misconfigured",
    "host-link-overloaded",
    "host-link-flapping",
]

VerdictName: TypeAlias = Kind | Literal["several", "none", "cannot-tell"]

CAUSE_OF: Mapping[Kind, str] = {
    "slow-receiver": "slow-receiver",
    "slow-sender": "slow-sender",
    "hotspot": "aggressive-tenant",
    "degraded-link": "degraded-link",
    "drifted-table": "wrong-tables",
    "host-misconfigured": "host-misconfigured",
    "host-link-failed": "host-link-failed",
    "host-link-misconfigured": "host-link-misconfigured",
    "host-link-overloaded": "host-link-overloaded",
    "host-link-flapping": "host-link-flapping",
}
"""Row of the causes of nightly checks (tuner/checks/likelihoods.py) by kind of fault."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """`place`: a host, link, port or device. `evidence`: sentences. `next_step`: a command, or what to do."""

    kind: Kind
    place: str
    sentence: str
    evidence: tuple[str, ...]
    next_step: str

    @property
    def cause(self) -> str:
        return CAUSE_OF[self.kind]
