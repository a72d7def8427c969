# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Profiles from values and values from profiles, for all devices and for some, always and under conditions."""

from typing import Any

import optuna
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from ccsim.policy import Profile
from tuner.campaign.references import digest
from tuner.documents.parameter import Parameter
from tuner.documents.profile import load_profile
from tuner.documents.samplers import AnySampler, SamplerOptions
from tuner.errors import BadInputError
from tuner.search.samplers.base import SAMPLERS, sampler_of
from tuner.search.space import Space

PARAMETERS = {
    "ca.ccti_timer": Parameter(low=10, high=500, log=True),
    "cct.curve.full_scale_us": Parameter(low=1.0, high=60.0),
    "switch.packet_size": Parameter(value=4),
}


def space_of(**parameters: dict[str, Any]) -> Space:
    """Returns a space over gran-2010 with parameters by path, which has two underscores for each dot."""
    named = {path.replace("__", "."): Parameter(**parameter) for path, parameter in parameters.items()}
    return Space(named, load_profile("gran-2010"))


@pytest.fixture(scope="module")
def space() -> Space:
    return Space(PARAMETERS, load_profile("gran-2010"))


def test_a_published_profile_s_values(space: Space) -> None:
    assert space.params_of(load_profile("gran-2010")) == {"ca.ccti_timer": 150, "cct.curve.full_scale_us": 7}


def test_a_profile_without_a_field_is_told(space: Space) -> None:
    with pytest.raises(BadInputError, match="not a field of profile 'off'"):
        space.params_of(load_profile("off"))


@given(timer=st.integers(10, 500), full_scale_us=st.floats(1, 60))
def test_what_is_set_comes_back(timer: int, full_scale_us: float) -> None:
    space = Space(PARAMETERS, load_profile("gran-2010"))
    params = space.rounded({"ca.ccti_timer": timer, "cct.curve.full_scale_us": full_scale_us})
    profile = space.profile(params, name="x")
    assert space.params_of(profile) == params
    kept = float(params["cct.curve.full_scale_us"])
    assert 1 <= kept <= 60
    assert kept == pytest.approx(full_scale_us, rel=5.1e-4)
    changed = {field for field, _, _ in profile.diff(space.base)}
    assert changed <= {"name", "ca.ccti_timer", "cct.curve.full_scale_us", "switch.packet_size"}
    assert profile.to_dict()["switch"]["packet_size"] == 4


@pytest.mark.parametrize(
    ("path", "low", "high"),
    [
        ("cct.curve.full_scale_us", 1.0, 100.0),
        ("cct.curve.at_index", 20, 127),
        ("cct.curve.exponent", 0.5, 4.0),
        ("cct.ccti_limit", 106, 255),
        ("cct.curve.full_scale_packet_times", 1.0, 100.0),
    ],
)
def test_each_number_of_the_table_s_curve_can_be_searched(path: str, low: float, high: float) -> None:
    space = Space({path: Parameter(low=low, high=high)}, load_profile("gran-2010"))
    space.check(path)
    tables = {end: [entry.ird_ns for entry in space.profile({path: end}, name="x").encode().entries] for end in (low, high)}
    assert tables[low] != tables[high]
    assert len(tables[high]) == (high if path == "cct.ccti_limit" else 127) + 1


def test_a_table_that_contradicts_itself_is_told() -> None:
    space = space_of(ca__ccti_min={"low": 0, "high": 255})
    with pytest.raises(BadInputError, match="ccti_min is 255"):
        space.check("ca.ccti_min")


# Fields of some devices.


def test_a_field_of_some_devices_becomes_an_override() -> None:
    path = "overrides[role=leaf, ports=switch_ports].switch.threshold"
    space = Space({path: Parameter(low=0, high=15)}, load_profile("gran-2010"))
    space.check(path)
    assert space.params_of(space.base) == {path: 15}  # what the leaves have without an override
    profile = space.profile({path: 3}, name="x")
    assert profile.to_dict()["overrides"] == [{"match": {"role": "leaf", "ports": "switch_ports"}, "switch": {"threshold": 3}}]
    assert profile.to_dict()["switch"]["threshold"] == 15
    assert space.params_of(profile) == {path: 3}


def test_several_fields_share_the_override_that_the_base_has() -> None:
    document = load_profile("gran-2010").to_dict()
    document["overrides"] = [
        {"match": {"node": "S*"}, "switch": {"threshold": 9}},
        {"match": {"guid": "0x1f"}, "ca": {"ccti_timer": 5}},
    ]
    space = Space(
        {
            "overrides[node=S*].switch.marking_rate": Parameter(low=0, high=9),
            "overrides[guid=31].ca.ccti_timer": Parameter(low=1, high=9),
            "overrides[leaf].switch.threshold": Parameter(value=1),
        },
        Profile.from_dict(document),
    )
    overrides = space.profile(
        {"overrides[node=S*].switch.marking_rate": 4, "overrides[guid=31].ca.ccti_timer": 7}, name="x"
    ).to_dict()["overrides"]
    assert overrides[0] == {"match": {"node": "S*"}, "switch": {"threshold": 9, "marking_rate": 4}}
    assert overrides[1]["ca"] == {"ccti_timer": 7}
    assert overrides[2] == {"match": {"role": "leaf"}, "switch": {"threshold": 1}}
    assert len(overrides) == 3


def test_a_table_of_some_devices_takes_the_rest_from_the_profile_s_own() -> None:
    path = "overrides[node=H[12]].cct.curve.full_scale_us"
    space = Space(
        {path: Parameter(low=1.0, high=99.0), "cct.curve.exponent": Parameter(low=1.0, high=3.0)}, load_profile("gran-2010")
    )
    profile = space.profile({path: 20.0, "cct.curve.exponent": 1.5}, name="x").to_dict()
    assert profile["overrides"][0]["cct"]["curve"] | {"full_scale_us": 7} == profile["cct"]["curve"]
    assert profile["overrides"][0]["cct"]["curve"]["full_scale_us"] == 20


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("overrides[role=leaf]", "does not name a field of some devices"),
        ("overrides[colour=red].switch.threshold", "matches devices by 'colour=red'; it must be one of guid, node"),
        ("overrides[role=leaf,role=spine].switch.threshold", "has role twice"),
        ("overrides[role=leaf].cable.length", "the section is switch, ca or cct"),
    ],
)
def test_a_path_that_makes_no_sense_is_told(path: str, sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        Space({path: Parameter(low=1, high=2)}, load_profile("gran-2010"))


def test_what_an_override_cannot_hold_is_told() -> None:
    space = Space({"overrides[leaf].ca.ccti_timer": Parameter(low=1, high=2)}, load_profile("gran-2010"))
    with pytest.raises(BadInputError, match="leaf"):
        space.check("overrides[leaf].ca.ccti_timer")


# Conditions.

CONDITIONAL: dict[str, dict[str, Any]] = {
    "ca__ccti_timer": {"low": 100, "high": 300, "when": {"ca.level": ("qp",)}},  # stands before what it depends on
    "ca__level": {"choices": ("qp", "sl")},
    "switch__packet_size": {"value": 0, "when": {"ca.level": ("sl",)}},
}


def test_a_field_counts_only_where_its_condition_holds() -> None:
    space = space_of(**CONDITIONAL)
    for path in space.parameters:
        space.check(path)
    by_qp = space.profile({"ca.level": "qp", "ca.ccti_timer": 200}, name="x").to_dict()
    by_sl = space.profile({"ca.level": "sl"}, name="x").to_dict()
    assert (by_qp["ca"]["ccti_timer"], by_qp["switch"]["packet_size"]) == (200, 8)
    assert (by_sl["ca"]["ccti_timer"], by_sl["switch"]["packet_size"]) == (150, 0)
    assert space.params_of(Profile.from_dict(by_sl)) == {"ca.level": "sl"}
    assert space.params_of(Profile.from_dict(by_qp)) == {"ca.level": "qp", "ca.ccti_timer": 200}


@pytest.mark.parametrize("kind", SAMPLERS.names())
def test_samplers_draw_only_what_counts(kind: str) -> None:
    space = space_of(**CONDITIONAL)
    study = optuna.create_study()
    options: SamplerOptions = TypeAdapter(AnySampler).validate_python(kind)
    digests = []
    for ordinal in range(30):
        study.sampler = sampler_of(options, space.distributions, ordinal)
        trial = study.ask()
        space.draw(trial)
        assert ("ca.ccti_timer" in trial.params) == (trial.params["ca.level"] == "qp")
        digests.append((trial.params["ca.level"], digest(space.profile(trial.params, name=str(ordinal)))))
        study.tell(trial, float(trial.params.get("ca.ccti_timer", 100)))
    # All trials without the field are one profile, so that they are measured once.
    assert len({of for level, of in digests if level == "sl"}) == 1
    assert len({of for level, of in digests if level == "qp"}) > 3


def test_conditions_may_follow_from_each_other() -> None:
    space = space_of(
        ca__level={"choices": ("qp", "sl")},
        ca__ccti_increase={"low": 1, "high": 3, "when": {"ca.level": ("qp",)}},
        ca__ccti_timer={"low": 1, "high": 9, "when": {"ca.ccti_increase": (2, 3)}},
    )
    space.check("ca.ccti_timer")
    assert (
        space.profile({"ca.level": "qp", "ca.ccti_increase": 2, "ca.ccti_timer": 4}, name="x").to_dict()["ca"]["ccti_timer"] == 4
    )


@pytest.mark.parametrize(
    ("parameters", "path", "sentence"),
    [
        (
            {"ca__ccti_timer": {"low": 1, "high": 2, "when": {"ca.level": ("sl",)}}},
            "ca.ccti_timer",
            "when ca.level is sl; but in profile 'gran-2010' ca.level is always qp",
        ),
        (
            {"ca__ccti_timer": {"low": 1, "high": 2, "when": {"ca.levle": ("sl",)}}},
            "ca.ccti_timer",
            "ca.levle is no field of it",
        ),
        (
            {"ca__level": {"choices": ("qp", "sl")}, "ca__ccti_timer": {"low": 1, "high": 2, "when": {"ca.level": ("port",)}}},
            "ca.ccti_timer",
            "is port, which the space never draws for ca.level",
        ),
    ],
)
def test_a_condition_that_never_holds_is_told(parameters: dict[str, Any], path: str, sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        space_of(**parameters).check(path)


def test_a_circle_is_told() -> None:
    with pytest.raises(BadInputError, match="go round in a circle"):
        space_of(
            ca__level={"choices": ("qp", "sl"), "when": {"ca.ccti_timer": (1,)}},
            ca__ccti_timer={"low": 1, "high": 2, "when": {"ca.level": ("qp",)}},
        )
