# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The first start, logging in and out."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.api.ui.conftest import serving
from tests.api.ui.visitor import PASSWORD, Site, Visitor, policy_of


def test_the_link_of_the_first_start_makes_the_administrator(browser: Browser, ibcc: Path, tmp_path: Path) -> None:
    with serving(ibcc, tmp_path) as (url, token), Visitor.arriving(browser, Site(url, tmp_path), logged_in=False) as somebody:
        page = somebody.page
        page.goto(f"/setup#token={token}")
        expect(page).to_have_url(f"{url}/setup")  # the token is in no history
        page.get_by_label("User name").fill("anna")
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_label("Repeat the password").fill("something else")
        expect(page.get_by_text("The passwords differ.")).to_be_visible()
        page.get_by_label("Repeat the password").fill(PASSWORD)
        page.get_by_role("button", name="Create the administrator").click()
        expect(page.get_by_role("heading", name="Overview")).to_be_visible()
        page.goto(f"/setup#token={token}")
        expect(page.get_by_text("already has an administrator")).to_be_visible()


@pytest.mark.thorough
def test_a_link_into_the_service_survives_the_login(browser: Browser, site: Site) -> None:
    with Visitor.arriving(browser, site, logged_in=False) as somebody:
        page = somebody.page
        page.goto("/profiles/gran-2010?tab=changes")
        page.get_by_label("User name").fill("anna")
        page.get_by_label("Password", exact=True).fill("wrong")
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("alert")).to_be_visible()
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_label("Password", exact=True).press("Enter")
        expect(page.get_by_role("heading", name="gran-2010", level=1)).to_be_visible()
        expect(page).to_have_url(f"{site.url}/profiles/gran-2010?tab=changes")
        page.get_by_role("button", name="Account: anna, admin").click()
        page.get_by_role("menuitem", name="Log out").click()
        expect(page.get_by_role("button", name="Log in")).to_be_visible()
        # The browser tells of each 401 in its console: who nobody is, and the wrong password.
        assert all("401" in complaint for complaint in somebody.complaints)
        somebody.complaints.clear()


@pytest.mark.thorough
def test_the_page_may_run_no_script_and_no_style_but_its_files(visitor: Visitor) -> None:
    policy = policy_of(visitor.page.goto("/"))
    assert "unsafe" not in policy
    assert "script-src 'self'" in policy
