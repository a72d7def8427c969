# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Attributes as bytes: NVIDIA's are compared with a second encoder, and all of them go there and back."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccsim import wire
from tests.ccsim.nvidia_layouts import LAYOUTS


def values_of(name: str) -> st.SearchStrategy[dict[str, Any]]:
    """Random values of all fields of an attribute."""

    def one(field: wire.Field) -> st.SearchStrategy[Any]:
        if field.width > 64:
            return st.binary(min_size=field.width // 8, max_size=field.width // 8)
        number = st.integers(0, 2**field.width - 1)
        return number if field.count == 1 else st.lists(number, min_size=field.count, max_size=field.count)

    return st.fixed_dictionaries({field.name: one(field) for field in wire.attributes()[name].fields})


def test_the_second_encoder_has_all_of_nvidias_attributes() -> None:
    assert set(LAYOUTS) == {name for name, attribute in wire.attributes().items() if attribute.id & 0xFF00 == 0xFF00}


@pytest.mark.parametrize("name", LAYOUTS)
@given(data=st.data())
def test_both_encoders_agree_and_values_come_back(name: str, data: st.DataObject) -> None:
    values = data.draw(values_of(name))
    payload = wire.pack(name, values)
    assert payload == LAYOUTS[name](values)
    assert wire.unpack(name, payload) == values
    settable = {f.name: values[f.name] for f in wire.attributes()[name].fields if not f.read_only}
    assert wire.pack(name, values, for_set=True) == wire.pack(name, settable)


@pytest.mark.long
@given(data=st.data())
def test_each_attribute_goes_there_and_back(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(wire.attributes())))
    values = data.draw(values_of(name))
    assert wire.unpack(name, wire.pack(name, values)) == values


def test_what_a_device_tells_and_nobody_sets_is_read_only() -> None:
    read_only = {(a.name, f.name) for a in wire.attributes().values() for f in a.fields if f.read_only}
    assert read_only == {
        ("EnhancedCongestionInfo", "ver0Supported"),
        ("EnhancedCongestionInfo", "ver1Supported"),
        ("EnhancedCongestionInfo", "CC_Capability_Mask"),
        ("CongestionSwitchGeneralSettings", "cap_total_buffer_size"),
        ("CongestionSwitchGeneralSettings", "cap_cc_profile_step_size"),
        ("CongestionHCAAlgoConfig", "algo_status"),
        ("CongestionHCAAlgoConfig (algorithms)", "algo_status"),
        ("CongestionHCAAlgoConfigParams", "sl_bitmask"),
    }


@pytest.mark.parametrize(
    ("name", "values", "sentence"),
    [
        ("CongestionInfos", {}, "'CongestionInfos' is not an attribute of the congestion-control class; ClassPortInfo, "),
        ("CongestionHCARPParameters", {"rpg_max_rate": 800000}, "rpg_max_rate 800000 does not fit CongestionHCARPParameters"),
        ("CongestionHCARPParameters", {"rpg_ai_rate": 65536}, "rpg_ai_rate is 65536, and has 16 bits"),
        ("CongestionHCARPParameters", {"rate": 1}, "is no field of CongestionHCARPParameters, whose fields are clamp_tgt_rate, "),
        ("CongestionHCAAlgoConfigParams", {"parameter": [0] * 45}, "parameter has 45 elements, and "),
        ("CongestionHCAAlgoConfig", {"encapsulation": b"x"}, "encapsulation has 1 bytes, and must have 176"),
    ],
)
def test_a_refusal_names_the_value(name: str, values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence.replace("(", r"\(")):
        wire.pack(name, values)


def test_a_payload_of_another_size_is_refused() -> None:
    with pytest.raises(ValueError, match="the payload has 191 bytes, and one of CongestionHCANPParameters has 192"):
        wire.unpack("CongestionHCANPParameters", bytes(191))
