# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Two people bring a campaign's profile to production while every answer is late: a trial run, a promotion that is asked for
during it, its approval, the way back, and a promotion that is outdated."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.api.campaign_service import SHORT
from tests.api.ui.conftest import own_site
from tests.api.ui.visitor import PASSWORD, Site, Visitor

FABRIC = "guarded"

LATE = """
const answered = new Set();
const fetched = window.fetch;
window.fetch = async (input, options) => {
  const answer = await fetched(input, options);
  const place = new URL(typeof input === "string" ? input : input.url, location.href).pathname;
  const request = `${options?.method ?? "GET"} ${place}`;
  if (place.startsWith("/api/v1/") && !place.startsWith("/api/v1/events") && !answered.has(request)) {
    answered.add(request);
    await new Promise((go) => setTimeout(go, %d));
  }
  return answer;
};
"""


@pytest.fixture(params=[pytest.param(500, marks=pytest.mark.thorough), pytest.param(5000, marks=pytest.mark.slow)])
def late(request: pytest.FixtureRequest) -> str:
    """Script of a page in which the first answer to each request comes half a second late, or five."""
    return LATE % int(request.param)


@pytest.fixture
def site(built: Path, tmp_path: Path) -> Iterator[Site]:
    """For one test."""
    with own_site(tmp_path) as one:
        yield one


@pytest.fixture
def bert(browser: Browser, site: Site, late: str) -> Iterator[Visitor]:
    """An operator whose account is in nobody's hands."""
    site.add_on_the_machine("bert", "operator")
    with Visitor.arriving(browser, site, logged_in=False, width=1440) as one:
        page = one.page
        page.goto("/login")
        page.get_by_label("User name").fill("bert")
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("heading", name="Overview")).to_be_visible()
        one.complaints.clear()  # the browser's own, of the 401 that says who nobody is
        page.add_init_script(late)
        yield one


@pytest.fixture
def anna(visitor: Visitor, late: str) -> Visitor:
    visitor.page.add_init_script(late)
    return visitor


def test_a_profile_goes_to_production_and_back(anna: Visitor, bert: Visitor, browser: Browser, site: Site) -> None:
    body = {"name": FABRIC, "kind": "simulated", "options": {"fabric": "two-switch"}, "second_person": True}
    anna.api("POST", "/fabrics", body)
    _save_what_a_campaign_found(anna)
    _try(anna.page)
    _ask_during_the_trial_run(anna.page)
    with _phone(browser, site) as phone:
        _read_on_a_phone(phone)
    _approve(bert)
    expect(_banner(anna.page)).to_be_hidden()
    assert _state(anna) == ("cured", "off", None)
    _roll_back(anna)
    assert _state(anna)[0] == "off"
    _outdate(anna, bert)


def _save_what_a_campaign_found(anna: Visitor) -> None:
    confirmation = {"seeds": [101, 102], "time_scale": 0.02, "front": 1}
    settings = SHORT | {"budget.trials": 2, "confirmation": confirmation}
    body = {"name": "cure", "fabric": FABRIC, "template": "scenario-1", "settings": settings, "on_simulator": True}
    campaign = anna.api("POST", "/campaigns", body)["id"]
    page = anna.page
    anna.visit(f"/campaigns/{campaign}")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_role("heading", name="Recommended")).to_be_visible()
    page.get_by_role("button", name="Save and compare", exact=True).first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name of the profile").fill("cured")
    dialog.get_by_role("button", name="Save and compare").click()
    expect(page.get_by_role("heading", name="Compare and promote")).to_be_visible()
    expect(page.get_by_role("region", name="The plan")).to_contain_text(re.compile(r"From the base off.* to cured.*to 9 devices"))


def _try(page: Page) -> None:
    """Nothing is sent before one has seen what."""
    page.get_by_role("button", name="Apply for 10 min…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(re.compile(r"\d+ MADs to 9 devices.*After 10 min they get the base off back"))
    dialog.get_by_text("The plan by device").click()
    expect(dialog.get_by_role("table", name=f"Plan for {FABRIC}")).to_contain_text("CongestionControlTable")
    dialog.get_by_role("button", name="Apply for 10 min").click()
    expect(_banner(page)).to_contain_text("cured, version 1, by anna")


def _ask_during_the_trial_run(page: Page) -> None:
    plan = page.get_by_role("region", name="The plan")
    expect(plan).to_contain_text(re.compile(r"From the base off.*to cured.*[1-9]\d* MADs to 9 devices"))
    expect(plan).to_contain_text("A trial run of cured, version 1, is in force, of anna. Sent now: 0 MADs to 0 devices.")
    page.get_by_role("button", name="Promote…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(re.compile(r"[1-9]\d* MADs go to 9 devices: from off"))
    expect(dialog).to_contain_text("the promotion ends it")
    dialog.get_by_label(re.compile("I have read the plan")).check()
    dialog.get_by_role("button", name="Promote", exact=True).click()
    expect(page.get_by_text("The promotion waits for the approval of another operator")).to_be_visible()


@contextmanager
def _phone(browser: Browser, site: Site) -> Iterator[Visitor]:
    with Visitor.arriving(browser, site, width=390) as one:
        yield one


def _read_on_a_phone(phone: Visitor) -> None:
    """What has happened is on the screen, beside its time."""
    phone.visit("/events")
    expect(phone.page.get_by_text(re.compile("^anna began a trial run of profile cured version 1"))).to_be_in_viewport(ratio=0.9)
    phone.expect_no_overflow()


def _approve(bert: Visitor) -> None:
    page = bert.page
    bert.visit("/")
    page.get_by_role("region", name="Waiting for your approval").get_by_role("link", name="Look at it").click()
    page.get_by_role("button", name="Approve…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Approve", exact=True)).to_be_disabled()
    expect(dialog).to_contain_text(re.compile(r"in place of off.*[1-9]\d* MADs to 9 devices"))
    expect(dialog).to_contain_text("cured, version 1, is in force, of anna; approving ends it. Sent now: 0 MADs")
    known = dialog.get_by_role("region", name="What is known of it")
    expect(known.get_by_role("link", name="cure")).to_be_visible()
    expect(known).to_contain_text(re.compile(r"Victim throughput \(gain\).*against CC off \+[\d.]+.Gb/s \([\d.-]+ to [\d.]+\)"))
    expect(known).to_contain_text("devices as the fabric has them")
    expect(known).to_contain_text("An operator rolls back: profile 'off' version 1 is the base again")
    expect(known).to_contain_text("nothing was measured before and during it")
    bert.expect_accessible()
    dialog.get_by_label(re.compile("I have read the plan")).check()
    dialog.get_by_role("button", name="Approve", exact=True).click()
    row = page.get_by_role("table", name="Promotions").get_by_role("row", name=re.compile("cured"))
    expect(row).to_contain_text("done")
    expect(_banner(page)).to_be_hidden()


def _roll_back(anna: Visitor) -> None:
    page = anna.page
    anna.visit(f"/fabrics/{FABRIC}")
    expect(page.get_by_label("State of the fabric")).to_contain_text("cured")
    page.get_by_role("button", name="Roll back").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(re.compile(r"From cured, version 1 to off, version 1: [1-9]\d* MADs to 9 devices"))
    dialog.get_by_role("button", name="Roll back").click()
    expect(page.get_by_label("State of the fabric")).not_to_contain_text("cured")


def _outdate(anna: Visitor, bert: Visitor) -> None:
    """Another base comes between: nobody is asked to approve what is outdated, until it is asked for again."""
    first = _asked(anna, "gran-2010")
    second = _asked(anna, "gran-2012")
    page = bert.page
    bert.visit(f"/promote?fabric={FABRIC}")
    expect(page.get_by_role("link", name=re.compile("2 wait for your approval"))).to_be_visible()
    bert.api("POST", f"/promotions/{second}/approve", {}, **{"Idempotency-Key": "second"})
    notice = page.get_by_role("status").filter(has_text="gran-2010, version 1, is outdated on guarded")
    expect(notice).to_contain_text("the base was 'off' when it was asked for, and the base is 'gran-2012' now")
    expect(page.get_by_role("link", name=re.compile("for your approval"))).to_have_count(0)
    expect(notice.get_by_role("button", name="Approve…")).to_have_count(0)
    anna.visit(f"/promote?fabric={FABRIC}")
    page = anna.page
    page.get_by_role("button", name="Ask again").click()
    waiting = page.get_by_role("status").filter(has_text="gran-2010, version 1, waits for approval on guarded")
    expect(waiting).to_contain_text("from the base gran-2012, version 1")
    expect(page.get_by_role("button", name="Ask again")).to_have_count(0)
    expect(bert.page.get_by_role("link", name=re.compile("1 waits for your approval"))).to_be_visible()
    assert anna.api("GET", f"/promotions/{first}")["state"] == "outdated"


def _asked(anna: Visitor, profile: str) -> str:
    plan = anna.api("POST", f"/fabrics/{FABRIC}/plan", {"profile": profile})
    body = {"fabric": FABRIC, "profile": profile, "version": 1, "plan_digest": plan["digest"]}
    return str(anna.api("POST", "/promotions", body, **{"Idempotency-Key": profile})["id"])


def _banner(page: Page) -> Locator:
    return page.get_by_role("region", name=f"Trial run on {FABRIC}")


def _state(anna: Visitor) -> tuple[str, str | None, str | None]:
    """The base, the former base, and the owner of a trial run."""
    state = anna.api("GET", f"/fabrics/{FABRIC}/state")
    former = state["former_profile"] and state["former_profile"]["name"]
    return state["base_profile"]["name"], former, state["experiment"] and state["experiment"]["owner"]
