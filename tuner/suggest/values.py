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

    CCTI_Timer is worked out for the Marking_Rate and CCTI_Increase that the space leaves, and the table's full scale, in the unit
    and at the index that the space has, for its exponent. Fields that the suggestion does not know keep the base profile's value.
    """
    document = space.base.to_dict()
    params: dict[str, Scalar] = {}
    changed: list[str] = []
    # Fields that others follow from are settled first; conditions see them.
    late = ("ca.ccti_timer", *(f"{_CURVE}{key}" for key in ("full_scale_us", "full_scale_packet_times", "first", "last")))
    order = [path for path in space.parameters if path not in late] + [path for path in space.parameters if path in late]
    for path in order:
        parameter = space.parameters[path]
        if path not in space.distributions or not space.applies(path, params):
            continue
        current = space.profile(params, name=space.base.name).to_dict()
        wanted = _wanted(suggestion, path, current)
        if wanted is None:
            wanted = value_of(document, path)
        if wanted is None:
            continue
        params[path] = value = _held(parameter, wanted)
        if not _same(value, wanted):
            changed.append(f"{path} is {_shown(value)} where {_shown(wanted)} is suggested: the space does not hold that")
    return SpaceValues(params=params, changed=tuple(changed))


def _wanted(suggestion: Suggestion, path: str, current: Mapping[str, Any]) -> Any:
    """What the rule gives for a field, beside what the space's profile has in the others; None if it says nothing of it."""
    curve = current.get("cct", {}).get("curve", {})
    match path:
        case "ca.ccti_timer":
            return suggestion.timer_for(
                marking_rate=int(current["switch"]["marking_rate"]), increase=max(1, int(current["ca"]["ccti_increase"]))
            )
        case "cct.curve.full_scale_us" | "cct.curve.full_scale_packet_times":
            limit = current["cct"]["ccti_limit"]
            at_index = curve.get("at_index", limit)
            delay = suggestion.delay_at_limit * (at_index / limit) ** curve.get("exponent", 2.0)
            return delay if path.endswith("times") else delay * _packet_us(current, suggestion)
        case "cct.curve.last":
            return suggestion.delay_at_limit
        case _:
            return value_of(suggestion.document, path)


def _packet_us(current: Mapping[str, Any], suggestion: Suggestion) -> float:
    """A packet on the link for which the space's profile writes microseconds."""
    link = current.get("link")
    if link is None:
        return suggestion.link.packet_ns * 1e-3
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
