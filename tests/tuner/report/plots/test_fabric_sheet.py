# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import numpy as np
import pytest

from tuner.report.plots.fabric_sheet import Sheet


def sheet(width: float, height: float, *, caption: int = 1, scale: bool = False) -> Sheet:
    corners = np.array([(0.0, 0.0), (width, height)])
    return Sheet(corners, title="t", caption=["word " * 60] * caption, left=0.5, scale=scale)


@pytest.mark.parametrize(("width", "height"), [(0.0, 0.0), (2.0, 1.0), (10.0, 6.0)])
def test_an_inch_is_an_inch_and_the_layout_fits(width: float, height: float) -> None:
    made = sheet(width, height, scale=True)
    (left, right), (bottom, top) = made.axes.get_xlim(), made.axes.get_ylim()
    box = made.axes.get_position()
    assert (right - left) / (box.width * made.width) == pytest.approx(1)
    assert (top - bottom) / (box.height * made.height) == pytest.approx(1)
    assert left < 0 <= width < right
    assert bottom < 0 <= height < top


def test_more_to_say_makes_it_taller_not_wider() -> None:
    short, long = sheet(4, 4), sheet(4, 4, caption=5)
    assert long.height > short.height
    assert long.width == short.width
    assert long.axes.get_ylim() == short.axes.get_ylim()


def test_the_scale_lies_below_the_drawing_and_above_the_caption() -> None:
    made = sheet(4, 4, scale=True)
    scale = made.scale_axes().get_position()
    caption = max(text.get_position()[1] for text in made.figure.texts[1:])
    assert caption < scale.y0 < scale.y1 < made.axes.get_position().y0
