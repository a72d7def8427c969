# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import re
from pathlib import Path

import pytest

from tuner.mads.request import CONGESTION_CONTROL, Request, packed
from tuner.probe.questions import FIRST, Question, questions

ALL = [FIRST, *questions("switch", 36, 3), *questions("adapter", 2, 1)]


def test_the_page_lists_all_questions(root: Path) -> None:
    page = (root / "docs/operate/probing.md").read_text()
    (rows,) = re.findall(r"^\| question \|.*\n\| -- .*\n((?:\|.*\n)+)", page, re.MULTILINE)
    listed = {name for row in rows.splitlines() for name in re.findall(r"`([\w/-]+)`", row.split("|")[1])}
    assert listed == {question.name for question in ALL}


@pytest.mark.parametrize("kind", ["switch", "adapter"])
def test_a_question_has_a_name_of_its_own_and_fits_into_a_mad(kind: str) -> None:
    asked = questions(kind, 36, 3)
    assert len({question.name for question in asked}) == len(asked)
    for question in asked:
        assert len(packed(Request(1, CONGESTION_CONTROL, question.attribute, question.modifier, question.data), 1)) == 256


def named(kind: str, name: str, **more: int) -> Question:
    (question,) = (question for question in questions(kind, **{"num_ports": 36, "port": 3} | more) if question.name == name)
    return question


def test_both_readings_of_the_vl() -> None:
    assert named("switch", "ff09/vl1") == Question("ff09/vl1", 0xFF09, 3, bytes([0, 0, 0, 2]))
    assert named("switch", "ff09/vl1-in-modifier") == Question("ff09/vl1-in-modifier", 0xFF09, 0x10003, bytes([0, 0, 0, 2]))


def test_the_list_of_algorithms_is_asked_by_the_public_layout() -> None:
    """encap_type stands in the lower half of byte 7, sl_bitmask in bytes 4 and 5 (ib_types.h of NVIDIA's OpenSM)."""
    assert named("adapter", "ff24/slot15/list") == Question("ff24/slot15/list", 0xFF24, 15, bytes([0, 0, 0, 0, 0, 1, 0, 2]))


def test_a_switch_that_has_port_254_is_not_asked_for_an_unknown_one() -> None:
    names = {question.name for question in questions("switch", 254, 3)}
    assert not {name for name in names if "unknown-port" in name}
