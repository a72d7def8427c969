# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Pairs of fields of which one must be at most the other, such as a threshold's min and max.

A sampler draws both without looking at the other. Where they come out the wrong way round they change places, so that no trial
is lost: the sampler sees a value that is the same for (a, b) and (b, a). Where one cannot take the other's value, it takes the
nearest that it can.
"""

import math
from collections.abc import Collection, Mapping

from tuner.documents.parameter import Parameter, Scalar

_GREATER = {
    **{f"profile{number}_min": f"profile{number}_max" for number in (1, 2, 3)},
    "rpg_ai_rate": "rpg_hai_rate",
    "rpg_min_rate": "rpg_max_rate",
}
"""The greater of each pair by the lesser, beside it in a profile. Steps of an additive increase above those of
a hyper increase are no error of a profile's, only pointless."""

_UNLIMITED = "rpg_max_rate"
"""Greater field of which 0 means no limit."""


def pairs_of(paths: Collection[str]) -> list[tuple[str, str]]:
    """Returns the pairs among paths of a space's drawn fields: the lesser, the greater."""
    found = []
    for path in paths:
        parent, dot, name = path.rpartition(".")
        greater = parent + dot + _GREATER.get(name, "")
        if name in _GREATER and greater in paths:
            found.append((path, greater))
    return found


def contradict(greater: str, low: Scalar, high: Scalar) -> bool:
    """True for values of a pair that are the wrong way round. `greater`: the path of its greater field."""
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return False
    return low > high and not (high == 0 and greater.rpartition(".")[2] == _UNLIMITED)


def in_order(
    params: Mapping[str, Scalar], pairs: Collection[tuple[str, str]], parameters: Mapping[str, Parameter]
) -> dict[str, Scalar]:
    """Returns the values with those of each pair the right way round. They stay as they are where one of them is not drawn, or
    where no value of the one is at most one of the other: the profile's reader says what is wrong then."""
    ordered = dict(params)
    for lesser, greater in pairs:
        if lesser not in ordered or greater not in ordered:
            continue
        low, high = ordered[lesser], ordered[greater]
        if contradict(greater, low, high):
            below, above = parameters[lesser], parameters[greater]
            near = below.nearest(high)
            for most in (above.nearest(low), above.at_most(math.inf)):
                if most is None:
                    continue
                least = below.at_most(most) if contradict(greater, near, most) else near
                if least is not None:
                    ordered[lesser], ordered[greater] = least, most
                    break
    return ordered
