# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping

import numpy as np
import pytest

from tuner.errors import BadInputError
from tuner.report.plots.resources_by_scheme import resources_by_scheme


def series(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float64)


def colours(svg: str) -> list[str]:
    """The colors of the lines, in their order."""
    return [
        colour
        for look in re.findall(r'style="(fill: none;[^"]*)"', svg)
        for colour in re.findall(r"stroke: (#[0-9a-f]{6})", look)
    ]


def test_each_resource_has_a_panel_and_each_scheme_one_line_in_the_legend() -> None:
    resources = {
        "special queues in use": {"ccfit": series(1, 5, 2), "ecocc": series(0, 3, 3)},
        "ports without a free queue": {"ccfit": series(0, 1, 0), "ecocc": series(0, 0, 0)},
    }
    svg = resources_by_scheme(resources, interval_s=0.001, burst_s=(0.001, 0.002), title="Configuration 1")
    words = [text for text in ElementTree.fromstring(svg).itertext() if text.strip()]
    for expected in (*resources, "burst", "ccfit", "ecocc", "Configuration 1"):
        assert words.count(expected) == 1, expected
    assert words.count("time (ms)") == 2
    assert "special queues in use, ports without a free queue over time, by scheme: ccfit, ecocc" in svg


def test_a_scheme_that_lacks_a_resource_looks_alike_in_the_other_panels() -> None:
    alone = resources_by_scheme({"b": {"one": series(1, 2), "two": series(2, 1)}}, interval_s=1.0)
    both = resources_by_scheme({"a": {"one": series(1, 2)}, "b": {"two": series(2, 1)}}, interval_s=1.0)
    assert colours(alone)[1] in colours(both)
    assert len(set(colours(both))) == 2


def test_names_are_text() -> None:
    svg = resources_by_scheme({"<i>$q$": {"<script>$x$": series(1)}}, interval_s=1e-3)
    words = " ".join(ElementTree.fromstring(svg).itertext())
    assert "<script>" not in svg
    assert "<script>$x$" in words
    assert "<i>$q$" in words


@pytest.mark.parametrize(
    ("resources", "sentence"),
    [
        ({}, "0 resources"),
        ({"a": {}}, "a figure of a by scheme has 0 series"),
        ({"a": {"x": series(1)}, "b": {"x": series(1, 2)}}, "the series of 'b' have 2 samples and those of 'a' 1"),
        ({"a": {"x": np.zeros((2, 2))}}, r"the series of 'x' has the shape \(2, 2\)"),
    ],
)
def test_bad_input_is_a_sentence(resources: Mapping[str, Mapping[str, np.ndarray]], sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        resources_by_scheme(resources, interval_s=1.0)
