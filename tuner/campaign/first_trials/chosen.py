# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The first trials of a campaign: the suggested profile, and what stored campaigns found on like fabrics.

They are chosen once, when a campaign begins, and kept with it: a resumed campaign measures the same ones, though a storage may
have changed or gone meanwhile, and one that an earlier release began measures none.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from tuner.campaign.first_trials.record import FIRST_TRIALS, FirstTrials
from tuner.campaign.first_trials.suggested import suggested
from tuner.campaign.first_trials.warm_start import warm_start
from tuner.campaign.scenarios.forecast import Forecast
from tuner.campaign.setup import Setup
from tuner.campaign.store import CampaignStore
from tuner.documents.parameter import Scalar
from tuner.errors import BadInputError
from tuner.suggest.ground import Ground, ground_of


def with_first_trials(setup: Setup, store: CampaignStore, on_note: Callable[[str], None]) -> Setup:
    """Returns the setup with these ahead of what is measured first. `on_note` is told what cannot be used, when they are chosen.

    Raises BadInputError if a storage that the campaign names holds no campaign, and UnreachableError if it cannot be reached.
    """
    kept = store.recall(FIRST_TRIALS)
    if kept is None and store.begun() == 0:
        kept = _chosen(setup).to_json()
        store.remember(FIRST_TRIALS, kept)
        for note in kept["notes"]:
            on_note(note)
    if kept is None:
        return setup
    first = FirstTrials.from_json(kept)
    return replace(setup, starts={**first.values, **setup.starts}, first=first)


def _chosen(setup: Setup) -> FirstTrials:
    values: dict[str, Mapping[str, Scalar]] = {}
    sources: dict[str, str] = {}
    notes: list[str] = []
    ground = _ground(setup, notes)

    def take(origin: str, found: Mapping[str, Scalar], source: str) -> None:
        while origin in values or origin in setup.starts:
            origin += "'"
        values[origin], sources[origin] = dict(found), source

    if setup.campaign.suggestion:
        try:
            for origin, found in suggested(setup).items():
                take(origin, *found)
        except BadInputError as error:
            notes.append(f"no profile can be suggested as the first trial: {error.sentence}")
    for one in warm_start(setup, ground, notes):
        take(one.origin, one.values, one.source)
    return FirstTrials(values=values, sources=sources, notes=tuple(notes), ground=ground)


def _ground(setup: Setup, notes: list[str]) -> Ground | None:
    """Returns None where it cannot be known: that is no reason to fail, as a campaign may search on any fabric. Of scenarios the
    one whose contributors are notified most seldom counts: a profile that serves it has balance in the others."""
    try:
        if setup.searches_scenarios:
            grounds = Forecast.of(setup.scenarios, setup.built, setup.backend_settings).grounds.values()
            return max(grounds, key=lambda ground: ground.notifier.slowest_ns(ground.gap_ns, 2), default=None)
        return ground_of(setup.placed, setup.backend_settings)
    except BadInputError as error:
        if setup.campaign.warm_start:
            notes.append(f"nothing can be carried to this fabric: {error.sentence}")
        return None
