# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest

from tuner.documents.congestion_control import CongestionControlRow
from tuner.fabric.importers.congestion_control import Traits, guessed_rows

MELLANOX = 0x2C9


def node(
    name: str = "node",
    device_id: int | None = 0x1021,
    *,
    kind: str = "host",
    vendor_id: int | None = MELLANOX,
    rates: tuple[str, ...] = (),
) -> Traits:
    return Traits(f"id of {name}", kind, name, vendor_id, device_id, rates)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("traits", "expected"),
    [
        (node(device_id=0x101B), "nvidia-dcqcn"),  # ConnectX-6
        (node(device_id=0xD2F2), "nvidia-dcqcn"),  # Quantum-2
        (node(device_id=0x1019), "a10"),  # ConnectX-5 Ex
        (node(device_id=0xCF08), "a10"),  # Switch-IB 2
        (node(device_id=0x7777), "unknown"),
        (node(vendor_id=0x66A), "unknown"),  # another maker's device of this number
        (node("MT4129 ConnectX7   Mellanox Technologies", None), "nvidia-dcqcn"),
        (node("MF0;leaf-1:MQM8700/U1", None), "nvidia-dcqcn"),
        (node("MF0;leaf-1:MQM8700/U1", 0), "nvidia-dcqcn"),
        (node("Quantum Mellanox Technologies", None), "nvidia-dcqcn"),
        (node("MT4119 ConnectX5", None), "a10"),
        (node("MF0;switch:SX6036/U1", None, rates=("4xFDR",)), "a10"),
        (node("host 1", None, rates=("4xEDR", "4xHDR")), "nvidia-dcqcn"),
        (node("host 1", None, rates=("4xEDR",)), "unknown"),
        (node("host 1", 0, rates=("4xNDR",)), "unknown"),
        (node("ConnectX-7", 0x1013), "a10"),  # the number counts, not the name
        (Traits("x", "host", "ConnectX-7", MELLANOX, 0x1013, (), "none"), "none"),  # what it answers counts before its number
    ],
)
def test_what_tells_a_dialect(traits: Traits, expected: str) -> None:
    assert traits.dialect == expected


def test_one_row_is_enough_for_like_devices() -> None:
    rows, sentence = guessed_rows([node("a"), node("b", 0xD2F0, kind="switch")], str)
    assert rows == (CongestionControlRow(dialect="nvidia-dcqcn"),)
    assert sentence is not None
    assert "guess" in sentence
    assert "1 switches, 1 with NVIDIA's (nvidia-dcqcn); 1 adapters, 1 with NVIDIA's" in sentence


def test_old_devices_need_no_row() -> None:
    assert guessed_rows([node("a", 0x1013), node("b", 0xCF08, kind="switch")], str) == ((), None)


def test_devices_that_nothing_tells_of_are_asked_for() -> None:
    rows, sentence = guessed_rows([node("a", 0x1013), node("b", None), node("c", 0x1013)], str)
    assert rows == (CongestionControlRow(nodes=("id of b",), dialect="unknown"),)
    assert sentence is not None
    assert "3 adapters, 2 with annex A10's (a10), 1 not known (unknown). Say what those have" in sentence


def test_aggregation_nodes_and_routers_are_no_devices() -> None:
    nodes = [node("a", 0x1013), node("reducer", 0xCF09, kind="aggregation"), node("gateway", None, kind="router")]
    assert guessed_rows(nodes, str) == ((), None)


def test_the_fewer_nodes_of_a_kind_are_named() -> None:
    nodes = [node("new 1"), node("new 2"), node("old", 0x1013)]
    switches = [node("leaf 1", 0xCF08, kind="switch"), node("leaf 2", 0xD2F0, kind="switch")]
    rows, _ = guessed_rows([*nodes, *switches], lambda node_id: node_id.removeprefix("id of "))
    assert rows == (
        CongestionControlRow(kind="host", dialect="nvidia-dcqcn"),
        CongestionControlRow(nodes=("old",), dialect="a10"),
        CongestionControlRow(nodes=("leaf 2",), dialect="nvidia-dcqcn"),
    )
