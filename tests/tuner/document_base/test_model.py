# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from typing import Annotated, Literal

import pytest
from pydantic import model_validator

from tuner.document_base import model
from tuner.document_base.model import (
    MOST_PROBLEMS,
    DocumentModel,
    ListOf,
    Within,
    build_model,
    examine,
    misplaced,
    unknown_name,
    validate,
)
from tuner.document_base.yaml_core import parse_document
from tuner.errors import BadInputError


class Part(DocumentModel):
    size: Annotated[int, Within(1, 254)]
    ratio: Annotated[float, Within(0, 1, above=True)] = 1.0
    weight: Annotated[float, Within(0)] = 0.0


class Whole(DocumentModel):
    name: str
    colour: Literal["red", "green"] = "red"
    parts: ListOf[Part] = ()
    flag: bool = False

    @model_validator(mode="after")
    def _no_two_alike(self) -> "Whole":
        sizes = [part.size for part in self.parts]
        for i, size in enumerate(sizes):
            if size in sizes[:i]:
                raise misplaced(f"parts[{i}] has the size of an earlier one", "parts", i, "size")
        return self


def read(text: str) -> Whole:
    return validate(Whole, parse_document(text, source="f.yaml"))


def test_a_valid_document() -> None:
    whole = read("name: off\nparts:\n- {size: 3, ratio: 1}\n- {size: 0x10}\n")
    assert whole == Whole(name="off", parts=(Part(size=3), Part(size=16)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nane: x", "f.yaml:1: unknown key 'nane'; did you mean 'name'?"),
        ("name: x\nsize: 3", "f.yaml:2: unknown key 'size'; known are name, colour, parts, flag"),
        ("name: x\nparts:\n- size: 1\n  weigth: 3", "f.yaml:4: unknown key 'weigth'; did you mean 'weight'? (in parts[0])"),
        ("colour: red", "f.yaml:1: the document lacks the key 'name'"),
        ("name: x\nparts: [{}]", "f.yaml:2: parts[0] lacks the key 'size'"),
        ("name: x\nparts:\n- size: 300", "f.yaml:3: parts[0].size is 300; it must be from 1 to 254"),
        ("name: x\nparts: [{size: 1, ratio: 0}]", "f.yaml:2: parts[0].ratio is 0.0; it must be above 0 and at most 1"),
        ("name: x\nparts: [{size: 1, weight: -1}]", "f.yaml:2: parts[0].weight is -1.0; it must be at least 0"),
        ("name: x\nparts: [{size: 1.0}]", "f.yaml:2: parts[0].size is 1.0; a whole number is expected"),
        ("name: x\nparts: [{size: '1'}]", "f.yaml:2: parts[0].size is '1'; a whole number is expected"),
        ("name: x\nparts: [{size: true}]", "f.yaml:2: parts[0].size is true; a whole number is expected"),
        ("name: x\nparts: [{size: 1, weight: .inf}]", "f.yaml:2: parts[0].weight is inf; a number is expected"),
        ("name: 1", "f.yaml:1: name is 1; text is expected (quotes turn a number into text)"),
        ("name: x\ncolour: blue", "f.yaml:2: colour is 'blue'; it must be 'red' or 'green'"),
        ("name: x\nflag: yes", "f.yaml:2: flag is 'yes'; true or false is expected"),
        ("name: x\nparts: 3", "f.yaml:2: parts is 3; a list is expected"),
        ("name: x\nparts: [3]", "f.yaml:2: parts[0] is 3; a mapping of keys to values is expected"),
        ("- x", "f.yaml:1: the document is a list; a mapping of keys to values is expected"),
        ("name: x\nparts:\n- size: 2\n- size: 2", "f.yaml:4: parts[1] has the size of an earlier one"),
    ],
)
def test_a_mistake_is_one_sentence_with_its_line(text: str, message: str) -> None:
    with pytest.raises(BadInputError) as error:
        read(text)
    assert str(error.value) == message


def test_the_first_of_several_mistakes_is_told_and_the_others_counted() -> None:
    with pytest.raises(BadInputError) as error:
        read("flag: 3\nname: 1\ncolour: 2\n")
    assert str(error.value) == "f.yaml:1: flag is 3; true or false is expected (and 2 more problems)"


def test_values_from_a_program_have_no_line() -> None:
    with pytest.raises(BadInputError) as error:
        build_model(Whole, {"name": "x", "parts": ({"size": 0},)})
    assert str(error.value) == "parts[0].size is 0; it must be from 1 to 254"


def test_ranges_are_in_the_schema() -> None:
    properties = Part.model_json_schema()["properties"]
    assert (properties["size"]["minimum"], properties["size"]["maximum"]) == (1, 254)
    assert (properties["ratio"]["exclusiveMinimum"], properties["ratio"]["maximum"]) == (0, 1)
    assert "maximum" not in properties["weight"]


def test_an_unknown_name_is_told_with_near_ones_or_some_known_ones() -> None:
    assert unknown_name("host", "H12", ["H1", "H2", "leaf"]) == "unknown host 'H12'; did you mean 'H2' or 'H1'?"
    assert unknown_name("host", "x", []) == "unknown host 'x'; there are none"
    assert unknown_name("host", "x", [f"node{i}" for i in range(40)]).endswith("node29 and 10 more")


@pytest.mark.parametrize("part", ["{sise: 1}", "{size: 1, sise: 1}", "{size: 0}", "{size: one}"])
def test_a_hundred_faults_are_enough(monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    """Those who look for near names, and for places in the text, look no further: 60,000 faults took 9 s."""
    looked: list[str] = []
    original = model.unknown_name

    def counting(what: str, name: str, known: list[str]) -> str:
        looked.append(name)
        return original(what, name, known)

    monkeypatch.setattr(model, "unknown_name", counting)
    text = "name: x\nparts:\n" + f"- {part}\n" * 1000
    found, problems = examine(Whole, parse_document(text, source="f.yaml"))
    assert (found, len(problems)) == (None, MOST_PROBLEMS)
    assert [one.place[:2] for one in problems[:3]] == [("parts", i) for i in range(3)]
    assert len(looked) <= MOST_PROBLEMS
    with pytest.raises(BadInputError, match=r"parts\[0\].* \(and 999 more problems\)"):
        read(text)
