# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A campaign from the wizard to production and back: created, watched, its front read; a profile tried, promoted, rolled back."""

import re

from playwright.sync_api import expect

from tests.api.ui.visitor import Visitor


def test_from_a_template_to_production_and_back(visitor: Visitor) -> None:
    page = visitor.page
    visitor.visit("/campaigns/new")
    page.get_by_role("radio", name=re.compile("^Protect a victim")).check()
    page.get_by_label("Name of the campaign").fill("first try")
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("heading", name="Suggested profile")).to_be_visible()
    page.get_by_role("button", name="Next").click()
    # So many that it cannot have ended by itself before it is stopped.
    page.get_by_label("Trials", exact=True).fill("400")
    page.get_by_label("Time scale", exact=True).fill("0.05")
    page.get_by_label("Seeds").fill("1")
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("heading", name="Search space")).to_be_visible()
    expect(page.get_by_text("It follows from the devices of the fabric")).to_be_visible()
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("rowheader", name="ca.ccti_timer")).to_be_visible()
    expect(page.get_by_text("gran-2010 at 16 Gb/s").first).to_be_visible()
    page.get_by_role("button", name="Keep as a draft").click()
    expect(page.get_by_role("heading", name="first try")).to_be_visible()
    page.get_by_role("button", name="Start").click()
    # Told by events: the page is not loaded anew.
    progress = page.get_by_role("region", name="Progress")
    expect(progress.get_by_text(re.compile(r"[1-9]\d* of 400 trials.*, about .* left"))).to_be_visible()
    # What it has found so far, in the words of the service.
    expect(
        page.get_by_text(re.compile(r"^Trial \d+ is the best of \d+ of 400 trials so far: victim throughput is "))
    ).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Stop at once").click()
    expect(page.get_by_text(re.compile(r"^\W*stopped$")).first).to_be_visible()

    expect(page.get_by_role("img", name=re.compile("on the front"))).to_be_visible()
    page.get_by_text("The numbers").first.click()
    expect(page.get_by_role("columnheader", name="victim_throughput [Gb/s]")).to_be_visible()
    page.get_by_role("tab", name="Trials").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="All trials as CSV").click()
    assert download.value.path().read_text().startswith("number,")
    page.get_by_label("Compare trial 0", exact=True).check()
    expect(page.get_by_role("button", name="Compare", exact=True)).to_be_disabled()
    page.get_by_label("Compare trial 1", exact=True).check()
    page.get_by_role("link", name="Compare 2 trials").click()
    expect(page.get_by_role("columnheader", name=re.compile("Trial [01]"))).to_have_count(2)
    expect(page.get_by_role("img", name="Congestion control tables of 2 trials")).to_be_visible()
    page.go_back()
    page.get_by_role("tab", name="Explore").click()
    expect(page.get_by_role("img", name=re.compile(r"lines through \d parameters and 2 objectives"))).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("Best victim throughput"))).to_be_visible()
    page.get_by_role("tab", name="Trials").click()
    page.get_by_role("rowheader").first.get_by_role("link").click()
    expect(page.get_by_role("heading", name=re.compile(r"Trial \d"))).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("Throughput of 5 flows"))).to_be_visible()

    visitor.visit("/campaigns")
    page.get_by_label("Search campaigns").fill("FIRST")
    page.get_by_label("Choose first try").check()
    page.get_by_role("button", name="Archive 1").click()
    expect(page.get_by_text("No campaign passes the filter.")).to_be_visible()
    page.get_by_label("Show the archive").check()
    expect(page.get_by_role("link", name="first try")).to_be_visible()


def test_a_profile_is_written_tried_promoted_and_rolled_back(visitor: Visitor) -> None:
    page = visitor.page
    visitor.visit("/profiles/new?from=gran-2010")
    timer = page.get_by_label(re.compile("ca.ccti_timer"))
    timer.fill("70000")
    expect(page.get_by_text("Not valid")).to_be_visible()
    timer.fill("120")
    expect(page.get_by_text("The profile is valid.")).to_be_visible()
    page.get_by_label("Comment").fill("a quicker timer")
    page.get_by_role("button", name="Save as gran-2010-copy").click()
    expect(page.get_by_role("heading", name="gran-2010-copy")).to_be_visible()

    page.get_by_role("link", name="Plan, apply, promote").click()
    expect(page.get_by_text(re.compile(r"\d+ MADs to 9 devices"))).to_be_visible()
    page.get_by_role("button", name="Apply for 10 min…").click()
    asked = page.get_by_role("dialog")
    expect(asked).to_contain_text("23 MADs to 9 devices")
    expect(asked).to_contain_text("After 10 min they get the base off back.")
    asked.get_by_role("button", name="Apply for 10 min").click()
    expect(asked).to_be_hidden()
    banner = page.get_by_role("region", name="Trial run on two-switch")
    expect(banner).to_contain_text("gran-2010-copy")
    visitor.expect_accessible()
    banner.get_by_role("button", name="Restore the base now").click()
    page.get_by_role("dialog").get_by_role("button", name="Restore").click()
    expect(banner).to_be_hidden()

    page.get_by_role("button", name="Promote…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("MADs go to 9 devices")
    dialog.get_by_label(re.compile("I have read the plan")).check()
    dialog.get_by_role("button", name="Promote").click()
    expect(dialog).to_be_hidden()
    expect(page.get_by_text("Nothing would be sent: every device holds this profile already.")).to_be_visible()
    assert visitor.api("GET", "/fabrics/two-switch/state")["base_profile"]["name"] == "gran-2010-copy"

    visitor.visit("/fabrics/two-switch")
    page.get_by_role("button", name="Roll back").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(re.compile("All devices get off.*, the base before gran-2010-copy"))
    expect(dialog).to_contain_text("From gran-2010-copy, version 1 to off, version 1: 16 MADs to 9 devices.")
    dialog.get_by_role("button", name="Roll back").click()
    expect(page.get_by_label("State of the fabric")).not_to_contain_text("gran-2010-copy")
    assert visitor.api("GET", "/fabrics/two-switch/state")["base_profile"]["name"] == "off"
    page.get_by_role("button", name="Roll back").click()
    expect(dialog).to_contain_text("There is no base before off")
    expect(dialog.get_by_role("button", name="Roll back")).to_be_disabled()

    visitor.visit("/events?tab=audit")
    expect(page.get_by_role("table")).to_contain_text("fabric.")
