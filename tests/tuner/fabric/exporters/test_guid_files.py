# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from pathlib import Path

import pytest

from tuner.documents.fabric import FabricDocument, load_fabric
from tuner.errors import BadInputError
from tuner.fabric.exporters.base import EXPORTERS
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.topologies.base import generate


def guids(kind: str, fabric: FabricDocument) -> list[int]:
    return [int(line, 16) for line in EXPORTERS.get(kind).export(fabric).text.splitlines()]


def test_the_roots_of_a_tree_are_its_highest_switches() -> None:
    fabric = generate("three-stage", radix=4)
    assert guids("root-guids", fabric) == [fabric.guid_of(i) for i in (4, 5)]


def test_the_documents_own_roots_come_first() -> None:
    fabric = load_fabric("two-switch").model_copy(update={"roots": ("S2",)})
    assert guids("root-guids", fabric) == [0x200]


def test_roots_cannot_be_guessed_where_every_switch_has_hosts() -> None:
    with pytest.raises(BadInputError, match="name the switches at the top as roots"):
        guids("root-guids", load_fabric("two-switch"))


def test_host_guids_are_those_of_hosts_ports_and_of_nothing_else(shared: Path) -> None:
    fabric = import_fabric(shared / "data/fabrics/superpod-ndr-40sw-582ca.ibnetdiscover").fabric
    assert len(guids("host-guids", fabric)) == 542
    assert len(guids("root-guids", fabric)) == 9
