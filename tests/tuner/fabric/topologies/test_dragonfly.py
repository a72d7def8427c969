# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from collections import Counter

import pytest

from tuner.documents.fabric import FabricDocument
from tuner.errors import BadInputError
from tuner.fabric.topologies.base import generate, topology
from tuner.fabric.topologies.layout import Counts


def between_groups(fabric: FabricDocument) -> Counter[tuple[str, str]]:
    """How many links there are between each two groups, a group and itself included."""
    ends = [[end.partition("-")[0] for end in (link.a, link.b)] for link in fabric.links if not link.a.startswith("H")]
    return Counter((min(a, b), max(a, b)) for a, b in ends)


def test_the_example_of_the_paper() -> None:
    made = topology("dragonfly", {"a": 4, "p": 2, "h": 2})  # ISCA 2008, figure 5
    assert made.expected() == Counts(hosts=72, switches=36, links=72 + 9 * 6 + 36)
    assert made.switch_ports() == 7
    found = between_groups(made.fabric())
    assert {found[f"S{a}", f"S{a}"] for a in range(1, 10)} == {6}
    assert {found[f"S{a}", f"S{b}"] for a in range(1, 10) for b in range(a + 1, 10)} == {1}


def test_links_between_groups_are_in_the_canonical_order() -> None:
    links = {frozenset((link.a, link.b)) for link in generate("dragonfly", a=4, p=2, h=2).links}
    # Group 1's go to the groups 2, 3, 4, …; group 9's to the groups 1, 2, …; ports 6 and 7 lead to other groups.
    assert {frozenset(("S1-1/6", "S2-1/6")), frozenset(("S1-1/7", "S3-1/6")), frozenset(("S1-4/7", "S9-1/6"))} <= links
    assert frozenset(("S8-4/7", "S9-4/7")) in links


def test_few_groups_share_the_links_evenly() -> None:
    found = between_groups(generate("dragonfly", a=4, p=1, h=2, groups=4))  # 8 links a group over 3 others: 2 stay free
    assert {found[f"S{a}", f"S{b}"] for a in range(1, 5) for b in range(a + 1, 5)} == {2}


def test_more_groups_than_links_reach_are_refused() -> None:
    with pytest.raises(BadInputError, match="groups is 10; a·h = 8 links to other groups reach 9 groups at most"):
        topology("dragonfly", {"a": 4, "p": 2, "h": 2, "groups": 10})
