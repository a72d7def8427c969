# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What is odd in the output of other programs: counted by kind, with the first lines.

A machine of a thousand parts prints something odd every night, so an importer keeps each sound row, and says here what it has
left out, or taken from the other end of a link. A strict reader refuses the first odd row with its line instead; so are documents
read that a person writes.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from tuner.errors import BadInputError

MOST_LINES = 3
"""Lines that a remark names; the others are counted."""
MOST_ODD = 100_000
"""Odd rows of one kind after which a file is something else. Large fabrics have as many rows in all."""


class Odd(StrEnum):
    """A kind of odd row."""

    LINE = "line-not-understood"
    ROW = "row-not-understood"
    LONG_LINE = "line-too-long"
    TIMED_OUT = "query-timed-out"
    OUTSIDE = "port-outside-section"
    NODE_TWICE = "node-twice"
    PORT_TWICE = "port-twice"
    PORT_NUMBER = "port-does-not-exist"
    PORT_COUNT = "port-count-impossible"
    GUID = "guid-impossible"
    GUID_TWICE = "guid-twice"
    GUID_SHARED = "guid-of-two-devices"
    LID = "lid-impossible"
    LID_TWICE = "lid-twice"
    NO_SECTION = "node-without-section"
    NO_NODE = "link-to-nowhere"
    ONE_SIDE = "link-on-one-side"
    ENDS_DIFFER = "ends-differ"
    RATE_ONE_END = "rate-from-other-end"
    RATE_LOWER = "rates-differ"
    RATE_ASSUMED = "rate-unknown"
    NAME = "names-differ"
    PORT_GUID = "port-guids-differ"
    PORT_LID = "lids-differ"
    LOOP = "cable-to-itself"


_TEXTS: dict[Odd, tuple[str, str]] = {  # one, and many
    Odd.LINE: ("line is not understood and left out", "lines are not understood and left out"),
    Odd.ROW: ("row of a port or link is not understood and left out", "rows of ports or links are not understood and left out"),
    Odd.LONG_LINE: ("line is too long for any row and left out", "lines are too long for any row and left out"),
    Odd.TIMED_OUT: ("query of the discovery failed", "queries of the discovery failed"),
    Odd.OUTSIDE: ("port stands outside any section and is left out", "ports stand outside any section and are left out"),
    Odd.NODE_TWICE: ("node has a second section, which is added to the first", "nodes have further sections, added to the first"),
    Odd.PORT_TWICE: ("port is given twice; its first row holds", "ports are given twice; their first rows hold"),
    Odd.PORT_NUMBER: ("port has a number that its node does not have", "ports have numbers that their nodes do not have"),
    Odd.PORT_COUNT: ("node has an impossible number of ports", "nodes have an impossible number of ports"),
    Odd.GUID: ("GUID is impossible and left out", "GUIDs are impossible and left out"),
    Odd.GUID_TWICE: ("node has the GUID of another, and none here", "nodes have the GUID of another, and none here"),
    Odd.GUID_SHARED: (
        "port of an adapter is at two places: two devices have one GUID, or a cable was moved meanwhile; the first place holds",
        "ports of adapters are at two places each: two devices have one GUID, or a cable was moved meanwhile; the first holds",
    ),
    Odd.LID: ("LID is not that of one port and left out", "LIDs are not those of one port and left out"),
    Odd.LID_TWICE: ("LID is that of another port too and left out", "LIDs are those of other ports too and left out"),
    Odd.NO_SECTION: ("node has no section and is known by others' rows", "nodes have no section and are known by others' rows"),
    Odd.NO_NODE: ("link to a missing node is left out", "links to missing nodes are left out"),
    Odd.ONE_SIDE: ("link stands at one of its ends only", "links stand at one of their ends only"),
    Odd.ENDS_DIFFER: ("row contradicts the other end of its link", "rows contradict the other end of their link"),
    Odd.RATE_ONE_END: ("link has its rate from the end that knows it", "links have their rate from the end that knows it"),
    Odd.RATE_LOWER: ("link has two rates; the lower holds", "links have two rates; the lower holds"),
    Odd.RATE_ASSUMED: ("link has no rate at either end; one is assumed", "links have no rate at either end; one is assumed"),
    Odd.NAME: ("row gives the other end another name than its own", "rows give the other end another name than its own"),
    Odd.PORT_GUID: ("row gives the other port another GUID than its own", "rows give the other port another GUID than its own"),
    Odd.PORT_LID: ("row gives the other port another LID than its own", "rows give the other port another LID than its own"),
    Odd.LOOP: ("cable leads from a switch to itself and is left out", "cables lead from a switch to itself and are left out"),
}  # fmt: skip
_HARMLESS = frozenset({Odd.LOOP})
"""Sound in the fabric itself, though a document cannot hold it: no strict reader refuses these."""


@dataclass(frozen=True)
class Remark:
    """All odd rows of one kind."""

    kind: Odd
    count: int
    lines: tuple[int, ...]
    """The first MOST_LINES of them."""

    @property
    def sentence(self) -> str:
        return f"{self.count:,} {_TEXTS[self.kind][self.count != 1]} ({_where(self.lines, self.count)})"

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind.value, "count": self.count, "lines": list(self.lines), "text": self.sentence}


@dataclass
class Remarks:
    """Remarks about one text. `source` names it in errors."""

    source: str
    strict: bool = False
    _lines: dict[Odd, list[int]] = field(default_factory=dict)
    _counts: dict[Odd, int] = field(default_factory=dict)

    def add(self, kind: Odd, sentence: str, line: int) -> None:
        """Counts an odd row. Raises BadInputError with `sentence` and the line where the reader is strict, and where so many rows
        are odd that the text must be something else."""
        if self.strict and kind not in _HARMLESS:
            raise BadInputError(sentence, source=self.source, line=line)
        count = self._counts[kind] = self._counts.get(kind, 0) + 1
        if count > MOST_ODD:
            told = f"{MOST_ODD:,} {_TEXTS[kind][1]}; the last is line {line}, which {sentence}"
            raise BadInputError(told, source=self.source, line=line)
        lines = self._lines.setdefault(kind, [])
        if len(lines) < MOST_LINES:
            lines.append(line)

    def count(self, kind: Odd) -> int:
        return self._counts.get(kind, 0)

    def first_line(self, kind: Odd) -> int:
        """Line of the first odd row of a kind that has one."""
        return self._lines[kind][0]

    def all(self) -> tuple[Remark, ...]:
        """One remark for each kind that was seen, the commonest first."""
        kinds = sorted(self._counts, key=lambda kind: (-self._counts[kind], kind.value))
        return tuple(Remark(kind, self._counts[kind], tuple(self._lines[kind])) for kind in kinds)


def _where(lines: tuple[int, ...], count: int) -> str:
    if count == 1:
        return f"line {lines[0]}"
    if count > len(lines):
        return f"lines {', '.join(map(str, lines))} and {count - len(lines):,} more"
    return f"lines {', '.join(map(str, lines[:-1]))} and {lines[-1]}"
