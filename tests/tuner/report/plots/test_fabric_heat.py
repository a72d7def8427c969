# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest
from matplotlib.colors import to_rgb

from tuner.documents.fabric import End
from tuner.report.plots.fabric_by import By
from tuner.report.plots.fabric_congestion import MEASURES, Congestion
from tuner.report.plots.fabric_heat import HEAT, STEPS, step
from tuner.report.plots.fabric_roots import Roots


def luminance(colour: str) -> float:
    red, green, blue = to_rgb(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_the_more_congested_the_darker() -> None:
    shades = [luminance(colour) for colour in HEAT[1:]]
    assert shades == sorted(shades, reverse=True)
    assert luminance(HEAT[0]) < 0.9  # idle is still seen on white
    assert len(HEAT) == len(STEPS) - 1


@pytest.mark.parametrize(
    ("values", "found"),
    [([0.0], 0), ([1.99], 0), ([2.0], 1), ([30.0, 5.0], 4), ([5.0, 30.0], 4), ([100.0], 10), ([101.0], 10)],
)
def test_the_worst_of_the_ports_counts(values: list[float], found: int) -> None:
    ends = [End(0, port) for port in range(1, len(values) + 1)]
    congestion = Congestion(
        measure=MEASURES[By.XMIT_WAIT],
        profile="off",
        duration_s=1.0,
        values=dict(zip(ends, values, strict=True)),
        roots=Roots(ports={}, marked=False),
    )
    assert step(congestion, ends) == found
