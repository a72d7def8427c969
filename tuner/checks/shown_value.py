# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Values of metrics as people read them: in sentences, tables and mails."""

from tuner.goals.metrics import METRICS

_NONE = "none"
_NEVER = "never"


def shown_value(metric: str, value: float | None, unit: str = "1", *, none: str = _NONE) -> str:
    """Returns a value with its unit ("1": none), `never` for what stands for flows that never came there, such as contributors
    that never settled, and `none` for None.

    `metric`: its name, with or without its entry's. A level over some nights may lie between values and what stands for never.
    """
    if value is None:
        return none
    known = METRICS.get(metric.rpartition(".")[2])
    if known is not None and known.when_null is not None and value >= known.when_null / 2:
        return _NEVER
    return f"{value:.4g}" if unit == "1" else f"{value:.4g} {unit}"
