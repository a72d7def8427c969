# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A campaign in a process of its own, for the tests to kill: CAMPAIGN STORAGE LOG TAKES_S."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.tuner.campaign.analytic import AnalyticBackend
from tuner.campaign.runner import run_campaign
from tuner.campaign.setup import prepare
from tuner.campaign.store import CampaignStore
from tuner.documents.campaign import load_campaign


def main(campaign: str, storage: str, log: str, takes_s: str) -> None:
    setup = prepare(*load_campaign(Path(campaign)))
    with CampaignStore.open(Path(storage), setup.campaign.name, identity=setup.identity(), objectives=setup.objectives) as store:
        run_campaign(setup, store, lambda: AnalyticBackend(Path(log), takes_s=float(takes_s)))


main(*sys.argv[1:])
