# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Links are loaded as by the tables of a real OpenSM, on trees in whatever order their switches are listed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.emulator.conftest import Emulate
from tests.tuner.fabric.strange_fabrics import disguised, fabric_of, without
from tuner.documents.fabric import FabricDocument
from tuner.documents.lft import runs
from tuner.fabric.engine_loads import Loads
from tuner.fabric.importers.base import import_fabric, read_fabric
from tuner.fabric.opensm_engines import ENGINES
from tuner.fabric.opensm_line import opensm_line
from tuner.fabric.routing_advice import advise
from tuner.fabric.shapes.base import recognize
from tuner.fabric.shapes.switch_graph import SwitchGraph
from tuner.fabric.topologies.base import generate
from tuner.opensm.process import OptionValue

FABRICS = {
    "three levels": lambda: disguised(generate("k-ary-n-tree", k=3, n=3), 3),
    "three levels, over-subscribed": lambda: disguised(generate("xgft", m=[4, 3, 8], w=[1, 2, 3]), 4),
    "30 leaves": lambda: disguised(generate("leaf-spine", leaves=30, spines=4, hosts_per_leaf=4), 5),
}
ROUTING = {"ftree": "dmodk", "updn": "updown", "minhop": "minhop"}
"""Routings of trees by the engine of OpenSM that they stand for."""


def loads(
    fabric: FabricDocument, engine: str, emulate: Emulate, files: dict[str, OptionValue | Path] | None = None
) -> tuple[str, Loads, Loads]:
    """The engine that OpenSM used, and the loads of its tables and of ibcc's routing."""
    bed = emulate(fabric)
    with bed.clients.opensm({"routing_engine": engine, **(files or {})}) as opensm:
        found = read_fabric(bed.clients.output("ibnetdiscover"), source="ibnetdiscover", name="found", mtu_bytes=4096).fabric
        held = {device["node"]: device["forwarding"] for device in bed.emulated.emulator.tables() if "forwarding" in device}
        lfts = {
            f"guid:0x{fabric.guid_of(switch):016x}": runs({lid: port for lid, port in enumerate(table) if lid and port != 255})
            for switch, table in held.items()
        }
        advice = advise(found.model_copy(update={"routing": "tables", "lfts": lfts}))
        theirs = next(one.loads for one in advice.engines if one.as_it_is)
        ours = next(one.loads for one in advice.engines if one.routing == ENGINES[engine].routing)
        assert theirs is not None
        assert ours is not None
        assert theirs.unreachable_pairs == ours.unreachable_pairs == 0
        return str(opensm.engine), theirs, ours


def told(fabric: FabricDocument, engine: str, folder: Path) -> dict[str, OptionValue | Path]:
    """The options with which the advised line would name an engine alone; by itself it counts aggregation nodes as hosts."""
    line = opensm_line(fabric, recognize(SwitchGraph(fabric)), [engine])
    for name, text in line.named_files(folder).items():
        (folder / name).write_text(text)
    return {option: value for option, value in line.written_to(folder).items() if option != "routing_engine"}


@pytest.mark.parametrize("engine", ROUTING)
@pytest.mark.parametrize("name", FABRICS)
def test_on_trees_links_are_loaded_alike(emulate: Emulate, name: str, engine: str) -> None:
    used, theirs, ours = loads(FABRICS[name](), engine, emulate)
    assert used == engine
    assert theirs.mean_pairs == pytest.approx(ours.mean_pairs)  # routes are as long
    assert (theirs.used, theirs.upward_used) == (ours.used, ours.upward_used)
    assert theirs.sorted_shares == pytest.approx(ours.sorted_shares)


DAMAGED: dict[str, Callable[[], FabricDocument]] = {
    "three levels": lambda: disguised(without(generate("k-ary-n-tree", k=4, n=3), links=[7, 50, 100], switches=[18]), 5),
    "two levels": lambda: disguised(without(generate("leaf-spine", leaves=9, spines=4, hosts_per_leaf=5), links=[2, 9, 30]), 6),
    "hosts on spines": lambda: fabric_of(
        [(leaf, spine) for leaf in range(6) for spine in (6, 7, 8) if (leaf, spine) != (2, 7)], [8, 8, 7, 8, 5, 8, 1, 0, 2]
    ),
    "parallel links": lambda: disguised(
        without(generate("xgft", m=[4, 4, 3], w=[1, 2, 3], parallel=[1, 2, 2]), links=[3, 4, 40]), 7
    ),
}


@pytest.mark.parametrize("engine", ROUTING)
@pytest.mark.parametrize("name", DAMAGED)
def test_on_damaged_trees_too(emulate: Emulate, tmp_path: Path, name: str, engine: str) -> None:
    if (name, engine) == ("hosts on spines", "updn"):
        pytest.skip("OpenSM's updn has no routes between hosts on several top switches")
    fabric = DAMAGED[name]()
    used, theirs, ours = loads(fabric, engine, emulate, told(fabric, engine, tmp_path))
    assert used == engine
    assert theirs.sorted_shares == pytest.approx(ours.sorted_shares)


REAL = ("tree-qdr-8sw-144ca", "director-edr-174sw-1470ca", "superpod-ndr-40sw-582ca")
SLOW = ("director-edr-174sw-1470ca", "ftree")
"""OpenSM takes 15 s there for the reverse hops of 174 aggregation nodes; engine_table.py has them."""


@pytest.mark.thorough
@pytest.mark.parametrize("cut", [0, 3])
@pytest.mark.parametrize(("name", "engine"), [(name, engine) for name in REAL for engine in ROUTING if (name, engine) != SLOW])
def test_real_fabrics_carry_what_opensms_tables_carry(
    emulate: Emulate, shared: Path, tmp_path: Path, name: str, engine: str, cut: int
) -> None:
    """As they are, and without three more cables."""
    fabric = import_fabric(shared / f"data/fabrics/{name}.ibnetdiscover").fabric
    if cut:
        fabric = without(fabric, links=range(5, 5 + 11 * cut, 11))
    used, theirs, ours = loads(fabric, engine, emulate, told(fabric, engine, tmp_path))
    assert used == engine
    assert ours.mean_pairs == pytest.approx(theirs.mean_pairs)
    assert 0.9 < ours.uniform_share / theirs.uniform_share < 1.1


GRIDS: dict[str, Callable[[], FabricDocument]] = {
    "mesh": lambda: disguised(generate("mesh", dims=[3, 4], hosts_per_switch=2), 2),
    "hypercube": lambda: disguised(generate("hypercube", n=4), 3),
    "mesh with parallel cables": lambda: fabric_of(
        [(row * 3 + i, row * 3 + i + 1) for row in range(5) for i in (0, 1) for _ in range(2)]
        + [(row * 3 + i, row * 3 + i + 3) for row in range(4) for i in range(3)],
        [3] * 15,
    ),
}


@pytest.mark.parametrize("name", GRIDS)
def test_on_grids_dimension_order_is_opensms(emulate: Emulate, name: str) -> None:
    used, theirs, ours = loads(GRIDS[name](), "dor", emulate)
    assert used == "dor"
    assert theirs.sorted_shares == pytest.approx(ours.sorted_shares)
