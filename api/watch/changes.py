# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Changes that a look at a fabric has found, and the events that tell of them: a rack that is switched off is one event."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from api.fabric_drivers.sight import Key

MAX_SINGLE = 5
"""Largest number of changes of one kind, found by one look, that are an event each; more are one event together."""
NAMED = 5
"""Number of changes that a common event names."""


@dataclass(frozen=True)
class Change:
    """`of`: the device, or one end of the link."""

    kind: str
    of: Key
    name: str
    node: Literal["switch", "ca"] | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""
    """Sentence; empty: that of `_WORDS`."""
    turn: int = 0
    """Number of the change among those of its device or link that one look has found, from 0."""


@dataclass(frozen=True)
class _Words:
    one: str
    """A change of one device."""
    many: str


_WORDS: Mapping[str, _Words] = {
    "device.lost": _Words("is lost: OpenSM does not find it", "devices are lost: OpenSM does not find them"),
    "device.back": _Words("is back", "devices are back"),
    "device.new": _Words("is new", "devices are new"),
    "device.flapping": _Words("comes and goes: it was lost again and again", "devices come and go"),
    "device.steady": _Words("is steady again: it has not come or gone for a minute", "devices are steady again"),
    "device.ready": _Words("is ready", "devices are ready"),
    "device.responding": _Words("is responding again", "devices are responding again"),
    "device.timing-out": _Words("is not responding", "devices are not responding"),
    "device.drifted": _Words("held other values than the profile says", "devices held other values than the profile says"),
    "device.repaired": _Words("was repaired: it holds the profile's values", "devices were repaired"),
    "device.not-ready": _Words("is not ready: OpenSM has not brought its port up", "devices are not ready"),
    "link.down": _Words("is down", "links are down"),
    "link.up": _Words("is up", "links are up"),
    "link.flapping": _Words("goes down and comes up again and again", "links go down and come up again and again"),
    "link.steady": _Words("is steady again: it has not gone down or come up for a minute", "links are steady again"),
    "link.changed": _Words("has changed", "links have changed"),
}
"""In the order in which events of one turn are told: a device that is ready again and has drifted is ready first."""
KINDS = tuple(_WORDS)
"""Kinds of events about devices and links."""


def events(changes: Iterable[Change], shared_names: Counter[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields kind and data of each event, by turns and in the order of `_WORDS`. `shared_names`: how many nodes have a name; a
    name that several have is told with the GUID."""
    found: dict[tuple[int, str], list[Change]] = {}
    for change in changes:
        found.setdefault((change.turn, change.kind), []).append(change)
    for turn, kind in sorted(found, key=lambda one: (one[0], KINDS.index(one[1]))):
        alike, words = sorted(found[turn, kind], key=lambda one: (one.name, one.of)), _WORDS[kind]
        if len(alike) <= MAX_SINGLE:
            yield from ((kind, _single(one, words, shared_names)) for one in alike)
        else:
            yield kind, _common(alike, words, shared_names)


def _single(change: Change, words: _Words, shared_names: Counter[str]) -> dict[str, Any]:
    headline = change.text or f"{_title(change, shared_names)} {words.one}"
    return {"count": 1, "headline": headline, **_item(change)}


def _common(found: list[Change], words: _Words, shared_names: Counter[str]) -> dict[str, Any]:
    titles = [_title(one, shared_names) for one in found[:NAMED]]
    headline = f"{len(found):,} {words.many}: {', '.join(titles)} and {len(found) - NAMED:,} more"
    kinds = {one.node for one in found}
    node = "switch" if "switch" in kinds else "ca" if "ca" in kinds else None
    return {
        "count": len(found),
        "headline": headline,
        **({} if node is None else {"kind": node}),
        "items": [_item(one) for one in found[:NAMED]],
    }


def _item(change: Change) -> dict[str, Any]:
    node = {} if change.node is None else {"kind": change.node}
    return {"guid": change.of[0], "port": change.of[1], "name": change.name, **node, **change.detail}


def _title(change: Change, shared_names: Counter[str]) -> str:
    name = change.name or change.of[0]
    return f"{name} ({change.of[0]})" if shared_names[change.name] > 1 and change.name else name
