# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Hosts: an inventory is written, its hosts are checked, and what is wrong is told with what to do."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.api.host_site import inventory_text
from tests.api.ui.visitor import Site, Visitor
from tests.tuner.hosts.test_host_check import Site as Agents

FABRIC = "hosts-of-tests"


@pytest.fixture
def keeper(browser: Browser, site: Site) -> Iterator[Visitor]:
    """Anna, with a fabric of its own for these hosts, which goes again."""
    with Visitor.arriving(browser, site) as anna:
        fabric = {"name": FABRIC, "kind": "simulated", "options": {"fabric": "two-switch"}}
        anna.page.goto("/")
        anna.api("POST", "/fabrics", fabric)
        yield anna
        anna.page.goto("about:blank")  # which does not ask for what goes now
        anna.api("DELETE", f"/fabrics/{FABRIC}", **{"If-Match": "*"})


def test_from_an_inventory_to_findings(keeper: Visitor, tmp_path: Path) -> None:
    page = keeper.page
    _write_the_inventory(keeper, tmp_path)
    agents = Agents(tmp_path)
    agents.settings("n2", meter="/nonexistent/meter.so")
    (tmp_path / "n3/agent.json").unlink()
    page.get_by_role("tab", name="Hosts").click()
    expect(page.get_by_role("row", name="n1").get_by_text("not checked")).to_be_visible()
    page.get_by_role("button", name="Check the hosts").click()
    finding = page.get_by_role("listitem").filter(has_text="the meter does not work: '/nonexistent/meter.so' is no file.")
    expect(finding).to_be_visible()
    expect(finding).to_contain_text("To do: install libibcc_meter.so there")
    expect(finding).to_contain_text("n2 (1 host)")
    expect(page.get_by_role("row", name="n3").get_by_text("unreachable")).to_be_visible()
    expect(page.get_by_role("row", name="n1").get_by_role("cell").nth(7)).to_have_text(re.compile("^[+−]"))
    told = keeper.page.get_by_label("The last check")
    expect(told).to_contain_text("1 unreachable")
    expect(told.locator("time")).to_contain_text("CET")  # the visitor's own zone
    keeper.expect_accessible()
    page.set_viewport_size({"width": 390, "height": 860})
    page.emulate_media(color_scheme="dark")
    keeper.expect_no_overflow()
    keeper.expect_accessible()
    _filter_and_export(page)


def _write_the_inventory(anna: Visitor, folder: Path) -> None:
    page = anna.page
    anna.visit(f"/hosts?fabric={FABRIC}")
    page.get_by_role("button", name="Write the inventory").click()
    anna.write("Document", inventory_text(folder).replace("H{number}", "X{number}"))
    # While it is written, and again when it is saved.
    expect(page.get_by_text("node 'n1': unknown host 'X1'").first).to_be_visible()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Not saved")).to_be_visible()
    anna.complaints.clear()  # the browser's own words on the 422
    anna.write("Document", inventory_text(folder))
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("No host was contacted")).to_be_visible()


def _filter_and_export(page: Page) -> None:
    page.get_by_label("Name or address").fill("h3")
    expect(page.get_by_role("rowheader", name="n1")).to_have_count(0)
    expect(page).to_have_url(re.compile("q=h3"))
    with page.expect_download() as download:
        page.get_by_role("button", name="JSON").click()
    assert [row["node"] for row in json.loads(Path(download.value.path()).read_text())] == ["n3"]


@pytest.mark.slow
def test_whoever_saves_second_is_told_and_loses_nothing(keeper: Visitor, tmp_path: Path) -> None:
    page = keeper.page
    text = inventory_text(tmp_path)
    keeper.visit(f"/hosts?fabric={FABRIC}&tab=inventory")
    mine, theirs = text.replace("name: site", "name: mine"), {"document": text}
    keeper.write("Document", mine)
    slow: list[Route] = []
    page.route("**/inventory", lambda route: slow.append(route) if route.request.method == "GET" else route.continue_())
    keeper.api("PUT", f"/fabrics/{FABRIC}/inventory", theirs, **{"If-None-Match": "*"})
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Somebody else has saved this inventory")).to_be_visible()
    keeper.complaints.clear()  # the browser's own words on the 412
    assert keeper.written("Document") == mine
    # Until the page knows what it would save over, it would only be refused again.
    expect(page.get_by_role("button", name="Save mine instead")).to_be_disabled()
    page.unroute_all()
    page.get_by_role("button", name="Save mine instead").click()
    expect(page.get_by_label("About the inventory")).to_contain_text("mine")
    assert keeper.api("GET", f"/fabrics/{FABRIC}/inventory")["document"] == mine
    page.get_by_role("button", name="Remove").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.get_by_label("About the inventory")).to_have_count(0)
    assert keeper.written("Document") == mine
    page.goto("about:blank")
    keeper.overlook_missing(f"/fabrics/{FABRIC}/inventory")
