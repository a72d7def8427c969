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
        (node(device_id=0x101B), True),  # ConnectX-6
        (node(device_id=0xD2F2), True),  # Quantum-2
        (node(device_id=0x1019), False),  # ConnectX-5 Ex
        (node(device_id=0xCF08), False),  # Switch-IB 2
        (node(vendor_id=0x66A), False),  # another maker's device of this number
        (node("MT4129 ConnectX7   Mellanox Technologies", None), True),
        (node("MF0;leaf-1:MQM8700/U1", 0), True),
        (node("Quantum Mellanox Technologies", None), True),
        (node("MT4119 ConnectX5", None), False),
        (node("MF0;switch:SX6036/U1", None, rates=("4xFDR",)), False),
        (node("host 1", None, rates=("4xEDR", "4xHDR")), True),
        (node("host 1", 0, rates=("4xNDR",)), False),
        (node("ConnectX-7", 0x1013), False),  # the number counts, not the name
    ],
)
def test_devices_of_nvidias_dialect(traits: Traits, expected: bool) -> None:
    assert traits.is_nvidia == expected


def test_one_row_is_enough_for_like_devices() -> None:
    rows, sentence = guessed_rows([node("a"), node("b", 0xD2F0, kind="switch")], str)
    assert rows == (CongestionControlRow(dialect="nvidia-dcqcn"),)
    assert sentence is not None
    assert "guess" in sentence
    assert "1 of 1 switches and 1 of 1 adapters have NVIDIA's" in sentence


def test_old_devices_need_no_row() -> None:
    assert guessed_rows([node("a", 0x1013), node("b", None)], str) == ((), None)


def test_the_fewer_nodes_of_a_kind_are_named() -> None:
    nodes = [node("new 1"), node("new 2"), node("old", 0x1013)]
    switches = [node("leaf 1", 0xCF08, kind="switch"), node("leaf 2", 0xD2F0, kind="switch")]
    rows, _ = guessed_rows([*nodes, *switches], lambda node_id: node_id.removeprefix("id of "))
    assert rows == (
        CongestionControlRow(kind="host", dialect="nvidia-dcqcn"),
        CongestionControlRow(nodes=("old",), dialect="a10"),
        CongestionControlRow(nodes=("leaf 2",), dialect="nvidia-dcqcn"),
    )
