# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tables as files, addresses that lead back to what was seen, and times in the viewer's own zone."""

import csv
import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.api.ui.visitor import Site, Visitor

TABLES = {
    "/fabrics/two-switch?tab=devices": ("two-switch-devices", "name"),
    "/fabrics/two-switch/devices/0x0000000000000300": ("H1-ports", "port"),
    "/profiles": ("profiles", "name"),
    "/promote?fabric=two-switch&profile=gran-2010": ("two-switch-plan", "name"),
    "/events?tab=audit": ("audit", "at"),
    "/settings?tab=users": ("users", "username"),
    "/settings?tab=fabrics": ("fabrics", "name"),
}
"""Name of a table's files, and the table's first column, by page."""


def test_tables_are_kept_as_csv_and_json(visitor: Visitor) -> None:
    for path, (file, column) in TABLES.items():
        visitor.visit(path)
        text = _download(visitor.page, f"{file} as CSV", f"{file}.csv").read_text(encoding="utf-8")
        rows = list(csv.DictReader(text.splitlines()))
        assert rows, path
        assert next(iter(rows[0])) == column, path
        documents = json.loads(_download(visitor.page, f"{file} as JSON", f"{file}.json").read_text(encoding="utf-8"))
        assert len(documents) == len(rows), path


def _download(page: Page, button: str, name: str) -> Path:
    with page.expect_download() as download:
        page.get_by_role("button", name=button, exact=True).click()
    assert download.value.suggested_filename == name
    path: Path = download.value.path()
    return path


def test_an_address_leads_back_to_what_was_seen(visitor: Visitor) -> None:
    page = visitor.page
    visitor.visit("/fabrics/two-switch")
    page.get_by_role("application").get_by_role("button", name=re.compile("^H2,")).click()
    page.get_by_role("region", name="Selected device").get_by_role("heading", name="H2").wait_for()
    page.reload()
    expect(page.get_by_role("region", name="Selected device")).to_contain_text("H2")
    page.get_by_role("tab", name="Devices").click()
    page.get_by_label("Name, GUID or LID").fill("S1")
    expect(page.get_by_role("rowheader")).to_have_count(1)
    expect(page).to_have_url(re.compile("tab=devices.*q=S1"))
    page.reload()
    expect(page.get_by_role("rowheader")).to_have_count(1)
    visitor.visit("/profiles/gran-2010")
    page.get_by_role("tab", name="Versions and changes").click()
    expect(page).to_have_url(re.compile("tab="))
    page.reload()
    expect(page.get_by_role("tab", name="Versions and changes")).to_have_attribute("aria-selected", "true")
    page.go_back()
    expect(page.get_by_role("tab", name="Profile")).to_have_attribute("aria-selected", "true")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("zone", "name"),
    [
        ("Asia/Tokyo", r"GMT\+9"),
        pytest.param("Europe/Berlin", "CET|CEST", marks=pytest.mark.slow),
        pytest.param("UTC", "UTC", marks=pytest.mark.slow),
    ],
)
def test_times_are_in_the_viewers_zone(browser: Browser, site: Site, zone: str, name: str) -> None:
    with Visitor.arriving(browser, site, zone=zone) as anna:
        anna.visit("/events?tab=audit")
        shown = anna.page.get_by_role("table").locator("time").first
        expect(shown).to_have_text(re.compile(rf"\d\d:\d\d:\d\d ({name})$"))
        expect(shown).to_have_attribute("datetime", re.compile("Z$"))  # programs that read the page are told UTC
