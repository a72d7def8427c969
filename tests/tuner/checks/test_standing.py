# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The kinds on an emulated fabric that runs, with a real OpenSM and the real plugin."""

import time
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.tuner.backends.standing import SITE, Standing
from tests.tuner.checks.test_kinds import NIGHT
from tuner.checks.kind import GoodRecord
from tuner.checks.observe import observed
from tuner.documents.check_kinds import Fairness, Sweep, Tables
from tuner.documents.profile import load_profile, profile_revision
from tuner.emulator.client import ControlClient
from tuner.opensm.held_fabric import owner_text


@pytest.mark.slow
def test_kinds_measure_the_profile_in_force_and_leave_it(standing: Standing) -> None:
    tables = Tables(socket=str(standing.plugin))
    fairness = Fairness(backend="emulated", socket=standing.name, plugin=str(standing.plugin), time_scale=0.02)
    for _ in range(2):
        read_back = observed(tables, NIGHT)
        assert read_back.not_run is None
        assert read_back.findings == ()
        values = {metric.name: value for metric, value in read_back.metrics}
        assert values["devices"] == 9
        assert values["differences"] == 0
        measured = observed(fairness, NIGHT)
        assert measured.not_run is None
        assert measured.record is not None
        assert measured.record["flows"]["F2"]["ports"] == ["H2/1", "S1/2", "S1/19", "S2/19", "S2/2", "H5/1"]
        assert measured.facts[0] == f"profile '{SITE.name}' on fabric 'two-switch', seed 20260131"
        assert standing.holds(SITE)
        assert standing.is_free()


@pytest.mark.slow
def test_a_host_that_is_off_keeps_no_others_from_their_sweep(standing: Standing) -> None:
    sweep = Sweep(backend="emulated", socket=standing.name, plugin=str(standing.plugin), nights=2, seconds=0.001)
    with ControlClient(standing.name) as control:
        control.remove_node("H2")
        try:
            await_links(standing, 7)
            nights = [observed(sweep, replace(NIGHT, date=NIGHT.date + timedelta(days=i))) for i in range(2)]
        finally:
            control.add_node("H2")
            await_links(standing, 8)
    for night in nights:
        assert night.not_run is None
        assert "1 host is off, and not measured: H2" in night.facts
        assert {metric.name: value for metric, value in night.metrics}["hosts_tonight"] == 6
        assert night.findings == ()
        assert night.measured is not None
        assert "H2" not in night.measured
        assert night.measured.issuperset({"H1", "H3", "H7"})


@pytest.mark.slow
def test_flows_of_a_named_host_that_is_off_are_left_out_and_the_others_measured(standing: Standing) -> None:
    fairness = Fairness(
        backend="emulated", socket=standing.name, plugin=str(standing.plugin), workload="scenario-1", time_scale=0.02
    )
    whole = observed(fairness, NIGHT)
    assert whole.record is not None
    good = GoodRecord(NIGHT.date, whole.record)
    with ControlClient(standing.name) as control:
        control.remove_node("H2")
        try:
            await_links(standing, 7)
            off = observed(fairness, replace(NIGHT, date=NIGHT.date + timedelta(days=1), good=good, latest=good))
        finally:
            control.add_node("H2")
            await_links(standing, 8)
    assert off.not_run is None
    assert off.not_judged == "workload 'scenario-1' is without H2, off tonight"
    (finding,) = off.findings
    assert (finding.code, finding.place, finding.severity) == ("host-off", "H2", "warn")
    assert off.record is not None
    assert set(off.record["nights"][-1]["gbps"]) == {"F1", "F3", "F4", "F5"}
    assert set(off.record["flows"]) == {"F1", "F2", "F3", "F4", "F5"}


def await_links(standing: Standing, count: int) -> None:
    """Waits until OpenSM has so many."""
    with standing.client() as client:
        while sum(row["state"] == "active" for row in client.links(patience_s=60.0)) != 2 * count:
            time.sleep(0.1)


@pytest.mark.slow
def test_another_fabric_than_the_check_s_is_not_measured(standing: Standing) -> None:
    fairness = Fairness(backend="emulated", socket=standing.name, plugin=str(standing.plugin), time_scale=0.02)
    not_run = observed(fairness, replace(NIGHT, fabric="fat-tree-648")).not_run
    assert not_run == f"the emulated fabric '{standing.name}' is two-switch, not 'fat-tree-648'"
    assert standing.is_free()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("owner", "is_measured"), [("Ada", True), (owner_text("ibcc tune scenario-1"), False)], ids=["person", "program"]
)
def test_a_person_s_trial_run_is_measured_and_a_program_s_hold_is_not_shared(
    standing: Standing, owner: str, is_measured: bool
) -> None:
    fairness = Fairness(backend="emulated", socket=standing.name, plugin=str(standing.plugin), time_scale=0.02)
    tried = load_profile("gran-2012", {})
    with standing.client() as client:
        client.subscribe(["applied"])
        accepted = client.apply(tried.to_yaml(), ttl_s=60, owner=owner)
        assert accepted.job is not None
        client.wait(accepted.job)
        found = observed(fairness, NIGHT)
        assert client.status()["experiment"]["revision"] == accepted.revision
    if is_measured:
        assert found.not_run is None
        assert found.regime == profile_revision(tried)
    else:
        assert owner in str(found.not_run)


@pytest.mark.slow
def test_a_device_that_was_set_again_says_from_what_to_what(standing: Standing) -> None:
    emulator = standing.bed.bed.emulated.emulator
    names = [one.name for one in standing.bed.bed.fabric.nodes]
    lid = emulator.tables()[names.index("S2")]["ports"][0]["lid"]
    standing.bed.bed.clients.output("ibccconfig", "SS", str(lid), "0x1F", "0", "0", "3", "8", "0", "0:0", "5")
    (finding,) = observed(Tables(socket=str(standing.plugin)), NIGHT).findings
    assert finding.sentence == "S2 held something else, and was set again: Threshold was 3, and is 15 again"
    assert "Marking_Rate was 5, and is " in finding.evidence
    assert standing.holds(SITE)
