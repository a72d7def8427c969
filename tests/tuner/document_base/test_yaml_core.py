# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.document_base.yaml_core import MAX_DEPTH, parse_document, plain_scalar, read_document
from tuner.errors import BadInputError


@pytest.mark.parametrize(
    ("text", "value"),
    [
        # YAML 1.1 reads each of these as something else
        ("off", "off"),
        ("yes", "yes"),
        ("n", "n"),
        ("3:16", "3:16"),
        ("0150", 150),
        ("1_000", "1_000"),
        ("1e3", 1000.0),
        ("2026-11-21", "2026-11-21"),
        ("=", "="),
        # the core schema
        ("0o17", 15),
        ("0xfF", 255),
        ("+12", 12),
        ("-0", 0),
        ("1.", 1.0),
        (".5", 0.5),
        ("-1.5E-2", -0.015),
        ("true", True),
        ("FALSE", False),
        ("~", None),
        ("", None),
        ("Null", None),
        ("-.inf", -math.inf),
        ("-0x1", "-0x1"),
        ("1e", "1e"),
        (".", "."),
        ("tRue", "tRue"),
        ("4xDDR", "4xDDR"),
    ],
)
def test_plain_scalars_follow_yaml_1_2(text: str, value: object) -> None:
    read = plain_scalar(text)
    assert read == value
    assert type(read) is type(value)


def test_nan_is_a_number() -> None:
    assert math.isnan(float(plain_scalar(".nan") or 0))


def test_quoted_scalars_are_text() -> None:
    document = parse_document("a: '12'\nb: \"off\"\nc: |\n  34\n", source="x")
    assert document.value == {"a": "12", "b": "off", "c": "34\n"}


def test_lines_are_those_of_keys_and_items() -> None:
    document = parse_document("a: 1\nb:\n- x\n- {c: 2,\n   d: 3}\n", source="x")
    assert document.line_of(("a",)) == 1
    assert document.line_of(("b",)) == 2
    assert document.line_of(("b", 1, "d")) == 5
    assert document.line_of(("b", 0, "not", "there")) == 3


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("a: 1\nb: 2\na: 3", 3, "key 'a' is given twice; the first is on line 1"),
        ("a: &x 1", 1, "anchor &x is not allowed"),
        ("a: 1\nb: *x", 2, "alias *x is not allowed"),
        ("a: !!str 1", 1, "tag tag:yaml.org,2002:str is not allowed"),
        ("!thing\na: 1", 1, "tag !thing is not allowed"),
        ("&x {a: 1}", 1, "anchor &x is not allowed"),
        ("a: 1\n---\nb: 2", 2, "a second document starts here"),
        ("a: [1,\n", 2, "not valid YAML"),
        ("? [a]\n: 1", 1, "a key must be a word"),
        ("a: " + "9" * 5000, 1, "a number of 5000 digits is out of range"),
        ("a: " + "[" * 50 + "]" * 50, 1, f"is nested more than {MAX_DEPTH} levels deep"),
    ],
)
def test_what_makes_a_document_ambiguous_is_refused(text: str, line: int, sentence: str) -> None:
    with pytest.raises(BadInputError) as error:
        parse_document(text, source="x.yaml")
    assert sentence in error.value.sentence
    assert error.value.line == line
    assert str(error.value).startswith(f"x.yaml:{line}: ")


def test_control_characters_are_refused() -> None:
    with pytest.raises(BadInputError, match="not valid YAML"):
        parse_document("a: b\x01c", source="x")


def test_an_empty_document_is_refused() -> None:
    with pytest.raises(BadInputError, match="is empty"):
        parse_document("# only a comment\n", source="x")


def test_unreadable_files_are_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="cannot be read: No such file"):
        read_document(tmp_path / "none.yaml")
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"a: \xff")
    with pytest.raises(BadInputError, match="is not UTF-8 text"):
        read_document(binary)


# What JSON can say and every JSON writer says alike; astral characters are left to YAML's own escapes.
_text = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], max_codepoint=0xD7FF), max_size=8)
_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | _text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_text, inner, max_size=4),
    max_leaves=12,
)


@given(_values, st.sampled_from([None, 1, 2]))
def test_json_reads_as_json_does(value: object, indent: int | None) -> None:
    assert parse_document(json.dumps(value, indent=indent), source="x").value == value


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_with_a_sentence(text: str) -> None:
    sentence = "read"
    try:
        parse_document(text, source="x")
    except BadInputError as error:
        sentence = error.sentence
    assert sentence
