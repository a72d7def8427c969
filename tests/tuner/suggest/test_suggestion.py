# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A suggested profile: made for the right fan-in, with the balance and the room of the rule, and of use to a campaign's space."""

from typing import Any

import pytest

from tuner.document_base.model import build_model
from tuner.documents.fabric import load_fabric
from tuner.documents.parameter import Parameter
from tuner.documents.profile import load_profile
from tuner.documents.workload import Workload, load_workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric, build
from tuner.search.space import Space
from tuner.suggest import suggest
from tuner.suggest.rule import balance_of, room_of
from tuner.suggest.several import unsaid_devices
from tuner.suggest.values import space_values


@pytest.fixture(scope="module")
def two_switch() -> BuiltFabric:
    return build(load_fabric("two-switch"))


def test_the_fan_in_is_read_from_the_workload(two_switch: BuiltFabric) -> None:
    suggestion = suggest(two_switch, workload=load_workload("scenario-1"))
    assert suggestion.contributors == (4, 4)
    assert balance_of(suggestion.profile, suggestion.gap_ns, suggestion.notifiers[0]) >= 1.5
    assert room_of(suggestion.profile, suggestion.receive_gbps, 4) >= 1


def test_without_workload_or_number_the_fan_in_is_said_to_be_unknown(two_switch: BuiltFabric) -> None:
    assert any("from 2 to 6" in sentence for sentence in suggest(two_switch).unknowns)
    assert not any("fan-in" in sentence for sentence in suggest(two_switch, contributors=3).unknowns)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ({"ca.qp_scheduling": "packet"}, False),
        ({"ca": {"control_vl": "data", "becn_delay_ns": 400.0}}, False),
        ({"ca.cnp_spacing_ns": 1600.0}, True),
        ({"ca": {"becn_carrier": "ack"}}, True),
    ],
)
def test_adapters_are_unknown_until_a_setting_says_how_they_notify(
    two_switch: BuiltFabric, model: dict[str, Any], said: bool
) -> None:
    assert bool(unsaid_devices(two_switch, model)) is not said
    unknowns = suggest(two_switch, contributors=3, model=model).unknowns
    assert any("is not published" in sentence for sentence in unknowns) is not said


def test_a_balance_that_no_timer_reaches_is_not_said_to_hold(two_switch: BuiltFabric) -> None:
    # CCTI_Timer ends at 67 ms; CNPs come each 200 ms at most.
    out_of_reach = suggest(two_switch, contributors=3, model={"ca.cnp_spacing_ns": 2e8})
    assert any("does nothing" in sentence for sentence in out_of_reach.reasons)
    assert not any("stay up" in sentence for sentence in out_of_reach.reasons)
    assert any("stay up" in sentence for sentence in suggest(two_switch, contributors=3).reasons)


def test_a_workload_of_drawn_destinations_has_no_fan_in(two_switch: BuiltFabric) -> None:
    pattern = {"kind": "uniform", "name": "U"}
    text = {"ibcc_workload": 1, "name": "drawn", "fabric": "two-switch", "duration_s": 0.1, "patterns": [pattern]}
    unknowns = suggest(two_switch, workload=build_model(Workload, text)).unknowns
    assert "workload 'drawn' has no hotspot, flows to destinations that are drawn aside: it can be" in unknowns[0]


@pytest.mark.parametrize(("contributors", "said"), [(1, "at least 2"), ((4, 3), "at least 2"), (7, "at most 6")])
def test_a_fan_in_that_cannot_be_is_refused(two_switch: BuiltFabric, contributors: int | tuple[int, int], said: str) -> None:
    with pytest.raises(BadInputError, match=said):
        suggest(two_switch, contributors=contributors)


def test_a_space_gets_the_suggestion_in_its_own_units(two_switch: BuiltFabric) -> None:
    suggestion = suggest(two_switch, contributors=4)
    parameters = {
        "ca.ccti_timer": Parameter(low=1, high=400, log=True),
        "cct.curve.full_scale_us": Parameter(low=1.0, high=60.0, log=True),
    }
    values = space_values(suggestion, Space(parameters, load_profile("gran-2010")))
    profile = Space(parameters, load_profile("gran-2010")).profile(values.params, name="in the space")
    assert not values.changed
    # gran-2010 marks every second packet: the timer follows from that.
    assert balance_of(profile, suggestion.gap_ns, suggestion.notifiers[0]) == pytest.approx(
        balance_of(suggestion.profile, suggestion.gap_ns, suggestion.notifiers[0]), rel=0.05
    )
    assert room_of(profile, 13.3, 4) == pytest.approx(room_of(suggestion.profile, 13.3, 4), rel=0.05)


def test_a_value_that_the_space_does_not_hold_is_said(two_switch: BuiltFabric) -> None:
    space = Space({"ca.ccti_timer": Parameter(low=1, high=3)}, load_profile("gran-2010"))
    values = space_values(suggest(two_switch, contributors=4), space)
    assert values.params == {"ca.ccti_timer": 3}
    assert "ca.ccti_timer is 3 where" in values.changed[0]
