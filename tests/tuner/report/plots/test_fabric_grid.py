# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import numpy as np
import pytest

from tests.tuner.report.plots.fabric_cases import generated, node, wiring
from tuner.report.plots import fabric_grid


def test_two_dimensions_are_drawn_as_they_are() -> None:
    document = generated("mesh", dims=[4, 3])
    at = fabric_grid.place(wiring(document)).switches
    step = at[node(document, "S1-0")] - at[node(document, "S0-0")]
    assert step[0] > 0
    assert step[1] == 0
    assert at[node(document, "S3-2")] - at[node(document, "S0-0")] == pytest.approx(np.array((3 * step[0], 2 * step[0])))


def test_only_links_that_close_rings_are_bent() -> None:
    assert not fabric_grid.place(wiring(generated("mesh", dims=[4, 4]))).bends
    document = generated("torus", dims=[4, 4])
    bends = fabric_grid.place(wiring(document)).bends
    assert len(bends) == 8
    assert (node(document, "S0-0"), node(document, "S3-0")) in bends


@pytest.mark.parametrize("sizes", [[4], [4, 4], [8, 8, 8], [2] * 10, [3, 5, 2, 4, 3]])
def test_no_two_points_of_a_grid_fall_together(sizes: list[int]) -> None:
    points = np.indices(sizes).reshape(len(sizes), -1).T @ fabric_grid.directions(sizes)
    apart = np.hypot(*(points[:, None] - points[None]).T)
    np.fill_diagonal(apart, np.inf)
    assert apart.min() > 0.1


def test_what_has_no_coordinates_is_no_grid() -> None:
    assert fabric_grid.suits(wiring(generated("hypercube", n=3)))
    assert not fabric_grid.suits(wiring(generated("dragonfly", a=2, p=1, h=1)))
    document = generated("mesh", dims=[2, 2])
    bare = document.switches[0].model_copy(update={"at": ()})
    mixed = document.model_copy(update={"switches": (bare, *document.switches[1:]), "routing": "minhop"})
    assert not fabric_grid.suits(wiring(mixed))
