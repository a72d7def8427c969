# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Everything that names a profile's keys outside of ccpolicy follows its rows."""

import json

import pytest

from build_tools import profile_keys as generated
from ccsim.policy import PACKET_OVERHEAD_BYTES, Profile, profile_keys, schema

MINIMAL = """\
ibcc_profile: 1
name: minimal
switch: {threshold: 0}
ca: {ccti_timer: 0, ccti_increase: 0}
cct: {entries: [{shift: 0, multiplier: 0}]}
"""


def test_the_published_schema_is_current() -> None:
    expected = generated.json_text(generated.updated_schema(schema())) + "\n"
    assert generated.SCHEMA.read_text() == expected, "run: python -m build_tools.profile_keys"


@pytest.mark.parametrize("part", generated.PARTS)
def test_the_tables_of_the_page_are_current(part: str) -> None:
    on_page = generated.rows_on_page(generated.PAGE.read_text(), part)
    assert on_page == generated.table(part), "run: python -m build_tools.profile_keys"


def test_the_page_has_the_bytes_around_a_payload() -> None:
    assert f"{PACKET_OVERHEAD_BYTES} bytes of LRH" in generated.PAGE.read_text()


def test_a_section_holds_the_keys_of_the_rows_in_their_order_with_their_defaults() -> None:
    document = Profile.from_text(MINIMAL).to_dict()
    for section in ("switch", "ca"):
        keys = generated.keys_of(section)
        assert list(document[section]) == list(keys)
        assert {name: document[section][name] for name, key in keys.items() if not key.required} == {
            name: key.default for name, key in keys.items() if not key.required
        }
    assert document["enable"] is profile_keys()["enable"].default
    assert document["cct"]["limit_mode"] == profile_keys()["cct.limit_mode"].default


def test_numbers_are_taken_to_the_ends_of_their_ranges_and_not_beyond() -> None:
    for path, key in profile_keys().items():
        section, _, name = path.rpartition(".")
        if key.type != "integer" or section not in ("switch", "ca"):
            continue
        assert key.maximum is not None
        large = Profile.from_text(MINIMAL).with_settings({"cct": {"entries": [{"shift": 0, "multiplier": 0}] * 256}})
        assert large.with_settings({path: key.maximum}).to_dict()[section][name] == key.maximum
        with pytest.raises(ValueError, match=f"{path} is {int(key.maximum) + 1}"):
            large.with_settings({path: int(key.maximum) + 1})


def test_an_explanation_has_the_unit() -> None:
    keys = profile_keys()
    assert keys["ca.ccti_timer"].explanation == f"{keys['ca.ccti_timer'].meaning}, in units of 1.024 µs"
    assert keys["cct.curve.full_scale_us"].explanation.endswith(", in µs")
    assert keys["ca.sls"].explanation == keys["ca.sls"].meaning


def test_json_texts_read_back_equal() -> None:
    value: dict[str, object] = {"a": [1, {"b": "x" * 120, "c": ["y" * 60, "z" * 60]}], "µ": {}, "n": None}
    text = generated.json_text(value)
    assert json.loads(text) == value
    assert max(map(len, text.splitlines())) <= generated.WIDTH + 10
