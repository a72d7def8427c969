# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import re

import pytest

from tuner.document_base.model import validate
from tuner.document_base.yaml_core import parse_document
from tuner.documents.fabric import FabricDocument
from tuner.documents.hardware import Hardware, firmware_numbers
from tuner.errors import BadInputError


def fabric(hardware: str) -> FabricDocument:
    text = f"""\
ibcc_fabric: 1
name: small
mtu_bytes: 2048
hardware: {hardware}
switches:
- {{name: S1, ports: 2}}
hosts:
- {{name: H1}}
- {{name: H2}}
"""
    return validate(FabricDocument, parse_document(text, source="small.yaml"))


def test_later_rows_replace_what_earlier_ones_say() -> None:
    rows = (
        "[{firmware: 1.2.3, psid: P}, {kind: host, vendor_id: 0x2c9, firmware: 28.39.1002}, {nodes: [H2], general_info: zeros}]"
    )
    switch, one, two = fabric(rows).device_hardware()
    assert switch == Hardware(firmware="1.2.3", psid="P")
    assert one == Hardware(vendor_id=0x2C9, firmware="28.39.1002", psid="P")
    assert (one.answer, two.answer) == ("answered", "zeros")
    assert two.firmware == "28.39.1002"


def test_without_rows_nothing_is_known() -> None:
    assert fabric("[]").device_hardware() == [Hardware()] * 3
    assert Hardware().answer == "unsupported"


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ("[{nodes: [H3], firmware: 1.2.3}]", "small.yaml:4: unknown node 'H3'"),
        ("[{kind: host, nodes: [H1]}]", "gives both kind host and nodes; one of them is enough"),
        ("[{firmware: 31.2012}]", "31.2012"),
        ("[{firmware: 1.2.4294967296}]", "is '1.2.4294967296'; a firmware version is three numbers of 0 to 4294967295, such as"),
        ("[{vendor_id: 0x1000000}]", "is 0x1000000; an OUI has 24 bits, 0x000000 to 0xffffff"),
        ("[{psid: '12345678901234567'}]", "is '12345678901234567'; a board's PSID is 1 to 16 printable ASCII characters"),
        ("[{general_info: maybe}]", "general_info"),
    ],
)
def test_rows_that_mean_nothing(rows: str, sentence: str) -> None:
    with pytest.raises(BadInputError, match=re.escape(sentence)):
        fabric(rows)


@pytest.mark.parametrize("text", ["", "1.2", "1.2.3.4", "a.b.c", "-1.2.3", "1.2.³", "1. 2.3"])
def test_texts_that_are_no_version(text: str) -> None:
    with pytest.raises(ValueError, match="a firmware version is three numbers"):
        firmware_numbers(text)
