# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Table of docs/use/routing.md: OpenSM's engines on ten fabrics, most of them without some cables, beside ibcc's routings.

`python -m tests.emulator.engine_table docs/use/routing.md` runs OpenSM 50 times, in some minutes, and writes the table anew.
"""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from tests.tuner.fabric.strange_fabrics import disguised, without
from tuner.documents.fabric import FabricDocument
from tuner.emulator.line_trial import try_line
from tuner.errors import UnreachableError
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.opensm_engines import ENGINES
from tuner.fabric.opensm_line import opensm_line
from tuner.fabric.routing_advice import Advice, EngineAdvice, advise
from tuner.fabric.shapes.base import recognize
from tuner.fabric.shapes.switch_graph import SwitchGraph
from tuner.fabric.topologies.base import generate

BEGIN, END = "<!-- made: engines -->\n", "<!-- made -->\n"
TABLE_ENGINES = ("ftree", "updn", "minhop", "dfsssp", "nue")
_CUT = range(5, 38, 11)
"""Cables that real fabrics are tried without, by their number among those between switches."""


def _real(name: str) -> FabricDocument:
    shared = Path(os.environ.get("IBCC_SHARED", Path(__file__).parents[3] / "shared"))
    return import_fabric(shared / f"data/fabrics/{name}.ibnetdiscover").fabric


FABRICS: Mapping[str, Callable[[], FabricDocument]] = {
    "real QDR tree, 144 hosts": lambda: _real("tree-qdr-8sw-144ca"),
    "real QDR tree, without 3 more cables": lambda: without(_real("tree-qdr-8sw-144ca"), links=_CUT),
    "real NDR tree, 542 hosts": lambda: _real("superpod-ndr-40sw-582ca"),
    "real NDR tree, without 3 more cables": lambda: without(_real("superpod-ndr-40sw-582ca"), links=_CUT),
    "real EDR directors, 1,470 hosts": lambda: _real("director-edr-174sw-1470ca"),
    "three levels, 64 hosts, without 3 cables and a switch": lambda: disguised(
        without(generate("k-ary-n-tree", k=4, n=3), links=[7, 50, 100], switches=[18]), 5
    ),
    "two levels, 45 hosts, without 3 cables": lambda: disguised(
        without(generate("leaf-spine", leaves=9, spines=4, hosts_per_leaf=5), links=[2, 9, 30]), 6
    ),
    "three levels, 48 hosts, parallel cables, without 3": lambda: disguised(
        without(generate("xgft", m=[4, 4, 3], w=[1, 2, 3], parallel=[1, 2, 2]), links=[3, 4, 40]), 7
    ),
    "three levels, over-subscribed, 576 hosts, without 2 cables": lambda: disguised(
        without(generate("xgft", m=[12, 6, 8], w=[1, 6, 3]), links=[4, 77]), 4
    ),
    "two levels, 360 hosts, whole": lambda: disguised(generate("leaf-spine", leaves=30, spines=8, hosts_per_leaf=12), 5),
}


def rows() -> Iterator[str]:
    """Lines of the table, as they are made."""
    yield f"| fabric | {' | '.join(f'`{engine}`' for engine in TABLE_ENGINES)} |\n"
    yield f"| -- |{' -- |' * len(TABLE_ENGINES)}\n"
    for name, make in FABRICS.items():
        fabric = make()
        advice = advise(fabric)
        yield f"| {name} | {' | '.join(_cell(fabric, advice, engine) for engine in TABLE_ENGINES)} |\n"


def _cell(fabric: FabricDocument, advice: Advice, engine: str) -> str:
    ours = next((one for one in advice.engines if one.routing == ENGINES[engine].routing), None)
    try:
        trial = try_line(fabric, opensm_line(fabric, recognize(SwitchGraph(fabric)), [engine]))
    except UnreachableError:
        theirs = "does not come up"
    else:
        missing = trial.loads.unreachable_pairs > 0
        loop = not trial.own_vls and trial.credit_loop is not None
        theirs = f"gives way to {trial.engine}" if trial.fell_back else _text(trial.share, trial.mean_hops, missing, loop)
    if ours is None:
        return theirs
    mine = _of(ours, advice)
    return theirs if mine == theirs else f"{theirs} / {mine}"


def _of(ours: EngineAdvice, advice: Advice) -> str:
    if ours.loads is None:
        return "refused"
    loads = ours.loads
    hosts = sum(SwitchGraph(advice.document).hosts)
    pairs = max(1, hosts * (hosts - 1) - loads.unreachable_pairs)
    hops = loads.mean_pairs * loads.directions / pairs
    return _text(loads.uniform_share, hops, loads.unreachable_pairs > 0, ours.credit_loop is not None)


def _text(share: float, hops: float, missing: bool, loop: bool) -> str:
    return f"{share:.0%}, {hops:.2f}".replace("%", " %") + (", loop" if loop else "") + (", not all reached" if missing else "")


def written(document: str, table: str) -> str:
    """Returns a document with the table in place of the one that it has."""
    before, _, rest = document.partition(BEGIN)
    return f"{before}{BEGIN}\n{table}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    made = []
    for line in rows():
        print(line, end="", flush=True)
        made.append(line)
    if len(sys.argv) > 1:
        path = Path(sys.argv[1])
        path.write_text(written(path.read_text(encoding="utf-8"), "".join(made)), encoding="utf-8")
