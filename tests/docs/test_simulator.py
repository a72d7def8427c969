# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What build_tools/model_parameters.py writes is what the rows of simulator/src/model_parameters.cpp say."""

import re

import ccsim
from build_tools.model_parameters import PAGE, STUB, is_written, page_text, stub_text

HINT = "run: python build_tools/model_parameters.py"


def test_the_page_has_a_row_for_each_parameter() -> None:
    assert is_written(PAGE, page_text()), HINT


def test_the_stub_has_an_attribute_for_each_parameter() -> None:
    assert is_written(STUB, stub_text()), HINT


def test_meaning_and_consequence_are_sentences_that_fit_a_table() -> None:
    for row in ccsim.model_parameters():
        for text in (row["meaning"], row["consequence"]):
            assert re.fullmatch(r"[A-Z].*[^.]\.", text), row["name"]
        assert len(row["meaning"]) <= 250, row["name"]
