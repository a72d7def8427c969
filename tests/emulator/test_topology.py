# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""ibnetdiscover prints the fabric that went in."""

from pathlib import Path

import pytest

from tests.emulator.conftest import Emulate
from tests.emulator.topology import discovered, graph
from tuner.documents.fabric import FabricDocument, load_fabric
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.topologies.base import generate


@pytest.mark.parametrize(
    "fabric",
    [
        pytest.param(load_fabric("two-switch"), id="two-switch"),
        pytest.param(generate("k-ary-n-tree", k=4, n=3), id="4-ary 3-tree"),
        pytest.param(generate("torus", dims=[4, 4, 3]), id="torus"),
        pytest.param(generate("three-stage", radix=36, host_rate="4xHDR"), id="648"),
    ],
)
def test_what_went_in_comes_out(emulate: Emulate, fabric: FabricDocument) -> None:
    clients = emulate(fabric).clients
    with clients.opensm():
        assert graph(discovered(clients.output("ibnetdiscover"))) == graph(fabric)


def test_a_real_fabric_comes_out_as_it_went_in(emulate: Emulate, shared: Path) -> None:
    fabric = import_fabric(shared / "data/fabrics/superpod-ndr-40sw-582ca.ibnetdiscover").fabric
    clients = emulate(fabric).clients
    with clients.opensm():
        assert graph(discovered(clients.output("ibnetdiscover"))) == graph(fabric)
