# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Puts a suggestion in the fields that a campaign searches: the nearest values that its space holds, and which these changed."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ccsim.policy import PACKET_OVERHEAD_BYTES
from tuner.documents.parameter import Parameter, Scalar
from tuner.search.field_path import value_of
from tuner.search.space import Space
from tuner.suggest import rule
from tuner.suggest.suggestion import Suggestion

_CURVE = "cct.curve."
FULL_SCALES = (f"{_CURVE}full_scale_us", f"{_CURVE}full_scale_packet_times")
LAST = f"{_CURVE}last"
Wanted: TypeAlias = Callable[[str, Mapping[str, Any]], Any]


@dataclass(frozen=True, kw_only=True)
class SpaceValues:
    """Values for `Space.profile`, of fields whose conditions hold."""

    params: Mapping[str, Scalar]
    changed: tuple[str, ...]
    """A sentence for each value that the space cannot hold as suggested."""


def space_values(suggestion: Suggestion, space: Space, *, increase: int | None = None, room: float = rule.ROOM) -> SpaceValues:
    """Returns the values that make a space's profile the suggested one, as far as it can be.

    What the space does not leave free is kept, and the rest worked out anew for it: Marking_Rate for the Threshold and the
    CCTI_Increase there, CCTI_Timer for all three, and the table's full scale in the unit and at the index that the space has.
    Fields that the suggestion does not know keep the base profile's value. `increase`: a CCTI_Increase other than the rule's, for
    which the rest is worked out; 1 makes the finest steps. `room`: the table's, where not the rule's.
    """

    def wanted(path: str, current: Mapping[str, Any]) -> Any:
        if path == "ca.ccti_increase" and increase is not None:
            return increase
        wanted = _wanted(suggestion, path, current, space)
        return wanted * room / rule.ROOM if path in FULL_SCALES or path == LAST else wanted

    return fitted(space, wanted)


def fitted(space: Space, wanted_of: Wanted) -> SpaceValues:
    """Returns the values of a space that come nearest to what is wanted. `wanted_of`: of a field by its path, beside a profile
    with the values that were chosen before it; None: the base profile's value."""
    document = space.base.to_dict()
    params: dict[str, Scalar] = {}
    changed: list[str] = []
    paths = [path for path in space.parameters if path in space.distributions]
    for path in sorted(paths, key=lambda path: _ORDER.index(path) if path in _ORDER else 0 if path not in _LATE else len(_ORDER)):
        if not space.applies(path, params):
            continue
        current = space.profile(params, name=space.base.name).to_dict()
        wanted = wanted_of(path, current)
        if wanted is None:
            wanted = value_of(document, path)
        if wanted is None:
            continue
        params[path] = value = held(space.parameters[path], wanted)
        if not _same(value, wanted):
            changed.append(f"{path} is {_shown(value)} where {_shown(wanted)} is suggested: the space does not hold that")
    return SpaceValues(params=params, changed=tuple(changed))


_ORDER = ("", "switch.threshold", "ca.ccti_increase", "switch.marking_rate", "ca.ccti_timer")
_LATE = (*FULL_SCALES, f"{_CURVE}first", LAST)
"""Fields that follow from others come behind them; conditions see what comes first."""


def _wanted(suggestion: Suggestion, path: str, current: Mapping[str, Any], space: Space) -> Any:
    """Returns the rule's value for a field, beside the space's values of the others; None if the rule has none."""
    match path:
        case "switch.marking_rate":
            return _values(suggestion, current, _mark_every(space.parameters[path])).marking_rate
        case "ca.ccti_timer":
            return _values(suggestion, current, [int(current["switch"]["marking_rate"]) + 1]).ccti_timer
        case _ if path in FULL_SCALES:
            return full_scale(path, suggestion.delay_at_limit, current, packet_ns=suggestion.path.packet_ns)
        case _ if path == LAST:
            return suggestion.delay_at_limit
        case _:
            return value_of(suggestion.document, path)


def _values(suggestion: Suggestion, current: Mapping[str, Any], mark_every: list[int] | None) -> rule.Values:
    return suggestion.values_with(
        threshold=int(current["switch"]["threshold"]), increase=max(1, int(current["ca"]["ccti_increase"])), mark_every=mark_every
    )


def _mark_every(parameter: Parameter) -> list[int] | None:
    if parameter.choices is not None:
        return sorted(int(choice) + 1 for choice in parameter.choices if not isinstance(choice, bool | str)) or None
    assert parameter.low is not None
    assert parameter.high is not None
    low, high, step = int(parameter.low), min(int(parameter.high), rule.MOST_MARK_EVERY), max(1, int(parameter.step or 1))
    return [rate + 1 for rate in range(low, high + 1, step)] or [low + 1]


def full_scale(path: str, delay: float, current: Mapping[str, Any], *, packet_ns: float) -> float:
    """Returns the full scale with which the table of profile `current` ends at `delay` packet times, in the unit of the path:
    packet times, or microseconds of the profile's link, else of packets of `packet_ns`."""
    curve, link, limit = current["cct"]["curve"], current.get("link"), current["cct"]["ccti_limit"]
    packet_times: float = delay * (curve.get("at_index", limit) / limit) ** curve.get("exponent", 2.0)
    if path.endswith("times"):
        return packet_times
    if link is not None:
        packet_ns = (link["mtu_bytes"] + PACKET_OVERHEAD_BYTES) * 8 / link["rate_gbps"]
    return packet_times * packet_ns * 1e-3


def held(parameter: Parameter, wanted: Any) -> Scalar:
    """Returns the nearest value that can be drawn; of a range with steps the nearest step."""
    if parameter.choices is not None:
        if wanted in parameter.choices or isinstance(wanted, bool | str):
            return wanted if wanted in parameter.choices else parameter.choices[0]
        numbers = [choice for choice in parameter.choices if not isinstance(choice, bool | str)]
        return min(numbers, key=lambda choice: abs(choice - wanted)) if numbers else parameter.choices[0]
    assert parameter.low is not None
    assert parameter.high is not None
    value = min(max(wanted, parameter.low), parameter.high)
    if parameter.step is not None:
        value = parameter.low + round((value - parameter.low) / parameter.step) * parameter.step
        if value > parameter.high:
            value -= parameter.step
    return round(value) if parameter.whole else float(value)


def _same(value: Any, wanted: Any) -> bool:
    if isinstance(value, bool | str) or isinstance(wanted, bool | str):
        return bool(value == wanted)
    return math.isclose(value, wanted, rel_tol=1e-6)


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
