# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The twin of an import: made by a button, shown, and kept with the fabric."""

import pytest
from playwright.sync_api import Browser, expect

from tests.api.import_service import PAIR
from tests.api.ui.visitor import Site, Visitor


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), pytest.param("dark", 390, marks=pytest.mark.slow)])
def test_a_twin_is_made_by_one_click(browser: Browser, site: Site, scheme: str, width: int) -> None:
    with Visitor.arriving(browser, site, scheme=scheme, width=width) as anna:  # type: ignore[arg-type]
        page = anna.page
        anna.visit("/fabrics/import")
        page.get_by_label("Text of the fabric").fill(PAIR)
        page.get_by_role("button", name="Read the text").click()
        twin = page.get_by_role("region", name="Twin")
        expect(twin.get_by_text("No twin was made yet.")).to_be_visible()
        twin.get_by_role("button", name="Make the twin").click()
        expect(twin.get_by_text("too few for an incast")).to_be_visible(timeout=60_000)
        with page.context.expect_page() as opened:
            twin.get_by_role("link", name="Open the report").click()
        expect(opened.value.get_by_role("heading", level=1)).to_be_visible()
        opened.value.close()
        anna.expect_no_overflow()
        name = f"twin-{width}"
        page.get_by_label("Name", exact=True).fill(name)
        page.get_by_role("button", name="Keep").click()
        expect(page.get_by_role("heading", level=1)).to_have_text(name)
        page.get_by_role("tab", name="Twin").click()
        expect(page.get_by_role("region", name="Twin").get_by_role("link", name="Open the report")).to_be_visible()
        anna.expect_no_overflow()
