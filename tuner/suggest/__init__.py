# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A profile without any trial: by the rule of balance and room, from what is known of a fabric, its traffic and its devices."""

from typing import TYPE_CHECKING, Any

from tuner.suggest.suggestion import Suggestion, suggest

if TYPE_CHECKING:
    from tuner.suggest.values import SpaceValues, space_values

__all__ = ["SpaceValues", "Suggestion", "space_values", "suggest"]


def __getattr__(name: str) -> Any:
    """What needs a campaign's space is imported when it is asked for: that takes the better part of a second."""
    if name in ("SpaceValues", "space_values"):
        from tuner.suggest import values

        return getattr(values, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
