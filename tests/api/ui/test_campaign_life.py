# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What can be done to a campaign while it runs and afterwards: pause, resume, stop, extend, clone, delete; and a trial in
detail."""

import json
import re
import shutil

import pytest
from playwright.sync_api import Page, expect

from tests.api.campaign_service import SHORT
from tests.api.ui.visitor import Site, Visitor

TRIALS = 400
"""More than are measured before the test has paused it."""


@pytest.mark.slow
def test_paused_resumed_stopped_extended_and_cloned(visitor: Visitor) -> None:
    page = visitor.page
    settings = SHORT | {"budget.trials": TRIALS}
    made = {"name": "life", "fabric": "two-switch", "template": "scenario-1", "settings": settings}
    campaign = visitor.api("POST", "/campaigns", made)
    visitor.visit(f"/campaigns/{campaign['id']}")
    state = page.get_by_role("main").locator(".page-head")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("region", name="Progress").get_by_text(re.compile(rf"[1-9]\d* of {TRIALS} trials"))).to_be_visible()

    page.get_by_role("button", name="Pause").click()
    expect(state).to_contain_text("paused")
    _dialog_of_more(visitor, "Extend")
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()

    page.get_by_role("button", name="Stop", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("the fabric gets its base profile back")
    visitor.expect_accessible()
    dialog.get_by_role("button", name=re.compile("^Stop at once")).click()
    expect(state).to_contain_text("stopped")
    done = int(visitor.api("GET", f"/campaigns/{campaign['id']}")["trials_done"])
    assert 0 < done < TRIALS

    # To two trials more, which finish it: so short a campaign is confirmed in a second.
    _more(page, "Extend")
    dialog.get_by_label("Trials in all").fill(str(done + 2))
    dialog.get_by_role("button", name="Extend").click()
    expect(state).to_contain_text("finished")
    expect(page.get_by_text(f"{done + 2} of {done + 2} trials")).to_be_visible()

    _more(page, "Clone")
    dialog.get_by_label("Name of the new campaign").fill("second life")
    dialog.get_by_label("Begin with the best").fill("1")
    dialog.get_by_role("button", name="Clone").click()
    expect(page.get_by_role("heading", name="second life")).to_be_visible()
    expect(state).to_contain_text("draft")
    visitor.visit("/campaigns?state=draft")
    page.get_by_role("rowheader", name="second life").get_by_role("link").click()

    _more(page, "Delete")
    expect(dialog).to_contain_text("Its trials and its report are deleted too.")
    visitor.expect_accessible()
    dialog.get_by_role("button", name="Delete").click()
    expect(page).to_have_url(re.compile("/campaigns$"))
    expect(page.get_by_role("rowheader", name="life", exact=True)).to_be_visible()
    expect(page.get_by_role("rowheader", name="second life")).to_have_count(0)

    _a_trial(visitor, campaign["id"])


@pytest.mark.slow
def test_trials_that_the_store_has_lost_are_measured_again_if_somebody_wants_that(visitor: Visitor, site: Site) -> None:
    """As after a restore of the database alone."""
    page = visitor.page
    settings = SHORT | {"budget.trials": TRIALS}
    made = {"name": "lost", "fabric": "two-switch", "template": "scenario-1", "settings": settings}
    campaign = visitor.api("POST", "/campaigns", made)
    visitor.visit(f"/campaigns/{campaign['id']}")
    state = page.get_by_role("main").locator(".page-head")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text(re.compile(rf"[1-9]\d* of {TRIALS} trials"))).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    expect(state).to_contain_text("paused")
    shutil.rmtree(site.session.parent / "state/campaigns" / campaign["id"])
    page.get_by_role("button", name="Resume").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(re.compile("has 0 of its [0-9]+ trials"))
    visitor.complaints.clear()  # the browser reports the 409
    visitor.expect_accessible()
    dialog.get_by_role("button", name="Cancel").click()
    expect(state).to_contain_text("paused")
    page.get_by_role("button", name="Resume").click()
    dialog.get_by_role("button", name="Measure again").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    visitor.complaints.clear()
    visitor.api("POST", f"/campaigns/{campaign['id']}/stop", {"confirm": False})


def _more(page: Page, item: str) -> None:
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name=item, exact=True).click()


def _dialog_of_more(visitor: Visitor, item: str) -> None:
    """Opened from the menu, looked at, and left by Escape: the focus is where it was."""
    page = visitor.page
    _more(page, item)
    expect(page.get_by_role("dialog")).to_be_visible()
    visitor.expect_accessible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("button", name="More")).to_be_focused()


def _a_trial(visitor: Visitor, campaign: str) -> None:
    """Its flows' throughput over time is drawn, is a table, and is a file; and that is what the API measured."""
    page = visitor.page
    visitor.visit(f"/campaigns/{campaign}/trials/0")
    expect(page.get_by_role("img", name=re.compile(r"Throughput of 5 flows over 0\.1"))).to_be_visible()
    measured = visitor.api("GET", f"/campaigns/{campaign}/trials/0")["measurements"][0]["flows"]
    victim = next(flow for flow in measured if flow["role"] == "victim")
    page.get_by_text("The numbers").click()
    head = page.get_by_role("columnheader", name=f"{victim['name']} [Gb/s]")
    expect(head).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="trial-0-seed-1-throughput as JSON").click()
    rows = json.loads(download.value.path().read_text())
    assert [row[f"{victim['name']} [Gb/s]"] for row in rows] == [one["gbps"] for one in victim["series"]]
    assert [row["t_s"] for row in rows] == [one["t_s"] for one in victim["series"]]
