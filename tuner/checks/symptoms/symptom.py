# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A symptom of a night, and its place on the fabric."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

_BETWEEN = re.compile(r"\s+(?:–|—|-|<->|↔|->|→|to|and)\s+|,\s+")
_PORT = re.compile(r"(?P<node>.+)/\d+")


@dataclass(frozen=True, kw_only=True)
class Symptom:
    """`name`: a row of SYMPTOMS. `place`: for people; empty for one of the whole fabric. `ports`, such as "S1/19", and `nodes`:
    what is compared with the places of others. `next_step`: a command; empty for none of its own. `change`: how far a rate is
    from the usual one beside its siblings, as a natural logarithm; 0 where that is not compared. `news`: whether
    its alarm is new tonight or known; empty for one that raises none."""

    name: str
    sentence: str
    place: str = ""
    ports: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    next_step: str = ""
    change: float = 0.0
    news: Literal["", "new", "known"] = ""
    weak: bool = False


def placed(name: str, sentence: str, place: str, *, next_step: str = "") -> Symptom:
    """Returns a symptom whose ports and nodes are those that `place` names: "S1", "S1/19" or "S1/19 – S2/19"."""
    ends = [end.strip() for end in _BETWEEN.split(place) if end.strip()]
    ports = [end for end in ends if _PORT.fullmatch(end)]
    return Symptom(
        name=name, sentence=sentence, place=place, ports=tuple(ports), nodes=nodes_of(ports, ends), next_step=next_step
    )


def nodes_of(ports: Iterable[str], more: Iterable[str] = ()) -> tuple[str, ...]:
    """Returns the nodes of these ports and of other places, each once."""
    places = [*ports, *more]
    return tuple(dict.fromkeys(match["node"] if (match := _PORT.fullmatch(place)) else place for place in places))
