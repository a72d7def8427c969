# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Profiles from values and values from profiles, for all devices and for some, always and under conditions."""

from collections.abc import Mapping
from typing import Any

import optuna
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from ccsim.policy import Profile
from tuner.documents.parameter import Parameter
from tuner.documents.profile import load_profile
from tuner.documents.samplers import AnySampler, SamplerOptions
from tuner.errors import BadInputError
from tuner.measuring.configuration import Configuration
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


def test_a_full_scale_in_the_other_unit_is_carried_by_the_profile_s_link(space: Space) -> None:
    """Packets of gran-2010's link, headers included, take 1.04 us."""
    micro, packets = "cct.curve.full_scale_us", "cct.curve.full_scale_packet_times"
    published = load_profile("gran-2010")
    document = published.to_dict()
    document["cct"]["curve"].pop("full_scale_us")
    document["cct"]["curve"]["full_scale_packet_times"] = 6.75
    other = Space({packets: Parameter(low=1.0, high=60.0)}, Profile.from_dict(document))
    assert other.params_of(published)[packets] == pytest.approx(6.75, rel=0.02)
    assert space.params_of(other.base)[micro] == pytest.approx(7, rel=0.02)
    without_link = Profile.from_dict({key: value for key, value in document.items() if key != "link"})
    with pytest.raises(BadInputError, match=f"{micro} is not a field of profile 'gran-2010'"):
        space.params_of(without_link)


KNEE, END = "cct.curve.knee_at", "cct.curve.end_exponent"


def test_a_published_curve_is_one_of_two_pieces_with_the_same_exponent() -> None:
    space = space_of(cct__curve__knee_at={"low": 0.1, "high": 0.4}, cct__curve__end_exponent={"low": 1.0, "high": 6.0})
    published = load_profile("gran-2010")
    params = space.params_of(published)
    assert params == {KNEE: 0.4, END: 2}, "the default knee is 0.5, which the space does not hold"
    assert space.profile(params, name="x").encode().entries == published.encode().entries
    assert (space.unchanged(KNEE), space.unchanged(END)) == (0.5, 2)


def test_each_knee_and_end_exponent_makes_a_profile_and_ends_where_the_full_scale_says() -> None:
    space = space_of(cct__curve__knee_at={"low": 0.1, "high": 1.0}, cct__curve__end_exponent={"low": 0.5, "high": 6.0})
    for path in space.parameters:
        space.check(path)
    steep = space.profile({KNEE: 0.3, END: 6.0}, name="steep").encode().entries
    plain = space.base.encode().entries
    assert steep[106].ird_packet_times == plain[106].ird_packet_times
    assert steep[60].ird_packet_times < plain[60].ird_packet_times
    assert steep[127].ird_packet_times > plain[127].ird_packet_times


@pytest.mark.parametrize("kind", ["geometric", "entries"])
def test_a_table_that_is_no_power_curve_has_no_knee(kind: str) -> None:
    tables = {"geometric": {"ccti_limit": 63, "curve": {"kind": "geometric", "first": 1, "last": 9}}}
    tables["entries"] = {"entries": [{"shift": 0, "multiplier": i} for i in range(64)]}
    profile = Profile.from_dict(load_profile("gran-2010").to_dict() | {"cct": tables[kind]})
    with pytest.raises(BadInputError, match=f"{KNEE} is not a field of profile 'gran-2010'"):
        space_of(cct__curve__knee_at={"low": 0.1, "high": 0.4}).params_of(profile)


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
        ("overrides[role=leaf].cable.length", "the section is switch, ca, cct or nvidia"),
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
        digests.append((trial.params["ca.level"], Configuration(space.profile(trial.params, name=str(ordinal))).digest))
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


# Fields of NVIDIA's section.

MIN, MAX = "nvidia.switch.thresholds.0.profile1_min", "nvidia.switch.thresholds.0.profile1_max"
PAIR = {MIN: Parameter(low=4, high=300, log=True), MAX: Parameter(low=8, high=1000, log=True)}


def test_each_end_of_min_and_max_makes_a_profile_beside_the_other_that_gives_way() -> None:
    space = Space(PAIR, load_profile("hpcc-dcqcn"))  # 100 and 400 KB
    assert [one.to_dict()["nvidia"]["switch"]["thresholds"][0]["profile1_max"] for one in space.extremes(MIN)] == [400, 400]
    lowest, highest = (one.to_dict()["nvidia"]["switch"]["thresholds"][0] for one in space.extremes(MAX))
    assert (lowest["profile1_min"], lowest["profile1_max"]) == (8, 8)
    assert (highest["profile1_min"], highest["profile1_max"]) == (100, 1000)


@given(low=st.integers(4, 300), high=st.integers(8, 1000))
def test_min_and_max_that_are_drawn_the_wrong_way_round_change_places(low: int, high: int) -> None:
    space = Space(PAIR, load_profile("hpcc-dcqcn"))
    params = space.rounded({MIN: low, MAX: high})
    assert sorted(params.values()) == sorted([low, high])
    assert space.params_of(space.profile(params, name="x")) == params


_ENDS = st.lists(st.integers(0, 60), min_size=2, max_size=5, unique=True).map(sorted)
_NUMBERS = st.one_of(
    _ENDS.map(lambda found: Parameter(low=found[0], high=found[-1])),
    _ENDS.map(lambda found: Parameter(low=float(found[0]), high=float(found[-1]))),
    _ENDS.map(lambda found: Parameter(choices=tuple(found))),
    st.tuples(st.integers(0, 40), st.integers(1, 5), st.integers(1, 4)).map(
        lambda found: Parameter(low=found[0], high=found[0] + found[1] * found[2], step=found[1])
    ),
)
"""Ranges, with steps and without, and choices."""


@given(data=st.data(), lesser=_NUMBERS, greater=_NUMBERS)
def test_a_drawn_pair_is_the_right_way_round_wherever_the_space_has_one(
    data: st.DataObject, lesser: Parameter, greater: Parameter
) -> None:
    space = Space({MIN: lesser, MAX: greater}, load_profile("hpcc-dcqcn"))
    drawn: dict[str, Any] = {path: data.draw(_drawn(one)) for path, one in space.parameters.items()}
    ordered: Mapping[str, Any] = space.rounded(drawn)
    assert all(space.parameters[path].holds(value) for path, value in ordered.items())
    ends: list[list[Any]] = [lesser.ends, greater.ends]
    possible = min(ends[0]) <= max(ends[1])
    assert (ordered[MIN] <= ordered[MAX]) == possible
    if drawn[MIN] <= drawn[MAX]:
        assert ordered == drawn
    elif lesser.holds(drawn[MAX]) and greater.holds(drawn[MIN]):
        assert ordered == {MIN: drawn[MAX], MAX: drawn[MIN]}


def _drawn(parameter: Parameter) -> st.SearchStrategy[Any]:
    if parameter.choices is not None:
        return st.sampled_from(parameter.choices)
    assert parameter.low is not None
    assert parameter.high is not None
    if parameter.whole:
        return st.sampled_from(range(int(parameter.low), int(parameter.high) + 1, int(parameter.step or 1)))
    return st.integers(int(parameter.low), int(parameter.high)).map(float)


@pytest.mark.parametrize(
    ("choices", "drawn", "ordered"),
    [
        ((0, 8, 16, 20), (20, 0), (0, 20)),
        ((0, 8, 16, 20), (16, 8), (8, 16)),
        ((0, 10, 20), (16, 10), (8, 20)),
        ((0, 10), (20, 10), (8, 10)),
        ((0, 10, 20), (16, 20), (16, 20)),
    ],
)
def test_a_threshold_of_0_is_no_exception_and_choices_take_the_nearest(
    choices: tuple[int, ...], drawn: tuple[int, int], ordered: tuple[int, int]
) -> None:
    space = Space({MIN: Parameter(choices=(0, 8, 16, 20)), MAX: Parameter(choices=choices)}, load_profile("hpcc-dcqcn"))
    assert space.rounded(dict(zip((MIN, MAX), drawn, strict=True))) == dict(zip((MIN, MAX), ordered, strict=True))


def test_a_highest_rate_of_0_is_no_limit_and_stays() -> None:
    least, most = "nvidia.adapter.rp.rpg_min_rate", "nvidia.adapter.rp.rpg_max_rate"
    space = Space({least: Parameter(low=1, high=500), most: Parameter(low=0, high=1000)}, load_profile("hpcc-dcqcn"))
    assert space.rounded({least: 200, most: 0}) == {least: 200, most: 0}
    assert space.rounded({least: 200, most: 100}) == {least: 100, most: 200}
    assert space.extremes(least)[1].to_dict()["nvidia"]["adapter"]["rp"][most.rpartition(".")[2]] == 0


def test_a_pair_of_which_one_is_fixed_stays_as_it_is_drawn() -> None:
    space = Space({MIN: PAIR[MIN], MAX: Parameter(value=50)}, load_profile("hpcc-dcqcn"))
    assert space.rounded({MIN: 60}) == {MIN: 60}
    with pytest.raises(BadInputError, match="profile1_min is 300"):
        space.check(MIN)


def test_thresholds_of_some_switches_take_the_rest_of_the_list_from_the_profile() -> None:
    path = "overrides[leaf].nvidia.switch.thresholds.0.profile1_min"
    space = Space({path: Parameter(low=1, high=400)}, load_profile("hpcc-dcqcn"))
    space.check(path)
    own = space.base.to_dict()["nvidia"]["switch"]["thresholds"][0]
    assert space.profile({path: 7}, name="x").to_dict()["overrides"][0]["nvidia"]["switch"]["thresholds"] == [
        own | {"profile1_min": 7}
    ]
    assert space.params_of(space.base) == {path: 100}
