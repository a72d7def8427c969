# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""OpenSM's subnet database, as the plugin tells it, made into a fabric document."""

from dataclasses import replace
from typing import Any

import pytest

from tuner.errors import UnreachableError
from tuner.fabric.built_fabric import build
from tuner.opensm.plugin_client import Subnet
from tuner.opensm.subnet_document import of_subnet

S, A, B = (f"0x{guid:016x}" for guid in (16, 32, 48))
NONE = b"\xff"


def row(guid: str, port: int, kind: str, name: str, lid: int | None, peer: tuple[str, int] | None, **more: Any) -> dict[str, Any]:
    state = {"state": "active", "width": "4x", "speed": "NDR", "mtu": 4096}
    found = {"guid": guid, "port": port, "kind": kind, "description": name, "lid": lid, **state}
    return found | {"peer_guid": peer and peer[0], "peer_port": peer and peer[1]} | more


def subnet(*links: dict[str, Any], lft: bytes = NONE + bytes([0, 1, 2]), **more: Any) -> Subnet:
    routes = [{"guid": S, "description": "leaf", "lid": 1, "ports": 3, "lft": lft, "sl2vl": None}]
    return replace(Subnet(links=list(links), routes=routes, complete=True, engine="ftree", sl_by_path=False), **more)


DOWN = {"state": "down", "width": None, "speed": None, "mtu": None}
PAIR = (
    row(S, 1, "switch", "leaf", 1, (A, 1)),
    row(S, 2, "switch", "leaf", 1, (B, 1)),
    row(S, 3, "switch", "leaf", 1, None, **DOWN),
    row(A, 1, "ca", "a", 2, (S, 1)),
    row(B, 1, "ca", "a", 3, (S, 2)),
)


def test_nodes_links_lids_and_routes_are_there() -> None:
    imported = of_subnet(subnet(*PAIR), name="x")
    fabric = imported.fabric
    assert [(one.name, one.guid, one.lid, one.ports) for one in fabric.switches] == [("leaf", 16, 1, 3)]
    assert [(one.name, one.guid, one.lid) for one in fabric.hosts] == [("a", 32, 2), ("a", 48, 3)]
    assert [link.rate for link in fabric.links] == ["4xNDR", "4xNDR"]
    assert (fabric.routing, imported.format, imported.notes[0][:36]) == (
        "tables",
        "OpenSM",
        "routed by OpenSM's engine ftree: its",
    )
    assert build(fabric).unreachable() == []


def test_what_is_down_is_left_out_and_told() -> None:
    gone = (*PAIR[:1], row(S, 2, "switch", "leaf", 1, (B, 1), **DOWN), *PAIR[2:4], row(B, 1, "ca", "b", 3, (S, 2), **DOWN))
    imported = of_subnet(subnet(*gone, complete=False), name="x")
    assert len(imported.fabric.links) == 1
    assert "2 ports with a cable are down and were left out" in imported.notes
    assert any("ended with errors" in note for note in imported.notes)


def test_without_tables_the_simulator_routes() -> None:
    imported = of_subnet(subnet(*PAIR, lft=b""), name="x")
    assert imported.fabric.routing == "minhop"
    assert "the simulator routes the fabric" in imported.notes[-1]


def test_links_may_have_several_mtus() -> None:
    slow = [row_ | ({"mtu": 2048} if row_["guid"] == A else {}) for row_ in PAIR]
    imported = of_subnet(subnet(*slow), name="x")
    assert imported.fabric.mtu_bytes == 4096
    assert any("links have several MTUs (4096 bytes at 3 ports, 2048 bytes at 1 ports)" in note for note in imported.notes)


def test_a_database_that_contradicts_itself_is_read_as_far_as_it_agrees() -> None:
    """A sweep may end between the two ends of a link."""
    slower = of_subnet(subnet(*PAIR[:3], PAIR[3] | {"speed": "HDR"}, PAIR[4]), name="x")
    assert [link.rate for link in slower.fabric.links] == ["4xHDR", "4xNDR"]
    assert [remark.kind.value for remark in slower.remarks] == ["rates-differ"]
    less = of_subnet(subnet(*PAIR[:4]), name="x")
    assert [(link.a, link.b) for link in less.fabric.links] == [("leaf/1", "a/1")]
    assert [remark.kind.value for remark in less.remarks] == ["link-to-nowhere"]


def test_a_sweep_that_ended_with_errors_marks_the_document() -> None:
    assert of_subnet(subnet(*PAIR), name="x").fabric.incomplete is None
    assert of_subnet(subnet(*PAIR, complete=False), name="x").fabric.incomplete == "OpenSM's last sweep ended with errors"


def test_a_database_without_nodes_is_refused() -> None:
    with pytest.raises(UnreachableError, match="has no node"):
        of_subnet(subnet(), name="x")


def test_what_devices_have_answered_is_their_congestion_control() -> None:
    """A link's speed is what was agreed on, and no property of a device here."""
    answers: list[dict[str, Any]] = [
        {"guid": S, "dialect": "nvidia"},
        {"guid": A, "dialect": "both"},
        {"guid": B, "dialect": None},
    ]
    fabric = of_subnet(subnet(*PAIR), name="x", devices=answers).fabric
    assert [one.dialect for one in fabric.device_congestion_control()] == ["nvidia-dcqcn", "both", "unknown"]
    by_number = [{"guid": B, "dialect": "unknown", "vendor_id": "0x0002c9", "device_id": "0x1013"}]
    some = of_subnet(subnet(*PAIR), name="x", devices=by_number).fabric
    assert [one.dialect for one in some.device_congestion_control()] == ["unknown", "unknown", "a10"]
