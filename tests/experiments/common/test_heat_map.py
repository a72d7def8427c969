# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Heat maps say each value, in place."""

import re
from xml.etree import ElementTree

import numpy as np

from experiments._common.heat_map import heat_map


def test_every_cell_shows_its_value_and_every_axis_its_parameter() -> None:
    svg = heat_map(
        np.array([[1.0, 2.25], [3.5, 4.0]]),
        rows=(0, 10),
        columns=(150, 2000),
        row_label="Marking_Rate",
        column_label="CCTI_Timer",
        title="victim",
        key="k",
    )
    ElementTree.fromstring(svg)
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    for text in ("1.00", "2.25", "3.50", "4.00", "0", "10", "150", "2000", "Marking_Rate", "CCTI_Timer", "victim"):
        assert text in texts


def test_equal_values_are_drawn_too() -> None:
    svg = heat_map(np.ones((1, 2)), rows=(1,), columns=(1, 2), row_label="r", column_label="c", title="t", key="k")
    ElementTree.fromstring(svg)
