# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.errors import BadInputError
from tuner.probe.subnet_nodes import SubnetNode, read_nodes

CORPUS = Path(__file__).parents[1] / "fabric/importers/corpus/ibnetdiscover"
TEXT = """\
vendid=0x2c9
devid=0xd2f2
sysimgguid=0x2c5eab0300b87b40
switchguid=0x2c5eab0300b87b41(2c5eab0300b87b42)
Switch  65 "S-2c5eab0300b87b41"         # "leaf "4" # odd" enhanced port 0 lid 73 lmc 0
[3]     "H-e09d7303007a4bd8"[1](e09d7303007a4bd9)       # "host 1" lid 647 4xNDR

vendid=0x2c9
devid=0x1021
caguid=0xe09d7303007a4bd8
Ca      1 "H-e09d7303007a4bd8"          # "host 1"
[1](e09d7303007a4bd9)   "S-2c5eab0300b87b41"[3]         # lid 647 lmc 0 "leaf 4" lid 73 4xNDR

vendid=0x2c9
Rt      1 "R-1"          # "router"
[1](2)   "S-2c5eab0300b87b41"[3]         # lid 5 lmc 0 "leaf 4" lid 73 4xNDR
"""


def test_switches_and_adapters_with_their_models() -> None:
    found = read_nodes(TEXT, source="x")
    assert found.nodes == (
        SubnetNode("switch", 0x2C5EAB0300B87B41, 'leaf "4" # odd', 0x2C9, 0xD2F2, 65, 3, 73),
        SubnetNode("adapter", 0xE09D7303007A4BD8, "host 1", 0x2C9, 0x1021, 1, 1, 647),
    )
    assert {0x2C5EAB0300B87B40, 0x2C5EAB0300B87B42, 0xE09D7303007A4BD9} < found.guids


def test_nodes_that_ibnetdiscover_found_on_ibsim() -> None:
    nodes = {node.name: node for node in read_nodes((CORPUS / "two-leaves.txt").read_text(), source="x").nodes}
    assert sorted(nodes) == ["H1", "H2", "H3", "H4", "L1", "L2", "S1", "S2"]
    assert (nodes["H4"].port, nodes["H4"].lid, nodes["H4"].num_ports) == (2, 8, 2)
    assert (nodes["L2"].kind, nodes["L2"].lid) == ("switch", 3)


def test_the_nodes_of_a_real_fabric(shared: Path) -> None:
    text = (shared / "data/fabrics/superpod-ndr-40sw-582ca.ibnetdiscover").read_text()
    found = read_nodes(text, source="x")
    assert Counter((node.kind, node.device_id) for node in found.nodes) == {
        ("switch", 0xD2F2): 40,
        ("adapter", 0x1021): 542,
        ("adapter", 0xCF09): 40,
    }
    assert len({node.lid for node in found.nodes}) == len(found.nodes)


@given(st.lists(st.sampled_from(TEXT.splitlines()) | st.text(), max_size=20).map("\n".join))
def test_any_text_has_nodes_or_is_refused(text: str) -> None:
    try:
        found = read_nodes(text, source="x")
    except BadInputError:
        return
    assert all(0 < node.lid < 0xC000 and 0 < node.num_ports < 255 for node in found.nodes)


@pytest.mark.parametrize(
    "text",
    ["", "hello\n", re.sub(r"(Switch|Ca)(\s+)\d+", r"\1\g<2>0", TEXT), re.sub(r"(Switch|Ca)(\s+)\d+", r"\1\g<2>255", TEXT)],
)
def test_a_node_without_a_possible_number_of_ports_is_left_out(text: str) -> None:
    with pytest.raises(BadInputError):
        read_nodes(text, source="x")


@pytest.mark.parametrize("text", ["", "hello\n", TEXT.replace("lid 73 lmc", "lid 0 lmc").replace("lid 647 lmc", "lid 0 lmc")])
def test_a_text_without_nodes(text: str) -> None:
    with pytest.raises(BadInputError, match="x: has no switch and no channel adapter with a LID"):
        read_nodes(text, source="x")
