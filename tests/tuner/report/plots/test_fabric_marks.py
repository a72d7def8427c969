# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import numpy as np
import pytest

from tuner.report.plots import fabric_marks as marks
from tuner.report.plots import style


def test_a_bent_line_ends_where_the_straight_one_does_and_its_middle_lies_beside() -> None:
    begin, end = np.array((0.0, 0.0)), np.array((2.0, 0.0))
    straight, bent = marks.curve(begin, end, None), marks.curve(begin, end, (0.0, 0.5))
    assert straight[[0, -1]] == pytest.approx(bent[[0, -1]])
    assert bent[len(bent) // 2] == pytest.approx((1.0, 0.5))


def test_beside_is_to_the_right_of_the_direction() -> None:
    north = np.array([(0.0, 0.0), (0.0, 1.0), (0.0, 2.0)])
    assert marks.beside(north, 0.1)[:, 0] == pytest.approx(np.full(3, 0.1))
    assert marks.beside(north[::-1], 0.1)[:, 0] == pytest.approx(np.full(3, -0.1))


def test_a_picture_has_lines_that_add_up_and_else_they_are_one_path() -> None:
    _, axes = style.figure(2, 2)
    lines = [marks.curve(np.array((0.0, 0.0)), np.array((1.0, y)), None) for y in (0.0, 1.0)]
    marks.strokes(axes, lines, gid="a", colour="#000000", width=1, alpha=0.5, zorder=1, picture=False)
    marks.strokes(axes, lines, gid="b", colour="#000000", width=1, alpha=0.5, zorder=1, picture=True)
    marks.strokes(axes, [], gid="c", colour="#000000", width=1, alpha=0.5, zorder=1, picture=True)
    assert (len(axes.patches), len(axes.collections)) == (1, 1)
    assert axes.collections[0].get_rasterized()
    assert len(axes.collections[0].get_paths()) == 2


def test_names_fit_or_are_left_out() -> None:
    assert marks.fitting_size(["S1"], 2.0) == 8.0
    size = marks.fitting_size(["S1-36"], 0.32)
    assert size is not None
    assert 5.8 <= size < 8
    assert marks.fitting_size(["S1-36"], 0.2) is None


def test_arrows_are_left_out_where_there_is_no_room() -> None:
    _, axes = style.figure(2, 2)
    short = [marks.curve(np.array((0.0, 0.0)), np.array((0.05, 0.0)), None)]
    marks.arrows(axes, short, colour="#000000", size_in=0.06, zorder=1)
    assert not axes.patches
