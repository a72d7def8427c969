# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest

from tuner.document_base.model import validate
from tuner.document_base.yaml_core import parse_document
from tuner.documents.fabric import FabricDocument
from tuner.documents.fabric_text import fabric_text
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.fabric.topologies.base import generate, topology
from tuner.fabric.topologies.layout import Counts

LARGE = {"m": [18, 18, 36], "w": [1, 18, 18]}


def test_three_levels_of_36_ports_have_11664_hosts() -> None:
    made = topology("xgft", LARGE)
    assert made.expected() == Counts(hosts=36**3 // 4, switches=1620, links=34992)
    assert made.switch_ports() == 36


@pytest.mark.slow
def test_the_large_one_is_read_built_and_whole() -> None:
    fabric = topology("xgft", LARGE).fabric()
    read = validate(FabricDocument, parse_document(fabric_text(fabric), source="text"))
    assert read == fabric
    assert build(read).unreachable() == []


def test_parallel_links_stand_in_place_of_each() -> None:
    fabric = generate("xgft", m=[2, 2], w=[1, 3], parallel=[1, 2])
    of_the_first = sorted((link.a, link.b) for link in fabric.links if link.a.startswith("S1-1/"))
    first, second = [("S1-1/3", "S2-1/1"), ("S1-1/4", "S2-2/1"), ("S1-1/5", "S2-3/1")], ["S2-1/3", "S2-2/3", "S2-3/3"]
    assert of_the_first == [*first, *zip(("S1-1/6", "S1-1/7", "S1-1/8"), second, strict=True)]


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"m": [2, 2], "w": [1]}, "m has 2 numbers and w 1; each has one for every level of switches"),
        ({"m": [2, 2], "w": [1, 2], "parallel": [1]}, "m has 2 numbers and parallel 1; each has one"),
        ({"m": [2, 2], "w": [2, 2]}, "the first number of w is 2; it must be 1, as hosts have one port"),
        ({"m": [2, 2], "w": [1, 2], "parallel": [3, 1]}, "the first number of parallel is 3; it must be 1"),
        ({"m": [200, 2], "w": [1, 55]}, "needs switches of 255 ports; a switch has at most 254"),
    ],
)
def test_numbers_that_do_not_fit_together_are_refused(parameters: dict[str, list[int]], sentence: str) -> None:
    with pytest.raises(BadInputError, match=f"^topology xgft: {sentence}"):
        topology("xgft", parameters)
