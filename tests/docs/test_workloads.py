# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""docs/use/workloads.md has every kind of pattern with its keys, and shows workloads and a trace that can be read."""

import re
from pathlib import Path

import pytest

from tuner.document_base.model import validate
from tuner.document_base.yaml_core import parse_document
from tuner.documents.expanded_flow import ExpandedFlow
from tuner.documents.fabric import load_fabric
from tuner.documents.hosts import HostDirectory
from tuner.documents.patterns.base import PATTERNS
from tuner.documents.patterns.open_loop import OpenLoop
from tuner.documents.traces import parse_trace
from tuner.documents.workload import Workload

SHARED = {*OpenLoop.model_fields, "kind"}


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs/use/workloads.md").read_text()


@pytest.mark.parametrize("kind", PATTERNS.names())
def test_every_kind_has_a_row_with_its_keys(page: str, kind: str) -> None:
    (row,) = re.findall(rf"^\| `{kind}` \|.*$", page.split("## Hotspots")[0], re.MULTILINE)
    own = PATTERNS.get(kind).model_fields.keys() - SHARED
    told = set(re.findall(r"`([a-z_]+)`", page if kind == "hotspots" else row))
    assert own <= told


def test_the_table_is_in_order_and_has_no_kind_too_many(page: str) -> None:
    kinds = re.findall(r"^\| `([a-z-]+)` \|", page.split("## Hotspots")[0], re.MULTILINE)
    assert kinds == PATTERNS.names()


def test_the_workloads_expand(page: str) -> None:
    texts = re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    documents = [validate(Workload, parse_document(text, source="docs")) for text in texts]
    assert [workload.roles is not None for workload in documents] == [False, False, True]
    for workload in documents[:2]:
        flows = workload.expanded(HostDirectory(load_fabric("two-switch"))).flows
        assert all(isinstance(flow, ExpandedFlow) for flow in flows)
        assert {flow.name.split("-")[0] for flow in flows} == {pattern.name for pattern in workload.patterns}


def test_the_trace_is_one(page: str) -> None:
    (text,) = re.findall(r"^```text\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    flows = parse_trace(text.encode(), source="docs")
    assert [(flow.dst, flow.sl) for flow in flows] == [
        ("node02", None),
        ("node03, the old one", 1),
        ("guid:0x0002c90300a1b2c3", None),
    ]
