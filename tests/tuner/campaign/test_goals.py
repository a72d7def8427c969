# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The goals of campaigns on fabrics that nobody has tuned them for: which are offered, why others are not, and that each offered
one runs, from its references to its report."""

import json
import re
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from tuner.campaign.harm import HURT
from tuner.campaign.offers import BUSY, Offer, offer, offers
from tuner.campaign.shipped import FIRST, goals, shipped_campaigns
from tuner.cli.main import run
from tuner.document_base.model import validate
from tuner.document_base.yaml_core import parse_document
from tuner.documents.congestion_control import CongestionControlRow
from tuner.documents.fabric import FabricDocument, load_fabric
from tuner.documents.fabric_text import fabric_text
from tuner.fabric.built_fabric import BuiltFabric, build
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.rerouting import rerouted_as_advised
from tuner.fabric.topologies.base import generate

REAL = {
    "superpod": "data/fabrics/superpod-ndr-40sw-582ca.ibnetdiscover",
    "tree": "data/fabrics/tree-qdr-8sw-144ca.ibnetdiscover",
    "director": "data/fabrics/director-edr-174sw-1470ca.ibnetdiscover",
}
SHIPPED = ("two-switch", "two-switch-16", "leaf-spine-64", "leaf-spine-64-dcqcn", "fat-tree-648")
MOST_CPU_S = 2 * 300
"""Five minutes on two cores."""


def generated(name: str) -> FabricDocument:
    makers: dict[str, Callable[[], FabricDocument]] = {
        "three hosts": lambda: generate("leaf-spine", leaves=3, spines=1, hosts_per_leaf=1),
        "torus": lambda: generate("torus", dims=[4, 4, 3], hosts_per_switch=2),
        "dragonfly": lambda: generate("dragonfly", a=4, p=2, h=2),
        "small": lambda: generate("leaf-spine", leaves=4, spines=2, hosts_per_leaf=8, host_rate="4xQDR", switch_rate="4xQDR"),
        "hdr": lambda: generate("leaf-spine", leaves=8, spines=4, hosts_per_leaf=16, host_rate="4xHDR", switch_rate="4xHDR"),
    }
    return makers[name]()


@cache
def fabric(name: str, shared: Path) -> BuiltFabric:
    if name in REAL:
        return build(rerouted_as_advised(import_fabric(shared / REAL[name], name=name).fabric)[0])
    return build(load_fabric(name) if name in SHIPPED else generated(name))


@cache
def offered(name: str, goal: str, shared: Path) -> Offer:
    return offer(goals()[goal], fabric(name, shared), fabric=name)


def test_goals_are_named_after_what_they_are_for() -> None:
    assert list(goals()) == [FIRST, "fair-shares", "many-hotspots", "short-tails", "storage-target"]
    for name, goal in goals().items():
        assert goal.spec["name"] == name
        assert len(goal.description) > 60
        assert not {"base", "expert", "space", "variants", "fabric"} & goal.spec.keys(), "these follow from the fabric"


def test_names_of_stored_campaigns_stay() -> None:
    former = {"scenario-1", "fairness", "tail-latency", "incast-32", "incast-32-dcqcn", "forests-648"}
    assert former <= shipped_campaigns().keys()
    assert not former & goals().keys()


@pytest.mark.parametrize("goal", list(goals()))
def test_an_offer_has_hosts_that_are_hurt(goal: str, shared: Path) -> None:
    found = offered("leaf-spine-64", goal, shared)
    if found.offered:
        assert found.busy is not None
        assert found.share is not None
        assert found.busy >= BUSY
        assert found.share <= HURT
    assert found.reason.endswith(".")
    assert found == Offer.from_json(json.loads(json.dumps(found.to_json())))


@pytest.mark.long
@pytest.mark.parametrize("name", ["leaf-spine-64", "leaf-spine-64-dcqcn", "hdr", "tree"])
def test_all_five_are_offered(name: str, shared: Path) -> None:
    refused = {goal: offered(name, goal, shared).reason for goal in goals() if not offered(name, goal, shared).offered}
    assert refused == {}


def test_what_is_not_offered_says_why_in_one_sentence(shared: Path) -> None:
    assert offered("three hosts", FIRST, shared).reason == (
        "Workload 'protect-a-victim' needs at least 5 hosts, two contributors and their receiver and a victim and its "
        "destination, and there are 3."
    )
    assert not offered("three hosts", FIRST, shared).offered
    ppcc = on_dialect("leaf-spine-64", "nvidia-ppcc")
    assert "run algorithms of their firmware" in offer(goals()[FIRST], ppcc, fabric="ppcc").reason
    alone = generate("leaf-spine", leaves=1, spines=1, hosts_per_leaf=16)
    assert "as they are all on one switch" in offer(goals()[FIRST], build(alone), fabric="alone").reason


def test_of_several_subnets_the_largest_is_looked_at() -> None:
    """A campaign is on one subnet: hosts of others are not among those of which a quarter has to take part."""
    alone = generate("leaf-spine", leaves=4, spines=2, hosts_per_leaf=8, host_rate="4xQDR", switch_rate="4xQDR")
    other = generate("leaf-spine", leaves=3, spines=1, hosts_per_leaf=8, host_rate="4xQDR", switch_rate="4xQDR")
    renamed = re.sub(r"\b(S[12]-|H)(\d+)\b", r"other-\1\2", fabric_text(other))
    second = validate(FabricDocument, parse_document(renamed, source="other.yaml"))
    parts = {key: (*getattr(alone, key), *getattr(second, key)) for key in ("switches", "hosts", "links")}
    both = build(alone.model_copy(update={**parts, "routing": "updown"}))
    first = build(alone.model_copy(update={"routing": "updown"}))
    for of_both, of_first in zip(offers(both, fabric="f"), offers(first, fabric="f"), strict=True):
        assert of_both.reason == f"On subnet 1, the largest of 2: {of_first.reason[0].lower()}{of_first.reason[1:]}"
        assert (of_both.offered, of_both.busy) == (of_first.offered, of_first.busy)


def test_nobody_is_hurt_where_links_are_far_faster_than_hosts() -> None:
    """Hosts of 10 Gb/s that meet on trunks of 1,600: no queue of theirs fills a trunk."""
    wide = generate("leaf-spine", leaves=4, spines=2, hosts_per_leaf=16, host_rate="4xSDR", switch_rate="12xXDR")
    found = offer(goals()["short-tails"], build(wide), fabric="wide")
    assert found.offered == (found.share is not None and found.share <= HURT)


@pytest.mark.parametrize("goal", list(goals()))
def test_a_fabric_of_unknown_devices_is_offered_nothing_and_asked(goal: str) -> None:
    found = offer(goals()[goal], on_dialect("leaf-spine-64", "unknown"), fabric="stranger")
    assert not found.offered
    assert "is not known; say it" in found.reason


def on_dialect(name: str, dialect: str) -> BuiltFabric:
    rows = (CongestionControlRow.model_validate({"dialect": dialect}),)
    return build(load_fabric(name).model_copy(update={"congestion_control": rows}))


@pytest.mark.thorough
def test_offers_on_a_large_fabric_take_a_minute_at_most(shared: Path) -> None:
    fabric("director", shared)
    began_s = time.process_time()
    found = [offered("director", goal, shared) for goal in goals()]
    assert time.process_time() - began_s < 60
    assert [one.name for one in found if not one.offered] == [], [one.reason for one in found]


@pytest.mark.thorough
@pytest.mark.parametrize("goal", ["fair-shares", "many-hotspots"])
def test_two_short_trials_of_single_flows_and_of_patterns(goal: str, tmp_path: Path, shared: Path) -> None:
    """A tenth of the time on 32 hosts: all stages of a campaign, in two seconds each."""
    runs("small", goal, tmp_path, shared, "--time-scale", "0.1", "--set", "campaign.confirmation.time_scale=0.1")


@pytest.mark.slow
@pytest.mark.parametrize("name", [*REAL, *SHIPPED, "torus", "dragonfly", "hdr"])
@pytest.mark.parametrize("goal", list(goals()))
def test_two_trials_of_each_offered_one(goal: str, name: str, tmp_path: Path, shared: Path) -> None:
    runs(name, goal, tmp_path, shared)


def runs(name: str, goal: str, folder: Path, shared: Path, *more: str) -> None:
    """The whole campaign: references, two trials, confirmation and variants. Nothing where it is not offered."""
    found = offered(name, goal, shared)
    if not found.offered:
        assert found.reason
        return
    path = folder / "fabric.yaml"
    path.write_text(fabric_text(fabric(name, shared).document), encoding="utf-8")
    began_s = time.process_time()
    code = run(["tune", goal, "--fabric", str(path), "--trials", "2", "--report", str(folder / "out"), *more])
    took_s = time.process_time() - began_s
    assert code in (0, 1)  # 1: neither of two trials keeps all constraints
    report = json.loads((folder / "out/report.json").read_text())
    assert report["counts"]["trials"] == 2
    assert took_s < MOST_CPU_S, f"{took_s:.0f} s of processor time"


def test_an_offer_is_kept_as_it_is() -> None:
    one = Offer(name="x", offered=True, reason="Y.", busy=0.3, share=0.2)
    assert Offer.from_json(one.to_json()) == one
    assert Offer.from_json(one.to_json()) != replace(one, share=0.3)
