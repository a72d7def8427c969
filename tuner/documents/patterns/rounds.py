# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Rounds in which every host hears of every other: in round r, a host sends to the one 2^r places on, and goes on when the one
2^r places before it has sent."""

from collections.abc import Sequence

from tuner.documents.expanded_flow import ClosedLoop as Loop
from tuner.documents.expanded_flow import ExpandedFlow, make_flow
from tuner.documents.patterns.closed_loop import ClosedLoop


def round_name(stem: str, members: int, member: int, number: int) -> str:
    """Name of a host's flow in a round; `member` and `number` from 0."""
    return f"{stem}-{member * number_of_rounds(members) + number + 1}"


def number_of_rounds(members: int) -> int:
    """Rounds that it takes to hear of all: the logarithm to the base 2, rounded up."""
    return (members - 1).bit_length()


def rounds(
    pattern: ClosedLoop,
    stem: str,
    members: Sequence[str],
    *,
    message_bytes: int,
    first: Loop,
    after: Sequence[tuple[str, ...]],
) -> list[ExpandedFlow]:
    """All flows of the rounds, by member, then by round. `first`: who may send in the first round, and when; its grants are not
    used. `after`: by member, names of flows that begin when it has heard of all; each of them needs two deliveries."""
    n, last = len(members), number_of_rounds(len(members)) - 1
    flows = []
    for i in range(n):
        for r in range(last + 1):
            j = (i + 2**r) % n
            if r < last:
                grants: tuple[str, ...] = (round_name(stem, n, i, r + 1), round_name(stem, n, j, r + 1))
            else:
                grants = after[i] + after[j]
            window, needs = (first.window, first.needs) if r == 0 else (0, 2)
            loop = Loop(window, grants, pattern.think_us, needs)
            flows.append(
                make_flow(
                    pattern,
                    name=round_name(stem, n, i, r),
                    src=members[i],
                    dst=members[j],
                    role=pattern.role,
                    loop=loop,
                    message_bytes=message_bytes,
                )
            )
    return flows
