# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The map and the prices of scenarios on a campaign's page: of variants, and of scenarios with long names on a telephone."""

import os
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from api.configuration.settings import Settings
from api.database.engine import Database
from api.database.models.campaign import StoredCampaign
from tests.api.ui.test_challenge import finished_campaign
from tests.api.ui.visitor import Site, Visitor

NAMES = [f"{model}, {count} contributors" for model in ("own devices", "becns-on-acknowledgements") for count in (2, 4, 8)]

PROFILE = {
    "file": "profile-becns-on-acknowledgements.yaml",
    "variant": "becns-on-acknowledgements",
    "settings": {"model.ca.becn_carrier": "ack"},
    "devices": "adapters that send BECNs on acknowledgements",
    "gain": "victims receive 24 % more than with the recommended profile, and contributors 1 % less",
    "origin": "suggestion for becns-on-acknowledgements",
    "trial": None,
}
"""The best profile for one model of the devices, as a campaign that serves not all leaves it."""


def scenarios() -> dict[str, Any]:
    """The map as a search over scenarios leaves it."""
    row = {"file": None, "of": 6}
    return {
        "sentence": "holds for all 2 models of the devices from 2 to 4 contributors",
        "names": NAMES,
        "rows": [
            {
                **row,
                "role": "recommended",
                "origin": "trial 1",
                "trial": 1,
                "served": 5,
                "cells": ["served"] * 5 + ["victims 24 %"],
            },
            {**row, "role": "published", "origin": "gran-2010", "trial": None, "served": 6, "cells": ["served"] * 6},
        ],
        "prices": [
            {"served": place, "scenario": name, "trial": 1 if place < 6 else None, "contributors_share": 0.99 - place / 1000}
            for place, name in enumerate(NAMES, start=1)
        ],
    }


@pytest.mark.long
def test_no_table_needs_sideways_scrolling(browser: Browser, site: Site, tmp_path: Path) -> None:
    pictures = Path(os.environ.get("SCREENSHOTS", tmp_path))
    with Visitor.arriving(browser, site, width=1440) as visitor:
        visitor.visit("/campaigns")
        campaign = finished_campaign(visitor, variants={"acks": {"model.ca.becn_carrier": "ack"}})
        visitor.visit(f"/campaigns/{campaign}")
        served = visitor.page.get_by_role("region", name="Scenarios by profile")
        expect(served.get_by_role("rowheader", name="acks")).to_be_visible()
        expect(visitor.page.get_by_role("region", name="Price of each further scenario")).to_have_count(0)
        visitor.page.screenshot(path=pictures / "variants-1440.png", full_page=True)
        database = Database(Settings(state_folder=site.session.parent / "state").database)
        with database.writing() as session:
            row = session.get_one(StoredCampaign, campaign)
            row.best = {**(row.best or {}), "scenarios": scenarios(), "profiles": [PROFILE]}
        database.close()
        visitor.visit(f"/campaigns/{campaign}")
        expect(visitor.page.get_by_role("region", name="Price of each further scenario")).to_be_visible()
        visitor.page.screenshot(path=pictures / "scenarios-1440.png", full_page=True)
    with Visitor.arriving(browser, site, width=390, scheme="dark") as visitor:
        visitor.visit(f"/campaigns/{campaign}")
        prices = visitor.page.get_by_role("region", name="Price of each further scenario")
        expect(prices).to_be_visible()
        visitor.expect_no_overflow()
        for name in ("Price of each further scenario", "Scenarios by profile", "Profiles by devices"):
            table = visitor.page.get_by_role("region", name=name)
            assert table.evaluate("box => box.scrollWidth - box.clientWidth") <= 0, name
        visitor.page.screenshot(path=pictures / "scenarios-390.png", full_page=True)
