# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from pathlib import Path

import pytest

from tuner.document_base.model import build_model
from tuner.documents.inventory import Inventory, load_inventory
from tuner.errors import BadInputError

START = "ibcc_inventory: 1\nname: lab\nfabric: two-switch\nlauncher: {kind: local}\n"


def read(tmp_path: Path, rest: str, start: str = START) -> Inventory:
    path = tmp_path / "lab.yaml"
    path.write_text(start + rest)
    return load_inventory(path)


def test_each_node_has_its_port_on_the_fabric() -> None:
    inventory = load_inventory("two-switch")
    assert [host.host for host in inventory.by_node.values()] == [f"H{i}" for i in range(1, 8)]
    assert inventory.by_node["node3"].address == "node3-ib"
    assert inventory.find("H3").node == "node3"
    assert [host.node for host in inventory.select("node[2-3]")] == ["node2", "node3"]


def test_numbers_keep_their_zeros_in_names_and_lose_them_in_number(tmp_path: Path) -> None:
    inventory = read(tmp_path, 'hosts: [{nodes: "r2n[08-10]", host: "host {number}"}]')
    assert [(host.node, host.host) for host in inventory.by_node.values()] == [
        ("r2n08", "host 8"),
        ("r2n09", "host 9"),
        ("r2n10", "host 10"),
    ]


def test_a_path_of_a_fabric_is_relative_to_the_inventory(tmp_path: Path) -> None:
    inventory = read(tmp_path, "hosts: [{nodes: n1}]", START.replace("two-switch", "own/tree.yaml"))
    assert inventory.fabric == str(tmp_path / "own/tree.yaml")


@pytest.mark.parametrize(
    ("rest", "sentence"),
    [
        ('hosts: [{nodes: "n[1-"}]', r"lab.yaml:5: hosts\[0\].nodes is 'n\[1-', which is not a NodeSet such as node\[01-16\]"),
        ('hosts: [{nodes: "n[1-3]"}, {nodes: n2}]', r"lab.yaml:5: node 'n2' is twice node 'n2'; each stands for itself"),
        ('hosts: [{nodes: "n[1-2]", host: H1}]', "nodes 'n1' and 'n2' are both host 'H1'; each stands for itself"),
        ('hosts: [{nodes: "-oProxyCommand=x"}]', "cannot be a host's name"),
        ('hosts: [{nodes: "@all"}]', "'@all' cannot be a host's name"),
        ('hosts: [{nodes: ""}]', "which is 0 nodes; it must be 1 to 65536"),
        ('hosts: [{nodes: "n[1-99999]"}]', "which is 99999 nodes; it must be 1 to 65536"),
        ('hosts: [{nodes: n1, host: "{rack}"}]', r"\{rack\} has no meaning; use \{node\} or \{number\}"),
        ("hosts: [{nodes: n1, device: ../../x}]", "device"),
        ("hosts: [{nodes: n1, tcp_ports: [20000, 18515]}]", r"tcp_ports are \[20000, 18515\]; the first and the last one"),
        ("hosts: []", "hosts"),
        ("hosts: [{nodes: n1}]\nlauncher: {kind: telnet}", "launcher"),
        ("hosts: [{nodes: n1, hca: mlx5_0}]", "unknown key 'hca'"),
    ],
)
def test_mistakes_are_told_with_what_would_be_right(tmp_path: Path, rest: str, sentence: str) -> None:
    start = START if "launcher" not in rest else START.replace("launcher: {kind: local}\n", "")
    with pytest.raises(BadInputError, match=sentence):
        read(tmp_path, rest, start)


@pytest.mark.parametrize(
    "launcher",
    [
        {"kind": "ssh", "user": "-l root"},
        {"kind": "ssh", "target": "-oProxyCommand=x"},
        {"kind": "ssh", "options": ["other-host"]},
        {"kind": "local", "fanout": 0},
    ],
)
def test_options_of_launchers_cannot_become_others(launcher: dict[str, object]) -> None:
    document = {"ibcc_inventory": 1, "name": "lab", "fabric": "two-switch", "hosts": [{"nodes": "n1"}]}
    with pytest.raises(BadInputError):
        build_model(Inventory, document | {"launcher": launcher})


def test_unknown_hosts_and_nodes_are_told_with_near_ones() -> None:
    inventory = load_inventory("two-switch")
    with pytest.raises(BadInputError, match="unknown host 'h3'; known are H1, H2, .*inventory 'two-switch'"):
        inventory.find("h3")
    with pytest.raises(BadInputError, match="unknown node 'nod2'; did you mean 'node2'"):
        inventory.select("nod2")
