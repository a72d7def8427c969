# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Damping of devices and links that come and go again and again: the third fall in two minutes is told as `flapping`, and then
nothing of coming and going until the device or link has kept its state for a minute."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

FALLS = 3
"""Number of falls within `FALLS_S` that make a device or link flapping."""
FALLS_S = 120.0
CALM_S = 60.0
"""Seconds without a change after which a device or link is steady again."""

Steadiness: TypeAlias = Literal["steady", "flapping"]
Turn: TypeAlias = Literal["fall", "last fall", "rise", "calm"]
"""`last fall`: the one that makes `FALLS` within `FALLS_S`. `calm`: `CALM_S` seconds have passed without a change."""
Told: TypeAlias = Literal["itself", "flapping", "steady"]
"""`itself`: the event of the fall or the rise, such as `device.lost`."""

TURNS: Mapping[tuple[Steadiness, Turn], tuple[Steadiness, Told | None]] = {
    ("steady", "fall"): ("steady", "itself"),
    ("steady", "last fall"): ("flapping", "flapping"),
    ("steady", "rise"): ("steady", "itself"),
    ("steady", "calm"): ("steady", None),
    ("flapping", "fall"): ("flapping", None),
    ("flapping", "last fall"): ("flapping", None),
    ("flapping", "rise"): ("flapping", None),
    ("flapping", "calm"): ("steady", "steady"),
}
"""The steadiness after a turn, and which event is told."""

_FALLS = ("device.lost", "link.down")
_RISES = ("device.back", "link.up")


@dataclass(frozen=True, slots=True)
class Unrest:
    """`falls`: times of the last falls, in seconds since 1970, the oldest first; fewer than `FALLS`."""

    falls: tuple[float, ...] = ()
    steadiness: Steadiness = "steady"

    @property
    def flaps(self) -> bool:
        return self.steadiness == "flapping"


QUIET = Unrest()


def damped(unrest: Unrest, kinds: Sequence[str], now_s: float) -> tuple[Unrest, list[str]]:
    """`kinds`: of the events of one device or link that have just happened, in order. Returns those that are told."""
    told = []
    for kind in kinds:
        if kind not in (*_FALLS, *_RISES):
            told.append(kind)
            continue
        unrest, what = _turned(unrest, kind in _FALLS, now_s)
        if what is not None:
            told.append(kind if what == "itself" else f"{kind.partition('.')[0]}.{what}")
    return unrest, told


def _turned(unrest: Unrest, is_fall: bool, now_s: float) -> tuple[Unrest, Told | None]:
    falls = tuple(at for at in unrest.falls if now_s - at < FALLS_S)
    turn: Turn = "rise"
    if is_fall:
        falls = (*falls, now_s)
        turn = "last fall" if len(falls) >= FALLS else "fall"
    steadiness, told = TURNS[unrest.steadiness, turn]
    return Unrest(() if steadiness == "flapping" else falls, steadiness), told


def is_calm(unrest: Unrest, since_s: float | None, now_s: float) -> bool:
    """Says whether what flaps is steady again. `since_s`: time since which its state is the present one."""
    return unrest.flaps and since_s is not None and now_s - since_s >= CALM_S


def calmed(unrest: Unrest) -> Unrest:
    return replace(unrest, steadiness=TURNS[unrest.steadiness, "calm"][0])
