# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from tuner.errors import BadInputError
from tuner.report.plots.throughput_by_scheme import throughput_by_scheme


def series(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float64)


def test_each_scheme_has_a_line_in_the_legend_and_the_burst_is_shaded() -> None:
    schemes = {f"scheme {i}": series(1, 2, 3 + i) for i in range(8)}
    svg = throughput_by_scheme(schemes, interval_s=0.001, burst_s=(0.001, 0.002), title="Configuration 1")
    words = " ".join(ElementTree.fromstring(svg).itertext())
    for expected in (*schemes, "burst", "time (ms)", "total throughput (Gb/s)", "Configuration 1"):
        assert expected in words
    assert 'id="throughput-by-scheme-throughput-by-scheme-burst"' in svg
    assert len(set(re.findall(r'style="(fill: none;[^"]*stroke: #[0-9a-f]{6}[^"]*)"', svg))) >= 8  # no two alike


def test_long_runs_have_seconds_and_no_burst_by_default() -> None:
    svg = throughput_by_scheme({"1Q": series(0, 0)}, interval_s=1.0)
    assert "time (s)" in svg
    assert "burst" not in svg


def test_names_are_text() -> None:
    svg = throughput_by_scheme({"<script>$x$": series(1, 2)}, interval_s=1e-3, title="<b>$y^2$")
    words = " ".join(ElementTree.fromstring(svg).itertext())
    assert "<script>" not in svg
    assert "<script>$x$" in words
    assert "<b>$y^2$" in words


@pytest.mark.parametrize(
    ("schemes", "interval_s", "burst_s", "sentence"),
    [
        ({}, 1.0, None, "0 series"),
        ({"1Q": series(1)}, 0.0, None, "interval_s is 0"),
        ({"1Q": series(1), "ITh": series(1, 2)}, 1.0, None, "the series of 'ITh' has 2 samples and that of '1Q' 1"),
        ({"1Q": np.zeros((2, 2))}, 1.0, None, r"the series of '1Q' has the shape \(2, 2\)"),
        ({"1Q": series()}, 1.0, None, r"the series of '1Q' has the shape \(0,\)"),
        ({"1Q": series(1)}, 1.0, (2.0, 1.0), "burst_s is 2 to 1 s"),
    ],
)
def test_bad_input_is_a_sentence(
    schemes: dict[str, np.ndarray], interval_s: float, burst_s: tuple[float, float] | None, sentence: str
) -> None:
    with pytest.raises(BadInputError, match=sentence):
        throughput_by_scheme(schemes, interval_s=interval_s, burst_s=burst_s)
