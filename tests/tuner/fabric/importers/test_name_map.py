# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from pathlib import Path

import pytest

from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.importers.name_map import read_name_map, with_names

CORPUS = Path(__file__).parent / "corpus"
MAP = """\
# spines
0x0002c90200000110 "rack 1 spine"
2c90200000100 plain # no prefix, no quotes
0xffff "of another fabric"
neither
"""


def test_names_by_guid_and_what_is_odd() -> None:
    names, remarks = read_name_map(MAP, source="map")
    assert names == {0x2C90200000110: "rack 1 spine", 0x2C90200000100: "plain", 0xFFFF: "of another fabric"}
    assert [remark.sentence for remark in remarks] == ["1 line is not understood and left out (line 5)"]
    with pytest.raises(BadInputError, match="map:5: is not a line of a node name map, which looks like: 0x"):
        read_name_map(MAP, source="map", strict=True)
    with pytest.raises(BadInputError, match="map: is no node name map; its lines look like"):
        read_name_map("nothing\n", source="map")


def test_an_import_names_its_nodes_and_all_references_follow(tmp_path: Path) -> None:
    (tmp_path / "map").write_text(MAP)
    imported = import_fabric(CORPUS / "ibnetdiscover/every-kind.txt", names=tmp_path / "map")
    assert {"rack 1 spine", "plain"} <= {switch.name for switch in imported.fabric.switches}
    assert any(link.a.startswith("plain/") or link.b.startswith("plain/") for link in imported.fabric.links)
    assert "nodes that the node name map names: 2; its other GUIDs: 1" in imported.notes
    assert build(imported.fabric).unreachable() == []


def test_equal_names_become_guids_and_unequal_ones_names() -> None:
    fabric = import_fabric(CORPUS / "ibsim/two-leaves.net", routes=CORPUS / "lft_dump/two-leaves.opensm-lfts.dump").fabric
    same = {fabric.guid_of(i): "same" for i in range(len(fabric.nodes))}
    renamed, _ = with_names(fabric, same)
    assert {node.name for node in renamed.nodes} == {"same"}
    assert all(key.startswith("guid:0x") for key in renamed.lfts)
    assert build(renamed).unreachable() == []
    back, _ = with_names(renamed, {fabric.guid_of(i): node.name for i, node in enumerate(fabric.nodes)})
    assert back == fabric


def test_a_map_of_another_fabric_changes_nothing() -> None:
    fabric = import_fabric(CORPUS / "ibsim/two-leaves.net").fabric
    assert with_names(fabric, {1: "x"}) == (
        fabric,
        ["the node name map names no node of this fabric; its GUIDs are of others: 1"],
    )
