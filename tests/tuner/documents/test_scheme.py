# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import ccsim
from tuner.documents import catalogue
from tuner.documents.device_model import device_model, nested, parameters_schema
from tuner.documents.fabric import load_fabric
from tuner.documents.scheme import scheme_lines, scheme_schema, set_scheme
from tuner.errors import BadInputError

NAMES = [row["name"] for row in ccsim.schemes()]
SCHEMA = Draft202012Validator(parameters_schema())
TOY: list[dict[str, Any]] = [
    {"name": "voqsw", "summary": "Plain.", "parameters": []},
    {
        "name": "toy",
        "summary": "A toy.",
        "parameters": [
            {"name": "queues", "type": "integer", "default": 2, "minimum": 1, "maximum": 8, "meaning": "A.", "consequence": "B."},
            {
                "name": "gap_ns",
                "type": "number",
                "default": 0.5,
                "minimum": 0,
                "maximum": None,
                "meaning": "A.",
                "consequence": "B.",
            },
        ],
    },
]


def fabric_with(tmp_path: Path, model: str) -> Path:
    file = tmp_path / "fabric.yaml"
    file.write_text(catalogue.find("fabric", "two-switch").read_text() + f"\nmodel:\n  {model}\n")
    return file


def test_the_default_is_the_switch_of_before() -> None:
    assert ccsim.Model().to_dict()["scheme"]["name"] == ccsim.SchemeChoice().name == "voqsw"
    assert {"voqsw", "ith"} <= set(NAMES)
    assert sorted(NAMES) == NAMES


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("written", ["scheme: {}", "scheme: {{name: {}}}"])
def test_a_fabric_names_a_scheme(tmp_path: Path, name: str, written: str) -> None:
    fabric = load_fabric(fabric_with(tmp_path, written.format(name)))
    assert device_model(fabric.model, mtu_bytes=fabric.mtu_bytes).to_dict()["scheme"]["name"] == name


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ("scheme: pigeons", "model.scheme.name is 'pigeons'; it must be one of "),
        ("scheme: {name: 3}", "model.scheme.name is 3; it must be one of "),
        ("scheme: {feathers: 2}", "model.scheme.feathers is not a parameter of scheme 'voqsw'"),
        ("scheme: {feathers: white}", "model.scheme.feathers is 'white'; a number is expected"),
        ("scheme: {feathers: true}", "model.scheme.feathers is True; a number is expected"),
    ],
)
def test_what_no_scheme_takes_is_a_sentence_with_its_line(tmp_path: Path, written: str, sentence: str) -> None:
    file = fabric_with(tmp_path, written)
    line = next(i for i, text in enumerate(file.read_text().splitlines(), start=1) if "scheme:" in text)
    with pytest.raises(BadInputError, match=re.escape(sentence)) as error:
        load_fabric(file)
    assert error.value.line == line


def test_an_unknown_name_comes_with_all_known_ones() -> None:
    with pytest.raises(BadInputError, match=f"it must be one of {', '.join(NAMES)}$"):
        device_model({"scheme": "pigeons"}, mtu_bytes=2048)


def test_the_name_counts_ahead_of_the_parameters_wherever_it_stands() -> None:
    for setting in ({"scheme": {"queues": 2, "name": "ith"}}, {"scheme": {"name": "ith", "queues": 2}}):
        with pytest.raises(BadInputError, match="queues is not a parameter of scheme 'ith'"):
            device_model(setting, mtu_bytes=2048)


def test_another_name_drops_the_parameters_of_the_former_scheme() -> None:
    choice = ccsim.SchemeChoice()
    choice.name, choice.values = "toy", {"queues": 3.0}
    set_scheme(choice, "scheme.name", "toy")
    assert choice.values == {"queues": 3.0}
    set_scheme(choice, "scheme.gap_ns", 7)
    assert choice.values == {"queues": 3.0, "gap_ns": 7.0}
    set_scheme(choice, "scheme", "voqsw")
    assert (choice.name, choice.values) == ("voqsw", {})


def test_a_number_beyond_all_floats_is_a_sentence() -> None:
    with pytest.raises(BadInputError, match="which is out of range"):
        device_model({"scheme": {"queues": 10**400}}, mtu_bytes=2048)


@given(value=st.one_of(st.sampled_from(NAMES), st.text(), st.none(), st.integers(), st.booleans()))
def test_reader_and_schema_agree_on_each_name(value: object) -> None:
    for setting in ({"scheme": value}, {"scheme": {"name": value}}, nested({"scheme.name": value})):
        try:
            device_model(setting, mtu_bytes=2048)
        except BadInputError:
            assert not SCHEMA.is_valid(setting)
        else:
            assert SCHEMA.is_valid(setting)


@pytest.mark.parametrize(
    ("value", "valid"),
    [
        ("toy", True),
        ("voqsw", True),
        ("ith", False),
        ({"name": "toy"}, True),
        ({"name": "toy", "queues": 8, "gap_ns": 0.5}, True),
        ({"name": "toy", "queues": 9}, False),
        ({"name": "toy", "queues": 1.5}, False),
        ({"name": "voqsw", "queues": 2}, False),
        ({"queues": 2}, False),  # of the default scheme, which has no such parameter
        ({}, True),
    ],
)
def test_the_schema_knows_the_parameters_of_each_scheme(value: object, valid: bool) -> None:
    assert Draft202012Validator(scheme_schema(TOY)).is_valid(value) == valid


def test_lines_have_name_and_summary() -> None:
    assert scheme_lines(TOY) == ["voqsw: Plain.", "toy: A toy."]
