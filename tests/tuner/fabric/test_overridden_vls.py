# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric's `sl_to_vl` that the tables of its routing override is said, and no other."""

import pytest

from tuner.documents.fabric import FabricDocument
from tuner.documents.service_levels import SlToVlOverride, SlToVlTables
from tuner.fabric.built_fabric import build
from tuner.fabric.overridden_vls import overridden_by_opensm
from tuner.fabric.routing_advice import advise
from tuner.fabric.summary import FabricSummary
from tuner.fabric.topologies.base import generate

PLAIN = tuple(range(4)) * 4


def torus(dims: list[int], tables: SlToVlTables | None) -> FabricDocument:
    return generate("torus", dims=dims).model_copy(update={"sl_to_vl": tables})


def warnings(document: FabricDocument) -> list[str]:
    return [sentence for sentence in FabricSummary(build(document)).warnings if sentence.startswith("sl_to_vl")]


@pytest.mark.parametrize("tables", [SlToVlTables(vls=PLAIN), SlToVlTables(overrides=(SlToVlOverride(node="S0-0", vls=PLAIN),))])
def test_tables_on_rings_of_four_are_overridden(tables: SlToVlTables) -> None:
    document = torus([4, 4], tables)
    assert len(warnings(document)) == 1
    assert list(advise(document).warnings) == warnings(document)


def test_the_tables_that_hold_are_those_of_the_routing() -> None:
    """What the warning says: the document's mapping would put all on VL 0, which has a loop; the routing's has none."""
    document = torus([4, 4], SlToVlTables(vls=(0,) * 16))
    assert build(document).credit_loop() is None
    assert "holds only towards hosts" in warnings(document)[0]


def test_overrides_can_bring_loops_back() -> None:
    switches = [f"S{a}-{b}" for a in range(4) for b in range(4)]
    document = torus([4, 4], SlToVlTables(overrides=tuple(SlToVlOverride(node=name, vls=(0,) * 16) for name in switches)))
    assert build(document).credit_loop() is not None
    assert "sl_to_vl.overrides replaces 16 tables of the routing dor" in warnings(document)[0]


@pytest.mark.parametrize("document", [torus([3, 3], SlToVlTables(vls=PLAIN)), torus([4, 4], None)])
def test_nothing_is_said_where_nothing_is_overridden(document: FabricDocument) -> None:
    assert warnings(document) == []


def test_opensm_sets_all_tables() -> None:
    (sentence,) = overridden_by_opensm(torus([3, 3], SlToVlTables(vls=PLAIN)))
    assert sentence.endswith("OpenSM sets SL-to-VL tables; torus-2QoS, lash, dfsssp, nue need VLs of their own")
    assert overridden_by_opensm(torus([3, 3], None)) == []
