# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Congestion-control attributes of a mixed fabric behind a real OpenSM, in the browser: which devices have which, what is
withheld from them and why, devices that are asked anew, and a profile's form that begins with what they have."""

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.api.ui.visitor import Visitor
from tests.emulator.conftest import Emulate, emulate, two_switch
from tests.opensm_plugin.conftest import library, load
from tests.opensm_plugin.plugin_process import Load
from tests.opensm_plugin.test_nvidia import ROWS, both_kinds
from tuner.documents.fabric import load_fabric

__all__ = ["emulate", "library", "load", "two_switch"]

SITE = "/fabrics/site"


@pytest.mark.slow
def test_a_mixed_fabric_shows_what_its_devices_have_and_what_is_withheld(visitor: Visitor, load: Load, emulate: Emulate) -> None:
    page = visitor.page
    bed = load(emulate(load_fabric("two-switch").model_copy(update={"congestion_control": ROWS})))
    with bed.opensm(both_kinds()) as process:  # without --nvidia-write
        process.await_done()
        options = {"socket": str(process.setup.socket), "fabric": "two-switch"}
        visitor.api("POST", "/fabrics", {"name": "site", "kind": "plugin", "options": options})
        visitor.visit(SITE)
        panel = page.get_by_role("region", name="Congestion-control attributes")
        expect(panel.get_by_role("definition")).to_have_text(["1 device", "5 devices", "2 devices", "1 device"])
        visitor.expect_accessible()

        panel.get_by_role("definition").nth(1).get_by_role("link").click()
        rows = page.get_by_role("table", name="Devices of site").get_by_role("row")
        expect(rows).to_have_count(1 + 5)
        expect(_cells(rows, "Attributes")).to_have_text(["NVIDIA's"] * 5)
        visitor.expect_accessible()
        page.get_by_role("button", name="Ask devices").click()
        expect(page.get_by_text("Of the devices, 1 has annex A10's attributes, 5 have NVIDIA's attributes")).to_be_visible()

        page.get_by_role("link", name=re.compile("^H1")).click()
        facts = page.get_by_role("region", name="The device")
        expect(facts).to_contain_text("what the profile says of NVIDIA's: the plugin has no option --nvidia-write")

        visitor.visit(SITE)
        page.get_by_role("link", name="New profile for these devices").click()
        adapter = page.get_by_role("group", name="NVIDIA: adapter")
        expect(adapter).to_contain_text("For 7 of the 9 devices of site, which have NVIDIA's attributes.")
        expect(adapter.get_by_label("nvidia.adapter.rp.rpg_ai_rate")).to_be_visible()
        visitor.expect_accessible()


def _cells(rows: Locator, title: str) -> Locator:
    """Cells of the column of that title, without its head."""
    titles = rows.first.get_by_role("columnheader").all_text_contents()
    (column,) = [i for i, text in enumerate(titles) if text.startswith(title)]
    # The first column's cells are heads of rows.
    return rows.get_by_role("cell").and_(rows.page.locator(f"td:nth-child({column + 1})"))
