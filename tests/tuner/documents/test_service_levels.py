# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest

from tests.tuner.documents.test_fabric import SMALL, read
from tuner.errors import BadInputError

ZEROS = [0] * 16


def test_they_are_left_out_or_read_whole() -> None:
    assert read(SMALL).sl_to_vl is None
    assert read(SMALL).vl_arbitration is None
    text = SMALL + (
        f"sl_to_vl: {{vls: {ZEROS}, overrides: [{{node: S1, out_port: 2, vls: {[1] * 16}}}]}}\n"
        "vl_arbitration:\n"
        "  low: [{vl: 0, weight: 4}, {vl: 1, weight: 12}]\n"
        "  overrides: [{node: H1, port: 1, high: [{vl: 1, weight: 1}], high_limit: 0}]\n"
    )
    fabric = read(text)
    assert fabric.sl_to_vl is not None
    assert fabric.sl_to_vl.vls == tuple(ZEROS)
    assert fabric.sl_to_vl.overrides[0].in_port is None
    assert fabric.vl_arbitration is not None
    assert [(entry.vl, entry.weight) for entry in fabric.vl_arbitration.low] == [(0, 4), (1, 12)]
    assert fabric.vl_arbitration.high_limit == 255
    assert fabric.vl_arbitration.overrides[0].high_limit == 0


@pytest.mark.parametrize(
    ("extra", "sentence"),
    [
        ("sl_to_vl: {vls: [0, 1]}", "sl_to_vl.vls"),
        (f"sl_to_vl: {{vls: {[15] * 16}}}", "is 15; it must be from 0 to 14"),
        (f"sl_to_vl: {{overrides: [{{node: S9, vls: {ZEROS}}}]}}", "unknown node 'S9'"),
        (
            f"sl_to_vl: {{overrides: [{{node: S1, in_port: 5, vls: {ZEROS}}}]}}",
            "port 5 of 'S1' does not exist; it has",
        ),
        ("vl_arbitration: {low: [{vl: 0, weight: 0}]}", "no entry of a weight above 0"),
        ("vl_arbitration: {}", "no entry of a weight above 0"),
        ("vl_arbitration: {low: [{vl: 0, weight: 256}]}", "is 256; it must be from 0 to 255"),
        ("vl_arbitration: {overrides: [{node: S1, low: []}]}", "no entry of a weight above 0 for 'S1'"),
        ("vl_arbitration: {overrides: [{node: H1, port: 2, low: [{vl: 0, weight: 1}]}]}", "port 2 of 'H1' does not exist"),
    ],
)
def test_what_does_not_fit_is_a_sentence_with_its_line(extra: str, sentence: str) -> None:
    with pytest.raises(BadInputError) as caught:
        read(SMALL + extra)
    assert sentence in str(caught.value)
    assert caught.value.line == SMALL.count("\n") + 1
