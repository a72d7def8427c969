# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest

from tuner.documents import catalogue
from tuner.documents.profile import load_profile
from tuner.documents.profile_warnings import NOTHING, profile_warnings


@pytest.mark.parametrize("name", catalogue.names("profile"))
def test_no_packaged_profile_has_any(name: str) -> None:
    assert profile_warnings(load_profile(name)) == []


@pytest.mark.parametrize("path", NOTHING)
def test_a_0_that_leaves_nothing_of_the_reaction_is_named(path: str) -> None:
    (warning,) = profile_warnings(load_profile("gran-2010", {path: 0}))
    assert warning.startswith(f"{path} is 0: ")


def test_an_override_may_have_some_switches_not_mark() -> None:
    overrides = [{"match": {"role": "leaf"}, "switch": {"threshold": 0}}]
    assert profile_warnings(load_profile("gran-2010", {"overrides": overrides})) == []


def test_a_timer_of_0_in_the_profile_or_in_an_override_is_named() -> None:
    timer = {"ca.ccti_timer": 0}
    (warning,) = profile_warnings(load_profile("gran-2010", timer))
    assert warning.startswith("ca.ccti_timer is 0: ")
    assert profile_warnings(load_profile("gran-2010", {"ca.ccti_timer": 1})) == []
    overrides = [{"match": {"role": "leaf"}, "switch": {"threshold": 9}}, {"match": {"node": "H1"}, "ca": {"ccti_timer": 0}}]
    (warning,) = profile_warnings(load_profile("gran-2010", {"overrides": overrides}))
    assert warning.startswith("overrides[1].ca.ccti_timer is 0: ")


def test_a_profile_that_is_off_has_none() -> None:
    assert profile_warnings(load_profile("gran-2010", {"enable": False, "ca.ccti_timer": 0})) == []
