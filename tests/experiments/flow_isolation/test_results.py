# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Claims, tables and figures of flow_isolation, from made-up throughputs; and a quick look at the real ones."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import replace

import pytest

import ccsim
from experiments._common.reference import reference
from experiments.flow_isolation.application_runs import Key
from experiments.flow_isolation.applications import APPLICATIONS, MIXED, ODD_AND_EVEN, Progress
from experiments.flow_isolation.claims import KNOWN_TO_FAIL, ORDERINGS, application_claims, claims
from experiments.flow_isolation.configurations import V_1, V_2, V_3, VI_1, VI_1_SINGLE
from experiments.flow_isolation.curves import figures
from experiments.flow_isolation.experiment import EXPERIMENT
from experiments.flow_isolation.outcome import Outcome
from experiments.flow_isolation.reading import Reading
from experiments.flow_isolation.schemes import SCHEMES, compared
from experiments.flow_isolation.tables import gains, tables
from experiments.flow_isolation.traffic import BEDS, CASE_1, CASE_2, CASE_4, PATTERN_1, PATTERN_2, Bed
from experiments.registry import Options

SAMPLES = 60


def outcome(bed: Bed, throughput: Mapping[str, float], exhausted: Mapping[str, int] | None = None) -> Outcome:
    """Schemes that carry so much, as a part of the links, all the time."""
    ports = exhausted or {}
    readings = {
        name: Reading(
            interval_s=5e-5,
            total_gbps=[part * bed.configuration.capacity_gbps] * SAMPLES,
            exhausted_ports=[ports[name]] * SAMPLES if name in ports else None,
            cpu_s=1.0,
            packet_hops=1000,
        )
        for name, part in throughput.items()
    }
    return Outcome(bed=bed, readings=readings)


def with_flows(made: Outcome) -> Outcome:
    """The same over the time of its traffic, with a series for each flow."""
    samples = round(made.bed.traffic.duration_s / 1e-4)
    flows = {flow["name"]: [1.0] * samples for flow in made.bed.traffic.flows}
    readings = {
        name: replace(
            reading,
            interval_s=1e-4,
            total_gbps=reading.total_gbps[:1] * samples,
            flows_gbps=flows,
            exhausted_ports=None if reading.exhausted_ports is None else reading.exhausted_ports[:1] * samples,
        )
        for name, reading in made.readings.items()
    }
    return replace(made, readings=readings)


FOUR_TREES = Bed(configuration=V_3, traffic=CASE_4[4])
ONE_TREE = Bed(configuration=V_3, traffic=CASE_4[1])
AS_PRINTED = {"1q": 0.3, "fbicm": 0.5, "ccfit": 0.7, "voqnet": 0.75}


def verdicts(*outcomes: Outcome) -> dict[str, bool]:
    return {claim.sentence: claim.holds for claim in claims(outcomes)}


def test_the_printed_order_holds_and_each_swap_fails() -> None:
    found = verdicts(outcome(FOUR_TREES, AS_PRINTED))
    assert len(found) == 3
    assert all(found.values())
    for better, worse in (("voqnet", "ccfit"), ("ccfit", "fbicm"), ("fbicm", "1q")):
        swapped = AS_PRINTED | {better: AS_PRINTED[worse], worse: AS_PRINTED[better]}
        assert not all(verdicts(outcome(FOUR_TREES, swapped)).values())


def test_a_tie_is_no_defeat_and_about_is_both_ways() -> None:
    tie = {"voqnet": 0.699, "ccfit": 0.7}
    assert verdicts(outcome(FOUR_TREES, tie)) == {
        "V-3/case 4, 4 trees: VOQnet carries at least as much in the burst as CCFIT": True
    }
    assert list(verdicts(outcome(ONE_TREE, {"ccfit": 0.7, "fbicm": 0.68})).values()) == [True]
    assert list(verdicts(outcome(ONE_TREE, {"ccfit": 0.7, "fbicm": 0.6})).values()) == [False]
    assert list(verdicts(outcome(ONE_TREE, {"ccfit": 0.6, "fbicm": 0.7})).values()) == [False]


def test_what_was_not_measured_is_not_claimed() -> None:
    assert claims([outcome(FOUR_TREES, {"ccfit": 0.7})]) == []
    assert claims([outcome(FOUR_TREES, {})]) == []


def test_orderings_name_schemes_that_the_paper_compares() -> None:
    orderings = reference("isolation_and_throttling.orderings")
    assert set(ORDERINGS.values()) == set(orderings)
    for bed in BEDS:
        if bed.traffic.name in ORDERINGS and bed.configuration.paper != "VI single":
            compare = {scheme.name for scheme in SCHEMES if bed.configuration.paper in scheme.labels}
            assert {name for group in orderings[ORDERINGS[bed.traffic.name]] for name in group} <= compare


def test_names_of_beds_and_of_labels_are_unique() -> None:
    assert len({bed.name for bed in BEDS}) == len(BEDS)
    for paper in ("V", "VI", "VI single"):
        labels = [scheme.labels[paper] for scheme in SCHEMES if paper in scheme.labels]
        assert len(set(labels)) == len(labels)


def test_all_that_the_papers_compare_is_registered_and_named_in_the_model() -> None:
    known = {row["name"] for row in ccsim.schemes()}
    for paper, configuration in (("V", V_3), ("VI", VI_1), ("VI single", VI_1_SINGLE)):
        assert {scheme.name for scheme in compared(configuration.paper)} <= known
        for scheme in compared(configuration.paper):
            assert paper in scheme.labels
            assert scheme.run(configuration, CASE_4[1].workload("f")).model["scheme.name"] == scheme.name


def test_gains_are_over_the_schemes_of_paper_6() -> None:
    vi, single = Bed(configuration=VI_1, traffic=PATTERN_2), Bed(configuration=VI_1_SINGLE, traffic=PATTERN_2)
    ecocc = outcome(vi, {"voqsw": 0.4, "ith": 0.5, "hfdi": 0.6, "ecocc": 0.72}, {"ecocc": 2, "hfdi": 30})
    ccfit = outcome(single, {"voqsw": 0.4, "ith": 0.5, "fbicm": 0.6, "ccfit": 0.66})
    assert gains(ecocc) == pytest.approx({"1VL": 0.8, "ITh": 0.44, "HFDI": 0.2})
    assert gains(ccfit) == pytest.approx({"1VL": 0.65, "ITh": 0.32, "HFDI": 0.1})
    written = {table.title: table for table in tables([ecocc, ccfit], {})}
    (found,) = [table for title, table in written.items() if title.startswith("Gains")]
    assert found.rows == [
        ["VI-1/pattern 2", "EcoCC", "+80.0%", "+44.0%", "+20.0%"],
        ["VI-1-single/pattern 2", "CCFIT", "+65.0%", "+32.0%", "+10.0%"],
    ]
    (ports,) = [table for title, table in written.items() if "without a free queue" in title]
    assert ports.rows == [["VI-1/pattern 2", "hfdi", "30.0", "30"], ["VI-1/pattern 2", "ecocc", "2.0", "2"]]
    hybrids = [claim for claim in claims([ecocc, ccfit]) if "EcoCC gains more" in claim.sentence]
    assert len(hybrids) == 3
    assert all(claim.holds for claim in hybrids)


@pytest.mark.parametrize(("then_gbps", "holds"), [(30.0, True), (40.0, False)])
def test_a_drop_of_throttling_in_case_1_is_claimed(then_gbps: float, holds: bool) -> None:
    total = [20.0] * 20 + [40.0] * 20 + [then_gbps] * 20 + [40.0] * 40
    flows = {flow["name"]: total for flow in CASE_1.flows}
    reading = Reading(interval_s=1e-4, total_gbps=total, flows_gbps=flows, cpu_s=1.0, packet_hops=1)
    (claim,) = claims([Outcome(bed=Bed(configuration=V_1, traffic=CASE_1), readings={"ith": reading})])
    assert claim.holds == holds
    found = claims([Outcome(bed=Bed(configuration=V_1, traffic=CASE_1), readings={"fbicm": reading})])
    assert [claim.holds for claim in found if "does not drop" in claim.sentence] == [not holds]


def test_fairness_is_claimed_of_schemes_that_throttle() -> None:
    bed = Bed(configuration=V_2, traffic=CASE_2)

    def reading(*gbps: float) -> Reading:
        names = [flow["name"] for flow in CASE_2.flows]
        flows = {name: [value] * 100 for name, value in zip(names, gbps, strict=True)}
        return Reading(interval_s=1e-4, total_gbps=[sum(gbps)] * 100, flows_gbps=flows, cpu_s=1.0, packet_hops=1)

    lot, equal = reading(2.5, 2.5, 2.5, 2.5, 10), reading(4, 4, 4, 4, 4)
    (claim,) = claims([Outcome(bed=bed, readings={"voqsw": lot, "ith": equal})])
    assert claim.holds
    assert claim.here == "ITh 1.000, VOQsw 0.640"
    (claim,) = claims([Outcome(bed=bed, readings={"voqsw": equal, "ith": lot})])
    assert not claim.holds


def test_applications_that_hot_spots_hold_back_as_placed_in_print_refute_the_claim() -> None:
    def times(held_back_ms: float) -> dict[Key, Progress]:
        return {
            Key("ptrans", scenario, placement.name, "voqsw"): Progress(done_ms=done_ms, whole=True, cpu_s=1.0)
            for placement, late_ms in ((ODD_AND_EVEN, held_back_ms), (MIXED, 9.0))
            for scenario, done_ms in (("SC1", 2.0), ("SC2", late_ms))
        }

    assert [claim.holds for claim in application_claims(times(2.0))] == [True]
    assert [claim.holds for claim in application_claims(times(2.2))] == [False]
    assert list(application_claims({})) == []


@pytest.mark.parametrize(("hfdi_ms", "holds"), [(80.0, True), (3.0, False)])
def test_applications_are_claimed_to_be_done_earlier_with_ecocc_among_four_trees(hfdi_ms: float, holds: bool) -> None:
    times = {
        Key("ptrans", "SC3", "mixed", scheme): Progress(done_ms=done_ms, whole=True, cpu_s=1.0)
        for scheme, done_ms in (("hfdi", hfdi_ms), ("ecocc", 3.9))
    }
    assert [(claim.holds, claim.known_to_fail) for claim in application_claims(times)] == [(holds, False)]


def test_times_are_beside_their_ratio_to_voqnets() -> None:
    times = {
        Key("ptrans", "SC2", "mixed", "voqsw"): Progress(done_ms=30.0, whole=False, cpu_s=1.0),
        Key("ptrans", "SC2", "mixed", "voqnet"): Progress(done_ms=2.0, whole=True, cpu_s=1.0),
    }
    (table,) = [table for table in tables([], times) if "Time in ms" in table.title]
    assert table.columns == ["application", "scenario", "ranks", "1VL", "VOQnet"]
    assert table.rows == [["ptrans", "SC2", "mixed", "about 30.00 (15.00)", "2.00 (1.00)"]]


def test_figures_show_each_scheme_and_the_burst() -> None:
    bed = Bed(configuration=VI_1, traffic=PATTERN_1)
    drawn = dict(figures([outcome(bed, {"voqsw": 0.4, "ecocc": 0.8, "hfdi": 0.7}, {"hfdi": 3, "ecocc": 1})]))
    assert set(drawn) == {"throughput-vi-1-pattern-1", "ports-without-free-queue-vi-1"}
    for svg in drawn.values():
        texts = ["".join(node.itertext()) for node in ET.fromstring(svg).iter() if node.tag.endswith("text")]
        assert {"EcoCC", "HFDI", "VI-1/pattern 1", "time (ms)"} <= set(texts)
    assert "throughput-vi-1-pattern-1-burst" in drawn["throughput-vi-1-pattern-1"]
    assert re.search(r"opacity: 0\.15", drawn["ports-without-free-queue-vi-1"])


@pytest.mark.parametrize(("hybrid_ports", "holds"), [(2, True), (30, False), (31, False)])
def test_fewer_ports_without_a_queue_are_claimed_of_the_scheme_that_throttles(hybrid_ports: int, holds: bool) -> None:
    bed = Bed(configuration=VI_1, traffic=PATTERN_2)
    found = claims([outcome(bed, {"hfdi": 0.7, "ecocc": 0.7}, {"hfdi": 30, "ecocc": hybrid_ports})])
    assert [claim.holds for claim in found if "leaves fewer ports" in claim.sentence] == [holds]


@pytest.mark.parametrize(("part", "holds"), [(0.86, True), (0.80, False), (0.95, False)])
def test_isolation_is_claimed_to_be_close_to_voqnet(part: float, holds: bool) -> None:
    found = claims([outcome(Bed(configuration=VI_1, traffic=PATTERN_1), {"hfdi": part, "voqnet": 0.87})])
    assert [claim.holds for claim in found if "is close to VOQnet" in claim.sentence] == [holds]


def test_oscillation_is_claimed_of_throttling_alone() -> None:
    bed = Bed(configuration=V_3, traffic=CASE_4[4])
    even = outcome(bed, {"ith": 0.5, "ccfit": 0.5})
    saw = replace(even.readings["ith"], total_gbps=[500.0, 700.0] * (SAMPLES // 2))
    for readings, holds in (
        ({"ith": saw, "ccfit": even.readings["ccfit"]}, True),
        ({"ith": even.readings["ith"], "ccfit": saw}, False),
    ):
        found = claims([Outcome(bed=bed, readings=readings)])
        assert [claim.holds for claim in found if "varies more" in claim.sentence] == [holds]


@pytest.mark.parametrize(("part", "holds"), [(0.3, True), (0.1, False)])
def test_1q_is_claimed_to_struggle(part: float, holds: bool) -> None:
    made = outcome(Bed(configuration=V_1, traffic=CASE_1), {"1q": 0.165, "fbicm": part})
    assert [claim.holds for claim in claims([with_flows(made)]) if "more than 1Q" in claim.sentence] == [holds]


def test_nothing_is_claimed_of_the_second_reading() -> None:
    assert claims([outcome(replace(FOUR_TREES, drawn=True), AS_PRINTED)]) == []


def test_claims_that_are_known_to_fail_are_made() -> None:
    """A sentence that nobody claims any longer has no place in the list."""
    made = []
    for bed in BEDS:
        names = [scheme.name for scheme in compared(bed.configuration.paper)]
        made.append(with_flows(outcome(bed, dict.fromkeys(names, 0.5), dict.fromkeys(names, 1))))
    sc3 = {
        Key(application.name, "SC3", MIXED.name, scheme): Progress(done_ms=1.0, whole=True, cpu_s=1.0)
        for application in APPLICATIONS
        for scheme in ("hfdi", "ecocc")
    }
    sentences = [claim.sentence for claim in (*claims(made), *application_claims(sc3))]
    for beginning in KNOWN_TO_FAIL:
        assert any(sentence.startswith(beginning) for sentence in sentences), beginning


@pytest.mark.slow
def test_a_quick_look_holds() -> None:
    found = EXPERIMENT.run(Options(quick=True, workers=1))
    assert found.holds
    assert len(found.claims) >= 5
