# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Differences between two documents of one fabric."""

import random
from typing import Any

import pytest

from tuner.document_base.model import build_model
from tuner.documents.fabric import FabricDocument, load_fabric
from tuner.fabric.differences import MOST_NAMED, differences


def fabric(names: dict[int, str], links: list[tuple[int, int, str]], **more: Any) -> FabricDocument:
    """A switch, GUID 1, and hosts of these GUIDs and names; links from a port of the switch to a host."""
    values = {
        "ibcc_fabric": 1,
        "name": "x",
        "mtu_bytes": 4096,
        "switches": ({"name": "S", "guid": 1, "ports": 36},),
        "hosts": tuple({"name": name, "guid": guid} for guid, name in names.items()),
        "links": tuple({"a": f"guid:0x1/{port}", "b": f"guid:{guid:#x}/1", "rate": rate} for port, guid, rate in links),
    }
    return build_model(FabricDocument, values | more)


A = fabric({16: "a", 17: "b"}, [(1, 16, "4xNDR"), (2, 17, "4xNDR")])


def found(before: FabricDocument, after: FabricDocument) -> dict[str, list[str]]:
    return {one.kind: list(one.named) for one in differences(before, after)}


def test_a_fabric_does_not_differ_from_itself_in_whatever_order_it_stands() -> None:
    assert differences(A, A) == []
    assert differences(A, fabric({17: "b", 16: "a"}, [(2, 17, "4xNDR"), (1, 16, "4xNDR")])) == []


@pytest.mark.parametrize(
    ("after", "wanted"),
    [
        (fabric({16: "a", 17: "c"}, [(1, 16, "4xNDR"), (2, 17, "4xNDR")]), {"renamed": ["b is now c"]}),
        (fabric({16: "a", 17: "b"}, [(1, 16, "4xNDR"), (2, 17, "2xNDR")]), {"rates_changed": ["b/1 – S/2: 4xNDR is now 2xNDR"]}),
        (
            fabric({16: "a", 17: "b"}, [(1, 16, "4xNDR"), (3, 17, "4xNDR")]),
            {"links_added": ["b/1 – S/3"], "links_removed": ["b/1 – S/2"]},
        ),
        (
            fabric({16: "a", 18: "b"}, [(1, 16, "4xNDR"), (2, 18, "4xNDR")]),  # another adapter in the same host
            {"replaced": ["b: GUID 0x0000000000000011 is now 0x0000000000000012"]},
        ),
        (
            fabric({16: "a", 18: "b"}, [(1, 16, "4xNDR"), (3, 18, "4xNDR")]),  # and at another port
            {
                "replaced": ["b: GUID 0x0000000000000011 is now 0x0000000000000012"],
                "links_added": ["b/1 – S/3"],
                "links_removed": ["b/1 – S/2"],
            },
        ),
        (
            fabric({16: "a", 18: "c"}, [(1, 16, "4xNDR"), (2, 18, "4xNDR")]),  # another host there
            {"hosts_added": ["c"], "hosts_removed": ["b"], "links_added": ["c/1 – S/2"], "links_removed": ["b/1 – S/2"]},
        ),
        (
            fabric({16: "a", 18: "b", 19: "b"}, [(1, 16, "4xNDR"), (2, 18, "4xNDR")]),  # nobody knows which
            {"hosts_added": ["b", "b"], "hosts_removed": ["b"], "links_added": ["b/1 – S/2"], "links_removed": ["b/1 – S/2"]},
        ),
        (
            fabric({16: "a", 17: "b"}, [(1, 16, "4xNDR"), (2, 17, "4xNDR")], mtu_bytes=2048, routing="updown"),
            {"settings_changed": ["MTU in bytes: 4096 is now 2048", "routing: minhop is now updown"]},
        ),
        (
            fabric({16: "a", 17: "b"}, [(1, 16, "4xNDR"), (2, 17, "4xNDR")], congestion_control="nvidia-dcqcn"),
            {"settings_changed": ["congestion_control"]},
        ),
    ],
)
def test_what_differs_is_told(after: FabricDocument, wanted: dict[str, list[str]]) -> None:
    assert found(A, after) == wanted


def test_documents_without_guids_are_compared_by_name() -> None:
    written = load_fabric("two-switch")
    with_guids = written.model_copy(
        update={
            "switches": tuple(one.model_copy(update={"guid": written.guid_of(i)}) for i, one in enumerate(written.switches)),
            "hosts": tuple(one.model_copy(update={"guid": written.guid_of(i + 2)}) for i, one in enumerate(written.hosts)),
        }
    )
    assert differences(written, with_guids) == differences(with_guids, written) == []


def test_many_are_counted_and_the_first_named() -> None:
    guids = range(16, 46)
    many = fabric({guid: f"h{guid}" for guid in guids}, [(i, guid, "4xNDR") for i, guid in enumerate(guids, start=1)])
    (gone, links) = [one for one in differences(many, fabric({}, [])) if one.kind in ("hosts_removed", "links_removed")]
    assert (gone.count, len(gone.named), links.count) == (30, MOST_NAMED, 30)


def test_what_comes_one_way_goes_the_other() -> None:
    """A random walk over documents: whatever is added from one to the next is removed on the way back."""
    chance = random.Random(7)

    def drawn() -> FabricDocument:
        names = {guid: chance.choice("ab") for guid in chance.sample(range(16, 26), 6)}
        ports = chance.sample(range(1, 20), 6)
        return fabric(names, [(port, guid, chance.choice(["4xNDR", "2xNDR"])) for port, guid in zip(ports, names, strict=True)])

    back = {"added": "removed", "removed": "added"}
    for _ in range(100):
        one, other = drawn(), drawn()
        there = {each.kind: each.count for each in differences(one, other)}
        again = {each.kind: each.count for each in differences(other, one)}
        turned = {
            kind.rpartition("_")[0] + "_" + back.get(kind.rpartition("_")[2], kind.rpartition("_")[2]): n
            for kind, n in there.items()
        }
        assert {kind.strip("_"): n for kind, n in turned.items()} == again
