# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Likely causes: those of faults on a simulated fabric, of findings, and of nothing."""

import shutil
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.tuner.checks.faults import Fault, faulty
from tests.tuner.checks.nights import CHECK, DIGEST, night, observation
from tests.tuner.cli.conftest import Command
from tuner.checks.cause import Cause
from tuner.checks.likelihood_tables import with_tables
from tuner.checks.likelihoods import CAUSES, SYMPTOMS
from tuner.checks.likely_causes import MOST_CAUSES, Seen, causes_of, next_step_of
from tuner.checks.observation import Entry, Finding, Observation
from tuner.checks.run_check import run_check
from tuner.checks.store.history import History
from tuner.checks.symptoms.of_night import METRIC_SYMPTOMS
from tuner.checks.symptoms.symptom import Symptom, placed
from tuner.checks.verdict import verdict
from tuner.documents.check import Check
from tuner.documents.check_kinds import Fairness, KindOptions, Tables

SIMULATED = Check(
    ibcc_check=1, name="site", fabric="two-switch", kinds=(Fairness(profile="gran-2010", workload="scenario-1", time_scale=0.05),)
)


@pytest.fixture(scope="module")
def accepted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A history with eight nights that are the baseline."""
    folder = tmp_path_factory.mktemp("accepted")
    history = History(folder, SIMULATED.name)
    for i in range(8):
        run_check(SIMULATED, history, night(i))
    history.accept([night(i) for i in range(8)], by="a", at="t")
    return folder


def after_three_nights(check: Check, accepted: Path, folder: Path) -> tuple[Cause, ...]:
    history = History(Path(shutil.copytree(accepted, folder / "h")), check.name)
    return [run_check(check, history, night(8) + timedelta(days=i)).run for i in range(3)][-1].causes


@pytest.mark.long
@pytest.mark.parametrize(
    ("fault", "cause", "place"),
    [
        (Fault(fabric=("b: S2/19, rate: 4xQDR", "b: S2/19, rate: 4xSDR")), "degraded-link", "S1/19 – S2/19"),
        pytest.param(
            Fault(fabric=("{name: H2, inject_gbps: 13.0", "{name: H2, inject_gbps: 1.0")),
            "slow-sender",
            "H2",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            Fault(fabric=("{name: H5, inject_gbps: 13.0, receive_gbps: 13.3", "{name: H5, receive_gbps: 6")),
            "slow-receiver",
            "H5",
            marks=pytest.mark.slow,
        ),
        (Fault(overrides="- {match: {node: S2}, switch: {threshold: 0}}\n"), "wrong-threshold", "S2"),
        (Fault(overrides="- {match: {node: H3}, ca: {ccti_increase: 0}}\n"), "not-throttling", "H3"),
        (Fault(flow={"name": "X", "src": "H1", "dst": "H5"}), "aggressive-tenant", "H5"),
    ],
    ids=["link", "sender", "receiver", "threshold", "adapter", "tenant"],
)
def test_the_cause_of_a_fault_comes_first(
    fault: Fault, cause: str, place: str, accepted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tuner.checks.measured.create_backend", faulty(fault, tmp_path))
    first = after_three_nights(SIMULATED, accepted, tmp_path)[0]
    assert first.name == cause
    assert place in first.place
    assert first.evidence


@pytest.mark.long
def test_nights_without_a_fault_have_no_causes(accepted: Path, tmp_path: Path) -> None:
    assert after_three_nights(SIMULATED, accepted, tmp_path) == ()


def causes(
    *findings: Finding, symptoms: tuple[Symptom, ...] | None = None, kinds: tuple[KindOptions, ...] = (Tables(),)
) -> list[Cause]:
    """Causes of a night in which the first entry has these findings and symptoms, and the others have none."""
    check = CHECK.model_copy(update={"kinds": kinds})
    seen = [Observation(findings=findings, symptoms=symptoms), *(Observation(symptoms=()) for _ in kinds[1:])]
    entries = [Entry(name=one.entry, options=DIGEST, observation=what) for one, what in zip(kinds, seen, strict=True)]
    return causes_of(Seen(check=check, entries=entries, verdict=verdict(check, entries, [], None, night(0))))


def finding(code: str, place: str) -> Finding:
    return Finding(code=code, sentence=f"{place} has {code}", place=place, evidence="seen", next_step=f"ibcc look at {place}")


@pytest.mark.parametrize(
    ("code", "cause"),
    [
        ("device-drifted", "wrong-tables"),
        ("device-refused", "wrong-tables"),
        ("link-slow", "degraded-link"),
        ("link-narrow", "degraded-link"),
        ("link-gone", "lost-link"),
        ("link-flapping", "lost-link"),
        ("cables-swapped", "swapped-cables"),
        ("cable-moved", "swapped-cables"),
        ("route-changed", "changed-routes"),
        ("link-unbalanced", "wrong-routes"),
        ("credit-loop", "wrong-routes"),
        ("host-limit", "host-misconfigured"),
        ("host-path-slow", "host-misconfigured"),
        ("host-not-throttling", "not-throttling"),
        ("a-new-one", "other-fault"),
    ],
)
def test_a_finding_leads_to_its_cause_with_its_next_step(code: str, cause: str) -> None:
    first = causes(finding(code, "S1/1 – S2/1"))[0]
    assert first.name == cause
    assert first.evidence[0] == f"S1/1 – S2/1 has {code} (seen)"
    assert first.next_step == "ibcc look at S1/1 – S2/1"


def test_many_devices_with_one_fault_are_one_cause() -> None:
    found = causes(*(finding("device-drifted", f"H{i}/1") for i in range(40)))
    assert len(found) == 1
    assert found[0].place == "H0/1, H1/1, H10/1 and 37 more"
    assert found[0].evidence[-1] == "34 more of this kind"


def test_the_number_of_causes_is_bounded() -> None:
    codes = ("device-drifted", "link-slow", "link-gone", "route-changed", "host-x", "new")
    assert len(causes(*(finding(code, f"N{i}/1") for i, code in enumerate(codes)))) == MOST_CAUSES


def test_symptoms_at_one_place_speak_for_the_same_cause() -> None:
    drifted = [finding("device-drifted", "S1"), finding("device-drifted", "S2")]
    first = causes(*drifted, symptoms=(placed("marks-fewer", "S2 marks less", "S2"),))[0]
    assert (first.name, first.place) == ("wrong-threshold", "S2")
    assert first.evidence == ("S2 has device-drifted (seen)", "S2 marks less")


def test_of_places_with_the_same_symptoms_the_one_that_several_kinds_have_seen_comes_first() -> None:
    """The flows cross both links of a spine; the sweep has measured each link by itself."""
    first, slow = "L3/35 – S7/24", "L5/35 – S7/32"
    flows = tuple(placed("link-flows-slower", f"3 of 3 flows over {place} get less", place) for place in (first, slow))
    worse = Symptom(name="victims-worse", sentence="victims get less", news="new")
    found = causes(finding("link-flows-slower", slow), symptoms=(*flows, worse))
    assert [(one.name, one.place) for one in found[:2]] == [("degraded-link", slow), ("degraded-link", first)]


def test_what_only_warns_is_behind_what_fails() -> None:
    """H12 receives less for one night, as hosts do now and then, and H24 sends less."""
    fault, odd = finding("sender-slower", "H24"), finding("receiver-slower", "H12")
    weak = replace(odd, severity="warn")
    assert causes(odd, fault)[0].place == "H12"
    assert causes(weak, fault)[0].place == "H24"
    assert causes(weak, replace(fault, severity="warn"))[0].place == "H12"


def test_hosts_are_the_nodes_that_the_fabric_calls_otherwise() -> None:
    """The inventory calls H1 and H2 node[01-02]."""
    fault = replace(finding("host-state", "node[01-02]"), nodes=("H1", "H2"))
    first = causes(fault, symptoms=(placed("sender-slower", "H2 sends less", "H2"),))[0]
    assert first.name == "slow-sender"
    assert set(first.evidence) == {"H2 sends less", "node[01-02] has host-state (seen)"}


def test_a_symptom_that_was_looked_for_and_not_seen_speaks_against_a_cause() -> None:
    unread, marks = finding("counters-unread", "X"), (placed("marks-fewer", "S2 marks less", "S2"),)
    fairness = Fairness(profile="off")
    (alone,) = causes(unread, symptoms=marks, kinds=(fairness,))
    (with_tables,) = causes(unread, symptoms=marks, kinds=(fairness, Tables()))
    assert alone.name == with_tables.name == "wrong-threshold"
    assert alone.weight > with_tables.weight


@pytest.mark.parametrize(
    ("symptom", "cause"),
    [
        ("version-changed", "changed-measurement"),
        ("workload-changed", "changed-measurement"),
        ("profile-changed", "changed-profile"),
    ],
)
def test_a_changed_document_is_a_cause(symptom: str, cause: str) -> None:
    changed = (Symptom(name=symptom, sentence="it was 1, and is 2"),)
    (first,) = causes(finding("counters-unread", "X"), symptoms=changed, kinds=(Fairness(profile="off"),))
    assert (first.name, first.place, first.evidence) == (cause, "the whole fabric", ("it was 1, and is 2",))


def test_a_night_that_passes_has_no_causes() -> None:
    entry = Entry(
        name="fairness", options=DIGEST, observation=replace(observation(13.0), symptoms=(placed("marks-more", "", "S1"),))
    )
    assert causes_of(Seen(check=CHECK, entries=[entry], verdict=verdict(CHECK, [entry], [], None, night(0)))) == []


def test_every_symptom_has_a_cause_that_it_may_open() -> None:
    shown = {symptom for row in CAUSES.values() for symptom in row.shows}
    assert shown <= set(SYMPTOMS)
    assert set(SYMPTOMS) - shown <= {"counters-unread"}  # it says nothing about a cause
    for row in CAUSES.values():
        assert set(row.opened_by) <= set(row.shows)
        assert ("{place}" in row.sentence) == (row.level != "fabric")
    assert set(METRIC_SYMPTOMS.values()) <= set(CAUSES["changed-measurement"].opened_by)


@pytest.mark.parametrize("name", CAUSES)
def test_the_command_of_a_next_step_exists(name: str, command: Command) -> None:
    entry = Entry(name="fairness", options=DIGEST, observation=observation(13.0))
    seen = Seen(check=SIMULATED, entries=[entry], verdict=verdict(SIMULATED, [entry], [], None, night(0)))
    step = next_step_of(CAUSES[name], seen)
    words = step.split()
    if words[0] == "ibcc":
        assert command(*words[1:], "--help").code == 0
    else:
        assert words[0] == "iblinkinfo"  # of infiniband-diags


def test_the_page_has_the_tables(root: Path) -> None:
    page = (root / "docs/operate/check-causes.md").read_text()
    assert with_tables(page) == page, "run: python -m tuner.checks.likelihood_tables docs/operate/check-causes.md"
