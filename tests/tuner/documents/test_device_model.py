# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import ccsim
from tuner.documents.device_model import device_model, leaves, nested, parameters_schema
from tuner.errors import BadInputError


def test_without_settings_it_is_the_simulators() -> None:
    assert device_model(mtu_bytes=2048).to_dict() == ccsim.Model().to_dict()


def test_later_settings_win() -> None:
    settings = {"switch": {"read_ports": 1, "threshold_mode": "voq"}}, {"switch": {"read_ports": 2}, "num_vls": 4}
    model = device_model(*settings, mtu_bytes=2048).to_dict()
    assert (model["switch"]["read_ports"], model["switch"]["threshold_mode"], model["num_vls"]) == (2, "voq", 4)


def test_every_parameter_can_be_set() -> None:
    values = ccsim.Model().to_dict()
    assert device_model(values, mtu_bytes=2048).to_dict() == values


def test_the_rows_are_the_parameters() -> None:
    rows = {row["name"]: row["default"] for row in ccsim.model_parameters()}
    scheme = next(scheme for scheme in ccsim.schemes() if scheme["name"] == "voqsw")
    rows |= {"scheme.name": "voqsw", **{f"scheme.{row['name']}": row["default"] for row in scheme["parameters"]}}
    assert rows == dict(leaves(ccsim.Model().to_dict()))


@pytest.mark.parametrize("row", ccsim.model_parameters(), ids=lambda row: row["name"])
def test_reader_and_schema_agree_on_each_range(row: dict[str, Any]) -> None:
    schema = Draft202012Validator(parameters_schema())
    tried = [row["default"], "pigeon", None, -1, *row.get("choices", ())]
    tried += [row[limit] + step for limit in ("minimum", "maximum") if row.get(limit) is not None for step in (-1, 0, 1)]
    for value in tried:
        settings = nested({row["name"]: value})
        if row["name"] == "ca.control_vl":
            settings["num_vls"] = 2
        try:
            device_model(settings, mtu_bytes=2048)
        except BadInputError:
            assert not schema.is_valid(settings) or (row["minimum"] is None and value < 2112), value
        else:
            assert schema.is_valid(settings), value


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"switch": {"reed_ports": 1}}, "unknown setting 'model.switch.reed_ports'; did you mean 'model.switch.read_ports'"),
        ({"switch": 3}, "unknown setting 'model.switch'"),
        ({"switch": {"read_ports": 0}}, "model.switch.read_ports is 0; it must be 1 to 255"),
        ({"switch": {"read_ports": -1}}, "model.switch.read_ports is -1, which is out of range"),
        ({"switch": {"read_ports": 1.5}}, "model.switch.read_ports is 1.5; a whole number is expected"),
        ({"switch": {"read_ports": True}}, "model.switch.read_ports is True; a whole number is expected"),
        ({"ca": {"becn_delay_ns": "soon"}}, "model.ca.becn_delay_ns is 'soon'; a number is expected"),
        ({"ca": {"becn_carrier": 1}}, "model.ca.becn_carrier is 1; text is expected"),
        ({"ca": {"becn_carrier": "pigeon"}}, "model.ca.becn_carrier"),
        ({"scheme": {"nam": 2}}, "model.scheme.nam is not a parameter of scheme 'voqsw'"),
    ],
)
def test_what_the_simulator_cannot_take_is_a_sentence(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInputError) as error:
        device_model(settings, mtu_bytes=2048)
    assert str(error.value).startswith(sentence)


@pytest.mark.parametrize(
    "settings", [{"model.scheme": "ith", "model.scheme.name": "ith"}, {"model.scheme.name": "ith", "model.scheme": "ith"}]
)
def test_a_name_that_leads_into_a_value_is_a_sentence(settings: dict[str, Any]) -> None:
    with pytest.raises(BadInputError, match=r"^model\.scheme(\.name)? .*; set each value by its full name"):
        nested(settings)


def test_dotted_names_nest() -> None:
    assert nested({"model.switch.read_ports": 2, "model.num_vls": 1}) == {"model": {"switch": {"read_ports": 2}, "num_vls": 1}}
