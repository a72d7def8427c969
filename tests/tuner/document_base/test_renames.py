# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Keys by their old names."""

from typing import Any

import pytest

from tuner.document_base.renames import (
    RENAMES,
    SETTING,
    SOCKET,
    BothNamesError,
    kind_of,
    listening,
    preferring_new,
    renamed_or_bad_input,
    with_new_keys,
    with_old_keys,
)
from tuner.errors import BadInputError, OldKeyWarning


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("fabric", {"model": {"hca": {"becn_carrier": "ack"}}}, {"model": {"ca": {"becn_carrier": "ack"}}}),
        ("fabric", {"model": {"hca.becn_carrier": "ack"}}, {"model": {"ca.becn_carrier": "ack"}}),
        ("campaign", {"variants": {"a.b": {"model.hca.x": 1}}}, {"variants": {"a.b": {"model.ca.x": 1}}}),
        (
            "inventory",
            {"harm": {"canaries": [{"name": "a"}, {"fresh_s": 3}]}},
            {"abort_if": {"jobs": [{"name": "a"}, {"max_age_s": 3}]}},
        ),
        (SETTING, {"model.hca.x": 1, "model.switch.y": 2}, {"model.ca.x": 1, "model.switch.y": 2}),
        (SOCKET, {"devices": [{"reacts": "no", "cut": True}]}, {"devices": [{"throttles": "no", "cct_truncated": True}]}),
    ],
)
def test_an_old_key_is_the_new_one(kind: str, old: Any, new: Any) -> None:
    renamed, changes = with_new_keys(kind, old)
    assert renamed == new
    assert changes
    assert with_new_keys(kind, new) == (new, [])


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("fabric", {"hca": {"model": {"hca_of": 1}}, "models": {"hca": 1}}),
        ("campaign", {"variants": {"model.hca": {"x": 1}}}),
        ("workload", {"harm": 1}),
        (None, {"harm": 1}),
        ("inventory", ["harm"]),
        ("inventory", {1: "harm"}),
    ],
)
def test_everything_else_stays(kind: str | None, value: Any) -> None:
    renamed, changes = with_new_keys(kind, value)
    assert renamed is value
    assert changes == []


def test_a_key_keeps_its_place_among_the_others() -> None:
    renamed, (change,) = with_new_keys("inventory", {"name": "a", "harm": {}, "hosts": []})
    assert list(renamed) == ["name", "abort_if", "hosts"]
    assert (change.place, change.new_place) == (("harm",), ("abort_if",))


def test_both_names_are_an_error() -> None:
    with pytest.raises(BothNamesError, match="'harm' is the old name of 'abort_if', and both are given; delete 'harm'"):
        with_new_keys("inventory", {"harm": {}, "abort_if": {}})
    with pytest.raises(BadInputError, match="'model.hca.x' is the old name of 'model.ca.x'"):
        renamed_or_bad_input(SETTING, {"model.ca.x": 1, "model.hca.x": 1})


def test_programs_that_write_both_are_understood() -> None:
    assert preferring_new(SOCKET, {"devices": [{"reacts": "no", "throttles": "yes"}]}) == {"devices": [{"throttles": "yes"}]}


def test_old_names_can_be_had_for_old_digests() -> None:
    new = {"name": "f", "model": {"ca": {"x": 1}, "switch.y": 2}}
    old = with_old_keys("fabric", new)
    assert old == {"name": "f", "model": {"hca": {"x": 1}, "switch.y": 2}}
    assert with_new_keys("fabric", old)[0] == new


def test_a_warning_names_the_new_key() -> None:
    sentence = "^--set: 'model.hca' is now 'model.ca'; old keys are read until ibcc 0.3$"
    with pytest.warns(OldKeyWarning, match=sentence):
        assert renamed_or_bad_input(SETTING, {"model.hca.x": 1, "model.hca.y": 2}, "--set") == {"model.ca.x": 1, "model.ca.y": 2}
    heard: list[str] = []
    with listening(heard.append):
        renamed_or_bad_input(SETTING, {"model.hca.x": 1})
    assert len(heard) == 1


@pytest.mark.parametrize(
    ("value", "kind"),
    [({"ibcc_fabric": 1}, "fabric"), ({"name": "x"}, None), (["ibcc_fabric"], None), (None, None), ({1: 2}, None)],
)
def test_a_document_says_what_it_is(value: object, kind: str | None) -> None:
    assert kind_of(value) == kind


def test_no_new_name_is_an_old_one() -> None:
    olds = {(rename.kind, rename.old) for rename in RENAMES}
    assert len(olds) == len(RENAMES)
    assert not olds & {(rename.kind, rename.new) for rename in RENAMES}
