# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Room of a table as a run shows it."""

from dataclasses import replace

import numpy as np
import pytest

from ccsim.policy import Profile
from tuner.document_base.model import build_model
from tuner.documents.profile import load_profile
from tuner.documents.profile_reach import reach
from tuner.documents.workload import Workload
from tuner.measuring.measurement import Measurement, Performance, measure
from tuner.measuring.room import room_of, with_room

PAYLOAD_GBPS = 16 * 2048 / 2074
"""Rate of the link that gran-2010 is written for."""


def measured(gbps_by_flow: dict[str, float], *, victims: tuple[str, ...] = ()) -> Measurement:
    """`gbps_by_flow`: by the names of a source and its destination, `H2 H5`."""
    flows = [
        {"name": name, "src": name.split()[0], "dst": name.split()[1], "role": "victim" if name in victims else "contributor"}
        for name in gbps_by_flow
    ]
    document = {"ibcc_workload": 1, "name": "w", "fabric": "f", "duration_s": 0.2, "sample_interval_s": 0.1, "flows": flows}
    return measure(
        build_model(Workload, document),
        np.array([[gbps, gbps] for gbps in gbps_by_flow.values()]),
        backend="simulated",
        seed=1,
        fabric="f",
        profile="x",
        counters={},
        performance=Performance(packet_hops=1, cpu_s=1.0, max_rss_mib=1.0),
    )


def table(*, end: float) -> Profile:
    """A table with the delay `end` at its limit, in packet times."""
    entries = [{"shift": 0, "multiplier": multiplier} for multiplier in (0, int(end))]
    return load_profile("gran-2010").with_settings({"cct": {"entries": entries}})


def test_it_counts_how_much_less_the_end_of_the_table_lets_a_contributor_send() -> None:
    share = PAYLOAD_GBPS / 4
    assert room_of(measured({"H2 H5": share}), table(end=7)) == pytest.approx(2.0)
    assert room_of(measured({"H2 H5": share}), table(end=3)) == pytest.approx(1.0)


def test_it_is_of_the_receiver_where_it_is_least_and_of_the_mean_of_its_contributors() -> None:
    share = PAYLOAD_GBPS / 4
    run = measured({"H1 H4": 0.01, "H2 H5": 1.5 * share, "H3 H5": 0.5 * share, "H6 H7": 3 * share}, victims=("H1 H4",))
    assert room_of(run, table(end=7)) == pytest.approx(2.0)


def test_congestion_control_that_is_off_holds_nobody_back() -> None:
    assert room_of(measured({"H2 H5": 1.0}), load_profile("off")) == 0
    assert room_of(measured({"H1 H4": 1.0}, victims=("H1 H4",)), load_profile("off")) is None


def test_there_is_none_without_a_table_a_link_or_contributors() -> None:
    run = measured({"H2 H5": 1.0})
    document = table(end=7).to_dict()
    without_link = Profile.from_dict({key: value for key, value in document.items() if key != "link"})
    assert reach(without_link) is None
    assert room_of(run, without_link) is None
    assert room_of(measured({"H1 H4": 1.0}, victims=("H1 H4",)), table(end=7)) is None


def test_the_metrics_have_it_beside_the_others() -> None:
    run = measured({"H2 H5": PAYLOAD_GBPS / 4})
    assert run.metrics.room is None
    found = with_room(run, table(end=7)).metrics
    assert found.room == pytest.approx(2.0)
    assert replace(found, room=None) == run.metrics
