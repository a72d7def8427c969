# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest

from tuner.fabric.topologies.base import generate, topology


@pytest.mark.parametrize(
    ("parameters", "note"),
    [
        ({"hosts_per_leaf": 12}, "over-subscription 3.00 : 1 (12 hosts of 4xNDR over 4 links of 4xNDR)"),
        ({"hosts_per_leaf": 4, "parallel": 2}, "over-subscription 0.50 : 1 (4 hosts of 4xNDR over 8 links of 4xNDR)"),
        ({"hosts_per_leaf": 8, "switch_rate": "4xXDR"}, "over-subscription 1.00 : 1 (8 hosts of 4xNDR over 4 links of 4xXDR)"),
    ],
)
def test_over_subscription_is_told(parameters: dict[str, object], note: str) -> None:
    assert list(topology("leaf-spine", {"leaves": 3, "spines": 4, **parameters}).notes()) == [note]


def test_every_leaf_is_linked_to_every_spine() -> None:
    fabric = generate("leaf-spine", leaves=2, spines=2, hosts_per_leaf=1, parallel=2)
    assert [(link.a, link.b) for link in fabric.links if link.a.startswith("S1-2")] == [
        ("S1-2/2", "S2-1/2"),
        ("S1-2/3", "S2-2/2"),
        ("S1-2/4", "S2-1/4"),
        ("S1-2/5", "S2-2/4"),
    ]
