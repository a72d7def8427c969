# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Curves side by side."""

from xml.etree import ElementTree

from experiments._common.bands import Panel, bands


def test_panels_stand_side_by_side_and_each_name_once_in_the_legend() -> None:
    off, on = {0: [1.0, 2.0], 50: [3.0, 3.0]}, {0: [2.0], 50: [4.0]}
    svg = bands(
        [
            Panel(y_label="rate", curves={"CC off": off, "CC on": on}, points={"CC on": {50: 5.0}}),
            Panel(y_label="gain", curves={"CC on": on}, level=1),
        ],
        x_label="p (%)",
        title="windy",
        key="test",
    )
    root = ElementTree.fromstring(svg)
    texts = ["".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert [texts.count(name) for name in ("CC off", "CC on", "CC on, published", "rate", "gain", "windy")] == [1] * 6
    assert texts.count("p (%)") == 2
    assert root.get("aria-label") == "windy: rate, gain by p (%)"
