# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The map of fabrics that no example knows: names that can be read, nodes that are found, paths that are drawn and listed."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.api.ui.visitor import Site, Visitor, eventually
from tuner.documents.fabric_text import fabric_text
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.topologies.base import generate

SUPERPOD = "data/fabrics/superpod-ndr-40sw-582ca.ibnetdiscover"
DIRECTOR = "data/fabrics/director-edr-174sw-1470ca.ibnetdiscover"

# Texts of the drawing that are in view and cover another one of them.
COVERED = """() => {
  const texts = [...document.querySelectorAll('.topology text')].map((text) => [text.textContent, text.getBoundingClientRect()]);
  return texts.flatMap(([a, one], i) => texts.slice(i + 1).filter(([, other]) =>
    one.left < other.right - 1 && other.left < one.right - 1 && one.top < other.bottom - 1 && other.top < one.bottom - 1
  ).map(([b]) => `${a} / ${b}`));
}"""

# Nodes of the drawing that cover another one of them.
CROWDED = """() => {
  const nodes = [...document.querySelectorAll('.topology .node')].map((node) => {
    const boxes = [...node.querySelectorAll('.body')].map((body) => body.getBoundingClientRect());
    const [left, top] = [Math.min(...boxes.map((box) => box.left)), Math.min(...boxes.map((box) => box.top))];
    const [right, bottom] = [Math.max(...boxes.map((box) => box.right)), Math.max(...boxes.map((box) => box.bottom))];
    return { name: node.getAttribute('aria-label'), left, top, right, bottom };
  });
  return nodes.flatMap((one, i) => nodes.slice(i + 1).filter((other) =>
    one.left < other.right - 0.5 && other.left < one.right - 0.5 && one.top < other.bottom - 0.5 && other.top < one.bottom - 0.5
  ).map((other) => `${one.name} / ${other.name}`));
}"""


@pytest.fixture(scope="module")
def fabrics(browser: Browser, site: Site, shared: Path) -> None:
    """superpod: 582 adapters on 40 switches; eighty: 1024 hosts on 80 switches; director: 1470 adapters on 174."""
    documents = {
        "superpod": fabric_text(import_fabric(shared / SUPERPOD).fabric),
        "director": fabric_text(import_fabric(shared / DIRECTOR).fabric),
        "eighty": fabric_text(generate("xgft", m=[16, 64], w=[1, 16], host_rate="4xHDR")),
    }
    with Visitor.arriving(browser, site) as anna:
        for name, document in documents.items():
            anna.api("POST", "/fabrics", {"name": name, "kind": "simulated", "options": {"document": document}})


def names(page: Page) -> list[str]:
    return page.locator(".topology .name").all_text_contents()


@pytest.mark.parametrize("width", [pytest.param(1440, marks=pytest.mark.slow), 390])
@pytest.mark.parametrize("fabric", ["superpod", pytest.param("eighty", marks=pytest.mark.slow)])
def test_no_name_covers_another_at_any_zoom(browser: Browser, site: Site, fabrics: None, fabric: str, width: int) -> None:
    with Visitor.arriving(browser, site, width=width) as anna:
        page = anna.page
        anna.visit(f"/fabrics/{fabric}")
        eventually(lambda: len(names(page)) > 10, True)
        assert page.evaluate(COVERED) == []
        anna.expect_no_overflow()
        if fabric == "superpod":
            whole = [f"…{'A' if n < 5 else 'B'}10-P1-IBSPINE-0{n}" for n in range(1, 10)]
            spines = whole if width == 1440 else [f"…0{n}" for n in range(1, 10)]
            assert set(spines) <= set(names(page))
        for _ in range(3):
            page.get_by_role("button", name="Zoom out").click()
            assert page.evaluate(COVERED) == []
        page.get_by_role("button", name="Show all").click()
        lengths = [max(map(len, names(page)))]
        for _ in range(6):
            page.get_by_role("button", name="Zoom in").click()
            assert page.evaluate(COVERED) == []
            lengths.append(max(map(len, names(page)), default=0))
        assert max(lengths) > lengths[0], "the closer, the longer the names"


@pytest.mark.thorough
@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("fabric", ["director", "superpod"])
def test_no_node_covers_another(browser: Browser, site: Site, fabrics: None, fabric: str, width: int) -> None:
    with Visitor.arriving(browser, site, width=width) as anna:
        anna.visit(f"/fabrics/{fabric}")
        nodes = anna.page.locator(".topology .node")
        eventually(lambda: nodes.count() > 40, True)
        assert anna.page.evaluate(CROWDED) == []
        # The others come nearer to each other when a group is open.
        anna.page.get_by_role("application").get_by_role("button", name=re.compile("group of")).first.focus()
        anna.page.keyboard.press("Enter")
        eventually(lambda: "expand=" in anna.page.url, True)
        eventually(lambda: anna.page.evaluate(CROWDED), [])


def test_a_node_is_found_and_brought_into_the_middle(visitor: Visitor, fabrics: None) -> None:
    page = visitor.page
    visitor.visit("/fabrics/superpod")
    find(page, "Find a node", "02-c18 HCA-6", "a06-p1-dgx-02-c18 HCA-6")
    chosen = page.get_by_role("application").get_by_role("button", name=re.compile("^a06-p1-dgx-02-c18 HCA-6, host"))
    expect(chosen).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".topology .name", has_text="c18 HCA-6")).to_be_visible()
    drawing = page.locator(".topology > svg").bounding_box()
    node = chosen.bounding_box()
    assert drawing is not None
    assert node is not None
    middle = drawing["x"] + drawing["width"] / 2
    assert abs(node["x"] + node["width"] / 2 - middle) < drawing["width"] / 20
    assert page.evaluate(COVERED) == []
    expect(page.get_by_label("Selected device")).to_contain_text("686")  # its LID
    visitor.expect_accessible()


def test_a_path_is_drawn_and_listed_with_its_ports(visitor: Visitor, fabrics: None) -> None:
    page = visitor.page
    visitor.visit("/fabrics/superpod")
    find(page, "From host", "0xe09d730300857b68", "a06-p1-dgx-02-c18 HCA-6")
    find(page, "To host", "403", "b08-p1-dgx-08-c12 HCA-2")
    path = page.get_by_role("region", name="Nodes on the path")
    expect(path.get_by_role("rowheader")).to_have_count(5)
    expect(path.get_by_role("rowheader").first).to_have_text("a06-p1-dgx-02-c18 HCA-6")
    expect(page.locator(".topology .path .way")).to_have_count(4)
    expect(page.locator(".topology .node.passed")).to_have_count(5)
    page.reload()
    expect(page.locator(".topology .path .way")).to_have_count(4)
    visitor.expect_accessible()


@pytest.mark.thorough
def test_the_map_is_a_table_too(visitor: Visitor, fabrics: None) -> None:
    page = visitor.page
    visitor.visit("/fabrics/superpod")
    page.get_by_role("radiogroup", name="View of the topology").get_by_text("Table of links").click()
    page.get_by_label("Name or GUID of an end").fill("IBSPINE-09")
    expect(page.get_by_role("row").nth(1)).to_contain_text("IBSPINE-09")
    page.get_by_text("Table of nodes").click()
    page.get_by_label("Name, GUID or LID").fill("233")
    expect(page.get_by_role("rowheader").first).to_contain_text("IBSPINE-03")


@pytest.mark.thorough
def test_the_keyboard_zooms_and_moves(visitor: Visitor, fabrics: None) -> None:
    page = visitor.page
    visitor.visit("/fabrics/superpod")
    page.get_by_role("application").get_by_role("button").first.focus()
    box = page.locator(".topology > svg")
    # Until the page has measured the element, the drawing is made for a narrow one.
    eventually(lambda: box.evaluate("svg => svg.viewBox.baseVal.width >= svg.clientWidth"), True)
    whole = box.get_attribute("viewBox")
    page.keyboard.press("+")
    eventually(lambda: box.get_attribute("viewBox") != whole, True)
    page.keyboard.press("0")
    eventually(lambda: box.get_attribute("viewBox"), whole)
    page.keyboard.press("ArrowDown")
    expect(page.locator(":focus")).to_have_attribute("aria-label", re.compile("IBLEAF"))


def find(page: Page, label: str, text: str, name: str) -> None:
    field = page.get_by_role("textbox", name=label).or_(page.get_by_role("combobox", name=label)).first
    field.fill(text)
    page.get_by_role("option", name=re.compile(re.escape(name))).first.click()
