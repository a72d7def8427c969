# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""People and tokens."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.api.ui.visitor import PASSWORD, Site, Visitor


def test_a_viewer_is_made_and_sees_without_changing(visitor: Visitor, browser: Browser, site: Site) -> None:
    page = visitor.page
    visitor.visit("/settings?tab=users")
    page.get_by_role("button", name="Add a user").click()
    page.get_by_label("User name", exact=True).last.fill("vera")
    page.get_by_label("First password").fill(PASSWORD)
    page.get_by_role("dialog").get_by_role("button", name="Add").click()
    expect(page.get_by_role("rowheader", name="vera")).to_be_visible()
    with Visitor.arriving(browser, site, logged_in=False) as vera:
        vera.page.goto("/login")
        vera.page.get_by_label("User name").fill("vera")
        vera.page.get_by_label("Password", exact=True).fill(PASSWORD)
        vera.page.get_by_role("button", name="Log in").click()
        expect(vera.page.get_by_role("heading", name="Overview")).to_be_visible()
        vera.visit("/fabrics/two-switch")
        expect(vera.page.get_by_role("button", name="Verify")).to_have_count(0)
        vera.visit("/campaigns")
        expect(vera.page.get_by_role("link", name="New campaign")).to_have_count(0)
        vera.complaints.clear()  # the 401 of the first visit
        for form in ("campaigns/new", "checks/new", "profiles/new", "workloads/scenario-1/edit"):
            vera.visit(f"/{form}")
            said = vera.page.get_by_text("This form needs the role operator; vera has viewer.")
            expect(said).to_be_visible()
            expect(vera.page.get_by_role("main").get_by_role("textbox")).to_have_count(0)
        vera.expect_accessible()


def logged_in(page: Page, username: str, password: str = PASSWORD) -> None:
    page.goto("/login")
    page.get_by_label("User name").fill(username)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()


@pytest.mark.thorough
def test_the_owner_takes_an_account_by_another_admins_link(visitor: Visitor, browser: Browser, site: Site) -> None:
    visitor.api("POST", "/users", {"username": "olga", "password": PASSWORD, "role": "operator"})
    site.add_on_the_machine("yann", "admin")
    visitor.visit("/settings?tab=users")
    row = visitor.page.get_by_role("row", name="olga")
    expect(row).to_contain_text("usable by anna")
    with Visitor.arriving(browser, site, logged_in=False) as yann, Visitor.arriving(browser, site, logged_in=False) as olga:
        logged_in(yann.page, "yann")
        yann.visit("/settings?tab=users")
        yann.page.get_by_role("row", name="olga").get_by_role("button", name="Link for the owner").click()
        link = yann.page.locator("code.secret").inner_text()
        olga.page.goto(link)
        expect(olga.page).to_have_url(re.compile("/welcome$"))
        olga.page.get_by_label("Password", exact=True).fill("my own donkey charger")
        olga.page.get_by_label("Repeat the password").fill("my own donkey charger")
        olga.page.get_by_role("button", name="Set the password").click()
        olga.page.get_by_role("link", name="Log in").click()
        logged_in(olga.page, "olga", "my own donkey charger")
        yann.complaints.clear()  # the 401 of the first visit
        olga.complaints.clear()
    visitor.visit("/settings?tab=users")
    expect(row).not_to_contain_text("usable by")


@pytest.mark.thorough
def test_all_sessions_of_a_person_end(visitor: Visitor, browser: Browser, site: Site) -> None:
    visitor.api("POST", "/users", {"username": "ines", "password": PASSWORD, "role": "viewer"})
    with Visitor.arriving(browser, site, logged_in=False) as here, Visitor.arriving(browser, site, logged_in=False) as there:
        logged_in(there.page, "ines")
        logged_in(here.page, "ines")
        here.visit("/settings?tab=account")
        here.page.get_by_role("button", name="End all my sessions").click()
        here.page.get_by_role("dialog").get_by_role("button", name="End all sessions").click()
        expect(here.page).to_have_url(re.compile("/login"))
        there.page.goto("/jobs")
        expect(there.page).to_have_url(re.compile("/login"))
        here.complaints.clear()  # 401, before the first login and after the end
        there.complaints.clear()


def test_an_admin_sends_a_test_to_an_address(visitor: Visitor) -> None:
    page = visitor.page
    visitor.visit("/settings?tab=notifications")
    row = page.get_by_role("row", name="the server's log")
    expect(row).to_contain_text("warnings and errors")
    row.get_by_role("button", name="Send a test to log").click()
    message = page.get_by_role("table", name="Messages").get_by_role("row", name="test of the address log, asked for by anna")
    expect(message).to_contain_text("sent", timeout=20_000)


@pytest.mark.thorough
def test_the_secret_of_a_token_is_shown_once(visitor: Visitor) -> None:
    page = visitor.page
    visitor.visit("/settings?tab=tokens")
    page.get_by_role("button", name="Create a token").click()
    page.get_by_label("Name", exact=True).fill("nightly")
    page.get_by_role("dialog").get_by_role("button", name="Create").click()
    secret = page.locator("code.secret").inner_text()
    answer = page.context.request.get("/api/v1/fabrics", headers={"Authorization": f"Bearer {secret}", "Cookie": ""})
    assert answer.status == 200
    visitor.visit("/settings?tab=tokens")
    expect(page.get_by_role("rowheader", name="nightly")).to_be_visible()
    assert secret not in page.content()
    page.get_by_role("row", name="nightly").get_by_role("button", name="Revoke").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(page.get_by_role("rowheader", name="nightly")).to_have_count(0)


@pytest.mark.slow
def test_a_second_person_is_not_switched_off_by_one(visitor: Visitor, browser: Browser, site: Site) -> None:
    page = visitor.page
    visitor.api(
        "POST", "/fabrics", {"name": "watched", "kind": "simulated", "options": {"fabric": "two-switch"}, "second_person": True}
    )
    visitor.api("POST", "/users", {"username": "ada", "password": PASSWORD, "role": "admin"})
    visitor.visit("/settings?tab=fabrics")
    box = page.get_by_label("Promotions on watched need a second person")
    box.click()
    row = page.get_by_role("row", name="watched")
    expect(row).to_contain_text("You asked to switch it off; another admin must agree.")
    expect(box).to_be_checked()
    with Visitor.arriving(browser, site, logged_in=False) as ada:
        logged_in(ada.page, "ada")
        ada.visit("/settings?tab=fabrics")
        ada.page.get_by_role("row", name="watched").get_by_role("button", name="Keep it").click()
        expect(ada.page.get_by_role("row", name="watched").get_by_role("button", name="Keep it")).to_have_count(0)
        ada.complaints.clear()  # the 401 of the first visit
    assert visitor.api("GET", "/fabrics/watched")["second_person"] is True
