# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Every page, light and dark, wide and narrow: it is drawn, fits, complains of nothing, and axe-core finds nothing serious."""

import re
from typing import Literal

import pytest
from playwright.sync_api import Browser, expect

from tests.api.ui.visitor import Site, Visitor

UNKNOWN = "/no/such/page"
PAGES = {
    "/": "Overview",
    "/fabrics/two-switch": "two-switch",
    "/fabrics/two-switch?tab=devices": "two-switch",
    "/fabrics/two-switch?tab=diagnosis": "two-switch",
    "/fabrics/two-switch?tab=versions": "two-switch",
    "/fabrics/two-switch/versions/1": "Version 1 of two-switch",
    "/fabrics/import": "Import a fabric",
    "/fabrics/import?fabric=two-switch": "Import two-switch again",
    "/fabrics/two-switch/devices/0x0000000000000300": "H1",
    "/hosts": "Hosts",
    "/hosts?tab=inventory": "Hosts",
    "/checks": "Checks",
    "/checks/new": "New check",
    "/profiles": "Profiles",
    "/profiles/new": "New profile",
    "/profiles/gran-2010": "gran-2010",
    "/profiles/suggest?workload=scenario-1": "Suggest a profile",
    "/workloads": "Workloads",
    "/workloads/scenario-1": "scenario-1",
    "/workloads/scenario-1?tab=document": "scenario-1",
    "/workloads/new": "New workload",
    "/campaigns": "Campaigns",
    "/campaigns/new": "New campaign",
    "/promote": "Compare and promote",
    "/promote?profile=gran-2010": "Compare and promote",
    "/events": "Events and audit",
    "/events?tab=jobs": "Events and audit",
    "/events?tab=audit": "Events and audit",
    "/settings": "Settings",
    "/settings?tab=tokens": "Settings",
    "/settings?tab=fabrics": "Settings",
    "/settings?tab=users": "Settings",
    UNKNOWN: "Page not found",
}


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), pytest.param("dark", 390, marks=pytest.mark.slow)])
def test_every_page(browser: Browser, site: Site, scheme: Literal["light", "dark"], width: int) -> None:
    with Visitor.arriving(browser, site, scheme=scheme, width=width) as anna:
        for path, title in PAGES.items():
            anna.visit(path)
            expect(anna.page.get_by_role("heading", level=1)).to_have_text(title)
            expect(anna.page).to_have_title(f"{title} – ibcc")
            anna.expect_no_overflow()
            anna.expect_accessible()
        anna.overlook_unknown(UNKNOWN)


def test_an_unknown_address_is_not_found_by_its_status_too(visitor: Visitor) -> None:
    answer = visitor.page.goto(UNKNOWN)
    assert answer is not None
    assert answer.status == 404
    expect(visitor.page.get_by_role("heading", level=1)).to_have_text("Page not found")
    visitor.overlook_unknown(UNKNOWN)


def test_colours_are_the_viewers_choice_and_stay(visitor: Visitor) -> None:
    visitor.visit("/")
    visitor.page.get_by_role("button", name="Dark colors").click()
    whole = visitor.page.locator("html")
    expect(whole).to_have_attribute("data-mantine-color-scheme", "dark")
    visitor.visit("/profiles")
    expect(whole).to_have_attribute("data-mantine-color-scheme", "dark")


@pytest.mark.thorough
def test_by_keyboard_alone(visitor: Visitor) -> None:
    """Past the navigation, to a node of the topology, and into the device that it stands for."""
    visitor.visit("/fabrics/two-switch")
    page = visitor.page
    page.keyboard.press("Tab")
    focused = page.locator(":focus")
    expect(focused).to_have_text("Skip to the content")
    page.get_by_role("application").get_by_role("button").first.focus()
    page.keyboard.press("ArrowDown")
    expect(focused).to_have_attribute("aria-label", re.compile("^H"))
    name = focused.get_attribute("aria-label") or ""
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Ports and tables").focus()
    page.keyboard.press("Enter")
    page.get_by_role("heading", level=1, name=name.partition(",")[0]).wait_for()
