# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What holds for every profile: documents round-trip, tables rise and are canonical, overrides win in order."""

from fnmatch import fnmatchcase
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ccsim import Fabric
from ccsim.policy import Profile, ProfileError
from tests.ccsim import policy_documents as documents


def read(document: dict[str, Any]) -> Profile:
    """The profile in a document that is valid but for, perhaps, a curve that is too high or a CCTI_Min that is."""
    try:
        return Profile.from_dict(document)
    except ProfileError as error:
        assert "an entry can hold at most 16383" in error.sentence, error  # noqa: PT017 - the one way to be invalid
        assume(False)
        raise


@pytest.mark.long
@given(documents.profiles())
def test_documents_round_trip(document: dict[str, Any]) -> None:
    profile = read(document)
    assert Profile.from_text(profile.to_yaml()) == profile
    assert Profile.from_dict(profile.to_dict()) == profile
    assert Profile.from_text(profile.to_yaml()).to_yaml() == profile.to_yaml()
    assert profile.to_dict()["name"] == document["name"]
    assert profile.diff(Profile.from_text(profile.to_yaml())) == []


@pytest.mark.long
@given(documents.profiles(), documents.profiles())
def test_diff_is_what_differs(one: dict[str, Any], other: dict[str, Any]) -> None:
    a, b = read(one), read(other)
    rows = a.diff(b)
    assert (rows == []) == (a == b)
    assert {(key, y, x) for key, x, y in _hashable(rows)} == set(_hashable(b.diff(a)))


def _hashable(rows: list[tuple[str, Any, Any]]) -> list[tuple[str, str, str]]:
    return [(key, repr(before), repr(after)) for key, before, after in rows]


@pytest.mark.long
@given(documents.profiles(max_overrides=0))
def test_tables_rise_and_are_canonical(document: dict[str, Any]) -> None:
    profile = read(document)
    encoding = profile.encode()
    is_curve = "curve" in document["cct"]
    for before, entry in zip((None, *encoding.entries), encoding.entries, strict=False):
        assert entry.ird_packet_times == entry.multiplier / 2**entry.shift
        assert entry.ird_ns == pytest.approx(
            entry.ird_packet_times * (document["link"]["mtu_bytes"] + 26) * 8 / document["link"]["rate_gbps"]
        )
        if not is_curve:
            assert entry.error_packet_times == 0
            continue
        # The error is at most half of the finest step at this height: 1/8 below 2048 packet times, then twice as much per octave.
        step = next(2.0**-shift for shift in (3, 2, 1, 0) if entry.wanted_packet_times <= 16383 / 2**shift or shift == 0)
        assert abs(entry.error_packet_times) <= step / 2
        assert entry.shift == 0 or entry.multiplier % 2 == 1, "the same delay fits a smaller shift"
        if before is not None:
            assert before.ird_packet_times <= entry.ird_packet_times
    # What a table holds, given as entries, is held again.
    entries = [{"shift": e.shift, "multiplier": e.multiplier} for e in encoding.entries]
    again = profile.with_settings({"cct.entries": entries}).encode()
    assert [(e.shift, e.multiplier) for e in again.entries] == [(e.shift, e.multiplier) for e in encoding.entries]


def _two_level_fabric(leaves: int, hosts: int) -> tuple[Fabric, list[tuple[str, str]]]:
    """A spine S (node 0), and leaves L0... with `hosts` hosts each. Also (name, kind) by node."""
    fabric, nodes = Fabric(), [("S", "switch")]
    fabric.add_node("S", "switch", guid=1, num_ports=8)
    for leaf in range(leaves):
        nodes.append((f"L{leaf}", "switch"))
        leaf_node = fabric.add_node(f"L{leaf}", "switch", guid=len(nodes), num_ports=6)
        fabric.connect(leaf_node, 6, 0, leaf + 1, rate="4xNDR")
        for host in range(hosts):
            nodes.append((f"H{leaf}{host}", "host"))
            fabric.connect(
                leaf_node, host + 1, fabric.add_node(nodes[-1][0], "host", guid=len(nodes), num_ports=1), 1, rate="4xNDR"
            )
    return fabric, nodes


matches = st.fixed_dictionaries(
    {"node": st.sampled_from(["*", "L*", "S", "L0", "[LS]*", "?1", "none"])},
    optional={
        "role": st.sampled_from(["switch", "leaf", "spine"]),
        "ports": st.lists(st.integers(1, 7), min_size=1, unique=True) | st.sampled_from(["ca_ports", "switch_ports"]),
        "guid": st.integers(1, 4),
    },
)
switch_overrides = st.lists(
    st.builds(
        lambda match, settings: {"match": match, "switch": settings},
        matches,
        st.fixed_dictionaries({}, optional={"threshold": st.integers(0, 15), "marking_rate": st.integers(0, 3)}).filter(bool),
    ),
    max_size=5,
)


@pytest.mark.long
@given(leaves=st.integers(1, 3), hosts=st.integers(0, 2), overrides=switch_overrides)
def test_later_overrides_win(leaves: int, hosts: int, overrides: list[dict[str, Any]]) -> None:
    """Each port behaves as if the overrides were applied to it one after the other."""
    fabric, nodes = _two_level_fabric(leaves, hosts)
    base = {"threshold": 15, "marking_rate": 1, "packet_size": 8}
    profile = Profile.from_dict(
        {
            "ibcc_profile": 1,
            "name": "p",
            "switch": base,
            "ca": {"ccti_timer": 150, "ccti_increase": 1},
            "cct": {"entries": [{"shift": 0, "multiplier": 0}]},
            "overrides": overrides,
        }
    )
    tables = profile.resolve(fabric)
    used = [False] * len(overrides)
    for node, (name, kind) in enumerate(nodes):
        if kind != "switch":
            continue
        table = tables.switch(node)
        for port in range(1, fabric.node_num_ports(node) + 1):
            expected = dict(base)
            for i, override in enumerate(overrides):
                if _fits_node(override["match"], fabric, node, name) and _fits_port(override["match"], fabric, node, port):
                    expected |= override["switch"]
                    used[i] = True
            actual = table["ports"].get(port) or table["setting"]
            assert {key: actual[key] for key in base} == expected
    for i, is_used in enumerate(used):
        assert any(w.startswith(f"overrides[{i}] ") and "have no effect" in w for w in tables.warnings) != is_used


def _neighbours(fabric: Fabric, node: int) -> dict[int, str]:
    found: dict[int, str] = {}
    for port in range(1, fabric.node_num_ports(node) + 1):
        peer = fabric.peer(node, port)
        if peer is not None:
            found[port] = fabric.node_kind(peer[0])
    return found


def _fits_node(match: dict[str, Any], fabric: Fabric, node: int, name: str) -> bool:
    role = match.get("role", "switch")
    is_leaf = "host" in _neighbours(fabric, node).values()
    if role in ("leaf", "spine") and (role == "leaf") != is_leaf:
        return False
    return fnmatchcase(name, match["node"]) and match.get("guid", fabric.node_guid(node)) == fabric.node_guid(node)


def _fits_port(match: dict[str, Any], fabric: Fabric, node: int, port: int) -> bool:
    ports = match.get("ports")
    if ports is None or isinstance(ports, list):
        return ports is None or port in ports
    return _neighbours(fabric, node).get(port) == ("host" if ports == "ca_ports" else "switch")
