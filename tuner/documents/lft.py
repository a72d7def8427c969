# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Linear forwarding tables as fabric documents write them: runs of ports for LIDs that follow each other.

    lfts:
      leaf 1: {1: [0, 1, 2, 35, 36], 64: [35, 255, 36]}

`1` is the first LID of a run: LID 1 leaves by port 0, which is the switch itself, LID 2 by port 1, LID 64 by port 35. 255 says
that there is no route, as does a LID outside all runs. This is what a switch holds (LinearForwardingTable, IBA 14.2.5.10); the
table of a fabric of 582 hosts is a line of 3 kB, where `forwarding`, by the hosts' names, would take ten times as much.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, TypeAlias

from pydantic import BeforeValidator, WithJsonSchema

from tuner.document_base.model import ListOf, Within

NO_ROUTE = 255
MAX_LID = 0xBFFF
_GAP = 8
"""Minimum number of LIDs without a route between two runs; fewer are written out."""

Ports: TypeAlias = ListOf[Annotated[int, Within(0, NO_ROUTE)]]
Lft: TypeAlias = Annotated[
    dict[Annotated[int, Within(1, MAX_LID)], Ports],
    # Keys of documents are text; what is not a number stays what it is and is refused for that.
    BeforeValidator(lambda runs: {_lid(k): v for k, v in runs.items()} if isinstance(runs, Mapping) else runs),
    WithJsonSchema(
        {
            "type": "object",
            "propertyNames": {"pattern": "^[1-9][0-9]{0,4}$"},
            "additionalProperties": {
                "type": "array",
                "items": {"type": "integer", "minimum": 0, "maximum": NO_ROUTE},
            },
        }
    ),
]
"""Ports of each run, by the run's first LID."""


def entries(lft: Mapping[int, Sequence[int]]) -> Iterator[tuple[int, int]]:
    """(LID, port) of every route, in the order of the document."""
    for first, ports in lft.items():
        yield from ((lid, port) for lid, port in enumerate(ports, start=first) if port != NO_ROUTE)


def complaint(lft: Mapping[int, Sequence[int]], n_ports: int) -> str | None:
    """Returns the fault of a switch's table as a sentence, or None: a port or a LID that does not exist, or a LID given twice."""
    end = 0
    for first, ports in sorted(lft.items()):
        if first < end:
            return f"LID {first} is in two runs; the one before goes to LID {end - 1}"
        end = first + len(ports)
        if end > MAX_LID + 1:
            return f"the run from LID {first} goes to LID {end - 1}; unicast LIDs end at {MAX_LID}"
    for lid, port in entries(lft):
        if port > n_ports:
            return f"LID {lid} leaves by port {port}, which does not exist; the switch has ports 1 to {n_ports}"
    return None


def runs(routes: Mapping[int, int]) -> dict[int, tuple[int, ...]]:
    """A table in the form of documents, of the port by LID."""
    collected: dict[int, list[int]] = {}
    run: list[int] = []
    previous = 0
    for lid, port in sorted(routes.items()):
        if port == NO_ROUTE:
            continue
        if run and lid - previous <= _GAP:
            run += [NO_ROUTE] * (lid - previous - 1)
        else:
            collected[lid] = run = []
        run.append(port)
        previous = lid
    return {first: tuple(ports) for first, ports in collected.items()}


def _lid(key: object) -> object:
    return int(key) if isinstance(key, str) and key.isascii() and key.isdigit() and len(key) <= 5 else key
