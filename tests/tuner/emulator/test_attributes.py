# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import re

import pytest

import ccsim
from tuner.emulator.attributes import ATTRIBUTES, CCA, PMA, SMA, VENDOR, attribute_name, class_name, find_attribute, find_class
from tuner.errors import BadInputError


@pytest.mark.parametrize(
    ("given", "found"),
    [("SMA", SMA), ("cca", CCA), (4, PMA), ("0x21", CCA), (0x81, SMA), ("vendor", VENDOR), ("10", VENDOR), ("11", 11)],
)
def test_classes(given: str | int, found: int) -> None:
    assert find_class(given) == found


def test_attributes() -> None:
    assert find_attribute("PortInfo", None) == (SMA, 0x15)
    assert find_attribute("congestioncontroltable", None) == (CCA, 0x17)
    assert find_attribute("ClassPortInfo", PMA) == (PMA, 1)
    assert find_attribute("0x17", CCA) == (CCA, 0x17)
    assert find_attribute(0x17, 0x0A) == (0x0A, 0x17)


@pytest.mark.parametrize(
    ("given", "of_class", "sentence"),
    [
        ("ClassPortInfo", None, "attribute 'ClassPortInfo' is one of PMA and VENDOR and CCA; give the class too"),
        ("0x17", None, "attribute 0x17 is given by its number, which means nothing without the class"),
        ("PortInf", None, "unknown attribute 'PortInf'; did you mean 'PortInfo'"),
        ("PortInfo", CCA, "unknown attribute 'PortInfo'"),
        (0x10000, SMA, "65536 is not a number of 0 to 0xffff"),
    ],
)
def test_attributes_that_cannot_be_found(given: str | int, of_class: int | None, sentence: str) -> None:
    with pytest.raises(BadInputError, match=re.escape(sentence)):
        find_attribute(given, of_class)


def test_classes_that_cannot_be_found() -> None:
    sentence = "class 'SM' is neither one of SMA, PMA, VENDOR, CCA nor a number of 0 to 255"
    with pytest.raises(BadInputError, match=re.escape(sentence)):
        find_class("SM")


def test_names_of_numbers() -> None:
    assert (class_name(CCA), class_name(0x0A), class_name(0x0B)) == ("CCA", "VENDOR", "0x0b")
    assert (attribute_name(CCA, 0x17), attribute_name(CCA, 0x99)) == ("CongestionControlTable", "0x0099")


def test_every_attribute_that_agents_have_has_its_name() -> None:
    assert {c for c, _, _ in ccsim.agent_attributes()} == set(ATTRIBUTES)
    assert [name for c, number, name in ccsim.agent_attributes() if attribute_name(c, number) != name] == []


def test_names_and_numbers_stand_once() -> None:
    for attributes in ATTRIBUTES.values():
        assert len(set(attributes.values())) == len(attributes)
