# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The trial runs of a profile on its page, at a desk and on a telephone."""

import os
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from api.base.times import now
from api.configuration.settings import Settings
from api.database.engine import Database
from api.database.models.trial_outcome import TrialOutcome
from tests.api.ui.visitor import Site, Visitor

NIGHT = {
    "check": "nightly",
    "date": "2026-03-01",
    "number": 3,
    "at": "2026-03-01T02:20:00Z",
    "verdict": "pass",
    "entries": [],
}


def entry(victims: float) -> dict[str, object]:
    return {
        "entry": "fairness",
        "kind": "fairness",
        "options": "same",
        "regime": "gran-2010@000000000000",
        "values": {"victim_throughput": victims, "contributor_total": 13.04, "jain_index": 0.998},
        "units": {"victim_throughput": "Gb/s", "contributor_total": "Gb/s", "jain_index": "1"},
    }


@pytest.fixture
def tried(site: Site) -> None:
    database = Database(Settings(state_folder=site.session.parent / "state").database)
    with database.writing() as session:
        session.merge(
            TrialOutcome(
                job="j1",
                fabric="two-switch",
                profile="gran-2010",
                version=1,
                revision="gran-2010@000000000000",
                by="anna",
                began_at=now() - timedelta(hours=3),
                until=now() - timedelta(hours=2),
                promised=None,
                before=[NIGHT | {"entries": [entry(2.2)]}],
                during=[NIGHT | {"entries": [entry(13.0)]}],
            )
        )
    database.close()


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_victims_before_and_during_stand_side_by_side(
    browser: Browser, site: Site, tried: None, width: int, scheme: str, tmp_path: Path
) -> None:
    with Visitor.arriving(browser, site, width=width, scheme="dark" if scheme == "dark" else "light") as visitor:
        visitor.visit("/profiles/gran-2010?tab=trials")
        expect(visitor.page.get_by_text("A victim got 13 Gb/s during it, 2.2 before")).to_be_visible()
        row = visitor.page.get_by_role("row", name="Victim throughput")
        expect(row.get_by_role("cell")).to_have_text(["Victim throughput, Gb/s", "2.2", "13", "–", "nightly, fairness"])
        visitor.expect_no_overflow()
        visitor.page.screenshot(path=Path(os.environ.get("SCREENSHOTS", tmp_path)) / f"trial-runs-{width}.png")


def test_a_profile_without_a_trial_run_says_so(visitor: Visitor) -> None:
    visitor.visit("/profiles/off?tab=trials")
    expect(visitor.page.get_by_text("No trial run of this profile yet")).to_be_visible()
