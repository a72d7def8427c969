# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The trend of a metric: its values night by night, beside those of its baseline."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from tuner.report.plots import style

MOST_NIGHTS = 120
_TICKS = 3


@style.drawing
def trend(metric: Mapping[str, Any], *, key: str) -> str:
    """SVG of a metric of a report's document, of its last nights. The band is from the least to the greatest value of the
    baseline, and the dashed line is worse by the least effect of interest."""
    drawn, axes = style.figure(4.6, 2.2)
    points = metric["values"][-MOST_NIGHTS:]
    days, values = [_day(night) for night, _ in points], [value for _, value in points]
    if metric["low"] is not None:
        axes.axhspan(metric["low"], metric["high"], color=style.GREEN, alpha=0.2, linewidth=0, label="baseline")
    if metric["limit"] is not None:
        axes.axhline(metric["limit"], color=style.VERMILLION, linewidth=1.0, linestyle=(0, (5, 2)), label="least effect")
    axes.plot(days, values, color=style.BLUE, linewidth=1.0, marker="o", markersize=3, label="nights")
    if (since := metric["since"]) is not None:
        axes.axvline(_day(since), color=style.GREY, linewidth=1.0, linestyle=(0, (1.2, 1.2)), label="change")
    if days:
        ticks = sorted({days[0] + (days[-1] - days[0]) * i // _TICKS for i in range(_TICKS + 1)})
        axes.set_xticks(ticks, [date.fromordinal(tick).isoformat() for tick in ticks])
    unit = "" if metric["unit"] == "1" else f" ({metric['unit']})"
    style.label(axes, x="", y=f"{metric['name'].partition('.')[2].replace('_', ' ')}{unit}", title=metric["name"])
    style.legend(drawn, axes, columns=4)
    return style.to_svg(drawn, key=key, description=f"{metric['name']} of {len(points)} nights, beside its baseline")


def _day(night: str) -> int:
    return date.fromisoformat(night).toordinal()
