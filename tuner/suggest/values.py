# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A suggestion in the fields that a campaign searches: values that its space can hold, and what had to be bent for that."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ccsim.policy import PACKET_OVERHEAD_BYTES
from tuner.documents.parameter import Parameter, Scalar
from tuner.search.field_path import value_of
from tuner.search.space import Space
from tuner.suggest import rule
from tuner.suggest.suggestion import Suggestion

_CURVE = "cct.curve."


@dataclass(frozen=True, kw_only=True)
class SpaceValues:
    """Values for `Space.profile`, of fields whose conditions hold."""

    params: Mapping[str, Scalar]
    changed: tuple[str, ...]
    """A sentence for each value that the space cannot hold as suggested."""


def space_values(suggestion: Suggestion, space: Space) -> SpaceValues:
    """Returns the values that make a space's profile the suggested one, as far as it can be.

    What the space does not leave free is kept, and the rest worked out anew for it: Marking_Rate for the Threshold and the
    CCTI_Increase there, CCTI_Timer for all three, and the table's full scale in the unit and at the index that the space has.
    Fields that the suggestion does not know keep the base profile's value.
    """
    document = space.base.to_dict()
    params: dict[str, Scalar] = {}
    changed: list[str] = []
    paths = [path for path in space.parameters if path in space.distributions]
    for path in sorted(paths, key=lambda path: _ORDER.index(path) if path in _ORDER else 0 if path not in _LATE else len(_ORDER)):
        if not space.applies(path, params):
            continue
        current = space.profile(params, name=space.base.name).to_dict()
        wanted = _wanted(suggestion, path, current, space)
        if wanted is None:
            wanted = value_of(document, path)
        if wanted is None:
            continue
        params[path] = value = _held(space.parameters[path], wanted)
        if not _same(value, wanted):
            changed.append(f"{path} is {_shown(value)} where {_shown(wanted)} is suggested: the space does not hold that")
    return SpaceValues(params=params, changed=tuple(changed))


_ORDER = ("", "switch.threshold", "ca.ccti_increase", "switch.marking_rate", "ca.ccti_timer")
_LATE = tuple(f"{_CURVE}{key}" for key in ("full_scale_us", "full_scale_packet_times", "first", "last"))
"""Fields that follow from others come behind them; conditions see what comes first."""


def _wanted(suggestion: Suggestion, path: str, current: Mapping[str, Any], space: Space) -> Any:
    """What the rule gives for a field, beside what the space's profile has in the others; None if it says nothing of it."""
    curve = current.get("cct", {}).get("curve", {})
    match path:
        case "switch.marking_rate":
            return _values(suggestion, current, _mark_every(space.parameters[path])).marking_rate
        case "ca.ccti_timer":
            return _values(suggestion, current, [int(current["switch"]["marking_rate"]) + 1]).ccti_timer
        case "cct.curve.full_scale_us" | "cct.curve.full_scale_packet_times":
            limit = current["cct"]["ccti_limit"]
            at_index = curve.get("at_index", limit)
            delay = suggestion.delay_at_limit * (at_index / limit) ** curve.get("exponent", 2.0)
            return delay if path.endswith("times") else delay * _packet_us(current, suggestion)
        case "cct.curve.last":
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


def _packet_us(current: Mapping[str, Any], suggestion: Suggestion) -> float:
    """A packet on the link for which the space's profile writes microseconds."""
    link = current.get("link")
    if link is None:
        return suggestion.path.packet_ns * 1e-3
    return float((link["mtu_bytes"] + PACKET_OVERHEAD_BYTES) * 8e-3 / link["rate_gbps"])


def _held(parameter: Parameter, wanted: Any) -> Scalar:
    """The nearest value that can be drawn; of a range with steps the nearest step."""
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
