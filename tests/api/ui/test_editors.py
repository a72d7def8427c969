# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Documents written in the browser: errors in place, help from the schema, and what is made of them."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.api.ui.visitor import Site, Visitor

WORKLOAD = """\
ibcc_workload: 1
name: mine
fabric: two-switch
duration_s: 1
flows:
- {name: C1, src: H1, dst: H4, role: contributor}
- {name: C2, src: H3, dst: H4, role: contributor}
- {name: V, src: H2, dst: H5, role: victim}
"""

ODD = """\
ibcc_fabric: 1
name: odd
mtu_bytes: 2048
switches: [{name: S, ports: 3, guid: 0x10}]
hosts: [{name: localhost, guid: 0x11}, {name: localhost, guid: 0x12}, {name: "øst, 'hall' 3", guid: 0x13}]
links:
- {a: "guid:0x11/1", b: S/1, rate: 4xHDR}
- {a: "guid:0x12/1", b: S/2, rate: 4xHDR}
- {a: "guid:0x13/1", b: S/3, rate: 4xHDR}
"""


def test_a_workload_is_written_mended_and_used_in_a_campaign(visitor: Visitor) -> None:
    page = visitor.page
    visitor.visit("/workloads/new")
    editor = visitor.write("Document", WORKLOAD.replace("role: victim", "role: bystander").replace("src: H3", "src: H77"))
    expect(page.locator(".cm-lintRange-error")).to_have_text("bystander")
    expect(editor).to_have_attribute("aria-invalid", "true")
    page.get_by_role("button", name="Line 8").click()
    expect(editor).to_be_focused()
    # The error is selected: what is typed takes its place.
    page.keyboard.type("victim")
    expect(page.locator(".cm-lintRange-error")).to_have_count(0)
    expect(page.get_by_text("The workload is valid.")).to_be_visible()
    # Not an error: it may run on another fabric.
    expect(page.locator(".cm-lintRange-warning")).to_have_text("H77")
    visitor.write("Document", WORKLOAD)
    expect(page.get_by_role("rowheader", name="C2")).to_be_visible()
    visitor.expect_accessible()
    page.get_by_role("button", name="Save as mine").click()
    expect(page.get_by_role("heading", level=1, name="mine")).to_be_visible()

    visitor.visit("/campaigns/new?own")
    for _ in range(3):
        page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("textbox", name="Document")).to_contain_text("[scenario-1]")
    text = visitor.written("Document")
    visitor.write("Document", text.replace("[scenario-1]", "[mine, nobodys]"))
    page.get_by_role("button", name="Line 3").click()
    page.keyboard.press("ArrowLeft")
    for _ in "nobodys":
        page.keyboard.press("Delete")
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    expect(page.get_by_text("The document is valid.")).to_be_visible()
    page.get_by_role("button", name="Next").click()
    page.get_by_role("button", name="Keep as a draft").click()
    page.get_by_role("tab", name="Document").click()
    expect(page.get_by_role("textbox", name="Document")).to_contain_text("workloads: [mine]")
    visitor.visit("/workloads/mine?tab=uses")
    expect(page.get_by_role("link", name="campaign", exact=True)).to_be_visible()
    visitor.complaints.clear()  # the browser's own words on plans of a document that was not valid yet


def test_tables_and_text_are_one_document(visitor: Visitor) -> None:
    page = visitor.page
    visitor.visit("/campaigns/new?own")
    for _ in range(3):
        page.get_by_role("button", name="Next").click()
    page.get_by_role("tab", name="Tables").click()
    page.get_by_label("To of ca.ccti_timer").fill("300")
    _choose(page, "Add a field", "ca.level")
    _choose(page, "Add an objective", "spread")
    # A reference is wanted, and the service says so.
    expect(page.get_by_text("hypervolume_reference lacks the objective 'spread'")).to_be_visible()
    page.get_by_label("Reference of spread").fill("2.5")
    _choose(page, "Add a constraint", "settle_time")
    page.get_by_label("Limit of settle_time", exact=True).fill("0.5")
    expect(page.get_by_text("Not valid")).to_have_count(0)
    visitor.expect_accessible()
    page.get_by_role("tab", name="Document").click()
    expect(page.get_by_role("textbox", name="Document")).to_contain_text("settle_time: {at_most: 0.5}")
    text = visitor.written("Document")
    assert "ca.ccti_timer: {low: 10, high: 300, log: true}" in text
    assert "ca.level: {choices: [" in text
    assert "# For each objective a value" in text, "comments stay"
    page.get_by_role("tab", name="Tables").click()
    expect(page.get_by_label("To of ca.ccti_timer")).to_have_value("300")
    visitor.complaints.clear()  # the browser's own words on plans of a document that was not valid yet


def _choose(page: Page, label: str, option: str) -> None:
    page.get_by_label(label).first.click()
    page.get_by_role("option", name=option, exact=True).click()
    # The new row moves all below it.
    expect(page.get_by_role("button", name=f"Remove {option}")).to_be_visible()


def _accept(page: Page) -> None:
    """Takes the completion that is offered. CodeMirror passes over keys within 75 ms of its offer: they were meant for the
    text."""
    page.wait_for_timeout(150)
    page.keyboard.press("Enter")


def test_keys_are_completed_and_explained(visitor: Visitor) -> None:
    page = visitor.page
    with page.expect_response(re.compile("/schemas/workload")):  # which has the keys
        visitor.visit("/workloads/new")
    editor = visitor.write("Document", "ibcc_workload: 1\nflows:\n- name: V\n  ")
    page.keyboard.type("rol")
    expect(page.get_by_role("option", name="role")).to_be_visible()
    expect(page.get_by_text("victim: does not, but may be held back by it.")).to_be_visible()
    _accept(page)
    page.keyboard.type("v")
    expect(page.get_by_role("option", name="victim")).to_be_visible()
    _accept(page)
    expect(editor).to_contain_text("role: victim")
    page.locator(".cm-line", has_text="role").get_by_text("role").hover()
    expect(page.locator(".cm-tooltip-hover .yaml-help")).to_contain_text("contributor or victim or other")


@pytest.mark.thorough
def test_hosts_of_the_chosen_fabric_are_offered(visitor: Visitor) -> None:
    page = visitor.page
    visitor.api("POST", "/fabrics", {"name": "odd", "kind": "simulated", "options": {"document": ODD}})
    visitor.visit("/workloads/new")
    editor = visitor.write("Document", "ibcc_workload: 1\nfabric: two-switch\nflows:\n- {name: V, src: ")
    page.keyboard.type("H")
    expect(page.get_by_role("option", name="H7")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("combobox", name="Look for its hosts on").click()
    page.get_by_role("option", name="odd").click()
    editor.click()
    page.keyboard.press("Control+End")
    page.keyboard.press("Backspace")
    page.keyboard.press("Control+Space")
    expect(page.get_by_role("option", name=re.compile("^guid:0x0*11localhost$"))).to_be_visible()
    page.keyboard.type("øst")
    expect(page.get_by_role("option")).to_have_text(["øst, 'hall' 3"])
    _accept(page)
    expect(editor).to_contain_text("""{name: V, src: "øst, 'hall' 3\"""")


@pytest.mark.thorough
def test_the_keyboard_leaves_the_editor(visitor: Visitor) -> None:
    page = visitor.page
    visitor.visit("/workloads/new")
    editor = page.get_by_role("textbox", name="Document")
    editor.focus()
    page.keyboard.press("Tab")
    expect(editor).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(editor).not_to_be_focused()


def test_a_viewer_reads_and_a_second_writer_is_told(browser: Browser, visitor: Visitor, site: Site) -> None:
    page = visitor.page
    text = WORKLOAD.replace("name: mine", "name: shared")
    made = visitor.api("POST", "/workloads", {"name": "shared", "document": text})
    visitor.visit("/workloads/shared/edit")
    mine = text.replace("duration_s: 1", "duration_s: 2")
    visitor.write("Document", mine)
    theirs = {"document": text.replace("duration_s: 1", "duration_s: 3")}
    visitor.api("PUT", "/workloads/shared", theirs, **{"If-Match": made["etag"]})
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Somebody else has changed this workload")).to_be_visible()
    visitor.complaints.clear()  # the browser's own words on the 412
    assert visitor.written("Document") == mine
    page.get_by_role("button", name="Save mine instead").click()
    expect(page.get_by_role("heading", level=1, name="shared")).to_be_visible()
    assert visitor.api("GET", "/workloads/shared")["document"] == mine
    visitor.visit("/workloads/scenario-1?tab=document")
    read = page.get_by_role("textbox", name="Document")
    expect(read).to_have_attribute("aria-readonly", "true")
    read.click()
    page.keyboard.type("x")
    assert "ibcc_workload: 1" in visitor.written("Document")
    expect(read).not_to_contain_text("xibcc")
    expect(page.get_by_role("link", name="Edit")).to_have_count(0)
