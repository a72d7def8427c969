# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The steps from a file to a report: what it says, and that a step that cannot be done leaves the others."""

import html
import re
from pathlib import Path

import pytest

from tests.tuner.fabric.strange_fabrics import fabric_of
from tuner.documents.congestion_control import CongestionControlRow
from tuner.documents.fabric import FabricDocument
from tuner.emulator import line_trial
from tuner.emulator.line_trial import LineTrial
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.fabric.capacity import Bound
from tuner.fabric.engine_loads import LoadCounter
from tuner.fabric.importers.base import Imported, import_fabric
from tuner.fabric.opensm_line import engines_line
from tuner.fabric.shapes.switch_graph import SwitchGraph
from tuner.fabric.topologies.base import generate
from tuner.suggest.devices import DEVICE_MODELS
from tuner.suggest.robust import robust
from tuner.suggest.suggestion import suggest
from tuner.twin import twin as twin_module
from tuner.twin.progress import STEPS, Told
from tuner.twin.twin import Twin, make_twin


def made(fabric: FabricDocument, **more: object) -> Twin:
    return make_twin(Imported(fabric, "test", ()), source="file.txt", **more)  # type: ignore[arg-type]


@pytest.fixture
def no_opensm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_trial, "client_path", lambda: "/nowhere")


@pytest.mark.long
def test_a_whole_twin(infiniband_programs: None) -> None:
    told: list[Told] = []
    twin = made(generate("leaf-spine", leaves=4, spines=2, hosts_per_leaf=10), tell=told.append)
    report = twin.document
    assert not report["opensm"][0]["trial"]["fell_back"]
    assert report["opensm"][0]["trial"]["credit_loop"] is None
    assert report["routes"].startswith("by the tables of the OpenSM that was tried")
    assert report["congestion"]["congests"]
    without, cured = report["congestion"]["without"], report["suggestion"]["with"]
    assert without["hurt"] > cured["hurt"] == 0
    assert cured["victims"] > 0.9 > without["victims"]
    assert report["suggestion"]["kept"] > 0.9
    assert not twin.negative
    # Nothing says how these adapters notify, so the profile is to hold for all kinds of them.
    assert report["suggestion"]["holds"].startswith("It holds by forecast for all ")
    assert report["suggestion"]["holds"] in html.unescape(twin.page)
    said = suggest(
        build(generate("leaf-spine", leaves=4, spines=2, hosts_per_leaf=10)),
        workload=twin.workload,
        variants=list(DEVICE_MODELS.values()),
    )
    assert report["suggestion"]["profile"]["ca"] == robust(said).document["ca"] != said.document["ca"]
    assert twin.profile_yaml is not None
    assert twin.workload is not None
    assert list(dict.fromkeys(one.step for one in told)) == list(STEPS)
    fractions = [one.fraction for one in told]
    assert fractions == sorted(fractions)
    assert fractions[-1] <= 1


@pytest.mark.long
def test_a_routing_that_opensm_took_and_that_carries_little_is_not_called_good(monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenSM came up as advised, reaches all, and has no credit loop: `updown` on a dragonfly carries a third of what its links
    could."""
    fabric = generate("dragonfly", a=4, p=2, h=2).model_copy(update={"routing": "updown"})
    built = build(fabric)
    loads = LoadCounter(fabric, built.fabric, SwitchGraph(fabric).host_switches).count()
    trial = LineTrial(
        asked=("updn",),
        engine="updn",
        fabric=fabric,
        loads=loads,
        mean_hops=2.0,
        best=Bound(share=1.0, limit="the links of hosts"),
        credit_loop=None,
        capped=(),
        complaints=(),
        seconds=1.0,
    )
    assert trial.good
    monkeypatch.setattr(twin_module, "try_advised", lambda *given, **more: (engines_line(["updn"]), trial))
    twin = made(fabric)
    told = twin.document["verdicts"][0]
    assert told["good"] is None
    assert told["text"].startswith("OpenSM came up with engine updn")
    assert "less than half of the 100% that its links could" in told["text"]


@pytest.mark.long
def test_the_page_needs_nothing_else_and_shows_hostile_names_as_text(no_opensm: None) -> None:
    fabric = generate("leaf-spine", leaves=4, spines=2, hosts_per_leaf=5)
    first, *others = fabric.hosts
    name = "<img src=x onerror=alert(1)>"
    links = tuple(
        link.model_copy(update={end: f"{name}/1" for end in ("a", "b") if getattr(link, end) == f"{first.name}/1"})
        for link in fabric.links
    )
    twin = made(fabric.model_copy(update={"hosts": (first.model_copy(update={"name": name}), *others), "links": links}))
    assert "<img" not in twin.page
    assert not re.search(r"(src|href)=[\"']?(https?:)?//|<script|<link|@import|url\((?!#|data:)", twin.page)
    assert re.search(r'id="map-0-', twin.page)
    assert re.search(r'id="map-1-', twin.page)
    assert twin.page.count("<figure") >= 3


def test_without_opensm_the_other_steps_are_done(no_opensm: None) -> None:
    report = made(generate("leaf-spine", leaves=4, spines=2, hosts_per_leaf=5)).document
    assert report["opensm"][0]["trial"] is None
    assert report["opensm"][0]["untried"].startswith(
        "nobody has tried this line on the fabric: the program opensm is not installed"
    )
    assert report["routes"].startswith("by ibcc's routing")
    assert report["congestion"]["without"] is not None


def test_on_one_switch_nothing_congests_for_others(no_opensm: None) -> None:
    twin = made(fabric_of([], [40]))
    assert twin.document["congestion"]["sentence"].startswith("Nothing congests for others here")
    assert twin.document["suggestion"] is None
    assert (twin.profile_yaml, twin.workload, twin.negative) == (None, None, False)
    assert "Nothing congests for others here" in twin.page


def test_devices_without_congestion_control_get_no_suggestion(no_opensm: None) -> None:
    fabric = generate("leaf-spine", leaves=4, spines=2, hosts_per_leaf=5)
    fabric = fabric.model_copy(update={"congestion_control": (CongestionControlRow(dialect="none"),)})
    report = made(fabric).document
    assert report["congestion"]["sentence"].startswith("No profile can be suggested: ")
    assert report["congestion"]["congests"]
    assert report["suggestion"] is None


def test_routes_that_can_deadlock_are_not_simulated(no_opensm: None) -> None:
    ring = generate("torus", dims=[6], hosts_per_switch=2)
    built = ring.model_copy(update={"routing": "minhop", "forwarding": {"S0": {}}})
    report = made(built).document
    assert "the routes have a credit loop" in report["congestion"]["sentence"]


def test_the_largest_of_several_subnets_is_simulated_and_opensm_tried_on_each(no_opensm: None, shared: Path) -> None:
    imported = import_fabric(shared / "cases/c06-planes.net")
    twin = make_twin(imported, source="c06-planes.net")
    assert [row["subnet"] for row in twin.document["opensm"]] == [1, 2, 3, 4]
    assert "<p>Subnet 1 of several: 3 switches, 8 hosts" in twin.page
    assert list(twin.lines) == ["opensm", *(f"opensm-subnet-{number}" for number in (2, 3, 4))]
    assert twin.document["import"]["counts"]["switches"] < len(imported.fabric.switches)
    only = make_twin(imported, source="c06-planes.net", subnet=2)
    assert [row["subnet"] for row in only.document["opensm"]] == [2]
    with pytest.raises(BadInputError, match="subnet 9 is not in fabric"):
        make_twin(imported, source="c06-planes.net", subnet=9)


def test_the_same_seed_gives_the_same_report(no_opensm: None) -> None:
    fabric = generate("leaf-spine", leaves=4, spines=2, hosts_per_leaf=5)
    first, second = made(fabric, seed=5), made(fabric, seed=5)
    assert (first.document, first.page) == (second.document, second.page)
