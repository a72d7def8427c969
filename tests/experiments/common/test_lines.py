# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Curves name their axes and themselves, as text."""

import re
from xml.etree import ElementTree

from experiments._common.lines import lines


def test_axes_and_curves_are_named() -> None:
    svg = lines({"one": ([0, 1], [1.0, 2.0]), "two": ([0, 1], [2.0, 1.0])}, x_label="x (s)", y_label="y", title="t", key="k")
    ElementTree.fromstring(svg)
    assert {"one", "two", "x (s)", "y", "t"} <= set(re.findall(r"<text[^>]*>([^<]*)</text>", svg))
