# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A stock OpenSM reaches SUBNET UP without an error, with the routing engine that it was told to use and no other."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.emulator.conftest import Emulate
from tuner.documents.fabric import FabricDocument, load_fabric
from tuner.fabric.exporters.base import EXPORTERS
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.topologies.base import generate
from tuner.opensm.process import OptionValue


@dataclass(frozen=True)
class Case:
    """A routing engine on a fabric."""

    fabric: str
    engine: str
    roots: tuple[str, ...] = ()
    """Switches at the top, where even we cannot tell."""
    told: tuple[str, ...] = ()
    """Options that name files of GUIDs: what the engine cannot find out by itself."""

    def __str__(self) -> str:
        return f"{self.fabric}-{self.engine}"


FABRICS = {
    "two-switch": lambda: load_fabric("two-switch"),
    "4-ary 3-tree": lambda: generate("k-ary-n-tree", k=4, n=3),
    "648": lambda: generate("three-stage", radix=36),
    "torus": lambda: generate("torus", dims=[4, 4, 3], hosts_per_switch=2),
}

FILES = {"root_guid_file": "root-guids", "cn_guid_file": "host-guids"}
"""Our export format by option of OpenSM."""

CASES = [
    *(Case("two-switch", engine) for engine in ("minhop", "dfsssp", "lash", "dor")),
    # Two switches with hosts are both at the bottom; one has to be called the top.
    Case("two-switch", "updn", roots=("S1",), told=("root_guid_file",)),
    *(Case("4-ary 3-tree", engine) for engine in ("minhop", "updn", "ftree", "dfsssp", "lash")),
    *(Case("648", engine) for engine in ("minhop", "updn", "ftree", "dfsssp", "lash")),
    *(Case("torus", engine) for engine in ("torus-2QoS", "dor", "minhop", "dfsssp", "lash")),
    # In a torus every switch has hosts, and so none is above another.
    Case("torus", "updn", roots=("S0-0-0",), told=("root_guid_file",)),
    *(Case("NDR", engine) for engine in ("minhop", "updn", "dfsssp", "lash")),
    # The aggregation nodes in its spines are channel adapters at the top of the tree.
    Case("NDR", "ftree", told=("root_guid_file", "cn_guid_file")),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_subnet_up_without_an_error(case: Case, emulate: Emulate, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    fabric = _fabric(case.fabric, request)
    with emulate(fabric).clients.opensm(_options(case, fabric, tmp_path)) as opensm:
        assert opensm.engine == case.engine
        assert opensm.errors == []


def _fabric(name: str, request: pytest.FixtureRequest) -> FabricDocument:
    if name == "NDR":
        shared: Path = request.getfixturevalue("shared")
        return import_fabric(shared / "data/fabrics/superpod-ndr-40sw-582ca.ibnetdiscover").fabric
    return FABRICS[name]()


def _options(case: Case, fabric: FabricDocument, folder: Path) -> dict[str, OptionValue | Path]:
    options: dict[str, OptionValue | Path] = {"routing_engine": case.engine}
    fabric = fabric.model_copy(update={"roots": case.roots})
    files = {option: FILES[option] for option in case.told}
    if case.engine == "torus-2QoS":
        options["qos"] = True
        files["torus_config"] = "torus-2qos"
    for option, exporter in files.items():
        options[option] = folder / option
        (folder / option).write_text(EXPORTERS.get(exporter).export(fabric).text)
    return options
