# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""While a fabric is in a trial run every page says so in red, and whoever may can end it from there."""

import pytest
from playwright.sync_api import Browser, expect

from tests.api.ui.test_pages import PAGES
from tests.api.ui.visitor import PASSWORD, Site, Visitor


@pytest.mark.slow
def test_the_way_back_is_on_every_page(visitor: Visitor, browser: Browser, site: Site) -> None:
    visitor.api("POST", "/fabrics", {"name": "tried", "kind": "simulated", "options": {"fabric": "two-switch"}})
    visitor.api("POST", "/fabrics/tried/apply", {"profile": "gran-2010", "ttl_s": 3600}, **{"Idempotency-Key": "tried"})
    visitor.api("POST", "/users", {"username": "victor", "password": PASSWORD, "role": "viewer"})
    banner = visitor.page.get_by_role("region", name="Trial run on tried")
    for path in list(PAGES)[::3]:  # the banner is drawn around all pages by the same code
        visitor.visit(path)
        expect(banner).to_contain_text("gran-2010, version 1, by anna")
        expect(banner).to_contain_text("left")
        expect(banner.get_by_role("button", name="Restore the base now")).to_be_in_viewport()

    with Visitor.arriving(browser, site, logged_in=False, width=390) as victor:
        victor.page.goto("/login")
        victor.page.get_by_label("User name").fill("victor")
        victor.page.get_by_label("Password", exact=True).fill(PASSWORD)
        victor.page.get_by_role("button", name="Log in").click()
        seen = victor.page.get_by_role("region", name="Trial run on tried")
        expect(seen).to_contain_text("gran-2010")
        expect(seen.get_by_role("button")).to_have_count(0)
        victor.expect_no_overflow()
        banner.get_by_role("button", name="Restore the base now").click()
        visitor.page.get_by_role("dialog").get_by_role("button", name="Restore").click()
        expect(banner).to_be_hidden()
        expect(seen).to_be_hidden()
        victor.complaints.clear()  # the 401 of the first visit
    assert visitor.api("GET", "/fabrics/tried/state")["active_profile"]["name"] == "off"
