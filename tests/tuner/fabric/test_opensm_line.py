# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from pathlib import Path

from tests.tuner.fabric.strange_fabrics import fabric_of, without
from tuner.documents.fabric import FabricDocument
from tuner.documents.hosts import HostDirectory
from tuner.fabric.opensm_line import OpensmLine, opensm_line
from tuner.fabric.shapes.base import recognize
from tuner.fabric.shapes.switch_graph import SwitchGraph
from tuner.fabric.topologies.base import generate


def line_of(document: FabricDocument) -> OpensmLine:
    return opensm_line(document, recognize(SwitchGraph(document)))


def guids(line: OpensmLine, option: str) -> list[int]:
    return [int(text, 16) for text in line.files[option].splitlines()]


def test_a_whole_tree_is_for_ftree_with_its_top_and_its_hosts() -> None:
    tree = generate("leaf-spine", leaves=3, spines=2, hosts_per_leaf=2)
    line = line_of(tree)
    assert line.options == {"routing_engine": "ftree,updn"}
    assert guids(line, "root_guid_file") == [tree.guid_of(3), tree.guid_of(4)]
    assert guids(line, "cn_guid_file") == [endport.guids[-1] for endport in HostDirectory(tree).endports]
    assert line.text(Path("to")) == "opensm -R ftree,updn -a to/root-guids -u to/cn-guids"
    assert line.configuration(Path("/to")).splitlines() == [
        "routing_engine ftree,updn",
        "root_guid_file /to/root-guids",
        "cn_guid_file /to/cn-guids",
    ]


def test_hosts_on_spines_are_io() -> None:
    fabric = fabric_of([(leaf, spine) for leaf in range(4) for spine in (4, 5)], [8, 8, 8, 8, 1, 1])
    line = line_of(fabric)
    assert line.options == {"routing_engine": "ftree,updn", "max_reverse_hops": "1"}
    assert len(guids(line, "cn_guid_file")) == 32
    assert len(guids(line, "io_guid_file")) == 2
    assert line.text(Path("to")).endswith("-G to/io-guids -H 1")


def test_a_damaged_tree_is_for_updn_with_the_roots_that_updown_takes() -> None:
    fabric = without(generate("k-ary-n-tree", k=4, n=3), links=[7, 50, 100])
    line = line_of(fabric)
    assert line.options == {"routing_engine": "updn,ftree"}
    assert len(guids(line, "root_guid_file")) == 16


def test_other_shapes_need_no_files() -> None:
    line = line_of(generate("mesh", dims=[3, 4]))
    assert (line.options, line.files) == ({"routing_engine": "dor"}, {})
    assert line.text(Path("to")) == "opensm -R dor"
