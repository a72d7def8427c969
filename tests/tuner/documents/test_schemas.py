# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import json

import pytest
from jsonschema import Draft202012Validator

from tuner.document_base.model import validate
from tuner.document_base.yaml_core import parse_document, read_document
from tuner.documents import catalogue
from tuner.documents.registry import DOCUMENTS
from tuner.documents.schemas import schema_texts
from tuner.errors import BadInputError

KINDS = DOCUMENTS.names()

# Texts that reader and schema refuse alike, by kind.
REFUSED = {
    "check": [
        "ibcc_check: 2\nname: x\nfabric: f\nkinds: [{kind: tables}]",
        "ibcc_check: 1\nname: x/y\nfabric: f\nkinds: [{kind: tables}]",
        "ibcc_check: 1\nname: x\nfabric: f\nkinds: [{kind: weather}]",
        "ibcc_check: 1\nname: x\nfabric: f\nalarm_probability: 0\nkinds: [{kind: tables}]",
        "ibcc_check: 1\nname: x\nfabric: f\nkinds: [{kind: tables, wait: 1}]",
    ],
    "fabric": [
        "ibcc_fabric: 2\nname: x\nmtu_bytes: 2048",
        "ibcc_fabric: 1\nname: x\nmtu_bytes: 1500",
        "ibcc_fabric: 1\nname: x\nmtu_bytes: 2048\nswitches: [{name: S1, ports: 255}]",
        "ibcc_fabric: 1\nname: x\nmtu_bytes: 2048\nhosts: [{name: H, guid: 0x10000000000000000}]",
        "ibcc_fabric: 1\nname: x\nmtu_bytes: 2048\nhosts: [{name: H, guid: '10'}]",
        "ibcc_fabric: 1\nname: x\nmtu_bytes: 2048\nhosts: [{name: H}]\nlinks: [{a: H/1, b: H/2, rate: 3xNDR}]",
        "ibcc_fabric: 1\nname: x\nmtu_bytes: 2048\ncolour: red",
    ],
    "inventory": [
        "ibcc_inventory: 2\nname: x\nfabric: f\nlauncher: {kind: local}\nhosts: [{nodes: a}]",
        "ibcc_inventory: 1\nname: x\nfabric: f\nlauncher: {kind: telnet}\nhosts: [{nodes: a}]",
        "ibcc_inventory: 1\nname: x\nfabric: f\nlauncher: {kind: ssh, user: -x}\nhosts: [{nodes: a}]",
        "ibcc_inventory: 1\nname: x\nfabric: f\nlauncher: {kind: local}\nhosts: [{nodes: a, device: a/b}]",
    ],
    "workload": [
        "ibcc_workload: 1\nname: x\nfabric: f\nduration_s: 0\nflows: [{name: F, src: a, dst: b}]",
        "ibcc_workload: 1\nname: x\nfabric: f\nduration_s: 1\nflows: [{name: F, src: a, dst: b, qps: 0}]",
        "ibcc_workload: 1\nname: x\nfabric: f\nduration_s: 1\nflows: [{name: F, src: a, dst: b, role: hero}]",
        "ibcc_workload: 1\nname: x\nfabric: f\nduration_s: 1\npatterns: [{kind: outcast, name: p}]",
        "ibcc_workload: 1\nname: x\nduration_s: 1\nflows: [{name: F, src: a, dst: b}]",
    ],
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_schemas_are_schemas(kind: str) -> None:
    Draft202012Validator.check_schema(json.loads(schema_texts()[kind]))


@pytest.mark.parametrize("kind", ["campaign", "fabric", "inventory", "workload"])
def test_reader_and_schema_take_what_comes_with_ibcc(kind: catalogue.Kind) -> None:
    validator = Draft202012Validator(json.loads(schema_texts()[kind]))
    names = catalogue.names(kind)
    assert names
    for name in names:
        document = read_document(catalogue.find(kind, name))
        validate(DOCUMENTS.get(kind), document)
        validator.validate(document.value)


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in REFUSED.items() for text in texts])
def test_reader_and_schema_refuse_alike(kind: str, text: str) -> None:
    document = parse_document(text, source="x")
    with pytest.raises(BadInputError):
        validate(DOCUMENTS.get(kind), document)
    assert not Draft202012Validator(json.loads(schema_texts()[kind])).is_valid(document.value)
