# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from hypothesis import given
from hypothesis import strategies as st

from tuner.document_base.model import validate
from tuner.document_base.yaml_core import parse_document
from tuner.documents.fabric import FabricDocument, load_fabric
from tuner.documents.fabric_text import fabric_text

_names = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"], max_codepoint=0xFFFD), min_size=1, max_size=12)


def read(text: str) -> FabricDocument:
    return validate(FabricDocument, parse_document(text, source="x"))


def test_the_text_reads_back_as_the_same_fabric() -> None:
    fabric = load_fabric("two-switch")
    assert read(fabric_text(fabric, ["Two lines", "of comment"])) == fabric


def test_every_part_is_written() -> None:
    text = """\
# a comment
ibcc_fabric: 1
name: all
mtu_bytes: 4096
routing: tables
model: {switch: {read_ports: 2, threshold_mode: voq}, num_vls: 1}
hardware:
- {kind: switch, vendor_id: 0x0002c9, device_id: 0xd2f2, firmware: 31.2012.1024, psid: MT_0000000634}
- {nodes: [A, "off"], general_info: silent}
switches:
- {name: S1, guid: 0x0000000000000010, lid: 9, ports: 4}
hosts:
- {name: A, kind: router, guid: 0x0000000000000020, ports: 2, endports: [{port: 1, guid: 0x0000000000000021, lid: 3}]}
- {name: "off", lid: 4, port_guid: 0x0000000000000031, inject_gbps: 13.0}
links:
- {a: A/1, b: S1/1, rate: 4xHDR, propagation_ns: 5.0}
- {a: off/1, b: S1/2, rate: 1xSDR, length_m: 2.5}
forwarding:
  S1: {"lid:3": 1, "off": 2}
"""
    assert fabric_text(read(text), ["a comment"]) == text


@given(_names, _names)
def test_any_description_survives(fabric_name: str, host_name: str) -> None:
    document = {
        "ibcc_fabric": 1,
        "name": fabric_name,
        "mtu_bytes": 256,
        "hosts": ({"name": host_name}, {"name": host_name + "x"}),
    }
    fabric = FabricDocument.model_validate(document)
    assert read(fabric_text(fabric)) == fabric
