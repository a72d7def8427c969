# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""From a file to a drawn map, and back by a version."""

import re
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, expect

from tests.api.import_service import PAIR
from tests.api.ui.visitor import Site, Visitor


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), pytest.param("dark", 390, marks=pytest.mark.slow)])
def test_three_clicks_from_a_file_to_a_drawn_map(
    browser: Browser, site: Site, shared: Path, scheme: Literal["light", "dark"], width: int
) -> None:
    file = shared / "data/fabrics/superpod-ndr-40sw-582ca.ibnetdiscover"
    with Visitor.arriving(browser, site, scheme=scheme, width=width) as anna:
        page = anna.page
        anna.visit("/")
        page.get_by_role("link", name="Import a fabric").click()  # one
        with page.expect_file_chooser() as chooser:
            page.get_by_role("button", name="Choose a file").click()  # two
        chooser.value.set_files(file)
        expect(page.get_by_role("heading", level=1)).to_have_text(file.name)
        expect(page.get_by_text("69 hosts are called")).to_be_visible()
        expect(page.get_by_role("application")).to_be_visible()
        expect(page.get_by_role("table", name="Routings under uniform traffic")).to_contain_text("updown")
        expect(page.get_by_text("Shape: fat tree of two levels (leaf-spine): 31 leaves")).to_be_visible()
        anna.expect_no_overflow()
        page.get_by_role("button", name="Keep").click()  # three
        expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("^superpod-ndr-40sw-582ca(-2)?$"))
        map_ = page.get_by_role("application")
        expect(map_.get_by_role("button").first).to_be_visible()
        assert map_.get_by_role("button").count() > 40
        anna.expect_no_overflow()


def test_a_second_import_is_pasted_and_a_version_restored(visitor: Visitor) -> None:
    page = visitor.page
    visitor.visit("/fabrics/import")
    page.get_by_label("Text of the fabric").fill(PAIR)
    page.get_by_role("button", name="Read the text").click()
    expect(page.get_by_role("application")).to_be_visible()
    visitor.expect_accessible()
    page.get_by_role("combobox", name="Routing").click()
    page.get_by_role("option", name="updown").click()
    expect(page.get_by_text("the simulator's updown is assumed")).to_be_visible()
    guess = page.get_by_text("the congestion control of the devices is a guess")
    expect(guess).to_be_visible()
    page.get_by_role("combobox", name="Congestion control").click()
    page.get_by_role("option", name="annex A10’s").click()
    expect(page.get_by_role("combobox", name="Congestion control")).to_have_value("annex A10’s")
    expect(guess).to_have_count(0)
    page.get_by_label("Name").fill("pair")
    page.get_by_role("button", name="Keep").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("pair")
    page.get_by_role("tab", name="Versions").click()
    page.get_by_role("link", name="Import it again").click()
    page.get_by_label("Text of the fabric").fill(PAIR.replace('"b"', '"<img src=x onerror=alert(1)>"'))
    page.get_by_role("button", name="Read the text").click()
    expect(page.get_by_text("b is now <img src=x onerror=alert(1)>")).to_be_visible()
    page.get_by_role("button", name="Keep as the next version").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("pair")  # another visit before the answer would cut the request off
    visitor.visit("/fabrics/pair?tab=versions")
    page.get_by_role("link", name="1", exact=True).click()
    page.get_by_role("button", name="Restore this version").click()
    page.get_by_role("dialog").get_by_role("button", name="Restore").click()
    expect(page.get_by_role("table", name="Versions")).to_contain_text("version 1 restored")
    assert [one["version"] for one in visitor.api("GET", "/fabrics/pair/versions")["items"]] == [3, 2, 1]


@pytest.mark.thorough
def test_a_file_that_is_no_fabric_is_told_and_discarded(visitor: Visitor) -> None:
    page = visitor.page
    visitor.visit("/fabrics/import")
    page.get_by_label("Text of the fabric").fill("no fabric at all")
    page.get_by_role("button", name="Read the text").click()
    expect(page.get_by_text("is in no known format")).to_be_visible()
    expect(page.get_by_role("button", name="Keep")).to_have_count(0)
    page.get_by_role("button", name="Discard").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Import a fabric")


@pytest.mark.thorough
def test_odd_rows_an_incomplete_discovery_and_subnets_are_shown_and_chosen(
    visitor: Visitor, shared: Path, tmp_path: Path
) -> None:
    page = visitor.page

    def choose(button: str, file: Path) -> None:
        with page.expect_file_chooser() as chooser:
            page.get_by_role("button", name=button).click()
        chooser.value.set_files(file)

    visitor.visit("/fabrics/import")
    choose("Choose a file", shared / "cases/c02-timed-out.txt")
    expect(page.get_by_text("Parts of the fabric may be missing: 1 query of the discovery failed (line 1).")).to_be_visible()
    expect(page.get_by_text("1 cable leads from a switch to itself and is left out (line 12)")).to_be_visible()
    visitor.expect_accessible()
    page.get_by_role("checkbox", name="Refuse odd rows").click()
    expect(page.get_by_text("c02-timed-out.txt:1: says that a query failed")).to_be_visible()
    page.get_by_role("checkbox", name="Refuse odd rows").click()
    expect(page.get_by_text("Parts of the fabric may be missing")).to_be_visible()
    page.get_by_label("Name").fill("cut-short")
    page.get_by_role("button", name="Keep").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("cut-short")
    expect(page.get_by_text("Parts of the fabric may be missing: 1 query of the discovery failed")).to_be_visible()
    visitor.visit("/fabrics/import")
    choose("Choose a file", shared / "cases/c02-timed-out.txt")
    (tmp_path / "ib-node-name-map").write_text('0xc0ffee0000004000 "rack 12"\n')
    choose("Choose a node name map", tmp_path / "ib-node-name-map")
    expect(page.get_by_text("nodes that the node name map names: 1")).to_be_visible()
    expect(page.get_by_text("The names are those of ib-node-name-map.")).to_be_visible()
    visitor.visit("/fabrics/import")
    choose("Choose a file", shared / "cases/c06-planes.net")
    expect(page.get_by_text("4 subnets, which no link joins, each with 3 switches and 8 adapters", exact=True)).to_be_visible()
    page.get_by_role("combobox", name="Subnet").click()
    page.get_by_role("option", name="2: 3 switches, 8 adapters, first P1L0").click()
    expect(page.get_by_text("4 subnets, which no link joins", exact=False)).to_have_count(0)
    expect(page.get_by_role("combobox", name="Subnet")).to_have_value("2: 3 switches, 8 adapters, first P1L0")
    visitor.expect_accessible()
    visitor.expect_no_overflow()
