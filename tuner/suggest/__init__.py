# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A profile without any trial: by the rule of balance and room, from what is known of a fabric, its traffic and its devices."""

from tuner.suggest.suggestion import Suggestion, suggest
from tuner.suggest.values import SpaceValues, space_values

__all__ = ["SpaceValues", "Suggestion", "space_values", "suggest"]
