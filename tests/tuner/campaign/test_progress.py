# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How far a campaign is, in each of its phases."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.tuner.campaign.analytic import AnalyticBackend, OnDevices
from tuner.campaign.progress import Phase, Progress, Runs, Tally
from tuner.campaign.record import TrialRecord
from tuner.campaign.result import CampaignResult
from tuner.campaign.setup import Setup

Load = Callable[..., Setup]
Run = Callable[..., CampaignResult]


class Watcher:
    """Keeps the runs that it is told of, by phase."""

    def __init__(self) -> None:
        self.runs: dict[str, list[Runs]] = {}
        self._phase = ""

    def phase(self, phase: Phase, progress: Progress) -> None:
        self._phase = phase

    def trial(self, record: TrialRecord, progress: Progress) -> None: ...

    def measured(self, name: str, runs: Runs) -> None:
        self.runs.setdefault(self._phase, []).append(runs)


def test_a_tally_counts_over_all_that_a_phase_measures() -> None:
    watcher, now_s = Watcher(), iter([100.0, 102.0, 104.0, 106.0, 200.0, 201.0])
    tally = Tally(watcher, clock=lambda: next(now_s))
    tally.begin(expected=6)
    tally.measure(2, recalled=0)
    tally.finished("off")
    tally.finished("off")
    tally.measure(1, recalled=1)
    tally.finished("small-3")
    first, second, third = watcher.runs[""]
    assert (first.done, first.total, first.remaining_s) == (1, 6, 10.0)
    assert (second.done, second.total, second.remaining_s) == (2, 6, 8.0)
    assert (third.done, third.total) == (3, 5), "what the store has is no work"
    tally.begin()
    tally.measure(1, recalled=0)
    tally.finished("off")
    assert (watcher.runs[""][-1].done, watcher.runs[""][-1].total, watcher.runs[""][-1].remaining_s) == (1, 1, 0.0)


def test_before_the_first_run_no_time_is_known() -> None:
    assert Runs(done=0, total=4, elapsed_s=3.0).remaining_s is None


@pytest.mark.long
@pytest.mark.parametrize("variants", ["", "recommend: {robust: false}\nvariants: {flows: {model.ca.ccti_timer: flow}}"])
def test_the_confirmation_is_counted_to_its_end(load: Load, run: Run, variants: str) -> None:
    watcher = Watcher()

    def open_other(name: str, settings: Mapping[str, Any]) -> AnalyticBackend:
        return OnDevices()

    result = run(load(trials=6, extra=variants), listener=watcher, open_other=open_other)
    assert result.recommended is not None
    assert set(watcher.runs) == {"references", "confirmation"}
    for runs in watcher.runs.values():
        assert [one.done for one in runs] == list(range(1, len(runs) + 1))
        assert all(one.done <= one.total for one in runs)
        assert [one.total for one in runs] == sorted(one.total for one in runs)
        # The scenarios have a run less where they share a yardstick, and two less where the expert's settings are recommended.
        assert runs[-1].total - runs[-1].done <= (3 if variants else 0)
    # Known from the start, if two profiles have no settings in common: two seeds each. In each of two scenarios the expert runs
    # with one seed and the recommendation with two.
    digests = {one.configuration.digest for one in (result.baseline, result.expert, *(tried.confirmed for tried in result.front))}
    assert watcher.runs["confirmation"][0].total == 2 * len(digests) + (6 if variants else 0)
