# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Nightly checks: what has changed is read in the morning, and checks are made, changed and run."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.api.ui.made_nights import MadeNights, observation
from tests.api.ui.test_settings import logged_in
from tests.api.ui.visitor import Site, Visitor
from tuner.checks.observation import Finding

FAIRNESS = """\
ibcc_check: 1
description: fairness of the test bed
kinds:
- {kind: fairness, workload: scenario-1, profile: gran-2010, time_scale: 0.02}
"""
TABLES = "ibcc_check: 1\nkinds:\n- {kind: tables}\n"
TODAY = datetime.now(UTC).date()
FIRST = TODAY - timedelta(days=13)
CHANGED = TODAY - timedelta(days=1)
FINDING = Finding(
    code="device-drifted",
    sentence="device 'H3' of user walter did not hold its tables",
    place="0x0000000000000303:1",
    evidence="job hpl-42 ran there",
    next_step="ibcc profile verify",
)


@pytest.fixture(scope="module")
def checks(browser: Browser, site: Site) -> Iterator[None]:
    """Two checks with a history: `nightly` has a baseline and an alarm, `tables` a finding and an answer."""
    state = site.session.parent / "state"
    with Visitor.arriving(browser, site) as anna:
        anna.page.goto("/no/such/page")
        anna.complaints.clear()  # the browser's own, of the 404
        anna.api("POST", "/fabrics", {"name": "cluster", "kind": "plugin", "options": {"socket": str(state / "no.sock")}})
        anna.api("POST", "/checks", {"name": "nightly", "fabric": "two-switch", "document": FAIRNESS})
        with MadeNights(state, "nightly") as nights:
            nights.add_usual(FIRST, 10)
            anna.api("POST", "/checks/nightly/baseline", {"last": 8})
            nights.add_missed(FIRST + timedelta(days=10))
            nights.add(FIRST + timedelta(days=11), late=True)
            for night in (CHANGED, TODAY):
                nights.add(night, {"fairness": observation("fairness", night, {"victim_throughput": 5.0})})
        anna.api("POST", "/checks", {"name": "tables", "fabric": "cluster", "document": TABLES})
        with MadeNights(state, "tables") as nights:
            nights.add(CHANGED)
            nights.add(TODAY, {"tables": observation("tables", TODAY, {"drifted": 1}, [FINDING], ["walter", "hpl-42"])})
            nights.add_draft(TODAY, "device-drifted at 0x0000000000000303:1", "A campaign was drafted.")
        yield


@pytest.mark.thorough
def test_the_morning_after_an_alarm(checks: None, visitor: Visitor) -> None:
    page = visitor.page
    visitor.visit("/")
    card = page.get_by_role("article").filter(has=page.get_by_role("link", name="nightly"))
    expect(card).to_contain_text("fail")
    expect(card).to_contain_text("fairness.victim_throughput is worse")
    card.get_by_role("link").click()
    expect(page.get_by_role("heading", level=1, name="nightly")).to_be_visible()
    changed = page.get_by_role("row", name="fairness.victim_throughput")
    expect(changed).to_contain_text("5 Gb/s")
    expect(page.get_by_role("region", name="Baseline")).to_contain_text("8 nights")
    visitor.expect_accessible()
    _by_keys_to_the_night(page)
    expect(page.get_by_role("row", name="Victim throughput")).to_contain_text("changed since")
    visitor.expect_accessible()
    page.go_back()
    page.get_by_role("tab", name="Trends").click()
    trend = page.get_by_role("region", name="fairness.victim_throughput")
    expect(trend).to_contain_text("worse since")
    expect(trend.get_by_role("img")).to_have_attribute(
        "aria-label", re.compile(r"in 13 nights: worse since .*; 5\sGb/s in the last")
    )
    trend.get_by_text("The numbers").click()
    expect(trend.get_by_role("row")).to_have_count(14)
    visitor.expect_accessible()


def _by_keys_to_the_night(page: Page) -> None:
    """One night is reached by Tab; from the first of them, keys pass the missed one and lead on."""
    calendar = page.get_by_role("region", name=re.compile("^Calendar of nights"))
    expect(calendar.locator("a[tabindex='0']")).to_have_count(1)
    expect(calendar.get_by_role("link", name=re.compile(": missed$"))).to_have_count(1)
    expect(calendar.get_by_role("link", name=re.compile(": pass, run late$"))).to_have_count(1)
    expect(calendar.get_by_role("link", name=re.compile(": pass, part of the baseline$"))).to_have_count(8)
    calendar.locator("a[tabindex='0']").focus()
    focused = page.locator(":focus")
    for key, night in (("Home", FIRST), ("ArrowRight", FIRST + timedelta(days=1)), ("End", TODAY), ("ArrowLeft", CHANGED)):
        page.keyboard.press(key)
        expect(focused).to_have_attribute("data-night", night.isoformat())
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"/checks/nightly/nights/{CHANGED}$"))


@pytest.mark.slow
def test_narrow_and_dark(checks: None, browser: Browser, site: Site) -> None:
    with Visitor.arriving(browser, site, scheme="dark", width=390) as anna:
        for path in (
            "/checks",
            "/checks/nightly",
            "/checks/nightly?tab=trends",
            "/checks/tables?tab=settings",
            "/checks/nightly/edit",
        ):
            anna.visit(path)
            anna.expect_no_overflow()
            anna.expect_accessible()
        anna.visit(f"/checks/tables/nights/{TODAY}")
        anna.expect_no_overflow()
        anna.expect_accessible()


def test_nights_are_accepted_and_that_is_undone(checks: None, visitor: Visitor) -> None:
    page = visitor.page
    visitor.visit("/checks/nightly")
    baseline = page.get_by_role("region", name="Baseline")
    baseline.get_by_role("button", name="Accept nights…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Number of nights").fill("4")
    expect(dialog.get_by_text("4 nights were observed; a baseline needs at least 5.")).to_be_visible()
    dialog.get_by_role("textbox", name="Number of nights").fill("6")
    expect(dialog.get_by_text("2 of them have a verdict other than pass")).to_be_visible()
    visitor.expect_accessible()
    dialog.get_by_role("button", name="Accept 6 nights").click()
    expect(baseline).to_contain_text("6 nights")
    baseline.get_by_role("button", name="Undo").click()
    page.get_by_role("dialog").get_by_role("button", name="Put it back").click()
    expect(baseline).to_contain_text("8 nights")
    expect(baseline.get_by_role("button", name="Undo")).to_have_count(0)


def test_viewers_read_no_names_and_change_nothing(checks: None, visitor: Visitor, browser: Browser, site: Site) -> None:
    site.add_on_the_machine("vera", "viewer")
    visitor.visit("/checks/tables")
    expect(visitor.page.get_by_role("region", name="Likely causes")).to_contain_text("user walter")
    with Visitor.arriving(browser, site, logged_in=False) as vera:
        logged_in(vera.page, "vera")
        vera.complaints.clear()  # the 401 of the first visit
        for path in ("/checks", "/checks/tables", f"/checks/tables/nights/{TODAY}", "/checks/tables?tab=settings"):
            vera.visit(path)
            main = vera.page.get_by_role("main")
            expect(main).to_contain_text("device 'H3' of user …")
            expect(main).not_to_contain_text(re.compile("walter|hpl-42"))
            expect(main.get_by_role("button", name=re.compile("^(Run now|Accept|Undo|Delete|Change|Set)"))).to_have_count(0)
        vera.visit("/checks/tables")
        causes = vera.page.get_by_role("region", name="Likely causes")
        causes.get_by_role("button", name="Copy the command ibcc profile verify").click()
        expect(causes.get_by_role("status")).to_have_text(re.compile("^(Copied|Selected)"))


def test_an_alarm_is_muted_and_the_mute_is_withdrawn(checks: None, visitor: Visitor) -> None:
    page = visitor.page
    visitor.visit("/checks/tables")
    alarms = page.get_by_role("region", name="Alarms")
    expect(alarms).to_contain_text("did not hold its tables")
    alarms.get_by_role("button", name="Mute…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Mute")).to_be_disabled()
    dialog.get_by_label("Why").fill("waits for a new adapter")
    dialog.get_by_label("Last night").fill((TODAY + timedelta(days=7)).isoformat())
    visitor.expect_accessible()
    dialog.get_by_role("button", name="Mute").click()
    expect(alarms.get_by_role("heading", name="Muted and planned")).to_be_visible()
    expect(alarms).to_contain_text("is muted until")
    expect(alarms).to_contain_text("waits for a new adapter (anna)")
    alarms.get_by_role("button", name="Withdraw").click()
    expect(alarms.get_by_role("heading", name="Muted and planned")).to_have_count(0)
    alarms.get_by_role("button", name="Plan a change…").click()
    dialog.get_by_role("radio", name="Cables are plugged elsewhere").check()
    visitor.expect_accessible()
    dialog.get_by_role("button", name="Cancel").click()


def test_an_answer_is_undone(checks: None, visitor: Visitor) -> None:
    visitor.visit("/checks/tables")
    answers = visitor.page.get_by_role("region", name="Answers")
    answers.get_by_role("button", name="Undo").click()
    dialog = visitor.page.get_by_role("dialog")
    expect(dialog).to_contain_text("Deletes the draft.")
    dialog.get_by_role("button", name="Undo").click()
    expect(answers).to_contain_text("by anna")
    expect(answers.get_by_role("button", name="Undo")).to_have_count(0)


def test_a_check_is_made_changed_run_and_deleted(visitor: Visitor) -> None:
    page = visitor.page
    visitor.visit("/checks/new")
    page.get_by_label("Name of the check").fill("mine")
    page.get_by_role("combobox", name="Fabric").click()
    page.get_by_role("option", name="two-switch (simulated)").click()
    document = visitor.write("Document", FAIRNESS.replace("gran-2010", "gran-2010, speed: 9"))
    expect(page.get_by_text("Not valid")).to_be_visible()
    page.get_by_role("button", name="Create mine").click()
    expect(page.get_by_text("Not saved")).to_be_visible()
    page.get_by_role("button", name="Line 4").click()
    visitor.complaints.clear()  # the browser's own words on the 422
    expect(document).to_be_focused()
    expect(document).to_have_attribute("aria-invalid", "true")
    visitor.write("Document", FAIRNESS)
    page.get_by_label("Monday").uncheck()
    page.get_by_role("button", name="Create mine").click()
    expect(page.get_by_text("This check has not run yet.")).to_be_visible()
    _change_schedule_and_policy(visitor)
    page.get_by_role("tab", name="Nights").click()
    page.get_by_role("button", name="Run now").click()
    # The verdict comes as an event; nothing is loaded anew.
    expect(page.get_by_label("The last night")).to_contain_text("learning: 1 of 10 nights")
    expect(page.get_by_role("link", name=re.compile(": pass$"))).to_be_visible()
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", level=1, name="Checks")).to_be_visible()
    expect(page.get_by_role("link", name="mine")).to_have_count(0)
    page.goto("about:blank")
    visitor.overlook_missing("/checks/mine")


def _change_schedule_and_policy(visitor: Visitor) -> None:
    page = visitor.page
    page.get_by_role("tab", name="Schedule and answers").click()
    schedule, policy = page.get_by_role("region", name="Schedule"), page.get_by_role("region", name="Answers to a night")
    expect(schedule).to_contain_text("Tue, Wed, Thu, Fri, Sat, Sun at 02:17 (Europe/Berlin)")
    schedule.get_by_role("button", name="Change the schedule").click()
    schedule.get_by_label("Time").fill("03:45")
    schedule.get_by_role("combobox", name="Zone whose clocks count").fill("Tokyo")
    page.get_by_role("option", name="Asia/Tokyo").click()
    expect(schedule.get_by_text(re.compile(r"03:45 GMT\+9, which is .*(19:45 CET|20:45 CEST) for you"))).to_be_visible()
    schedule.get_by_role("button", name="Save").click()
    expect(schedule).to_contain_text("at 03:45 (Asia/Tokyo)")
    policy.get_by_role("button", name="Change the answers").click()
    policy.get_by_role("button", name="Add a rule").click()
    visitor.expect_accessible()
    policy.get_by_role("button", name="Save").click()
    expect(policy).to_contain_text("If a night fails, the service reads back all devices")
