# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Drawings of fabrics: every switch, link and host is there, in the colour that its counters give it, at any size."""

import io
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from matplotlib.text import Text

from tests.tuner.report.plots.fabric_cases import DURATION_S, Picture, generated, parsed, result, wiring
from tuner.documents.fabric import FabricDocument
from tuner.documents.fabric_text import fabric_text
from tuner.fabric.topologies.base import TOPOLOGIES, topology
from tuner.report.plots import fabric, style
from tuner.report.plots.fabric_by import By
from tuner.report.plots.fabric_congestion import Congestion, read_congestion
from tuner.report.plots.fabric_heat import HEAT, IDLE

Rows: TypeAlias = Mapping[tuple[str, int], Mapping[str, Any]]

TREE = {"leaves": 4, "spines": 2, "hosts_per_leaf": 6}


def congestion(document: FabricDocument, folder: Path, rows: Rows, by: By = By.XMIT_WAIT) -> Congestion:
    file = folder / "result.json"
    file.write_text(json.dumps(result(document, rows)))
    return read_congestion(file, document, by)


def plain(document: FabricDocument) -> Picture:
    return Picture(fabric.svg(wiring(document)))


def congested(document: FabricDocument, folder: Path, rows: Rows, by: By = By.XMIT_WAIT) -> Picture:
    return Picture(fabric.svg(wiring(document), congestion(document, folder, rows, by)))


def waited(percent: float) -> dict[str, float]:
    return {"xmit_wait_ns": percent / 100 * DURATION_S * 1e9}


@pytest.mark.parametrize(
    ("kind", "example"), [(kind, example) for kind in TOPOLOGIES.names() for example in TOPOLOGIES.get(kind).examples]
)
def test_every_topology_is_drawn_whole(kind: str, example: Mapping[str, Any]) -> None:
    document = topology(kind, dict(example)).fabric()
    wires = wiring(document)
    picture = Picture(fabric.svg(wires))
    between = {frozenset((a.node, b.node)) for _, a, b in document.ends() if max(a.node, b.node) < len(document.switches)}
    assert picture.count("switches") == len(document.switches)
    assert sum(picture.count(gid) for gid in picture.groups("trunks-")) == len(between)
    assert picture.count("hosts-0") == len(document.hosts)
    counts = f"{len(document.switches):,} switch(es)?, {len(document.hosts):,} hosts?,"
    assert re.search(f"{re.escape(document.name)}: {counts}", picture.words)


def test_a_small_tree_names_its_switches_hosts_and_levels() -> None:
    shown = set(plain(generated("leaf-spine", **TREE)).texts)
    assert {
        "S1-1",
        "S1-4",
        "S2-2",
        "H1",
        "H24",
        "leaves",
        "4 switches",
        "level 2",
        "2 switches",
        "24 hosts:",
        "6 a leaf",
    } <= shown


@pytest.mark.parametrize("leaves", [1, 2])
def test_names_of_adapters_do_not_lie_on_the_legend_or_the_caption(leaves: int) -> None:
    text = fabric_text(generated("leaf-spine", leaves=leaves, spines=1, hosts_per_leaf=6, host_rate="4xHDR", parallel=2))
    figure = fabric._figure(
        wiring(parsed(re.sub(r"\bH(\d+)\b", r"compute-00\1 mlx5_0", re.sub(r"(?m)^(ibcc_fabric|mtu_bytes):.*\n", "", text)))),
        None,
    )
    figure.savefig(io.BytesIO(), format="png", dpi="figure")
    texts = [text for text in figure.findobj(Text) if text.get_text()]
    names = [text.get_window_extent() for text in texts if text.get_text().startswith("compute-")]
    below = [text.get_window_extent() for text in texts if "links" in text.get_text() and "switch" not in text.get_text()]
    assert (len(names), len(below)) == (6 * leaves, 2)
    assert max(box.y1 for box in below) < min(box.y0 for box in names)
    assert not any("Bars" in text.get_text() for text in texts), "each host is drawn with its name"


def test_rates_are_told_apart_and_parallel_links_are_one_line() -> None:
    document = generated("leaf-spine", **TREE, parallel=3, host_rate="4xHDR", switch_rate="4xNDR")
    picture = plain(document)
    assert picture.groups("trunks-") == {"trunks-4xNDR-3"}
    assert picture.count("trunks-4xNDR-3") == 8
    assert picture.colour("trunks-4xNDR-3") != picture.colour("stems-4xHDR")
    assert {"4xNDR: 24 links", "4xHDR: 24 links"} <= set(picture.texts)
    assert "Up to 3 parallel links are drawn as one line." in picture.words


@pytest.mark.long
@pytest.mark.parametrize(("percent", "step"), [(0, 0), (1.9, 0), (2, 1), (9.9, 1), (10, 2), (55, 6), (90, 10), (100, 10)])
def test_a_port_has_the_colour_of_its_step(tmp_path: Path, percent: float, step: int) -> None:
    document = generated("leaf-spine", **TREE)
    picture = congested(document, tmp_path, {("S1-2", 7): waited(percent)})
    # Unfolded: each of 8 trunks has two directions, each of 24 hosts a line up and one down.
    lines = 2 * 8 + 2 * 24
    assert picture.count("links-0") == (lines - 1 if step else lines)
    assert picture.colour("links-0") == IDLE
    if step:
        assert picture.groups("links-") == {"links-0", f"links-{step}"}
        assert picture.count(f"links-{step}") == 1
        assert picture.colour(f"links-{step}") == HEAT[step]


def test_of_parallel_links_the_worst_counts(tmp_path: Path) -> None:
    document = generated("leaf-spine", **TREE, parallel=2)
    picture = congested(document, tmp_path, {("S1-1", 7): waited(15), ("S1-1", 9): waited(95)})
    assert picture.groups("links-") == {"links-0", "links-10"}


def test_hosts_that_send_and_ports_to_hosts_have_cells_of_their_own(tmp_path: Path) -> None:
    document = generated("three-stage", radix=12)
    picture = congested(document, tmp_path, {("H1", 1): waited(95), ("H2", 1): waited(95), ("S1-3", 1): waited(15)})
    assert (picture.count("hosts-10"), picture.count("hosts-2"), picture.count("hosts-0")) == (2, 1, 2 * 72 - 3)
    assert picture.colour("hosts-10") == HEAT[10]


def test_where_directions_share_a_line_arrows_tell_them_apart(tmp_path: Path) -> None:
    document = generated("torus", dims=[4, 4], hosts_per_switch=2)
    trunk = (("S0-0", 3), ("S1-0", 4))
    one = congested(document, tmp_path, {trunk[0]: waited(95)})
    both = congested(document, tmp_path, {end: waited(95) for end in trunk})
    assert (one.count("links-10"), one.count("arrows")) == (1, 1)
    assert (both.count("links-10"), both.count("arrows")) == (2, 2)
    assert one.count("links-0") == both.count("links-0") == 32 + 16  # each link, and a line to the hosts of each switch


def test_arrows_point_where_packets_go(tmp_path: Path) -> None:
    document = generated("mesh", dims=[2, 2], hosts_per_switch=1)
    right = congested(document, tmp_path, {("S0-0", 2): waited(95)}).points("arrows")
    left = congested(document, tmp_path, {("S1-0", 3): waited(95)}).points("arrows")
    assert right[0][0] > right[1][0]  # the tip comes first
    assert left[0][0] < left[1][0]
    assert right[0][1] > left[0][1]  # each keeps to the right


def test_unfolded_the_way_up_is_above_the_way_down(tmp_path: Path) -> None:
    document = generated("leaf-spine", **TREE)
    up = congested(document, tmp_path, {("S1-1", 7): waited(95)}).points("links-10")
    down = congested(document, tmp_path, {("S2-1", 1): waited(95)}).points("links-10")
    assert max(y for _, y in up) <= min(y for _, y in down)
    assert up[-1] == pytest.approx(down[0])  # S2-1
    assert up[0][0] == pytest.approx(down[-1][0])  # S1-1, twice


def test_what_a_host_sends_is_above_and_what_it_receives_below(tmp_path: Path) -> None:
    document = generated("leaf-spine", **TREE)
    sends = congested(document, tmp_path, {("H1", 1): waited(95)})
    receives = congested(document, tmp_path, {("S1-1", 1): waited(95)})
    for gid in ("hosts-10", "links-10"):
        assert sends.count(gid) == receives.count(gid) == 1
        assert max(y for _, y in sends.points(gid)) < min(y for _, y in receives.points(gid))


def test_folded_a_bar_is_what_hosts_send_and_its_line_what_they_receive(tmp_path: Path) -> None:
    document = generated("dumbbell", left=2, right=2)
    sends = congested(document, tmp_path, {("H1", 1): waited(95)})
    receives = congested(document, tmp_path, {("S1", 1): waited(95)})
    assert (sends.count("hosts-10"), sends.count("links-10")) == (1, 0)
    assert (receives.count("hosts-10"), receives.count("links-10")) == (0, 1)


def test_ports_that_marked_are_ringed_and_their_hosts_named(tmp_path: Path) -> None:
    document = generated("three-stage", radix=12)
    rows = {("S1-3", 2): {"fecn_marked": 900}, ("S2-1", 3): {"fecn_marked": 300}, ("S1-1", 8): {"fecn_marked": 20}}
    picture = congested(document, tmp_path, rows)
    assert picture.marks("roots") == 2  # 20 are less than a tenth of 900
    assert "H14" in picture.texts
    assert "Packets marked (FECN) by 3 ports, rings where there were many: S1-3/2 → H14 900, S2-1/3 → S1-3 300" in picture.words


def test_the_caption_names_the_worst_ports_and_the_scale_its_unit(tmp_path: Path) -> None:
    rows = {("S1-2", 8): waited(93.4), ("S2-2", 1): waited(81.9), ("H7", 1): waited(98.7)}
    picture = congested(generated("leaf-spine", **TREE), tmp_path, rows)
    assert (
        "Highest: of switches S1-2/8 → S2-2 93.4, S2-2/1 → S1-1 81.9; of hosts H7/1 → S1-2 98.7 (% of the run)" in picture.words
    )
    assert "time in which a port with packets waited for credits (% of the run)" in picture.texts
    assert {"0", "20", "40", "60", "80", "100"} <= set(picture.texts)


@pytest.mark.parametrize(
    ("by", "row", "label"),
    [
        (By.FECN, {"fecn_marked": 5, "xmit_packets": 10}, "packets that a port marked (FECN) (% of those it sent)"),
        (By.QUEUE, {"max_queued_bytes": 4096}, "most that was queued for a port (KiB)"),
        (By.UTILISATION, {"xmit_bytes": 45_000_000}, "time in which a port was sending (% of the run)"),
    ],
)
def test_every_measure_has_its_label(tmp_path: Path, by: By, row: dict[str, int], label: str) -> None:
    picture = congested(generated("leaf-spine", **TREE), tmp_path, {("S1-1", 7): row}, by)
    assert label in picture.texts
    assert picture.count("links-10") == 1


def test_a_quiet_fabric_has_nothing_but_idle_links(tmp_path: Path) -> None:
    picture = congested(generated("three-stage", radix=4), tmp_path, {})
    assert picture.groups("links-") == {"links-0"}
    assert "no port above 0" in picture.words
    assert picture.marks("roots") == 0


ODD = """\
name: "a < b & $c$"
switches: [{name: "L\\u0007", ports: 8}, {name: spare, ports: 2}, {name: lonely, ports: 2}]
hosts: [{name: "H<$x$>"}, {name: "H&\\uffff"}, {name: reducer, kind: aggregation}, {name: loose}]
links:
- {a: "guid:0x400/1", b: "guid:0x100/1", rate: 4xHDR}
- {a: "guid:0x500/1", b: "guid:0x100/2", rate: 4xEDR}
- {a: reducer/1, b: "guid:0x100/3", rate: 4xHDR}
- {a: spare/1, b: lonely/1, rate: 4xHDR}
"""


def test_odd_names_and_loose_parts(tmp_path: Path) -> None:
    document = parsed(ODD)
    picture = plain(document)
    assert {"a < b & $c$: 3 switches, 3 hosts, 4 links", "H<$x$>", r"H&\uffff", r"L\u0007", "no hosts in reach"} <= set(
        picture.texts
    )
    assert "Not drawn: 1 aggregation node." in picture.words
    assert picture.count("switches") == 3
    assert congested(document, tmp_path, {("H<$x$>", 1): waited(50)}).count("hosts-6") == 1


@pytest.mark.parametrize("directed", [False, True])
def test_a_fabric_without_hosts_is_drawn(tmp_path: Path, directed: bool) -> None:
    links = "".join(f"- {{a: S{i}/1, b: S{(i + 1) % 5}/2, rate: 4xHDR}}\n" for i in range(5))
    document = parsed(f"name: ring\nswitches: [{', '.join(f'{{name: S{i}, ports: 2}}' for i in range(5))}]\nlinks:\n{links}")
    picture = congested(document, tmp_path, {}) if directed else plain(document)
    assert picture.count("switches") == 5


@pytest.mark.slow
@pytest.mark.long
def test_large_fabrics_are_bounded(tmp_path: Path) -> None:
    document = generated("xgft", m=[18, 18, 12], w=[1, 18, 18])
    rows = {(f"S1-{leaf}", 19): waited(95) for leaf in range(1, 217)}
    wires, found = wiring(document), congestion(document, tmp_path, rows)
    svg = fabric.svg(wires, found)
    picture = Picture(svg)
    assert len(svg) < 2_000_000
    assert picture.pictures >= 1
    assert {"level 3", "324 switches", "leaves", "216 switches"} <= set(picture.texts)
    assert "http" not in svg.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert len(fabric.png(wires)) < 2_000_000


def test_the_drawing_is_safe_in_a_page_and_the_same_every_time() -> None:
    wires = wiring(generated("dragonfly", a=4, p=2, h=2))
    svg = fabric.svg(wires)
    assert svg == fabric.svg(wires)
    assert style.INK not in svg
    assert 'role="img" aria-label="dragonfly-4-2-2: 36 switches, 72 hosts, 162 links"' in svg


def test_a_png_is_one() -> None:
    png = fabric.png(wiring(generated("dumbbell", left=3, right=3)))
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert b"dumbbell" in png
