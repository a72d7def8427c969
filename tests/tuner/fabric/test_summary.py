# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from pathlib import Path

import pytest

from tests.tuner.fabric.strange_fabrics import fabric_of
from tuner.document_base.model import validate
from tuner.document_base.yaml_core import parse_document
from tuner.documents.congestion_control import CongestionControlRow
from tuner.documents.fabric import FabricDocument, load_fabric
from tuner.fabric.built_fabric import build
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.summary import FabricSummary, Level

# Two leaves with three hosts and two links up each, one spine; a switch and a host apart.
TREE = """\
ibcc_fabric: 1
name: tree
mtu_bytes: 4096
switches: [{name: L1, ports: 8}, {name: L2, ports: 8}, {name: top, ports: 8}, {name: spare, ports: 8}]
hosts:
- {name: A1, lid: 1}
- {name: A2}
- {name: A3}
- {name: B}
- {name: B}
- {name: B3, inject_gbps: 50}
- {name: reducer, kind: aggregation}
- {name: loose}
links:
- {a: A1/1, b: L1/1, rate: 4xHDR}
- {a: A2/1, b: L1/2, rate: 4xHDR}
- {a: A3/1, b: L1/3, rate: 4xEDR}
- {a: "guid:0x800/1", b: L2/1, rate: 4xHDR}
- {a: "guid:0x900/1", b: L2/2, rate: 4xHDR}
- {a: B3/1, b: L2/3, rate: 4xHDR}
- {a: L1/7, b: top/1, rate: 4xHDR}
- {a: L1/8, b: top/2, rate: 4xHDR}
- {a: L2/7, b: top/3, rate: 4xHDR}
- {a: L2/8, b: top/4, rate: 2xHDR}
- {a: reducer/1, b: top/8, rate: 4xHDR}
"""


@pytest.fixture(scope="module")
def summary() -> FabricSummary:
    return FabricSummary(build(validate(FabricDocument, parse_document(TREE, source="tree.yaml"))))


def test_levels_are_distances_from_hosts(summary: FabricSummary) -> None:
    assert summary.levels == [
        # L2 is the worse: 3 x 200 Gb/s from below, 300 up
        Level(tree=True, level=1, switches=2, hosts=6, links_up=4, oversubscription=2.0),
        Level(tree=True, level=2, switches=1, hosts=0, links_up=0, oversubscription=None),
        Level(tree=False, level=None, switches=1, hosts=0, links_up=0, oversubscription=None),
    ]


def test_what_looks_wrong_is_told(summary: FabricSummary) -> None:
    assert summary.warnings == [
        "2 hosts are called 'B'; use guid:0x… or lid:N to distinguish them",
        "'spare' has no link",
        "'loose' has no link",
        "1 link to hosts runs at 4xEDR, most at 4xHDR",
        "1 link between switches runs at 2xHDR, most at 4xHDR",
    ]


def test_the_json_holds_everything(summary: FabricSummary) -> None:
    document = summary.to_json()
    assert [host["name"] for host in document["hosts"]] == ["A1", "A2", "A3", "B", "B", "B3", "loose"]
    assert [node["name"] for node in document["aggregation_nodes"]] == ["reducer"]
    assert document["routers"] == []
    assert document["hosts"][0] == {
        "name": "A1",
        "guid": "0x0000000000000500",
        "lid": 1,
        "dialect": "a10",
        "inject_gbps": None,
        "receive_gbps": None,
        "ports": [{"port": 1, "lid": 1, "rate": "4xHDR", "peer": {"node": "L1", "guid": "0x0000000000000100", "port": 1}}],
    }
    assert [(s["name"], s["level"], s["ports"], s["links"]) for s in document["switches"]] == [
        ("L1", 1, 8, 5),
        ("L2", 1, 8, 5),
        ("top", 2, 8, 5),
        ("spare", None, 8, 0),
    ]
    assert len(document["links"]) == 11
    assert document["links"][9] == {
        "a": {"node": "L2", "guid": "0x0000000000000200", "port": 8},
        "b": {"node": "top", "guid": "0x0000000000000300", "port": 4},
        "rate": "2xHDR",
        "data_gbps": 100.0,
        "propagation_ns": 25.0,
    }
    assert document["rates"] == {"2xHDR": 1, "4xEDR": 1, "4xHDR": 9}
    assert document["dialects"] == {"a10": len(document["switches"]) + 7}, "the reducer has none"


def test_devices_show_their_congestion_control() -> None:
    rows = (CongestionControlRow(kind="switch", dialect="both"), CongestionControlRow(nodes=("H1",), dialect="none"))
    document = FabricSummary(build(load_fabric("two-switch").model_copy(update={"congestion_control": rows}))).to_json()
    assert document["dialects"] == {"a10": 6, "both": 2, "none": 1}
    assert [switch["dialect"] for switch in document["switches"]] == ["both", "both"]
    assert [host["dialect"] for host in document["hosts"]] == ["none", *["a10"] * 6]


def test_two_switches_next_to_each_other_are_both_leaves() -> None:
    summary = FabricSummary(build(load_fabric("two-switch")))
    assert summary.levels == [Level(tree=False, level=1, switches=2, hosts=7, links_up=0, oversubscription=None)]
    assert summary.warnings == []


def test_what_is_no_tree_has_no_oversubscription() -> None:
    """A ring whose fourth switch has no hosts, as its rack is off: links to that switch lead to no higher level."""
    summary = FabricSummary(build(fabric_of([(s, (s + 1) % 5) for s in range(5)], [6, 1, 2, 0, 2])))
    assert [(level.tree, level.level, level.switches, level.oversubscription) for level in summary.levels] == [
        (False, 1, 4, None),
        (False, 2, 1, None),
    ]


def test_hosts_that_cannot_be_reached_are_told() -> None:
    document = load_fabric("two-switch")
    cut = document.model_copy(update={"links": document.links[:-1]})
    (warning,) = FabricSummary(build(cut)).warnings
    assert warning.startswith("2 subnets, which no link joins: 1 has 1 switch and ")
    lost = document.model_copy(update={"routing": "tables", "forwarding": {"S1": {"H1": 1}}})
    first, *_ = FabricSummary(build(lost)).warnings
    assert first.startswith("7 hosts cannot be reached from everywhere; no route from ")


def test_planes_are_several_subnets_and_hosts_are_counted_once(shared: Path) -> None:
    fabric = import_fabric(shared / "cases/c06-planes.net").fabric
    summary = FabricSummary(build(fabric))
    assert summary.warnings == ["4 subnets, which no link joins, each with 3 switches and 8 adapters"]
    assert [(level.level, level.switches, level.hosts) for level in summary.levels if level.level == 1] == [(1, 8, 8)]
    assert summary.shape.kind == "fat-tree"
    assert [row["ports"] for row in summary.to_json()["subnets"]] == [8, 8, 8, 8]


def test_the_real_fabric(shared: Path) -> None:
    imported = import_fabric(shared / "data/fabrics/superpod-ndr-40sw-582ca.ibnetdiscover")
    summary = FabricSummary(build(imported.fabric))
    assert [(level.level, level.switches, level.hosts, level.links_up) for level in summary.levels] == [
        (1, 31, 542, 532),
        (2, 9, 0, 0),
    ]
    assert summary.warnings == [
        "69 hosts are called 'MT4129 ConnectX7   Mellanox Technologies'; use guid:0x… or lid:N to distinguish them"
    ]
