# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Suggested values in a space, whatever order it lists its fields in."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccsim.policy import Profile
from tuner.documents.congestion_control import CongestionControlRow
from tuner.documents.parameter import Parameter
from tuner.documents.profile import load_profile
from tuner.fabric.built_fabric import build
from tuner.fabric.topologies.base import generate
from tuner.search.space import Space
from tuner.suggest.suggestion import Suggestion, suggest
from tuner.suggest.values import space_values

THRESHOLDS = "nvidia.switch.thresholds.0"
RP = "nvidia.adapter.rp"
FIELDS = {
    "ca.level": Parameter(choices=("qp", "sl")),
    "ca.ccti_timer": Parameter(low=1, high=500, log=True),
    "ca.ccti_increase": Parameter(low=1, high=4, when={"ca.level": ("qp",)}),
    "switch.threshold": Parameter(low=8, high=15),
    "switch.marking_rate": Parameter(low=0, high=40, when={"switch.threshold": (13, 14, 15)}),
    "cct.curve.at_index": Parameter(low=80, high=100),
    "cct.curve.full_scale_us": Parameter(low=1.0, high=200.0, log=True),
    f"{THRESHOLDS}.unit": Parameter(choices=("bytes", "kilobytes")),
    f"{THRESHOLDS}.profile1_min": Parameter(low=1, high=300000, log=True),
    f"{THRESHOLDS}.profile1_max": Parameter(low=2, high=300000, log=True),
    f"{RP}.rpg_min_rate": Parameter(low=1, high=400000, log=True),
    f"{RP}.rpg_max_rate": Parameter(low=0, high=400000),
    f"{RP}.rpg_ai_rate": Parameter(low=1, high=3000, log=True),
    f"{RP}.rpg_hai_rate": Parameter(choices=(5, 500, 5000)),
}


@cache
def made() -> Suggestion:
    document = generate("leaf-spine", leaves=2, spines=1, hosts_per_leaf=6, host_rate="4xNDR", mtu_bytes=4096, name="small")
    rows = (CongestionControlRow(dialect="nvidia-dcqcn"),)
    return suggest(build(document.model_copy(update={"congestion_control": rows})), contributors=8)


@cache
def base() -> Profile:
    """A profile of both dialects whose thresholds end below those that are suggested, and so do its rates."""
    nvidia = load_profile("hpcc-dcqcn").to_dict()["nvidia"]
    nvidia["switch"]["thresholds"][0] |= {"profile1_min": 1, "profile1_max": 2}
    nvidia["adapter"]["rp"] |= {"rpg_min_rate": 1, "rpg_max_rate": 2}
    return Profile.from_dict({**load_profile("gran-2010").to_dict(), "ibcc_profile": 2, "nvidia": nvidia})


@pytest.mark.long
@given(paths=st.permutations(sorted(FIELDS)))
def test_the_order_of_a_spaces_fields_makes_no_difference(paths: list[str]) -> None:
    values, expected = (
        space_values(made(), Space({path: FIELDS[path] for path in order}, base())) for order in (paths, sorted(FIELDS))
    )
    assert values.params == expected.params
    assert values.changed == expected.changed


def test_both_ends_of_thresholds_above_those_of_the_base_are_put_in_a_space() -> None:
    ends = [f"{THRESHOLDS}.profile1_{end}" for end in ("min", "max")]
    for order in (ends, ends[::-1]):
        values = space_values(made(), Space({path: FIELDS[path] for path in order}, base()))
        assert values.params == {ends[0]: 16, ends[1]: 148}
        assert values.changed == ()


def test_a_unit_that_is_searched_is_chosen_before_what_is_in_it() -> None:
    fields = {f"{THRESHOLDS}.profile1_min": FIELDS[f"{THRESHOLDS}.profile1_min"], f"{THRESHOLDS}.unit": Parameter(value="bytes")}
    assert space_values(made(), Space(fields, base())).params == {f"{THRESHOLDS}.profile1_min": 16640}


@pytest.mark.parametrize("match", ["leaf", "role=leaf"])
def test_thresholds_of_some_switches_have_the_unit_of_the_base(match: str) -> None:
    document = base().to_dict()
    document["nvidia"]["switch"]["thresholds"][0] |= {"unit": "bytes", "profile1_max": 300000}
    path = f"overrides[{match}].{THRESHOLDS}.profile1_min"
    space = Space({path: Parameter(low=1, high=300000)}, Profile.from_dict(document))
    assert space_values(made(), space).params == {path: 16640}


@pytest.mark.parametrize("ends", [(1.0, 6.0), (4.0, 6.0)], ids=["one piece", "two pieces"])
@pytest.mark.parametrize("at_index", [60, 127, 500], ids=["within the table", "at its end", "beyond it"])
def test_the_table_of_a_curve_with_two_pieces_ends_at_the_suggested_delay(ends: tuple[float, float], at_index: int) -> None:
    """Whatever the end exponent is, and whether the table ends above its knee or below."""
    path = "cct.curve.full_scale_packet_times"
    document = base().with_settings({path: 10.0, "cct.curve.at_index": at_index})
    fields = {path: Parameter(low=0.1, high=1e5), "cct.curve.end_exponent": Parameter(low=ends[0], high=ends[1])}
    space = Space(fields, document)
    values = space_values(made(), space)
    assert values.params["cct.curve.end_exponent"] == max(2.0, ends[0])
    last = space.profile(values.params, name="x").encode().entries[-1]
    assert last.ird_packet_times == pytest.approx(made().delay_at_limit, rel=0.01)
