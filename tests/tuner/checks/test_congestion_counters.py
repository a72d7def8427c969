# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What ports and switches count of congestion, read by MADs of an emulated fabric that runs, and what its simulator says of
it."""

from typing import Any

import pytest

from tests.tuner.backends.standing import SITE, Standing
from tuner.checks.congestion_counters import reading
from tuner.checks.measured import in_force
from tuner.checks.run_check import options_digest
from tuner.documents.check import Check
from tuner.documents.check_kinds import Fairness
from tuner.documents.profile import load_profile, profile_revision
from tuner.documents.workload import load_workload
from tuner.emulator.client import ControlClient
from tuner.errors import BadInputError
from tuner.mads.congestion import PortCongestion, log_events, port_congestion
from tuner.mads.request import UNANSWERED, Reply
from tuner.measuring.measurement import Measurement
from tuner.opensm.preload import client_environment

UNSUPPORTED = Reply(0x000C)


@pytest.mark.thorough
def test_hosts_have_the_becns_that_their_senders_received(standing: Standing) -> None:
    document = load_workload("scenario-1").scaled(0.02).model_dump(mode="json")
    hosts = {flow[end] for flow in document["flows"] for end in ("src", "dst")}
    truth: dict[str, Any] = {}
    with (
        ControlClient(standing.name) as control,
        reading(standing.plugin, hosts, client_environment(standing.name, "H7")) as counted,
    ):

        def run() -> Measurement:
            measured = control.run_workload(document, seed=1)
            truth.update(measured.counters)
            return measured

        seen = counted.around(run).counters
    becns = {row["name"]: row["becn_received"] for row in truth["flows"]}
    assert max(becns.values()) > 10
    assert {row["name"]: row["becn_received"] for row in seen["flows"]} == pytest.approx(becns)
    marked = {node: sum(row["fecn_marked"] for row in truth["ports"] if row["node"] == node) for node in ("S1", "S2")}
    told = {node: sum(row["fecn_marked"] for row in seen["ports"] if row["node"] == node) for node in ("S1", "S2")}
    assert {node for node in told if told[node]} == {node for node in marked if marked[node]}
    sent = {row["node"]: row["xmit_bytes"] for row in truth["ports"] if row["node"] in hosts}
    assert {row["node"]: row["xmit_bytes"] for row in seen["ports"] if row["node"] in hosts} == pytest.approx(
        sent, rel=0.01, abs=5000
    )  # acknowledgements at the end


@pytest.mark.thorough
def test_the_profile_in_force_is_known_by_its_values(standing: Standing) -> None:
    assert in_force(str(standing.plugin)) == profile_revision(SITE)
    assert in_force(str(standing.plugin)) != profile_revision(load_profile("gran-2010", {}))


def test_a_counter_that_a_device_has_not_is_none() -> None:
    assert port_congestion([UNSUPPORTED, UNANSWERED, UNSUPPORTED, UNSUPPORTED]) == PortCongestion(None, None, None, None, None)
    assert log_events(UNSUPPORTED) is None
    assert log_events(Reply(0, bytes([2, 0, 0, 9]) + bytes(220))) is None  # an adapter's log
    assert log_events(Reply(0, bytes([1, 0, 1, 2]) + bytes(220))) == 258


def test_counters_that_were_cleared_or_are_full_say_nothing() -> None:
    before = PortCongestion(1000, 1000, 10, 10, 10)
    assert PortCongestion(1500, 900, 12, 4, (1 << 32) - 1).since(before) == PortCongestion(500, None, 2, None, None)


def test_counters_need_the_plugin_and_make_no_other_nights() -> None:
    with pytest.raises((BadInputError, ValueError), match="counters is true; it needs backend 'cluster', and plugin"):
        Fairness(backend="cluster", counters=True)
    check = Check(ibcc_check=1, name="c", fabric="two-switch", kinds=(Fairness(profile="off"),))
    plain = options_digest(check, Fairness(backend="cluster"))
    assert options_digest(check, Fairness(backend="cluster", counters=True, plugin="/run/x.sock")) == plain
    assert options_digest(check, Fairness(profile="off", repeat=0)) != options_digest(check, Fairness(profile="off"))


def test_histories_of_yesterday_have_the_same_options() -> None:
    """As the tree before `counters` had them."""
    check = Check(ibcc_check=1, name="c", fabric="two-switch", kinds=(Fairness(profile="off"),))
    assert options_digest(check, Fairness(profile="off")) == "c4f6505a19084bf8"
    assert options_digest(check, Fairness(backend="cluster")) == "f6facb42dab0921f"
