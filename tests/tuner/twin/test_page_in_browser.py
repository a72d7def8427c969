# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The report in a real browser: wide and narrow, light and dark, and nothing is fetched."""

from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page

from tests.browser import chromium, required
from tuner.emulator import line_trial
from tuner.fabric.importers.base import Imported
from tuner.fabric.topologies.base import generate
from tuner.twin.twin import make_twin

pytestmark = [pytest.mark.thorough, pytest.mark.browser]

_GROUND = "getComputedStyle(document.body).backgroundColor"
_TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def watched(page: Page) -> list[str]:
    """What the page complains of, and asks for."""
    seen: list[str] = []
    page.on("console", lambda message: seen.append(message.text))
    page.on("request", lambda found: seen.append(found.url))
    return seen


def test_it_fits_and_fetches_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    required()
    monkeypatch.setattr(line_trial, "client_path", lambda: "/nowhere")
    fabric = generate("leaf-spine", leaves=4, spines=2, hosts_per_leaf=10)
    file = tmp_path / "report.html"
    file.write_text(make_twin(Imported(fabric, "test", ()), source="file.txt").page, encoding="utf-8")
    grounds = {}
    with chromium() as browser:
        schemes: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")
        for scheme in schemes:
            for width in (1440, 390):
                context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900})
                page = context.new_page()
                seen = watched(page)
                page.goto(file.as_uri())
                assert seen == [file.as_uri()]
                assert page.evaluate(_TOO_WIDE) <= 0, f"wider than {width}"
                assert page.locator("svg").count() == 4
                grounds[scheme] = page.evaluate(_GROUND)
                context.close()
    assert grounds["light"] != grounds["dark"]
