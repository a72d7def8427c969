# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Figures, names and times as a report writes them, on the page and on a terminal."""

from typing import Any

from tuner.goals.objectives import Objective


def number(figure: float) -> str:
    """Three significant digits, without an exponent for sizes that people read."""
    if figure == 0 or 0.001 <= abs(figure) < 1e6:
        text = f"{figure:.3g}" if abs(figure) < 100 else f"{figure:.0f}"
        return text if "e" not in text else f"{figure:f}"
    return f"{figure:.2e}"


def metric(figure: float | None, column: Objective) -> str:
    """A metric in a table: enough digits to compare by."""
    if figure is None:
        # A run may be too short for the flows to come there, or to tell: settling takes a phase of 50 ms at least.
        return "not in the run" if column.when_null is not None else "–"
    return f"{figure:.3f}" if abs(figure) >= 0.01 or figure == 0 else f"{figure:.2g}"


def value(setting: Any) -> str:
    """A setting of a profile or a space."""
    if setting is None:
        return "–"
    if isinstance(setting, bool):
        return "true" if setting else "false"
    return f"{setting:.4g}" if isinstance(setting, float) else str(setting)


def words(name: str) -> str:
    return name.replace("_", " ")


def duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def at_scale(time_scale: float) -> str:
    return "at full length" if time_scale == 1 else f"at {time_scale:g} of the workloads' length"
