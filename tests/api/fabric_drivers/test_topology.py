# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import time
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from api.fabric_drivers.topology import MOST_NODES, Topology, topology_of
from api.fabric_drivers.topology_runs import MOST_IN_ROW
from tests.tuner.fabric.strange_fabrics import fabric_of
from tuner.documents.fabric import FabricDocument, load_fabric
from tuner.errors import BadInputError
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.importers.name_map import with_names
from tuner.fabric.topologies.base import generate


@lru_cache(maxsize=1)
def tree() -> FabricDocument:
    """11,664 hosts on 1,620 switches of 36 ports."""
    return generate("xgft", m=[18, 18, 36], w=[1, 18, 18], host_rate="4xDDR")


def nodes(view: dict[str, Any]) -> list[dict[str, Any]]:
    return [node for level in view["levels"] for node in level["nodes"]]


def test_a_small_fabric_shows_every_node_and_link() -> None:
    document = load_fabric("two-switch")
    view = Topology(document).view()
    assert {node["kind"] for node in nodes(view)} == {"host", "switch"}
    assert {node["name"] for node in nodes(view)} == {node.name for node in document.nodes}
    assert sum(link["count"] for link in view["links"]) == len(document.links)
    assert [level["kind"] for level in view["levels"]] == ["hosts", "leaf"]
    assert all(0 < node["x"] < view["width"] and 0 <= node["y"] <= view["height"] for node in nodes(view))


@pytest.mark.long
def test_a_tree_of_11664_hosts_is_few_nodes_that_stand_for_all() -> None:
    topology = Topology(tree())
    begin = time.process_time()
    view = topology.view()
    took_s = time.process_time() - begin
    assert all(len(level["nodes"]) <= MOST_IN_ROW for level in view["levels"])
    assert len(view["links"]) < 1000
    assert sum(node["count"] for node in nodes(view)) == 11664 + 1620
    assert [level["kind"] for level in view["levels"]] == ["hosts", "leaf", "middle", "spine"]
    inside = {node["id"] for node in nodes(view)}
    assert all(link["a"] in inside and link["b"] in inside for link in view["links"])
    assert took_s < 5, "a second is the aim; this only finds what hangs"


def test_groups_of_a_tree_are_its_pods() -> None:
    """36 pods of 18 leaves and 18 middle switches: below the spines each group has one way up, and one way down."""
    view = Topology(tree()).view()
    by_kind = {level["kind"]: [node["id"] for node in level["nodes"]] for level in view["levels"]}
    assert [len(by_kind[kind]) for kind in ("hosts", "leaf", "middle")] == [36, 36, 36]
    between = [link["count"] for link in view["links"] if link["a"] in by_kind["leaf"] and link["b"] in by_kind["middle"]]
    assert between == [18 * 18] * 36


def test_a_group_of_hosts_opens_into_those_of_each_leaf() -> None:
    topology = Topology(tree())
    opened = topology.view(["hosts:0-17"])
    hosts = next(level for level in opened["levels"] if level["kind"] == "hosts")["nodes"]
    assert [node["count"] for node in hosts[:19]] == [18] * 18 + [324]
    between = [right["x"] - left["x"] for left, right in pairwise(hosts)]
    assert min(between) == pytest.approx(max(between), abs=0.05), "the parts have as much room as the groups beside them"


def test_expanding_goes_down_to_single_hosts() -> None:
    topology = Topology(tree())
    expand: list[str] = []
    for _ in range(6):
        view = topology.view(expand)
        assert len(nodes(view)) <= MOST_NODES
        assert sum(node["count"] for node in nodes(view)) == 11664 + 1620
        groups = [node for node in nodes(view) if node["kind"] == "group" and node["id"].startswith("switches:1:")]
        opened = [node for node in groups if not expand or _within(node["id"], expand[-1])]
        if not opened:
            break
        expand.append(opened[0]["id"])
    leaf = next(
        node for node in nodes(view) if node["kind"] == "group" and node["id"].startswith("hosts:") and node["count"] == 18
    )
    view = topology.view([*expand, leaf["id"]])
    assert sum(node["kind"] == "host" for node in nodes(view)) == 18
    assert len(nodes(view)) <= MOST_NODES


def _within(one: str, other: str) -> bool:
    (a, b), (c, d) = (map(int, text.rpartition(":")[2].split("-")) for text in (one, other))
    return one != other and c <= a <= b <= d


def test_a_run_has_the_same_parts_whatever_else_is_open() -> None:
    topology = Topology(tree())
    first = next(node["id"] for node in nodes(topology.view()) if node["id"].startswith("switches:1:"))
    third = next(node["id"] for node in nodes(topology.view()) if node["id"].startswith("switches:2:"))
    one = {node["id"] for node in nodes(topology.view([first]))}
    both = {node["id"] for node in nodes(topology.view([first, third]))}
    parts = {id for id in one if id.startswith("0x")}
    assert parts
    assert parts <= both


def test_congestion_is_the_worst_of_what_a_node_stands_for() -> None:
    document = load_fabric("two-switch")
    view = Topology(document).view(load={0: 0.25, 1: 0.5})
    by_name = {node["name"]: node["congestion"] for node in nodes(view)}
    assert by_name[document.switches[0].name] == 0.25
    assert by_name[document.switches[1].name] == 0.5
    assert by_name[document.hosts[0].name] is None
    between = [link for link in view["links"] if link["congestion"] is not None]
    assert [link["congestion"] for link in between] == [0.25]


@pytest.mark.parametrize(
    "text", ["x", "switches:1", "switches:9:0-3", "hosts:3-1", "hosts:0-99999", "switches:1:a-b", "hosts:-1-2"]
)
def test_an_id_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(BadInputError, match="the identifier of a group"):
        Topology(load_fabric("two-switch")).view([text])


def test_a_torus_is_one_level_and_within_the_limit() -> None:
    view = Topology(generate("torus", dims=[12, 12, 12], host_rate="4xQDR")).view()
    assert len(nodes(view)) <= MOST_NODES
    assert sum(node["count"] for node in nodes(view)) == view["hosts"] + view["switches"]


def require_apart(view: dict[str, Any]) -> None:
    """The nodes of each row are at least half as far from each other as if they stood at equal distances."""
    for level in view["levels"]:
        at = [node["x"] for node in level["nodes"]]
        assert all(right - left > 0.5 * view["width"] / len(at) for left, right in pairwise(at)), level["kind"]


def test_nodes_of_a_row_do_not_crowd_where_leaves_and_pods_are_uneven() -> None:
    few = fabric_of([(0, 3), (1, 3), (2, 3)], [1, 30, 1, 0])
    require_apart(Topology(few).view())
    # Pods of 1, 2, ... 10 leaves below two spines each, and six roots.
    links: list[tuple[int, int]] = []
    hosts: list[int] = []
    pods: list[int] = []
    for leaves in range(1, 11):
        first = len(hosts)
        hosts += [6] * leaves + [0, 0]
        spines = (first + leaves, first + leaves + 1)
        links += [(leaf, spine) for leaf in range(first, first + leaves) for spine in spines]
        pods += spines
    roots = range(len(hosts), len(hosts) + 6)
    document = fabric_of([*links, *((spine, root) for spine in pods for root in roots)], [*hosts, *[0 for _ in roots]])
    view = Topology(document).view()
    assert [len(level["nodes"]) for level in view["levels"]][:2] == [10, 10]
    require_apart(view)


@pytest.mark.parametrize("name", ["tree-qdr-8sw-144ca", "superpod-ndr-40sw-582ca", "director-edr-174sw-1470ca"])
def test_nodes_of_a_row_of_a_real_fabric_do_not_crowd(name: str, shared: Path) -> None:
    topology = Topology(import_fabric(shared / f"data/fabrics/{name}.ibnetdiscover").fabric)
    view = topology.view()
    require_apart(view)
    groups = [node["id"] for node in nodes(view) if node["kind"] == "group"]
    require_apart(topology.view(groups[:3]))


def chassis_and_racks() -> FabricDocument:
    """Racks of three leaves with two hosts each, linked to each of two directors of line cards with two switches each. All
    hangs together below the spines."""
    leaves, cards, spines = range(60), range(60, 114), range(114, 118)
    links = [(leaf, cards[(leaf + 7 * i) % 54]) for leaf in leaves for i in range(4)]
    links += [(card, spine) for card in cards for spine in spines]
    return fabric_of(links, [2] * 60 + [0] * 58)


def test_what_hangs_together_is_grouped_by_chassis_line_card_and_rack_as_names_say() -> None:
    plain = chassis_and_racks()
    names = {plain.guid_of(leaf): f"rack{leaf // 3 + 1:02}-sw{leaf % 3 + 1}" for leaf in range(60)}
    names |= {plain.guid_of(60 + i): f"MF0;core{i // 28 + 1}:CS7500/L{i // 2 % 14 + 1:02}/U{i % 2 + 1}" for i in range(54)}
    document, _ = with_names(plain, names)
    view = Topology(document).view()
    by_kind = {level["kind"]: level["nodes"] for level in view["levels"]}
    assert sorted(node["name"] for node in by_kind["leaf"]) == [f"rack{i + 1:02}" for i in range(20)]
    assert all((node["count"], node["ends"]) == (3, None) for node in by_kind["leaf"])
    assert sorted(node["name"] for node in by_kind["middle"])[:2] == ["MF0;core1:CS7500/L01", "MF0;core1:CS7500/L02"]
    assert [node["count"] for node in by_kind["middle"]] == [2] * 27
    require_apart(view)
    opened = Topology(document).view([by_kind["leaf"][3]["id"]])
    assert {f"{by_kind['leaf'][3]['name']}-sw{i}" for i in (1, 2, 3)} <= {node["name"] for node in nodes(opened)}


def test_switches_of_one_name_are_grouped_by_their_hosts() -> None:
    plain = chassis_and_racks()
    names = {plain.guid_of(leaf): "Infiniscale-IV Mellanox Technologies" for leaf in range(60)}
    first = len(plain.switches)
    names |= {plain.guid_of(first + i): f"node{i // 6 + 1:02}-{i % 6}" for i in range(120)}  # three leaves have a name's hosts
    document, _ = with_names(plain, names)
    leaves = Topology(document).view()["levels"][1]["nodes"]
    assert sorted(node["name"] for node in leaves) == [f"switches of node{i + 1:02}" for i in range(20)]


def test_pods_of_switches_of_one_name_are_told_apart_by_their_hosts(shared: Path) -> None:
    view = Topology(import_fabric(shared / "data/fabrics/director-edr-174sw-1470ca.ibnetdiscover").fabric).view()
    names = [node["name"] for level in view["levels"] if level["kind"] == "leaf" for node in level["nodes"]]
    assert len(set(names)) == len(names) == 6
    assert all(name.startswith("switches of ") for name in names)


def test_names_that_say_nothing_make_no_groups() -> None:
    view = Topology(chassis_and_racks()).view()
    assert all(" … " in node["name"] for node in view["levels"][1]["nodes"])
    require_apart(view)


def test_the_highest_row_that_reaches_hosts_is_the_spines() -> None:
    lonely = fabric_of([(0, 2), (1, 2), (3, 4)], [3, 3, 0, 0, 0])
    assert [level["kind"] for level in Topology(lonely).view()["levels"]] == ["hosts", "leaf", "spine", "unconnected"]


def test_a_document_has_one_topology() -> None:
    document = load_fabric("two-switch")
    assert topology_of(document) is topology_of(document)
    assert topology_of(load_fabric("two-switch")) is not topology_of(document)


def test_hosts_of_a_spine_hang_on_it(shared: Path) -> None:
    """Of the real tree, on whose spine leaf7 two hosts are: a group of their own, with links to that switch alone."""
    document = import_fabric(shared / "data/fabrics/tree-qdr-8sw-144ca.ibnetdiscover", name="tree").fabric
    topology = Topology(document)
    view = topology.view()
    spines = {node["name"]: node["id"] for node in view["levels"][-1]["nodes"]}
    (own,) = [node for node in view["levels"][0]["nodes"] if node["id"].startswith("hosts:2:")]
    assert own["count"] == 2
    ends = [{link["a"], link["b"]} for link in view["links"] if own["id"] in (link["a"], link["b"])]
    assert ends == [{own["id"], spines["MF0;leaf7:SX6036/U1"]}]
    assert sum(node["count"] for node in view["levels"][0]["nodes"]) == view["hosts"] == 144
    members = [node for node, id in topology.ids().items() if id == own["id"]]
    for host in members:
        opened = topology.view(topology.opening(host))
        assert document.guid_of(host) in {int(node["guid"], 0) for node in nodes(opened) if node["guid"]}
        assert sum(node["count"] for node in opened["levels"][0]["nodes"]) == 144
