# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A topology that is kept by differences."""

from pathlib import Path
from typing import Any

import pytest

from tests.tuner.opensm.test_plugin_client import conversation, error
from tuner.opensm.live_topology import LiveTopology, TopologyChanges
from tuner.opensm.plugin_client import PluginClient
from tuner.rpc.protocol import BUSY, RpcError


def node(guid: str, description: str = "H") -> dict[str, Any]:
    return {"guid": guid, "description": description}


def link(guid: str, port: int, peer_guid: str, peer_port: int, rate: str = "4xNDR") -> dict[str, Any]:
    return {"guid": guid, "port": port, "peer_guid": peer_guid, "peer_port": peer_port, "rate": rate}


def answer(epoch: int, *, full: bool, after: str | None = None, **more: Any) -> dict[str, Any]:
    empty: dict[str, Any] = {"nodes": [], "links": [], "removed_nodes": [], "removed_links": [], "subnet_managers": []}
    return {"result": {**empty, "epoch": epoch, "full": full, "swept_s": 7, "sweep_ok": True, "next": after, **more}}


def changes(epoch: int, *, full: bool, **more: Any) -> TopologyChanges:
    empty: dict[str, Any] = {"nodes": [], "links": [], "removed_nodes": [], "removed_links": [], "subnet_managers": []}
    return TopologyChanges(epoch=epoch, full=full, swept_s=7, complete=True, **{**empty, **more})


def test_differences_lead_to_the_next_epoch() -> None:
    first = LiveTopology.of(
        changes(
            5,
            full=True,
            nodes=[node("0x1"), node("0x2"), node("0x9", "S")],
            links=[link("0x1", 1, "0x9", 1), link("0x2", 1, "0x9", 2)],
        )
    )
    second = first.after(
        changes(
            8,
            full=False,
            nodes=[node("0x2", "renamed"), node("0x3")],
            links=[link("0x2", 1, "0x9", 2, "1xNDR"), link("0x3", 1, "0x9", 1)],
            removed_nodes=["0x1"],
            removed_links=[("0x1", 1, "0x9", 1)],
        )
    )
    assert second.epoch == 8
    assert {guid: row["description"] for guid, row in second.nodes.items()} == {"0x2": "renamed", "0x3": "H", "0x9": "S"}
    assert {ends: row["rate"] for ends, row in second.links.items()} == {
        ("0x2", 1, "0x9", 2): "1xNDR",
        ("0x3", 1, "0x9", 1): "4xNDR",
    }
    assert len(first.nodes) == 3, "it is as it was"


def test_a_whole_answer_replaces_all() -> None:
    first = LiveTopology.of(changes(5, full=True, nodes=[node("0x1")]))
    assert list(first.after(changes(1000, full=True, nodes=[node("0x2")])).nodes) == ["0x2"]


def test_differences_alone_are_no_topology() -> None:
    with pytest.raises(ValueError, match="differences that led to epoch 9"):
        LiveTopology.of(changes(9, full=False))


def test_pages_are_one_answer(tmp_path: Path) -> None:
    gone = {"guid": "0x7", "port": 1, "peer_guid": "0x9", "peer_port": 3}
    pages = [
        answer(5, full=False, after="0x2", nodes=[node("0x1"), node("0x2")], removed_nodes=["0x7"], removed_links=[gone]),
        answer(5, full=False, nodes=[node("0x9")], links=[link("0x9", 4, "0x9", 5)]),
    ]
    with conversation(tmp_path / "s", *pages, methods=("topology",)) as heard, PluginClient(tmp_path / "s") as client:
        found = client.topology(4)
    assert [row["guid"] for row in found.nodes] == ["0x1", "0x2", "0x9"]
    assert (found.removed_nodes, found.removed_links, len(found.links)) == (["0x7"], [("0x7", 1, "0x9", 3)], 1)
    assert heard[1:] == [{"method": "topology", "since": 4}, {"method": "topology", "since": 4, "after": "0x2"}]


def test_another_epoch_between_pages_makes_it_begin_again(tmp_path: Path) -> None:
    pages = [
        answer(5, full=True, after="0x1", nodes=[node("0x1")]),
        answer(6, full=True, nodes=[node("0x2")]),
        answer(6, full=True, nodes=[node("0x3")]),
    ]
    with conversation(tmp_path / "s", *pages, methods=("topology",)), PluginClient(tmp_path / "s") as client:
        assert [row["guid"] for row in client.topology().nodes] == ["0x3"]
    with (
        conversation(tmp_path / "t", *pages[:2], methods=("topology",)),
        PluginClient(tmp_path / "t") as client,
        pytest.raises(RpcError, match="changes again and again"),
    ):
        client.topology(patience_s=-1.0)


def test_refusals_and_older_plugins_are_told(tmp_path: Path) -> None:
    sentence = "the topology is not known now: another subnet manager is MASTER"
    with (
        conversation(tmp_path / "s", error(BUSY, sentence), methods=("topology",)),
        PluginClient(tmp_path / "s") as client,
        pytest.raises(RpcError, match=f"^{sentence}$"),
    ):
        client.topology()
    with (
        conversation(tmp_path / "t", methods=("links",)),
        PluginClient(tmp_path / "t") as client,
        pytest.raises(RpcError, match="has no method 'topology'"),
    ):
        client.topology()
