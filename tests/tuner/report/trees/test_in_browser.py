# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The page in a real browser: the slider, the keys, play and pause, tooltips, and names that are markup."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import chromium, required
from tests.tuner.report.plots.fabric_cases import generated, wiring
from tests.tuner.report.trees.tree_cases import BUFFER, series_of
from tuner.report.trees.page import Run, trees_html

pytestmark = pytest.mark.slow

BED = generated("leaf-spine", leaves=3, spines=2, hosts_per_leaf=2)
HOSTILE = "<img src=x onerror=\"document.title='owned'\">" + 300 * "y"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium; skipped without it, and failed under continuous integration."""
    required()
    with chromium() as one:
        yield one


@pytest.fixture
def page(browser: Browser, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page of two runs of 20 samples; in the last half of the first there is a tree. Nothing may be fetched or complain."""
    queued = {("S1-3", "H5"): [0] * 10 + [4 * BUFFER] * 10, ("S2-1", "S1-3"): [0] * 10 + [BUFFER] * 10}
    series = series_of(BED, queued, {("S2-1", "S1-3"): [0] * 10 + [0.5] * 10}, samples=20, received={"H5": 4.0})
    isolated = series_of(BED, {("S1-3", "H5"): 6400}, samples=20, isolation={("S1-3", "H5"): 3}, received={"H5": 4.0})
    runs = [Run(name=f"off {HOSTILE}", series=series), Run(name="isolated", series=isolated)]
    file = tmp_path / "trees.html"
    file.write_text(trees_html(wiring(BED), runs, title=f"t {HOSTILE}"), encoding="utf-8")
    context = browser.new_context(color_scheme=getattr(request, "param", "light"), viewport={"width": 1300, "height": 900})
    one = context.new_page()
    complaints: list[str] = []
    one.on("console", lambda message: complaints.append(message.text))
    one.on("pageerror", lambda error: complaints.append(str(error)))
    one.on("request", lambda found: None if found.url == file.as_uri() else complaints.append(found.url))
    one.goto(file.as_uri())
    yield one
    assert one.title() == f"t {HOSTILE} – congestion trees"
    context.close()
    assert complaints == []


def test_the_slider_shows_each_moment(page: Page) -> None:
    first, second = page.locator(".moment").all()
    expect(first).to_contain_text("No port is the root of a congestion tree.")
    page.locator("#time").fill("15")
    expect(page.locator("#now")).to_have_text("16 ms")
    expect(first).to_contain_text("The root of the deepest congestion tree is S1-3/1 → H5 with 256 KiB queued; 2 ports")
    expect(second).to_contain_text("3 special queues at 1 input port are in use.")
    expect(page.locator("#time")).to_have_attribute("aria-valuetext", "16 ms")
    rows = page.locator("table").first.locator("tbody tr")
    assert rows.nth(0).locator("td").all_inner_texts() == ["S1-3/1 → H5", "256 KiB", "0", "root", "0"]
    assert rows.nth(1).locator("td").all_inner_texts()[2:4] == ["50", "yes"]
    expect(page.locator(".map .root").nth(0)).to_have_attribute("visibility", "visible")
    expect(page.locator(".map .root").nth(1)).to_have_attribute("visibility", "hidden")
    expect(page.locator(".map .badge-text")).to_have_text(["3"])
    expect(page.locator(".map").nth(0).locator(".q7")).to_have_count(0)
    expect(page.locator(".map").nth(0).locator(".q8")).to_have_count(1)


def test_keys_step_and_play(page: Page) -> None:
    now = page.locator("#now")
    page.keyboard.press("ArrowRight")
    expect(now).to_have_text("2 ms")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(now).to_have_text("1 ms")
    page.keyboard.press("Space")
    expect(page.locator("#play")).to_have_text("Pause")
    expect(now).not_to_have_text("1 ms")
    page.locator("#play").focus()
    page.keyboard.press("Space")
    expect(page.locator("#play")).to_have_text("Play")
    page.locator("#time").focus()
    page.keyboard.press("End")
    expect(now).to_have_text("20 ms")
    page.keyboard.press("ArrowRight")
    expect(now).to_have_text("20 ms")
    page.keyboard.press("Space")  # from the begin again
    expect(now).not_to_have_text("20 ms")


@pytest.mark.parametrize("page", ["light", "dark"], indirect=True)
def test_a_tooltip_has_the_numbers_and_text_has_contrast(page: Page) -> None:
    page.locator("#time").fill("19")
    point = page.evaluate(
        """() => { const one = document.querySelector(".map .q8");
        one.scrollIntoView({ block: "center" });
        const spot = one.getPointAtLength(one.getTotalLength() / 2);
        const seen = new DOMPoint(spot.x, spot.y).matrixTransform(one.getScreenCTM()); return [seen.x, seen.y]; }"""
    )
    page.mouse.move(*point)
    tip = page.locator("#tip")
    expect(tip).to_contain_text("S1-3/1 → H5")
    expect(tip).to_contain_text("queues 256 KiB")
    expect(tip).to_contain_text("root of the deepest tree")
    looks: Any = page.evaluate("() => { const s = getComputedStyle(document.body); return [s.color, s.backgroundColor]; }")
    dark, light = sorted(sum(int(part) for part in look[4:-1].split(",")) for look in looks)
    assert light - dark > 500
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
