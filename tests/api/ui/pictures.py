# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Takes the pictures of the web interface that README.md and docs/use/web-ui.md show: `make pictures`.

A service of its own searches for a minute, and its pages are photographed as an administrator sees them.
"""

import io
import re
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, expect

from tests.api.ui.conftest import serving, set_up
from tests.api.ui.made_nights import MadeNights, observation
from tests.api.ui.visitor import Site, Visitor
from tests.browser import MISSING, chromium, program
from tuner.checks.observation import Observation

ROOT = Path(__file__).parents[3]
IMAGES = ROOT / "docs/images"
SEARCH_MS = 600_000


def main() -> None:
    """Writes docs/images/web-ui-*.png. Exits with a sentence if there is no Chromium or the interface is not built."""
    if program() is None:
        sys.exit(f"There is {MISSING}")
    if not (ROOT / "api/ui/dist/index.html").exists():
        sys.exit("The web interface is not built: make ui")
    with (
        tempfile.TemporaryDirectory(prefix="ibcc-pictures-") as name,
        serving(ROOT / ".venv/bin/ibcc", Path(name)) as (url, token),
        chromium() as browser,
    ):
        _take_all(browser, set_up(url, token, Path(name)))


def _take_all(browser: Browser, site: Site) -> None:
    with Visitor.arriving(browser, site) as visitor:
        page = visitor.page
        _make_a_check(visitor, site.session.parent / "state")
        visitor.visit("/checks/nightly")
        _take(visitor, "check", height=1500)
        visitor.visit("/checks/nightly?tab=trends")
        expect(page.locator(".chart canvas").first).to_be_visible()
        _take(visitor, "trends", height=906)

        visitor.visit("/campaigns/new")
        page.get_by_role("radio", name=re.compile("^Protect a victim")).check()
        page.get_by_label("Name of the campaign").fill("first try")
        page.get_by_role("button", name="Next").click()
        expect(page.get_by_role("heading", name="Suggested profile")).to_be_visible()
        expect(page.locator(".chart canvas").first).to_be_visible()
        _take(visitor, "suggestion", height=1180)
        page.get_by_role("button", name="Next").click()
        page.get_by_label("Trials", exact=True).fill("32")
        page.get_by_label("Time scale of the confirmation").fill("0.1")
        page.get_by_role("button", name="Next").click()
        page.get_by_role("button", name="Next").click()
        page.get_by_role("button", name="Start", exact=True).click()
        expect(page.get_by_role("heading", name="Recommended")).to_be_visible(timeout=SEARCH_MS)
        _take(visitor, "campaign", height=1180)

        page.get_by_role("button", name="Save and compare", exact=True).click()
        page.get_by_role("dialog").get_by_role("button", name="Save and compare").click()
        expect(page.get_by_text(re.compile(r"[1-9]\d* MADs to 9 devices"))).to_be_visible()
        _take(visitor, "promote", height=1180)
        page.get_by_role("button", name=re.compile("^Apply for")).click()
        page.get_by_role("dialog").get_by_role("button", name=re.compile("^Apply for")).click()
        expect(page.get_by_role("region", name="Trial run on two-switch")).to_be_visible()

        visitor.visit("/")
        _take(visitor, "overview", height=960)
        visitor.visit("/fabrics/two-switch")
        _take(visitor, "fabric", height=906)


def _make_a_check(visitor: Visitor, state: Path) -> None:
    """Two months of a check: some nights were missed or ran late, one could not be run, and five nights ago something changed."""
    page, today = visitor.page, datetime.now(UTC).date()
    visitor.visit("/checks/new")
    page.get_by_label("Name of the check").fill("nightly")
    page.get_by_role("button", name="Create nightly").click()
    expect(page.get_by_text("This check has not run yet.")).to_be_visible()
    first = today - timedelta(days=62)
    with MadeNights(state, "nightly") as nights:
        nights.add_usual(first, 12)
        visitor.api("POST", "/checks/nightly/baseline", {"last": 10})
        for i in range(12, 63):
            night = first + timedelta(days=i)
            if i in (20, 21, 35):
                nights.add_missed(night)
            elif i == 28:
                why = "fabric 'two-switch' is held by campaign 'first try' of anna; run the check again when it has ended"
                nights.add(night, {"fairness": Observation(not_run=why)})
            elif i >= 58:
                slower = observation("fairness", night, {"victim_throughput": 11.4, "tail_latency": 61.0})
                nights.add(night, {"fairness": slower})
            else:
                nights.add(night, late=i in (22, 40))


def _take(visitor: Visitor, name: str, height: int) -> None:
    """Takes a picture of the page from its top, `height` pixels high, when nothing on it waits for an answer any more."""
    visitor.page.set_viewport_size({"width": 1280, "height": height})
    expect(visitor.page.locator("[aria-busy=true]")).to_have_count(0)
    picture = Image.open(io.BytesIO(visitor.page.screenshot(animations="disabled")))
    # A palette of 256 colours: half the size, and no difference that one sees.
    picture.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(IMAGES / f"web-ui-{name}.png", optimize=True)


if __name__ == "__main__":
    main()
