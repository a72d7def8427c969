# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Permutation: every host sends to one other, and every host receives from one."""

from typing import Annotated, Literal

from tuner.document_base.model import ListOf, Within
from tuner.documents.flow import HostReference, Role
from tuner.documents.patterns.base import PATTERNS, Ends, HostSelector, select_all
from tuner.documents.patterns.draw import Draw, Seed
from tuner.documents.patterns.open_loop import OpenLoop
from tuner.errors import BadInputError


class Permutation(OpenLoop):
    """One flow for each host. No link to a host is overloaded, so what is lost is lost to routing: links between switches that
    several flows share while others are idle. Hosts are numbered from 0 in the order of `hosts`."""

    examples = (
        {"load": 1.0},
        {"order": "shift", "shift_by": 5, "load": 0.5},
        {"order": "bit-complement", "rate_gbps": 4.0},
        {"order": "transpose", "rate_gbps": 4.0},
    )

    kind: Literal["permutation"]
    role: Role = "other"
    hosts: ListOf[HostReference] = ("*",)
    """Hosts, or patterns of `*`, `?` and `[…]` over node descriptions."""
    order: Literal["random", "shift", "bit-complement", "transpose"] = "random"
    """`random`: drawn by `seed`. `shift`: host i sends to i + `shift_by`. `bit-complement`: of n hosts, a power of two, host i
    sends to n - 1 - i. `transpose`: of n × n hosts, host (row, column) sends to (column, row), and the diagonal to nobody."""
    shift_by: Annotated[int, Within(1)] = 1
    seed: Seed = 1

    def ends(self, hosts: HostSelector) -> Ends:
        members = select_all(hosts, self.hosts)
        partners = self._partners(len(members)) if len(members) > 1 else []
        return [(members[i], members[j]) for i, j in enumerate(partners) if i != j]

    def _partners(self, n: int) -> list[int]:
        """Returns the destination of each host: the host itself, if it has none."""
        match self.order:
            case "random":
                return _derangement(n, Draw(self.seed))
            case "shift":
                return [(i + self.shift_by) % n for i in range(n)]
            case "bit-complement":
                self._require(n & (n - 1) == 0, n, "a power of two")
                return [n - 1 - i for i in range(n)]
            case "transpose":
                side = round(n**0.5)
                self._require(side * side == n, n, "a square number")
                return [i % side * side + i // side for i in range(n)]

    def _require(self, fits: bool, n: int, what: str) -> None:
        if not fits:
            raise BadInputError(f"pattern '{self.name}' finds {n} hosts; the order {self.order} needs {what} of them")


def _derangement(n: int, draw: Draw) -> list[int]:
    """Any order of 0 to n - 1 that leaves none in its place, all equally likely. About every third shuffle is one."""
    while True:
        partners = draw.shuffled(range(n))
        if all(i != j for i, j in enumerate(partners)):
            return partners


PATTERNS.add("permutation", Permutation)
