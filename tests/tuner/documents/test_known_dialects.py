# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Devices of which nothing is known: they are counted, asked for, and no profile is put on them."""

import pytest

from tuner.documents.congestion_control import CongestionControlRow
from tuner.documents.fabric import FabricDocument, Host, Link, load_fabric
from tuner.documents.known_dialects import require_known, unknown_devices
from tuner.documents.profile import load_profile
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.simulation.dialects import without_effect


def two_switch(*rows: dict[str, object]) -> FabricDocument:
    found = tuple(CongestionControlRow.model_validate(row) for row in rows)
    return load_fabric("two-switch").model_copy(update={"congestion_control": found})


def test_a_document_says_what_devices_have_and_only_that() -> None:
    assert unknown_devices(two_switch()) == {}
    assert unknown_devices(two_switch({"dialect": "unknown"})) == {"switches": (2, 2), "adapters": (7, 7)}
    assert unknown_devices(two_switch({"nodes": ["H1"], "dialect": "unknown"})) == {"adapters": (1, 7)}


def test_all_of_a_kind_are_asked_for_and_some_are_told() -> None:
    with pytest.raises(BadInputError, match="of 2 of 2 switches and 7 of 7 adapters of fabric 'two-switch' is not known; say it"):
        require_known(two_switch({"dialect": "unknown"}))
    with pytest.raises(BadInputError, match="of 2 of 2 switches"):
        require_known(two_switch({"kind": "switch", "dialect": "unknown"}))
    some = two_switch({"nodes": ["H1"], "dialect": "unknown"})
    require_known(some)
    (told,) = without_effect(load_profile("gran-2010"), build(some))
    assert "of 1 of 7 adapters" in told
    assert list(without_effect(load_profile("off"), build(some))) == []


def test_nothing_is_set_on_devices_that_are_not_known() -> None:
    built = build(two_switch({"nodes": ["H1"], "dialect": "unknown"}))
    assert [built.fabric.node_dialect(node) for node in range(built.fabric.num_nodes)].count("none") == 1


def test_aggregation_nodes_have_none_whatever_a_row_says() -> None:
    fabric = two_switch({"dialect": "nvidia-dcqcn"})
    reducer = Host(name="reducer", kind="aggregation")
    link = Link(a="reducer/1", b=f"S1/{fabric.switches[0].ports}", rate="4xDDR")
    more = fabric.model_copy(update={"hosts": (*fabric.hosts, reducer), "links": (*fabric.links, link)})
    assert [one.dialect for one in more.device_congestion_control()][-2:] == ["nvidia-dcqcn", "none"]
    assert more.dialects() == {"nvidia-dcqcn": 9}
    assert unknown_devices(more) == {}
