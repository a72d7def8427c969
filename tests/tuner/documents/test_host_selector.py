# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Selectors of hosts: patterns of a shell, and numbers as Slurm writes them, compared with ClusterShell's own reading."""

import random

import pytest
from ClusterShell.NodeSet import NodeSet

from tuner.documents.host_selector import selects
from tuner.errors import BadInputError


@pytest.mark.parametrize(
    ("selector", "selected", "others"),
    [
        ("n[1-16] mlx5_0", ["n1 mlx5_0", "n10 mlx5_0", "n16 mlx5_0"], ["n0 mlx5_0", "n17 mlx5_0", "n01 mlx5_0", "n1 mlx5_1"]),
        ("n[001-010,12]", ["n001", "n010", "n12"], ["n1", "n011", "n0012", "n012"]),
        ("GPU-[08-11].example.org *", ["GPU-08.example.org mlx5_3", "GPU-11.example.org ib0"], ["GPU-8.example.org ib0"]),
        ("r0[1-2]n[01-12]", ["r01n01", "r02n12"], ["r01n13", "r03n01"]),
        ("*[10-12]", ["n11", "rack 7 n12"], ["n1", "n111", "n911"]),
        ("n[1-12]*", ["n12 ib0", "n3"], ["n123 ib0", "n13"]),
        ("n[1-3]", ["n1", "n3"], ["n4", "n13"]),
        ("n[789]", ["n7", "n9"], ["n789"]),
        ("n[!1-20]", ["n3"], ["n1", "n2", "n0"]),
        ("[ab]?", ["a1", "b\n"], ["c1", "a", "a11"]),
    ],
)
def test_it_selects(selector: str, selected: list[str], others: list[str]) -> None:
    is_selected = selects(selector)
    assert [name for name in (*selected, *others) if is_selected(name)] == selected


@pytest.mark.parametrize("seed", range(20))
def test_numbers_are_read_as_clustershell_reads_them(seed: int) -> None:
    draws = random.Random(seed)
    names = [f"n{number:0{width}d}" for number in range(120) for width in (1, 3)]
    low, high, other = draws.randrange(20), draws.randrange(20, 110), draws.randrange(110, 120)
    width = draws.choice([1, 3])
    selector = f"n[{low:0{width}d}-{high:0{width}d},{other:0{width}d}]"
    is_selected = selects(selector)
    assert {name for name in names if is_selected(name)} == set(NodeSet(selector))


def test_a_range_that_runs_backwards_is_refused() -> None:
    with pytest.raises(BadInputError, match=r"hosts 'n\[16-01\]': 16-01 ends below its beginning; write 01-16"):
        selects("n[16-01]")
