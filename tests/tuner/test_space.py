# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Profiles from values and values from profiles."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.documents.parameter import Parameter
from tuner.documents.profile import load_profile
from tuner.errors import BadInputError
from tuner.space import Space

PARAMETERS = {
    "ca.ccti_timer": Parameter(low=10, high=500, log=True),
    "cct.curve.full_scale_us": Parameter(low=1.0, high=60.0),
    "switch.packet_size": Parameter(value=4),
}


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
