# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Figures: valid SVG that says what it was given, safe beside others in one page, drawn in any thread."""

import functools
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import matplotlib as mpl
import numpy as np
import pytest

from tuner.goals.metrics import Metrics
from tuner.goals.objectives import OBJECTIVES
from tuner.measuring.measurement import FlowRecord, Measurement, Performance
from tuner.report.plots import style
from tuner.report.plots.cct_curve import cct_curves
from tuner.report.plots.confirmed_front import ConfirmedSpot, confirmed_front
from tuner.report.plots.front import Spot, pareto
from tuner.report.plots.heat_map import heat_map
from tuner.report.plots.importance import importance
from tuner.report.plots.search_progress import hypervolume_over_trials
from tuner.report.plots.throughput import MOST_LINES, panels, throughput, top_of


def measurement(n_flows: int = 3, gbps: float = 13.0) -> Measurement:
    flows = tuple(
        FlowRecord(
            name=f"F{i + 1}",
            src=f"H{i}",
            dst="H9",
            role="contributor" if i else "victim",
            start_s=0.2 * min(i, 3),
            stop_s=1.0,
            mean_gbps=gbps,
        )
        for i in range(n_flows)
    )
    return Measurement(
        backend="simulated",
        seed=1,
        interval_s=0.01,
        duration_s=1.0,
        fabric="f",
        profile="p",
        flows=flows,
        gbps=np.full((n_flows, 100), gbps),
        counters={},
        metrics=Metrics(
            victim_throughput_gbps=gbps,
            contributor_total_gbps=gbps,
            treatment_variation_gbps2=0.0,
            spread_gbps=0.0,
            jain_index=1.0,
            settle_time_s=0.0,
        ),
        performance=Performance(packet_hops=1, cpu_s=1.0, max_rss_mib=1.0),
    )


CONFIRMED = [
    ConfirmedSpot(name="gran-2010", role="expert", x=12.9, y=0.03),
    ConfirmedSpot(name="17", role="trial", x=13.0, y=0.01, x_interval=(12.9, 13.1), y_interval=(0.005, 0.015)),
    ConfirmedSpot(name="4", role="trial", x=13.0, y=0.02, feasible=False),
]
CELLS = {(0, 0): (2.5, 3), (1, 0): (11.0, 1), (1, 1): (13.0, 2)}


def texts(svg: str) -> list[str]:
    return [text for text in ElementTree.fromstring(svg).itertext() if text.strip()]


OBJECTIVES_SHOWN = (OBJECTIVES.get("victim_throughput"), OBJECTIVES.get("treatment_variation"))
SPOTS = [Spot(x=10 + i, y=10.0**-i, feasible=i % 2 == 0) for i in range(4)]
FIGURES: dict[str, Callable[[], str]] = {
    "throughput": lambda: throughput(measurement()),
    "front": lambda: pareto(OBJECTIVES_SHOWN, SPOTS, {"expert": ("gran-2010", 13.0, 0.02)}),
    "hypervolume": lambda: hypervolume_over_trials([0.0, 1.0, 2.5], unit="Gb/s"),
    "importance": lambda: importance({"spread": {"ca.ccti_timer": 0.7, "switch.threshold": 0.3}}),
    "cct": lambda: cct_curves({"expert": ("gran-2010", [0.0, 1.0, 4.0])}),
    "confirmed": lambda: confirmed_front(OBJECTIVES_SHOWN, CONFIRMED),
    "heat": lambda: heat_map(
        CELLS, x=("CCTI_Timer", ["10", "150"]), y=("Marking_Rate", ["0", "1"]), title="t", unit="Gb/s", key="heat"
    ),
}


@functools.cache
def figure(name: str) -> str:
    return FIGURES[name]()


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_a_labelled_svg_in_the_page_s_own_colour(name: str) -> None:
    svg = figure(name)
    root = ElementTree.fromstring(svg)
    assert root.tag.endswith("svg")
    assert root.get("role") == "img"
    assert root.get("aria-label")
    assert "currentColor" in svg
    assert style.INK not in svg
    assert "http" not in svg.replace('xmlns="http://www.w3.org/2000/svg"', "")


@pytest.mark.long
def test_a_page_can_hold_all_figures() -> None:
    figures = [figure(name) for name in FIGURES]
    ids = [found for svg in figures for found in re.findall(r'\bid="([^"]+)"', svg)]
    assert len(ids) == len(set(ids))
    for svg in figures:
        own = set(re.findall(r'\bid="([^"]+)"', svg))
        assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg)) <= own


def test_inline_figures_name_no_address_and_take_the_room_they_get() -> None:
    inline = style.inline(figure("throughput"))
    assert "http" not in inline
    assert not re.search(r'<svg[^>]* (width|height)="', inline)
    assert "viewBox" in inline


def test_a_standalone_figure_has_a_ground_of_its_own() -> None:
    svg = style.standalone(figure("throughput"))
    assert svg.startswith('<?xml version="1.0"')
    assert ElementTree.fromstring(svg.encode()).get("color") == "#1a1a1a"
    assert '<rect width="100%" height="100%" fill="#ffffff"/>' in svg


def test_flows_are_named_and_the_victim_stands_out() -> None:
    shown = texts(throughput(measurement(), title="CC off"))
    assert {"CC off", "F1 (victim)", "F2", "F3", "time (s)", "throughput (Gb/s)"} <= set(shown)


def test_many_flows_are_drawn_by_role() -> None:
    shown = texts(throughput(measurement(MOST_LINES + 4)))
    assert {"victim", f"{MOST_LINES + 3} contributors, mean and range"} <= set(shown)
    assert "F2" not in shown


def test_panels_have_one_scale() -> None:
    low, high = measurement(gbps=2.0), measurement(gbps=13.0)
    first, second = panels([("a", low), ("b", high)], key="t")
    assert "12" in texts(first)
    assert "12" in texts(second)
    assert "12" not in texts(throughput(low))
    assert top_of([]) == 1.0


@pytest.mark.long
def test_figures_are_the_same_from_any_thread() -> None:
    alone = throughput(measurement())
    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(lambda _: throughput(measurement()), range(4))) == {alone}


def test_the_front_s_legend_counts_the_trials() -> None:
    shown = texts(figure("front"))
    assert {"trial (2)", "breaks a constraint (2)", "Pareto front", "gran-2010"} <= set(shown)


def test_confirmed_profiles_have_bars_and_names() -> None:
    shown = set(texts(figure("confirmed")))
    assert {"gran-2010", "17", "4", "trial", "trial that breaks a constraint"} <= shown
    bare = [ConfirmedSpot(name="17", role="trial", x=13.0, y=0.01)]
    objectives = OBJECTIVES.get("victim_throughput"), OBJECTIVES.get("treatment_variation")
    assert figure("confirmed").count("LineCollection") > confirmed_front(objectives, bare).count("LineCollection")


@pytest.mark.long
def test_a_heat_map_says_value_and_number_of_trials_in_each_cell_and_holds_no_image() -> None:
    svg = figure("heat")
    assert {"2.5", "×3", "11", "13", "×2"} <= set(texts(svg))
    assert "<image" not in svg


@pytest.mark.parametrize("values", [[1.0, 1.0], [0.0001, 5.0], [0.0, 3.0], [-1.0, 1.0]])
def test_heat_maps_of_any_range(values: list[float]) -> None:
    cells = {(i, 0): (value, 1) for i, value in enumerate(values)}
    assert "×1" in texts(heat_map(cells, x=("a", ["1", "2"]), y=("b", ["1"]), title="t", unit="1", key="h"))


def test_the_colours_of_heat_maps_tell_high_from_low_in_grey_and_to_the_colour_blind() -> None:
    """Evenly brighter from low to high: as it is, and without what the eye's green or its red cones see (Vienot et al. 1999)."""
    ramp = mpl.colormaps["cividis"](np.linspace(0, 1, 10))[:, :3]
    linear = np.where(ramp <= 0.04045, ramp / 12.92, ((ramp + 0.055) / 1.055) ** 2.4)
    deuteranopia = np.array([[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]])
    protanopia = np.array([[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]])
    for seen in (linear, linear @ deuteranopia.T, linear @ protanopia.T):
        luminance = seen @ np.array([0.2126, 0.7152, 0.0722])
        assert (np.diff(luminance) > 0.01).all()
