# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Whatever opens over a page, light and dark: axe-core finds nothing serious in it, Escape closes it, and the focus is back on
what had opened it. The same for each step of the wizard, by keyboard alone."""

import re
from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.api.ui.visitor import Site, Visitor

OPENERS: list[tuple[str, str, str]] = [
    ("/fabrics/lab", "Roll back", "dialog"),
    ("/fabrics/lab", "Restore the base now", "dialog"),
    ("/fabrics/lab", r"Account: anna, admin", "menu"),
    ("/promote?fabric=lab&profile=gran-2010", "Promote…", "dialog"),
    ("/promote?fabric=lab&profile=gran-2010", "Apply for 10 min…", "dialog"),
    ("/settings?tab=tokens", "Create a token", "dialog"),
    ("/settings?tab=fabrics", "Add a fabric", "dialog"),
    ("/settings?tab=users", "Add a user", "dialog"),
    ("/profiles/spare", "Archive", "dialog"),
]
"""(page, the button, the role of what it opens)."""


@pytest.fixture(scope="module")
def furnished(browser: Browser, site: Site) -> Iterator[None]:
    """With a fabric in an experiment and a profile that may be archived."""
    with Visitor.arriving(browser, site) as anna:
        anna.api("POST", "/fabrics", {"name": "lab", "kind": "simulated", "options": {"fabric": "two-switch"}})
        gran = anna.api("GET", "/profiles/gran-2010")["document"]
        anna.api("POST", "/profiles", {"name": "spare", "document": gran.replace("name: gran-2010", "name: spare")})
        anna.api("POST", "/fabrics/lab/apply", {"profile": "gran-2012", "ttl_s": 3600}, **{"Idempotency-Key": "dialogs"})
        anna.visit("/")
        expect(anna.page.get_by_role("region", name="Trial run on lab")).to_be_visible()
        yield
        # Fabrics of other tests' pages are theirs: no banner stays.
        anna.api("POST", "/fabrics/lab/restore", {}, **{"Idempotency-Key": "dialogs over"})
        expect(anna.page.get_by_role("region", name="Trial run on lab")).to_be_hidden()


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_what_opens_can_be_read_and_closed(
    furnished: None, browser: Browser, site: Site, scheme: Literal["light", "dark"]
) -> None:
    with Visitor.arriving(browser, site, scheme=scheme) as anna:
        last = ""
        for path, name, role in OPENERS:
            if path != last:
                anna.visit(path)
                last = path
            opener = anna.page.get_by_role("button", name=re.compile(f"^{name}$"))
            _open_and_leave(anna, opener, anna.page.get_by_role(role))  # type: ignore[arg-type]


def _open_and_leave(anna: Visitor, opener: Locator, opened: Locator) -> None:
    opener.focus()
    anna.page.keyboard.press("Enter")
    expect(opened).to_be_visible()
    # A moment later the focus is inside.
    inside = anna.page.locator(":is([role=dialog], [role=menu]):focus, :is([role=dialog], [role=menu]) :focus")
    expect(inside).to_have_count(1)
    expect(opened).to_have_accessible_name(re.compile(r"\S"))
    anna.expect_accessible()
    anna.page.keyboard.press("Escape")
    expect(opened).to_have_count(0)
    expect(opener).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_the_drawer_of_narrow_windows(browser: Browser, site: Site, scheme: Literal["light", "dark"]) -> None:
    with Visitor.arriving(browser, site, scheme=scheme, width=390) as anna:
        anna.visit("/profiles")
        drawer = anna.page.get_by_role("dialog", name="Pages")
        _open_and_leave(anna, anna.page.get_by_role("button", name="Pages"), drawer)
        anna.page.keyboard.press("Enter")
        drawer.get_by_role("link", name="Campaigns").press("Enter")
        expect(anna.page.get_by_role("heading", level=1, name="Campaigns")).to_be_visible()
        expect(drawer).to_have_count(0)


@pytest.mark.thorough
@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_the_wizards_steps_by_keyboard(browser: Browser, site: Site, scheme: Literal["light", "dark"]) -> None:
    with Visitor.arriving(browser, site, scheme=scheme) as anna:
        page = anna.page
        anna.visit("/campaigns/new")
        anna.expect_accessible()
        _tab_to(page, page.get_by_label("Name of the campaign"))
        page.keyboard.type("by keyboard")
        _tab_to(page, page.get_by_role("button", name="Next"))
        page.keyboard.press("Enter")
        expect(page.get_by_label("Measure the suggested profile first")).to_be_checked()
        anna.expect_accessible()
        _tab_to(page, page.get_by_role("button", name="Next"))
        page.keyboard.press("Enter")
        expect(page.get_by_label("Seeds")).to_be_visible()
        anna.expect_accessible()
        page.get_by_label("Seeds").fill("one")
        expect(page.get_by_label("Seeds")).to_have_attribute("aria-invalid", "true")
        page.get_by_label("Seeds").fill("1")
        _tab_to(page, page.get_by_role("button", name="Next"))
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Search space")).to_be_visible()
        anna.expect_accessible()
        _tab_to(page, page.get_by_role("button", name="Next"))
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Keep as a draft")).to_be_visible()
        anna.expect_accessible()


def _tab_to(page: Page, wanted: Locator) -> None:
    """Goes there by the Tab key, as somebody without a mouse does."""
    for _ in range(40):
        if wanted.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"forty times Tab do not lead to {wanted}")
