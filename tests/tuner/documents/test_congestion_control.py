# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import re
from typing import get_args

import pytest

import ccsim
from tuner.document_base.model import validate
from tuner.document_base.yaml_core import parse_document
from tuner.documents.congestion_control import Algorithm, CongestionControl, Dialect, in_words
from tuner.documents.fabric import FabricDocument
from tuner.documents.fabric_text import fabric_text
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import connected


def fabric(congestion_control: str) -> FabricDocument:
    text = f"""\
ibcc_fabric: 1
name: small
mtu_bytes: 2048
congestion_control: {congestion_control}
switches:
- {{name: S1, ports: 2}}
hosts:
- {{name: H1}}
- {{name: H2}}
"""
    return validate(FabricDocument, parse_document(text, source="small.yaml"))


def dialects(document: FabricDocument) -> list[str]:
    simulated = connected(document).fabric
    return [simulated.node_dialect(node) for node in range(simulated.num_nodes)]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("[]", ["a10", "a10", "a10"]),
        ("nvidia-dcqcn", ["nvidia-dcqcn", "nvidia-dcqcn", "nvidia-dcqcn"]),
        ("[{kind: host, dialect: nvidia-ppcc}, {nodes: [H2], dialect: none}]", ["a10", "nvidia-ppcc", "none"]),
        ("[{dialect: both}, {nodes: [S1], dialect: a10}, {nodes: [H1]}]", ["a10", "both", "both"]),
    ],
)
def test_the_simulated_devices_have_the_documents_dialects(rows: str, expected: list[str]) -> None:
    document = fabric(rows)
    assert [one.dialect for one in document.device_congestion_control()] == expected
    assert dialects(document) == expected
    assert dialects(validate(FabricDocument, parse_document(fabric_text(document), source="text"))) == expected


def test_documents_have_the_simulators_dialects_and_unknown() -> None:
    """Devices of which nobody has said what they know have none in the simulator."""
    assert list(get_args(Dialect)) == [*ccsim.dialect_names(), "unknown"]
    assert dialects(fabric("[{dialect: unknown}, {nodes: [H1], dialect: a10}]")) == ["none", "a10", "none"]


def test_a_row_describes_a_firmware() -> None:
    document = fabric(
        "[{dialect: nvidia-ppcc, vl_reading: modifier, out_of_range: clip},"
        " {nodes: [H1], capability_mask: 0x8000000000000004, quirk: echo, algorithms: [{algo_id: 7, parameters: [1, 2]}]}]"
    )
    switch, adapter, _ = document.device_congestion_control()
    assert switch == CongestionControl(dialect="nvidia-ppcc", vl_reading="modifier", out_of_range="clip")
    assert (adapter.capability_mask, adapter.quirk, adapter.out_of_range) == (0x8000000000000004, "echo", "clip")
    assert adapter.algorithms == (Algorithm(algo_id=7, parameters=(1, 2)),)
    assert validate(FabricDocument, parse_document(fabric_text(document), source="text")) == document


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (
            "nvidia",
            "small.yaml:4: congestion_control is 'nvidia'; it must be 'a10', 'nvidia-dcqcn'",
        ),
        ("[{dialect: A10}]", "small.yaml:4: congestion_control[0].dialect is 'A10'"),
        ("[{nodes: [H3], dialect: both}]", "small.yaml:4: unknown node 'H3'"),
        ("[{kind: host, nodes: [H1]}]", "gives both kind host and nodes; one of them is enough"),
        ("3", "congestion_control"),
        (
            "[{capability_mask: 0x10000000000000000}]",
            "is 0x10000000000000000; a capability mask has 64 bits, 0x0 to 0xffffffffffffffff",
        ),
        ("[{quirk: lie}]", "quirk is 'lie'; it must be 'none', 'echo'"),
        (f"[{{algorithms: [{', '.join(['{algo_id: 1}'] * 17)}]}}]", "has 17 algorithms; an adapter has at most 16 slots"),
        (f"[{{algorithms: [{{algo_id: 1, parameters: {[0] * 45}}}]}}]", "has 45 parameters; an algorithm has at most 44"),
    ],
)
def test_rows_that_mean_nothing(rows: str, sentence: str) -> None:
    with pytest.raises(BadInputError, match=re.escape(sentence)):
        fabric(rows)


def test_dialects_in_words() -> None:
    assert in_words({"a10": 9}) is None
    assert in_words({"nvidia-dcqcn": 5, "a10": 4}) == "congestion control: nvidia-dcqcn (5 devices), a10 (4 devices)"
