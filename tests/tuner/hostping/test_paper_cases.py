# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The cases of Hostping's section 6 on the machine of its Fig. 2. What is expected was worked out by hand from that machine."""

from dataclasses import replace

import pytest

from experiments.hostping.cases import CASES, G0, G4, M0, N0, N1, UPI
from experiments.hostping.machines import figure_2
from tuner.hostping.causes import Cause
from tuner.hostping.diagnosis import Diagnosis, HostVerdict, LinkState, diagnose
from tuner.hostping.flapping import flapping
from tuner.hostping.matrix import Cell, Matrix
from tuner.hostping.planted import Faults, planted_matrix
from tuner.hostping.published import LinkMark, published

GPUS = {f"pcie:G{number}": 1 for number in range(8)}
FOUR = {"pcie:N0": 1, "rp0": 1, "pcie:N2": 1, "rp2": 1}
EIGHT = {f"{link}{number}": 1 for link in ("pcie:N", "rp") for number in range(4)}

EXPECTED = {
    "1, Fig. 8a": (6, {}, {N0}),
    "2, strong": (2, {G0: 2}, {G0}),
    "2, slight": (1, {G0: 1}, {G0}),
    "3": (4, {M0: 4}, {M0}),
    "2 and 3, Fig. 8b": (8, {M0: 4, G4: 4}, {M0, G4}),
    "4, Fig. 8c": (20, {UPI: 4}, {UPI}),
    "4, slight": (4, {UPI: 4}, {UPI}),
    "5, Fig. 8d": (14, {"rp0": 4}, {"rp0"}),
    "5, Fig. 8e": (2, {"rp0": 1}, {"rp0"}),
    "7 and 8, Fig. 8f": (8, GPUS, set(GPUS)),
    "9 and 10": (4, {}, {N1}),
    "2 busy, Fig. 10a": (1, {G4: 1, "pcie:N2": 1}, {G4}),
    "11, Fig. 10b": (4, {UPI: 4, **FOUR}, {UPI}),
    "12, Fig. 10c": (4, {M0: 4, **FOUR}, {M0}),
    "12, all busy": (4, {M0: 4, UPI: 2, **EIGHT}, {M0}),
    "two root ports": (24, {"rp0": 4, "rp1": 4}, {"rp0", "rp1"}),
    "masked": (26, {"rp0": 4, "rp1": 4, M0: 4, UPI: 4}, set()),
}
"""Abnormal paths; links that Algorithm 1 marks, with how many adapters do; links that ibcc's rule names."""


def diagnosed(case: str) -> Diagnosis:
    return diagnose(figure_2(), planted_matrix(figure_2(), CASES[case]))


@pytest.mark.parametrize("case", EXPECTED)
def test_the_table(case: str) -> None:
    slow_paths, marked, named = EXPECTED[case]
    paper = published(figure_2(), planted_matrix(figure_2(), CASES[case]))
    assert {link: paper.counts[link] for link, mark in paper.marks.items() if mark is LinkMark.ABNORMAL} == marked
    found = diagnosed(case)
    assert (len(found.slow_paths), set(found.named)) == (slow_paths, named)


def test_all_cases_are_expected() -> None:
    assert EXPECTED.keys() == CASES.keys()


@pytest.mark.parametrize(("case", "adapter"), [("1, Fig. 8a", "N0"), ("9 and 10", "N1")])
def test_an_adapter_that_is_slow_everywhere_is_named_alone(case: str, adapter: str) -> None:
    paper = published(figure_2(), planted_matrix(figure_2(), CASES[case]))
    assert (paper.slow_adapters, paper.named) == ((adapter,), (f"pcie:{adapter}",))
    assert "slow start" in diagnosed(case).sentence
    assert "Tx window" in diagnosed(case).sentence


def test_masked_links_cannot_be_told_apart() -> None:
    found = diagnosed("masked")
    among = {"rp0", "rp1", M0, UPI}
    assert set(found.of_state(LinkState.AMBIGUOUS)) == among
    assert all(set(found.links[link].others) == among - {link} for link in among)
    assert "cannot be told apart" in found.sentence


@pytest.mark.parametrize(
    ("case", "link", "cause"),
    [
        ("7 and 8, Fig. 8f", G0, Cause.MISCONFIGURATION),
        ("2, strong", G0, Cause.LINK_FAILURE),
        ("3", M0, Cause.LINK_FAILURE),
        ("1, Fig. 8a", N0, Cause.SETTINGS_OR_LINK_FAILURE),
        ("11, Fig. 10b", UPI, Cause.OVERLOAD_OR_FAILURE),
    ],
)
def test_causes(case: str, link: str, cause: Cause) -> None:
    finding = diagnosed(case).links[link]
    assert finding.cause is cause
    assert finding.advice in diagnosed(case).sentence


@pytest.mark.parametrize(("used", "cause"), [(0.95, Cause.OVERLOAD), (0.5, Cause.FAILURE_OR_MISCONFIGURATION)])
def test_how_much_a_link_is_used_decides_on_a_busy_host(used: float, cause: Cause) -> None:
    matrix = replace(planted_matrix(figure_2(), CASES["11, Fig. 10b"]), used_share={UPI: used})
    assert diagnose(figure_2(), matrix).links[UPI].cause is cause


def test_a_trigger_without_a_slow_path_blames_the_adapter() -> None:
    matrix = planted_matrix(figure_2(), Faults(busy_gbps={"N0": 100}, triggered_by="N0"))
    assert diagnose(figure_2(), matrix).named == published(figure_2(), matrix).named == (N0,)


def test_case_6_memory_that_flaps() -> None:
    bad, good = diagnosed("3"), diagnose(figure_2(), planted_matrix(figure_2(), Faults()))
    runs = [{name: finding.state for name, finding in one.links.items()} for one in (bad, good, bad, good, bad)]
    assert flapping(runs) == {M0}
    assert flapping(runs[:3]) == flapping([runs[0]] * 5) == flapping([]) == frozenset()


def test_a_path_that_is_slow_though_others_clear_its_links_is_grey() -> None:
    """N0 and M0 flap between two cells: N1 has seen M0 fast, and N0 all others."""
    matrix = planted_matrix(figure_2(), Faults())
    cells = dict(matrix.cells)
    cells["N0", "M0"] = replace(cells["N0", "M0"], bandwidth_gbps=50)
    found = diagnose(figure_2(), replace(matrix, cells=cells))
    assert set(found.of_state(LinkState.GREY)) == {N0, "rp0", M0}
    assert published(figure_2(), replace(matrix, cells=cells)).marks["rp0"] is LinkMark.GREY
    assert "flapping" in found.sentence
    states = {name: finding.state for name, finding in found.links.items()}
    assert flapping([states] * 3) == {N0, "rp0", M0}
    assert flapping([states] * 2) == frozenset()


def test_an_unfit_host_has_no_link_named() -> None:
    matrix = replace(planted_matrix(figure_2(), CASES["3"]), unfit="its cores are 97 % busy")
    found = diagnose(figure_2(), matrix)
    assert (found.verdict, found.named) == (HostVerdict.UNFIT, ())
    assert "97 % busy" in found.sentence


def test_what_has_no_number_is_not_measured_and_never_normal() -> None:
    cells = {place: cell for place, cell in planted_matrix(figure_2(), CASES["3"]).cells.items() if place[1] in ("M0", "M1")}
    found = diagnose(figure_2(), Matrix(cells=cells))
    assert set(found.not_measured) == {(f"N{adapter}", f"G{gpu}") for adapter in range(4) for gpu in range(8)}
    assert all(found.links[link].state is LinkState.NOT_JUDGED for link in GPUS)
    assert found.named == (M0,)
    empty = diagnose(figure_2(), Matrix(cells={("N0", "M0"): Cell()}))
    assert empty.verdict is HostVerdict.NOT_MEASURED
    no_baseline = diagnose(figure_2(), Matrix(cells={("N0", "M0"): Cell(bandwidth_gbps=3)}))
    assert no_baseline.verdict is HostVerdict.NOT_MEASURED
