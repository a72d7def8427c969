# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The wizard of campaigns draws where: on a stranger's fabric it shows who is a victim and who a contributor, what their paths
share and what the campaign costs, and lets one change the numbers; a fabric without room for them is told before the end."""

import re
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.api.ui.visitor import Site, Visitor
from tuner.documents.fabric import FabricDocument
from tuner.documents.fabric_text import fabric_text
from tuner.fabric.topologies.base import generate


def added(visitor: Visitor, fabric: FabricDocument) -> None:
    body = {"name": fabric.name, "kind": "simulated", "options": {"document": fabric_text(fabric)}}
    visitor.api("POST", "/fabrics", body)


def choose(page: Page, fabric: str) -> None:
    page.get_by_role("combobox", name="Fabric").click()
    page.get_by_role("option", name=f"{fabric} (simulated)").click()


def test_hosts_are_drawn_and_their_numbers_changed(visitor: Visitor) -> None:
    page = visitor.page
    added(visitor, generate("dragonfly", a=4, p=2, h=2, name="dragonfly"))
    visitor.visit("/campaigns/new")
    choose(page, "dragonfly")
    where = page.get_by_role("region", name="Where")
    expect(
        page.get_by_text(re.compile(r"% of the hosts take part; with congestion control off victims get")).first
    ).to_be_visible()
    words = "16 contributors, 2 victims, 1 hotspot; hosts chosen by the fabric's routes"
    expect(where.get_by_text(re.compile(words))).to_be_visible()
    expect(where.get_by_role("img", name=re.compile("^V1 shares S.* with C1, C2, C3, C4, C5, C6$"))).to_be_visible()
    expect(where.get_by_text(re.compile("million packet-hops a second"))).to_be_visible()
    where.get_by_label("Contributors").fill("6")
    where.get_by_label("Sharing").fill("3")
    # Two groups of hosts: fewer of a group take part, and a quarter of all are to.
    two = re.compile("12 contributors, 4 victims, 2 hotspots; ")
    expect(where.get_by_text(two)).to_be_visible()
    page.get_by_label("Name of the campaign").fill("six")
    for _ in range(4):
        page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("region", name="Cost")).to_be_visible()
    page.get_by_role("button", name="Keep as a draft").click()
    expect(page.get_by_role("heading", level=1, name="six")).to_be_visible()
    (campaign,) = visitor.api("GET", "/campaigns")["items"]
    assert campaign["spec"]["roles"] == {"contributors": 6, "sharing": 3}

    # What was stored is shown, and a draft is changed where it is.
    page.get_by_role("tab", name="Where").click()
    expect(page.get_by_text(two)).to_be_visible()
    expect(page.get_by_role("region", name="Cost")).to_contain_text("Runs")
    page.get_by_role("link", name="Edit", exact=True).click()
    expect(where.get_by_label("Contributors")).to_have_value("6")
    where.get_by_label("Contributors").fill("5")
    page.get_by_label("Name of the campaign").fill("five")
    page.get_by_role("button", name="Review").click()
    visitor.expect_accessible()
    page.get_by_role("button", name="Save the draft").click()
    expect(page.get_by_role("heading", level=1, name="five")).to_be_visible()
    (changed,) = visitor.api("GET", "/campaigns")["items"]
    assert (changed["id"], changed["state"]) == (campaign["id"], "draft")
    assert changed["spec"] == campaign["spec"] | {"name": "five", "roles": {"contributors": 5, "sharing": 3}}
    visitor.api("POST", f"/campaigns/{changed['id']}/stop", {})
    visitor.visit(f"/campaigns/{changed['id']}/edit")
    expect(page.get_by_text("Only drafts can be changed, and this campaign is stopped.")).to_be_visible()


@pytest.mark.thorough
def test_a_fabric_without_room_is_told_at_once(visitor: Visitor) -> None:
    page = visitor.page
    added(visitor, generate("leaf-spine", leaves=3, spines=1, hosts_per_leaf=1, name="three"))
    visitor.visit("/campaigns/new")
    choose(page, "three")
    goal = page.get_by_role("radio", name=re.compile("^Protect a victim"))
    expect(goal).to_be_disabled()
    sentence = re.compile("^Workload 'protect-a-victim' needs at least 5 hosts, .* and there are 3[.]$")
    expect(page.get_by_text(sentence).first).to_be_visible()
    expect(page.get_by_role("button", name="Next")).to_be_disabled()
    visitor.expect_accessible()
    page.get_by_role("radio", name=re.compile("^A document of your own")).check()
    expect(page.get_by_role("button", name="Next")).to_be_enabled()
    visitor.complaints.clear()  # the browser's own words on the 422


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone(browser: Browser, site: Site, scheme: Literal["light", "dark"]) -> None:
    with Visitor.arriving(browser, site, scheme=scheme, width=390) as anna:
        anna.visit("/campaigns/new")
        expect(anna.page.get_by_role("img", name=re.compile("^V1 shares"))).to_be_visible()
        anna.expect_accessible()
        assert anna.page.evaluate("document.documentElement.scrollWidth") <= 390
