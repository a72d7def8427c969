# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The service goes away and comes back, and sessions end: pages say so, keep what they show, and go on by themselves."""

from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.api.ui.conftest import serving, set_up
from tests.api.ui.visitor import PASSWORD, Site, Visitor


@pytest.mark.thorough
def test_a_page_outlives_a_restart_of_the_service(browser: Browser, ibcc: Path, tmp_path: Path) -> None:
    with ExitStack() as service:
        url, token = service.enter_context(serving(ibcc, tmp_path))
        site = set_up(url, token, tmp_path)
        with Visitor.arriving(browser, site) as anna:
            anna.visit("/fabrics/two-switch")
            state = anna.page.get_by_label("State of the fabric")
            expect(state).to_contain_text("9 applied")
            service.close()
            lost = anna.page.get_by_text("No connection to the service.")
            expect(lost).to_be_visible()
            expect(state).to_contain_text("9 applied")
            anna.expect_accessible()
            service.enter_context(serving(ibcc, tmp_path, port=int(url.rpartition(":")[2])))
            expect(lost).to_be_hidden()
            # Nothing was loaded anew, and the page hears what happens.
            anna.api("POST", "/fabrics/two-switch/apply", {"profile": "gran-2010", "ttl_s": 600}, **{"Idempotency-Key": "back"})
            expect(state).to_contain_text("gran-2010")
            anna.complaints.clear()  # the browser's own, of connections that were refused


@pytest.mark.slow
def test_an_ended_session_leads_to_the_login_and_back(browser: Browser, site: Site) -> None:
    with Visitor.arriving(browser, site, logged_in=False) as anna:
        page = anna.page
        page.goto("/login")
        expect(page.get_by_text("Your session has ended.")).to_have_count(0)
        _log_in(anna)
        anna.visit("/fabrics/two-switch?tab=devices")
        anna.api("DELETE", "/session")
        expect(page.get_by_text("Your session has ended.")).to_be_visible()
        _log_in(anna)
        expect(page.get_by_role("rowheader", name="S1")).to_be_visible()
        expect(page).to_have_url(f"{site.url}/fabrics/two-switch?tab=devices")
        assert all("401" in complaint for complaint in anna.complaints), anna.complaints
        anna.complaints.clear()


def _log_in(anna: Visitor) -> None:
    anna.page.get_by_label("User name").fill("anna")
    anna.page.get_by_label("Password", exact=True).fill(PASSWORD)
    anna.page.get_by_role("button", name="Log in").click()
    anna.page.get_by_role("heading", level=1).filter(has_not_text="ibcc").wait_for()
