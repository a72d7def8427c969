# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from collections.abc import Mapping

from tests.tuner.report.plots.fabric_cases import generated, node, parsed, wiring
from tuner.documents.fabric import End, FabricDocument
from tuner.report.plots import fabric_text
from tuner.report.plots.fabric_by import By
from tuner.report.plots.fabric_congestion import MEASURES, Congestion
from tuner.report.plots.fabric_roots import Roots


def said(document: FabricDocument, values: Mapping[tuple[str, int], float], roots: Roots) -> str:
    every = {end: 0.0 for _, *ends in document.ends() for end in ends}
    found = {End(node(document, name), port): value for (name, port), value in values.items()}
    congestion = Congestion(measure=MEASURES[By.XMIT_WAIT], profile="off", duration_s=0.02, values=every | found, roots=roots)
    return " ".join(fabric_text.caption(wiring(document), congestion, unfolded=False))


NONE = Roots(ports={}, marked=False)


def test_only_the_worst_are_named() -> None:
    document = generated("three-stage", radix=12)
    words = said(document, {(f"S1-{i}", 7): 10.0 * i for i in range(1, 8)}, NONE)
    assert "S1-7/7 → S2-1 70, S1-6/7 → S2-1 60, S1-5/7 → S2-1 50, S1-4/7 → S2-1 40, S1-3/7 → S2-1 30 (% of the run)." in words
    assert "S1-2/7" not in words
    assert "Profile off, run of 20 ms." in words


def test_roots_are_told_by_what_found_them() -> None:
    document = generated("three-stage", radix=12)
    ends = {End(node(document, f"S1-{i}"), 1): 100 - i for i in range(1, 8)}
    assert "by 7 ports, rings where there were many: S1-1/1 → H1 99," in said(document, {}, Roots(ports=ends, marked=True))
    words = said(document, {}, Roots(ports=dict.fromkeys(ends, 1), marked=False))
    assert "No port marked packets (FECN). Diamonds: 7 ports that had a queue" in words
    assert "S1-5/1 → H25 and 2 more." in words
    assert "none was the root" in said(document, {}, NONE)


def test_names_of_managed_switches_and_long_ones_are_short() -> None:
    long = "a-host-in-the-third-rack-of-the-second-row"
    document = parsed(
        f'name: n\nswitches: [{{name: "MF0;leaf-7:MQM9700/U1", ports: 2}}]\nhosts: [{{name: {long}}}]\n'
        f'links: [{{a: {long}/1, b: "guid:0x100/1", rate: 4xHDR}}]\n'
    )
    words = said(document, {("MF0;leaf-7:MQM9700/U1", 1): 50}, NONE)
    assert "leaf-7/1 → a-host-in-the-third-rack-of… 50" in words


def test_rates_are_counted_the_most_common_first() -> None:
    document = generated("leaf-spine", leaves=2, spines=2, hosts_per_leaf=3, host_rate="4xHDR", switch_rate="4xNDR")
    assert list(fabric_text.rates(wiring(document)).items()) == [("4xHDR", 6), ("4xNDR", 4)]
