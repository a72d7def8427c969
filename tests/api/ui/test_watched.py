# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A host that is taken away from an emulated fabric with real OpenSM is seen on the map, on the list, on the overview and among
the events, without a reload. (test_faults.py has more faults, and how soon they are seen.)"""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from api.configuration.settings import Settings
from api.database.engine import Database
from api.database.models.fabric import FabricRecord
from tests.api.ui.conftest import serving, set_up
from tests.api.ui.visitor import Visitor
from tests.opensm_plugin.conftest import library
from tuner.emulator.client import ControlClient

__all__ = ["library"]

PICTURES = os.environ.get("IBCC_PICTURES")
"""A folder for pictures of the pages, for who wants to look at them."""


@pytest.mark.thorough
def test_a_host_that_is_lost_is_seen_everywhere(
    browser: Browser, ibcc: Path, library: Path, infiniband_programs: None, tmp_path: Path
) -> None:
    with serving(ibcc, tmp_path) as (url, token):
        site = set_up(url, token, tmp_path)
        with Visitor.arriving(browser, site) as anna, Visitor.arriving(browser, site) as olga:
            anna.api("POST", "/fabrics", {"name": "lab", "kind": "emulated", "options": {"fabric": "two-switch"}})
            anna.visit("/")
            card = anna.page.get_by_role("article").filter(has_text="lab")
            expect(card).to_contain_text("as it should be")
            olga.visit("/fabrics/lab")
            anna.complaints.clear()  # the browser's own, of what was asked for while OpenSM started
            olga.complaints.clear()
            with ControlClient(path=control_socket(tmp_path / "state", "lab")) as emulator:
                emulator.remove_node("H4")
                expect(card).to_contain_text("1 missing")
                expect(olga.page.get_by_role("list", name="Marks")).to_contain_text("missing")
                _pictures(anna, "overview")
                _pictures(olga, "map")
                card.get_by_role("link", name="1 missing").click()
                row = anna.page.get_by_role("row").filter(has_text="H4")
                expect(row).to_contain_text("missing")
                expect(anna.page.get_by_role("row")).to_have_count(2)
                _pictures(anna, "devices")
                anna.visit("/events")
                table = anna.page.get_by_role("table")
                expect(table).to_contain_text("H4 is lost: OpenSM does not find it")
                _pictures(anna, "events")
                anna.expect_accessible()
                anna.expect_no_overflow()
                emulator.add_node("H4")
                expect(table).to_contain_text("H4 is back")
                anna.page.get_by_role("combobox", name="Severity").click()
                anna.page.get_by_role("option", name="Warnings and errors").click()
                expect(table).not_to_contain_text("H4 is back")
                expect(table).to_contain_text("H4 is lost")
                anna.visit("/")
                expect(card).to_contain_text("as it should be")
                anna.page.get_by_role("button", name="Audit now: lab").click()
                expect(card).to_contain_text("done")
                anna.expect_accessible()


def control_socket(state: Path, fabric: str) -> Path:
    """Returns the socket of the emulator that the service in that folder started for a fabric."""
    database = Database(Settings(state_folder=state).database)
    with database.reading() as session:
        path = Path(session.get_one(FabricRecord, fabric).runtime["control_socket"])
    database.close()
    return path


def _pictures(visitor: Visitor, name: str) -> None:
    if PICTURES is None:
        return
    for width in (1440, 390):
        visitor.page.set_viewport_size({"width": width, "height": 900})
        for scheme in ("light", "dark"):
            visitor.page.emulate_media(color_scheme=scheme)
            visitor.page.wait_for_timeout(400)
            visitor.page.screenshot(path=f"{PICTURES}/{name}-{width}-{scheme}.png", full_page=True)
    visitor.page.set_viewport_size({"width": 1280, "height": 860})
    visitor.page.emulate_media(color_scheme="light")
