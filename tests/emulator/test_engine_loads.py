# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Links are loaded as by the tables of a real OpenSM, on trees in whatever order their switches are listed."""

from pathlib import Path

import pytest

from tests.emulator.conftest import Emulate
from tests.tuner.fabric.strange_fabrics import disguised, without
from tuner.documents.fabric import FabricDocument
from tuner.documents.lft import runs
from tuner.fabric.engine_loads import Loads
from tuner.fabric.importers.base import import_fabric, read_fabric
from tuner.fabric.routing_advice import advise
from tuner.fabric.topologies.base import generate

FABRICS = {
    "three levels": lambda: disguised(generate("k-ary-n-tree", k=3, n=3), 3),
    "three levels, over-subscribed": lambda: disguised(generate("xgft", m=[4, 3, 8], w=[1, 2, 3]), 4),
    "30 leaves": lambda: disguised(generate("leaf-spine", leaves=30, spines=4, hosts_per_leaf=4), 5),
}
ROUTING = {"ftree": "dmodk", "updn": "updown", "minhop": "minhop"}


def loads(fabric: FabricDocument, engine: str, emulate: Emulate) -> tuple[str, Loads, Loads]:
    """The engine that OpenSM used, and the loads of its tables and of ibcc's routing."""
    bed = emulate(fabric)
    with bed.clients.opensm({"routing_engine": engine}) as opensm:
        found = read_fabric(bed.clients.output("ibnetdiscover"), source="ibnetdiscover", name="found", mtu_bytes=4096).fabric
        held = {device["node"]: device["forwarding"] for device in bed.emulated.emulator.tables() if "forwarding" in device}
        lfts = {
            f"guid:0x{fabric.guid_of(switch):016x}": runs({lid: port for lid, port in enumerate(table) if lid and port != 255})
            for switch, table in held.items()
        }
        advice = advise(found.model_copy(update={"routing": "tables", "lfts": lfts}))
        theirs = next(one.loads for one in advice.engines if one.as_it_is)
        ours = next(one.loads for one in advice.engines if one.routing == ROUTING[engine])
        assert theirs is not None
        assert ours is not None
        assert theirs.unreachable_pairs == ours.unreachable_pairs == 0
        return str(opensm.engine), theirs, ours


@pytest.mark.parametrize("engine", ROUTING)
@pytest.mark.parametrize("name", FABRICS)
def test_on_trees_links_are_loaded_alike(emulate: Emulate, name: str, engine: str) -> None:
    used, theirs, ours = loads(FABRICS[name](), engine, emulate)
    assert used == engine
    assert theirs.mean_pairs == pytest.approx(ours.mean_pairs)  # routes are as long
    if engine == "ftree" or name != "three levels, over-subscribed":
        assert (theirs.used, theirs.upward_used) == (ours.used, ours.upward_used)
        assert theirs.sorted_shares == pytest.approx(ours.sorted_shares)
    else:  # balanced in the order of destinations, which is another
        assert 0.6 < theirs.uniform_share / ours.uniform_share < 1.6


def test_a_damaged_tree_is_refused_by_both(emulate: Emulate) -> None:
    """OpenSM's ftree gives way to minhop, ibcc's dmodk says why."""
    fabric = disguised(without(generate("k-ary-n-tree", k=4, n=3), links=[7, 50, 100], switches=[18]), 5)
    advice = advise(fabric)
    assert next(one.refused for one in advice.engines if one.routing == "dmodk")
    bed = emulate(fabric)
    with bed.clients.opensm({"routing_engine": "ftree"}) as opensm:
        assert opensm.engine == "minhop"


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["updn", "minhop"])
def test_the_superpod_uses_as_many_links(emulate: Emulate, shared: Path, engine: str) -> None:
    """How they are balanced depends on the order of destinations, which is not OpenSM's: docs/routing.md has both figures."""
    fabric = import_fabric(shared / "data/fabrics/superpod-ndr-40sw-582ca.ibnetdiscover").fabric
    used, theirs, ours = loads(fabric, engine, emulate)
    assert (used, theirs.used) == (engine, ours.used)
