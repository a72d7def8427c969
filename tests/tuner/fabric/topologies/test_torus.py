# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest

from tuner.errors import BadInputError
from tuner.fabric.topologies.base import generate, topology


def test_every_row_is_a_ring() -> None:
    links = {(link.a, link.b) for link in generate("torus", dims=[3, 4]).links}
    assert {("S2-1/2", "S0-1/3"), ("S1-3/4", "S1-0/5")} <= links


@pytest.mark.parametrize(
    ("dims", "sentence"),
    [
        ([4, 2], "dims holds 2; a ring has at least 3 switches"),
        ([4, 4, 4, 4, 4], "dims holds 5 numbers above 3; 4 are possible, as an SL has a bit for each"),
    ],
)
def test_rings_that_make_no_torus_are_refused(dims: list[int], sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        topology("torus", {"dims": dims})
