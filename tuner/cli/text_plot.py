# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A curve as a few lines of text."""

from collections.abc import Sequence

_EIGHTHS = " ▁▂▃▄▅▆▇█"


def text_plot(values: Sequence[float], *, height: int = 8, width: int = 64, unit: str, x_label: str) -> list[str]:
    """Columns from 0 to the largest value over the indices of `values`, with the axes' ends written beside them."""
    columns = min(width, len(values))
    last = len(values) - 1
    sampled = [values[round(i * last / max(1, columns - 1))] for i in range(columns)]
    top = max(sampled)
    eighths = [0 if top <= 0 else round(value / top * height * 8) for value in sampled]
    label = f"{top:.4g} {unit}"
    lines = []
    for row in reversed(range(height)):
        bars = "".join(_EIGHTHS[min(8, max(0, eighth - row * 8))] for eighth in eighths)
        left = label if row == height - 1 else "0" if row == 0 else ""
        lines.append(f"{left:>{len(label)}} ┤{bars}".rstrip())
    lines.append(f"{'':>{len(label)}} └{'─' * columns}")
    lines.append(f"{'':>{len(label)}}  0{last:>{max(1, columns - 1)}} {x_label}")
    return lines
