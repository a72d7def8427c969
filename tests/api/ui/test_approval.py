# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A promotion that needs a second person: one asks, another looks at the same plan and approves or rejects."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.api.ui.visitor import PASSWORD, Site, Visitor

FABRIC = "guarded"


@pytest.fixture
def guarded(visitor: Visitor, site: Site) -> None:
    """A fabric whose promotions need a second person, and bert, an operator whom the visitor has not made."""
    site.add_on_the_machine("bert", "operator")
    visitor.api(
        "POST", "/fabrics", {"name": FABRIC, "kind": "simulated", "options": {"fabric": "two-switch"}, "second_person": True}
    )


@contextmanager
def bert(browser: Browser, site: Site) -> Iterator[Visitor]:
    with Visitor.arriving(browser, site, logged_in=False) as somebody:
        page = somebody.page
        page.goto(f"/login?back=/promote%3Ffabric%3D{FABRIC}")
        page.get_by_label("User name").fill("bert")
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("heading", name="Compare and promote")).to_be_visible()
        somebody.complaints.clear()  # the browser's own, of the 401 that says who nobody is
        yield somebody


def ask_for(page: Page, profile: str) -> None:
    page.goto(f"/promote?fabric={FABRIC}&profile={profile}")
    expect(page.get_by_text("Nothing is sent before another operator has approved it.")).to_be_visible()
    page.get_by_role("button", name="Promote…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label(re.compile("I have read the plan")).check()
    dialog.get_by_role("button", name="Promote", exact=True).click()
    expect(page.get_by_text("The promotion waits for the approval of another operator")).to_be_visible()


def decide(page: Page, word: str, comment: str) -> None:
    page.get_by_role("button", name=f"{word}…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Comment").fill(comment)
    if word == "Approve":
        expect(dialog.get_by_role("button", name=word, exact=True)).to_be_disabled()
        expect(dialog.get_by_role("table", name=re.compile("^Changes from off"))).to_contain_text("enable")
        dialog.get_by_text("The plan by device").click()
        expect(dialog.get_by_role("table", name=f"Plan for {FABRIC}")).to_contain_text("CongestionControlTable")
        dialog.get_by_label(re.compile("I have read the plan")).check()
    dialog.get_by_role("button", name=word, exact=True).click()
    expect(dialog).to_be_hidden()


@pytest.mark.slow
def test_another_operator_approves_or_rejects(guarded: None, visitor: Visitor, browser: Browser, site: Site) -> None:
    ask_for(visitor.page, "gran-2010")
    own = visitor.page.get_by_text("You asked for it, so another person must approve it.")
    expect(own).to_be_visible()
    expect(visitor.page.get_by_role("button", name="Approve…")).to_have_count(0)
    with bert(browser, site) as other:
        expect(other.page.get_by_role("link", name=re.compile("1 waits for your approval"))).to_be_visible()
        other.page.get_by_role("link", name="Overview").click()
        section = other.page.get_by_role("region", name="Waiting for your approval")
        expect(section).to_contain_text("gran-2010, version 1, on guarded")
        other.expect_accessible()
        other.expect_no_overflow()
        section.get_by_role("link", name="Look at it").click()
        waiting = other.page.get_by_role("status").filter(has_text="gran-2010, version 1, waits for approval on guarded")
        expect(waiting).to_contain_text("23 MADs to 9 devices")
        decide(other.page, "Approve", "Looked at the report.")
        promotions = other.page.get_by_role("table", name="Promotions")
        expect(promotions.get_by_role("row", name=re.compile("gran-2010"))).to_contain_text("done")
        # Whoever asked is told by events: nothing is loaded anew.
        expect(own).to_be_hidden()
        state = visitor.api("GET", f"/fabrics/{FABRIC}/state")
        assert state["base_profile"]["name"] == "gran-2010"

        ask_for(visitor.page, "gran-2012")
        decide(other.page, "Reject", "Not before Monday.")
        row = visitor.page.get_by_role("row", name=re.compile("gran-2012")).filter(has_text="rejected")
        expect(row).to_contain_text("bert")
        assert visitor.api("GET", f"/fabrics/{FABRIC}/state")["base_profile"]["name"] == "gran-2010"
