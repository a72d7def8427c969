# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A real OpenSM comes up with the advised line, as the first of the advised engines, on trees as sites have them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.emulator.conftest import Emulate
from tests.tuner.fabric.strange_fabrics import disguised, fabric_of, without
from tuner.documents.fabric import FabricDocument
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.opensm_line import file_name, opensm_line
from tuner.fabric.shapes.base import recognize
from tuner.fabric.shapes.switch_graph import SwitchGraph
from tuner.fabric.topologies.base import generate

GENERATED: dict[str, Callable[[], FabricDocument]] = {
    "whole": lambda: disguised(generate("k-ary-n-tree", k=3, n=3), 2),
    "damaged": lambda: disguised(without(generate("k-ary-n-tree", k=4, n=3), links=[7, 50, 100]), 5),
    "servers on spines": lambda: fabric_of([(leaf, spine) for leaf in range(4) for spine in (4, 5)], [8, 8, 8, 8, 1, 1]),
}
REAL = ("tree-qdr-8sw-144ca", "director-edr-174sw-1470ca", "superpod-ndr-40sw-582ca")


def comes_up(emulate: Emulate, fabric: FabricDocument, folder: Path) -> None:
    shape = recognize(SwitchGraph(fabric))
    line = opensm_line(fabric, shape)
    for option, text in line.files.items():
        (folder / file_name(option)).write_text(text)
    with emulate(fabric).clients.opensm(line.written_to(folder)) as opensm:
        assert opensm.engine == shape.opensm[0]
        assert not [
            error for error in opensm.errors if "ftree" in error or "updn" in error or "ERR AB" in error or "ERR AA" in error
        ]


@pytest.mark.parametrize("name", GENERATED)
def test_on_trees_that_ibcc_makes(emulate: Emulate, tmp_path: Path, name: str) -> None:
    comes_up(emulate, GENERATED[name](), tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize("name", REAL)
def test_on_real_fabrics(emulate: Emulate, shared: Path, tmp_path: Path, name: str) -> None:
    comes_up(emulate, import_fabric(shared / f"data/fabrics/{name}.ibnetdiscover").fabric, tmp_path)
