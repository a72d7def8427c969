# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Suggests a profile without any trial, by the rule of balance and room, from what is known of fabric, traffic and devices."""

from tuner.suggest.suggestion import Suggestion, suggest

# space_values is imported from tuner.suggest.values: that needs Optuna, which takes the better part of a second.
__all__ = ["Suggestion", "suggest"]
