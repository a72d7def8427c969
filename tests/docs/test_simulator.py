# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Texts of build_tools/model_parameters.py agree with the rows of simulator/src/model_parameters.cpp and of schemes."""

import re

import pytest

import ccsim
from build_tools.model_parameters import Part, is_written, parts, schemes_text

HINT = "run: python build_tools/model_parameters.py"


@pytest.mark.parametrize("part", parts(), ids=lambda part: f"{part.path.name}: {part.name}")
def test_pages_and_stub_have_each_row(part: Part) -> None:
    assert is_written(part), HINT


def test_meaning_and_consequence_are_sentences_that_fit_a_table() -> None:
    of_schemes = [row for scheme in ccsim.schemes() for row in scheme["parameters"]]
    for row in (*ccsim.model_parameters(), *of_schemes):
        for text in (row["meaning"], row["consequence"]):
            assert re.fullmatch(r"[A-Z].*[^.]\.", text), row["name"]
        assert len(row["meaning"]) <= 250, row["name"]


def test_summaries_of_schemes_are_sentences_that_fit_a_table() -> None:
    for scheme in ccsim.schemes():
        assert re.fullmatch(r"[A-Z].*[^.]\.", scheme["summary"]), scheme["name"]
        assert len(scheme["summary"]) <= 250, scheme["name"]
        assert scheme["source"]


def test_a_scheme_with_parameters_has_a_table_of_them() -> None:
    row = {"name": "cfqs", "type": "integer", "default": 2, "range": "1 to 64 queues"}
    row |= {"meaning": "Queues of an input port.", "consequence": "With more, it isolates more trees."}
    text = schemes_text([{"name": "toy", "summary": "A toy.", "source": "none", "parameters": [row]}])
    assert "| `toy` | A toy. | none |" in text
    assert "| `cfqs` | 1 to 64 queues | 2 | Queues of an input port. |" in text
    assert "- `cfqs`: With more, it isolates more trees." in text
