# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The outcome of a challenge beside the recommendation that it is about."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from api.configuration.settings import Settings
from api.database.engine import Database
from api.database.models.campaign import CampaignArtifact
from tests.api.campaign_service import SHORT
from tests.api.fabric_service import once
from tests.api.ui.visitor import Site, Visitor

FAILS = (
    "The recommendation fails inside its region: 3 of 28 scenarios of its region, in 93 runs. The worst: own devices, place 7."
)
NEXT = "It is worse than what was stated: give the next campaign {place: 7} among scenarios.points."


def finished_campaign(visitor: Visitor, **settings: Any) -> str:
    short = SHORT | {"budget.trials": 2} | settings
    body = {"name": "short", "fabric": "two-switch", "template": "scenario-1", "settings": short}
    campaign = str(visitor.api("POST", "/campaigns", body)["id"])
    visitor.api("POST", f"/campaigns/{campaign}/start", None, **once())
    while visitor.api("GET", f"/campaigns/{campaign}")["state"] != "finished":
        time.sleep(0.5)
    return campaign


@pytest.mark.long
def test_a_recommendation_that_fails_inside_its_region_is_told_with_it(browser: Browser, site: Site, tmp_path: Path) -> None:
    with Visitor.arriving(browser, site, width=1440) as visitor:
        visitor.visit("/campaigns")
        campaign = finished_campaign(visitor)
        visitor.visit(f"/campaigns/{campaign}")
        outcome = visitor.page.get_by_role("region", name="Recommended")
        expect(outcome).to_be_visible()
        expect(outcome.get_by_text("inside its region")).to_have_count(0)
        visitor.page.get_by_role("button", name="More").click()
        expect(visitor.page.get_by_role("menuitem", name="Challenge the recommendation")).to_be_visible()
        database = Database(Settings(state_folder=site.session.parent / "state").database)
        with database.writing() as session:
            text = json.dumps({"holds": False, "sentence": FAILS, "next_step": NEXT})
            session.merge(CampaignArtifact(campaign=campaign, name="challenge.json", text=text))
        database.close()
        visitor.visit(f"/campaigns/{campaign}")
        expect(outcome.get_by_text(f"{FAILS} {NEXT}")).to_be_visible()
        visitor.page.screenshot(path=Path(os.environ.get("SCREENSHOTS", tmp_path)) / "challenge-1440.png", full_page=True)
    with Visitor.arriving(browser, site, width=390, scheme="dark") as visitor:
        visitor.visit(f"/campaigns/{campaign}")
        expect(visitor.page.get_by_text(FAILS)).to_be_visible()
        visitor.expect_no_overflow()
        visitor.page.screenshot(path=Path(os.environ.get("SCREENSHOTS", tmp_path)) / "challenge-390.png")
