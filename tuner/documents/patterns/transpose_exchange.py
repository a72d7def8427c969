# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Exchange of a parallel matrix transpose: PTRANS of the HPC Challenge."""

import math
from typing import Literal

from tuner.document_base.model import ListOf
from tuner.documents.expanded_flow import ClosedLoop as Loop
from tuner.documents.expanded_flow import ExpandedFlow, make_flow
from tuner.documents.flow import HostReference
from tuner.documents.patterns.base import PATTERNS, HostSelector, select_all
from tuner.documents.patterns.closed_loop import ClosedLoop
from tuner.errors import BadInputError


class TransposeExchange(ClosedLoop):
    """Hosts form the grid of P rows and Q columns, P up to Q, that is nearest to a square, in row-major order, and hold a matrix
    in block-cyclic distribution. Its transpose makes host (p, q) exchange `message_bytes` with every host (a, b) for which a
    equals q and b equals p, each modulo the greatest common divisor of P and Q: one partner on a square grid, PQ divided by the
    divisor's square on others (Choi, Dongarra and Walker, "Parallel matrix transpose algorithms on distributed memory concurrent
    computers"). All pairs exchange at once. A host begins again when its messages and its partners' have arrived; of several
    partners, one that is ahead may stand for another. Hosts that are their own and only partner send nothing."""

    examples = (
        {"message_bytes": 32768},
        {"hosts": ["H[1-8]"], "message_bytes": 8192, "think_us": 2.0},
        {"hosts": ["H[1-3]"], "message_bytes": 4096},
    )

    kind: Literal["transpose-exchange"]
    hosts: ListOf[HostReference] = ("*",)
    """Hosts, or patterns of `*`, `?` and `[…]` over node descriptions, in the order of ranks."""

    def expand(self, hosts: HostSelector, duration_s: float) -> list[ExpandedFlow]:
        ranks = select_all(hosts, self.hosts)
        partners = transpose_partners(len(ranks)) if len(ranks) > 1 else []
        if not any(partners):
            raise BadInputError(f"pattern '{self.name}' finds {len(ranks)} host on this fabric; a transpose needs two at least")
        ends = [(i, j) for i, theirs in enumerate(partners) for j in theirs]
        sent_by: dict[int, tuple[str, ...]] = {}
        for number, (i, _) in enumerate(ends, start=1):
            sent_by[i] = (*sent_by.get(i, ()), f"{self.name}-{number}")
        flows = []
        for number, (i, j) in enumerate(ends, start=1):
            loop = Loop(1, sent_by[i] + sent_by[j], self.think_us, needs=2 * len(partners[i]))
            flows.append(make_flow(self, name=f"{self.name}-{number}", src=ranks[i], dst=ranks[j], role=self.role, loop=loop))
        return flows


def grid(ranks: int) -> tuple[int, int]:
    """(rows, columns) of the grid nearest to a square, with rows up to columns; `ranks` is at least 1."""
    rows = next(p for p in range(math.isqrt(ranks), 0, -1) if ranks % p == 0)
    return rows, ranks // rows


def transpose_partners(ranks: int) -> list[list[int]]:
    """Partners of each rank, without itself, ascending. Whoever is a rank's partner has it as partner too."""
    rows, columns = grid(ranks)
    divisor = math.gcd(rows, columns)
    return [
        [
            j
            for a in range(q % divisor, rows, divisor)
            for b in range(p % divisor, columns, divisor)
            if (j := a * columns + b) != p * columns + q
        ]
        for p in range(rows)
        for q in range(columns)
    ]


PATTERNS.add("transpose-exchange", TransposeExchange)
