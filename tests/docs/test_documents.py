# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The documents that docs/use/documents.md shows are documents."""

import re
from pathlib import Path

import pytest

from tuner.document_base.model import validate
from tuner.document_base.yaml_core import parse_document
from tuner.documents.fabric import FabricDocument, load_fabric
from tuner.documents.hosts import HostDirectory
from tuner.documents.workload import Workload


@pytest.fixture(scope="module")
def blocks(root: Path) -> list[str]:
    return re.findall(r"^```yaml\n(.*?)^```$", (root / "docs/use/documents.md").read_text(), re.MULTILINE | re.DOTALL)


def test_the_fabric(blocks: list[str]) -> None:
    fabric = validate(FabricDocument, parse_document(blocks[0], source="docs"))
    assert [host.name for host in fabric.hosts] == ["H1", "H2"]


def test_the_workload(blocks: list[str]) -> None:
    workload = validate(Workload, parse_document(blocks[1], source="docs"))
    flows = workload.expanded(HostDirectory(load_fabric("two-switch"))).flows
    assert [flow.name for flow in flows] == ["F1", "F2", "in-1", "in-2", "v-1"]
