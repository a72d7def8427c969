# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Puts a suggestion in the fields that a campaign searches: the nearest values that its space holds, and which these changed."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ccsim.policy import PACKET_OVERHEAD_BYTES
from tuner.documents.parameter import Parameter, Scalar
from tuner.search.field_path import value_of
from tuner.search.space import END_EXPONENT, KNEE_AT_DEFAULT, Space, is_of_model
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
    Fields that the suggestion does not know keep the base profile's value, and parameters of the model the devices'.
    `increase`: a CCTI_Increase other than the rule's, for which the rest is worked out; 1 makes the finest steps. `room`: the
    table's, where not the rule's.
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
    params: dict[str, Scalar] = {}
    all_wanted: dict[str, Any] = {}
    for path in _in_order(space):
        if not space.applies(path, params):
            continue
        wanted = None if is_of_model(path) else wanted_of(path, space.partial_profile(params).to_dict())
        if wanted is None:
            wanted = space.unchanged(path)
        if wanted is None:
            continue
        all_wanted[path] = wanted
        params[path] = space.parameters[path].nearest(wanted)
    params = space.in_order(params)
    changed = [
        f"{path} is {_shown(params[path])} where {_shown(wanted)} is {_WANTED[is_of_model(path)]}: the space does not hold that"
        for path, wanted in all_wanted.items()
        if not _same(params[path], wanted)
    ]
    return SpaceValues(params=params, changed=tuple(changed))


_WANTED = {False: "suggested", True: "what the devices have"}

_THRESHOLD = re.compile(r"(?P<list>(overrides\[.+\]\.)?nvidia\.switch\.thresholds\.\d+)\.(?P<name>profile1_(min|max))")

_ORDER = ("switch.threshold", "ca.ccti_increase", "switch.marking_rate", "ca.ccti_timer")
_LATE = (*FULL_SCALES, f"{_CURVE}first", LAST)
"""Fields that follow from others come behind them; conditions see what comes first."""


def _in_order(space: Space) -> list[str]:
    """Returns the fields to choose values for, each behind those that its condition names and, where that leaves a choice, behind
    those that it follows from; whatever order the space lists them in."""
    waiting = sorted(space.parameters, key=lambda path: (_rank(path), path))
    ordered: list[str] = []
    while waiting:
        ready = next(path for path in waiting if not any(other in waiting for other in space.parameters[path].when))
        waiting.remove(ready)
        ordered.append(ready)
    return [path for path in ordered if path in space.distributions]


def _rank(path: str) -> int:
    if path in _ORDER:
        return 1 + _ORDER.index(path)
    if path == END_EXPONENT:
        return 1
    return len(_ORDER) + 1 if path in _LATE or _THRESHOLD.fullmatch(path) else 0


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
        case _ if path == END_EXPONENT:
            return value_of(current, f"{_CURVE}exponent")  # one piece: the rule knows no other table
        case _ if suggestion.dcqcn is not None and (threshold := _THRESHOLD.fullmatch(path)):
            unit = value_of(current, f"{threshold['list']}.unit")
            return suggestion.dcqcn.threshold(threshold["name"], unit)
        case _:
            return value_of(suggestion.fields, path)


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
    link = current.get("link")
    packet_times: float = delay / _part_at_limit(current)
    if path.endswith("times"):
        return packet_times
    if link is not None:
        packet_ns = (link["mtu_bytes"] + PACKET_OVERHEAD_BYTES) * 8 / link["rate_gbps"]
    return packet_times * packet_ns * 1e-3


def _part_at_limit(current: Mapping[str, Any]) -> float:
    """Returns the delay at the CCTI_Limit as a part of the full scale, for a power curve of one piece or two."""
    curve, limit = current["cct"]["curve"], current["cct"]["ccti_limit"]
    part, exponent = limit / curve.get("at_index", limit), curve.get("exponent", 2.0)
    end_exponent, knee_at = curve.get("end_exponent", exponent), curve.get("knee_at", KNEE_AT_DEFAULT)
    if part >= knee_at or end_exponent == exponent:
        return float(part**end_exponent)
    return float(knee_at**end_exponent * (part / knee_at) ** exponent)


def _same(value: Any, wanted: Any) -> bool:
    if isinstance(value, bool | str) or isinstance(wanted, bool | str):
        return bool(value == wanted)
    return math.isclose(value, wanted, rel_tol=1e-6)


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
