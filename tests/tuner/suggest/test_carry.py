# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A profile that is carried keeps its balance and its room, and at home its values."""

import pytest

from tuner.documents.parameter import Parameter
from tuner.documents.profile import load_profile
from tuner.errors import BadInputError
from tuner.search.space import Space
from tuner.suggest.carry import carried
from tuner.suggest.ground import Ground
from tuner.suggest.notifier import Notifier
from tuner.suggest.path import Path
from tuner.suggest.rule import balance_of, room_of

HERE = Ground(
    path=Path(rate_gbps=16, mtu_bytes=2048, receive_gbps=13.3),
    contributors=4,
    notifier=Notifier(spacing_ns=20000),
    timer="port_sl",
)
FAR = Ground(
    path=Path(rate_gbps=400, mtu_bytes=4096, receive_gbps=397.5),
    contributors=32,
    notifier=Notifier(spacing_ns=1600),
    timer="port_sl",
)
WIDE = {
    "switch.marking_rate": Parameter(low=0, high=15),
    "ca.ccti_timer": Parameter(low=1, high=1000, log=True),
    "cct.curve.full_scale_packet_times": Parameter(low=1.0, high=1000.0, log=True),
    "cct.curve.exponent": Parameter(low=0.5, high=3.0),
}


def test_at_home_nothing_changes() -> None:
    profile = load_profile("gran-2010")
    values = carried(profile, HERE, HERE, Space(WIDE, profile)).params
    assert values["ca.ccti_timer"] == 150
    assert values["switch.marking_rate"] == 1
    assert values["cct.curve.full_scale_packet_times"] == pytest.approx(7 / 1.037, rel=0.02)


def test_balance_and_room_stay_at_another_rate_with_more_contributors() -> None:
    profile = load_profile("gran-2010")
    there = load_profile("gran-2010", {"link.rate_gbps": 400, "link.mtu_bytes": 4096})
    space = Space(WIDE, there)
    values = carried(profile, HERE, FAR, space)
    assert not values.changed
    far = space.profile(values.params, name="far")
    # The timer comes in whole units: 27 of them here.
    assert balance_of(far, FAR.gap_ns, FAR.notifier) == pytest.approx(balance_of(profile, HERE.gap_ns, HERE.notifier), rel=0.03)
    assert far.to_dict()["ca"]["ccti_timer"] == 27
    # Room counts packets with their pauses, and the rule carries the pauses.
    assert room_of(far, 397.5, 32) == pytest.approx(room_of(profile, 13.3, 4), rel=0.25)
    assert load_profile("gran-2010-400g").to_dict()["ca"]["ccti_timer"] == 27


def test_a_profile_without_a_table_cannot_be_carried() -> None:
    with pytest.raises(BadInputError, match="'off' has no table with a link"):
        carried(load_profile("off"), HERE, FAR, Space(WIDE, load_profile("gran-2010")))
