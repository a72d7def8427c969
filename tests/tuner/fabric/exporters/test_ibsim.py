# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from pathlib import Path

import pytest

from tests.emulator.topology import graph
from tuner.document_base.model import validate
from tuner.document_base.yaml_core import parse_document
from tuner.documents.fabric import FabricDocument, load_fabric
from tuner.errors import BadInputError
from tuner.fabric.exporters.base import EXPORTERS
from tuner.fabric.importers.base import import_fabric, read_fabric
from tuner.fabric.topologies.base import generate

STRANGER = """\
ibcc_fabric: 1
name: stranger
mtu_bytes: 4096
congestion_control: nvidia-dcqcn
switches: [{name: the "big" one, ports: 8, lid: 7}]
hosts: [{name: A}, {name: B}]
links:
- {a: A/1, b: 'the "big" one/1', rate: 4xHDR}
- {a: B/1, b: 'the "big" one/2', rate: 4xHDR}
"""


def there_and_back(fabric: FabricDocument) -> FabricDocument:
    text = EXPORTERS.get("ibsim").export(fabric).text
    imported = read_fabric(text, source="net", name=fabric.name, mtu_bytes=fabric.mtu_bytes)
    assert imported.format == "ibsim"
    return imported.fabric


@pytest.mark.parametrize(
    "fabric",
    [load_fabric("two-switch"), *(generate("k-ary-n-tree", k=2, n=3, host_rate=rate) for rate in ("1xSDR", "4xFDR10", "12xNDR"))],
    ids=lambda fabric: fabric.name,
)
def test_what_is_written_is_read_back(fabric: FabricDocument) -> None:
    assert graph(there_and_back(fabric)) == graph(fabric)


def test_a_real_fabric_is_read_back(shared: Path) -> None:
    """Many of its nodes have descriptions in common or too long for an id of ibsim's."""
    fabric = import_fabric(shared / "data/fabrics/superpod-ndr-40sw-582ca.ibnetdiscover").fabric
    assert graph(there_and_back(fabric)) == graph(fabric)


def test_what_the_format_cannot_hold_is_said() -> None:
    assert EXPORTERS.get("ibsim").export(load_fabric("two-switch")).notes == (
        "Port GUIDs are lost: ibsim gives a port its node's GUID plus the port number.",
        "Limits of hosts' buses are lost, as are delays and routing.",
    )


def test_strangers_fabrics_lose_more_and_are_told() -> None:
    fabric = validate(FabricDocument, parse_document(STRANGER, source="stranger.yaml"))
    assert EXPORTERS.get("ibsim").export(fabric).notes[-3:] == (
        "LIDs are lost: OpenSM gives the nodes of ibsim new ones.",
        "What congestion control devices have (congestion_control) is lost.",
        'Quotation marks in node descriptions become apostrophes: the "big" one.',
    )


def test_a_rate_that_ibsim_does_not_know_is_refused() -> None:
    with pytest.raises(BadInputError, match="ibsim knows no rate '4xXDR'"):
        there_and_back(generate("k-ary-n-tree", k=2, n=2, host_rate="4xXDR"))
