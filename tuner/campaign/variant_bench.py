# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures profiles under another model of the devices, next to the baseline and the expert: with fresh seeds, and at the length
of the search.

A profile that is surely lost there is refused after the first seeds: most are far off, and few are worth the others.
"""

from dataclasses import replace

from ccsim.policy import Profile
from tuner.campaign.evaluation import Evaluation
from tuner.campaign.pool import Outcome
from tuner.campaign.references import References, digest
from tuner.campaign.result import Confirmed, confirmed
from tuner.campaign.setup import Setup
from tuner.campaign.variants import lost

GLANCE = 2
"""Seeds of the first look: the fewest that tell a difference from chance."""


class VariantBench:
    """One variant. It measures no profile twice, and nothing that the campaign's store has."""

    def __init__(self, setup: Setup, name: str, references: References, kind: str) -> None:
        """`references`: on a backend with the variant's settings; `kind`: the name of its plan in the store.

        Measures the baseline and the expert. Raises what References.measure does."""
        self.name = name
        self._setup = setup
        self._references = references
        self._kind = kind
        self._known: dict[str, Outcome] = {}
        self._glanced: dict[str, Outcome] = {}
        published = (setup.baseline, setup.expert)
        outcomes = references.measure(published, setup.variant, kind)
        self._known |= {digest(profile): outcome for profile, outcome in zip(published, outcomes, strict=True)}
        self._baseline, self._expert = (evaluation for evaluation, _ in outcomes)
        self.baseline, self.expert = (self.in_full(profile) for profile in published)

    def in_full(self, profile: Profile) -> Confirmed:
        """Returns the profile's figures under all seeds. Raises what References.measure does."""
        if digest(profile) not in self._known:
            self._known[digest(profile)] = self._whole(profile)
        return self._beside(profile, self._known[digest(profile)])

    def lost(self, profile: Profile) -> tuple[str, ...]:
        """Returns by what the profile is worse here than the expert, maybe after the first seeds only; nothing if it is not,
        under all of them. Raises what References.measure does."""
        if digest(profile) not in self._known and len(self._setup.variant.seeds) > GLANCE:
            found = self._lost(self._beside(profile, self._first(profile)), surely=True)
            if found:
                return found
        return self._lost(self.in_full(profile))

    def _lost(self, here: Confirmed, *, surely: bool = False) -> tuple[str, ...]:
        part = self._expert.part(seeds=here.evaluation.seeds)
        expert = self._beside(self._setup.expert, (part, ())) if surely else self.expert
        return lost(self._setup.objectives, self._setup.rule, here=here, expert=expert, surely=surely)

    def _beside(self, profile: Profile, outcome: Outcome) -> Confirmed:
        baseline, expert = (one.part(seeds=outcome[0].seeds) for one in (self._baseline, self._expert))
        return confirmed(self._setup, profile, outcome, baseline=baseline, expert=expert)

    def _whole(self, profile: Profile) -> Outcome:
        seeds = self._setup.variant.seeds
        if len(seeds) <= GLANCE:
            (whole,) = self._references.measure([profile], self._setup.variant, self._kind)
            return whole
        first, measurements = self._first(profile)
        rest = replace(self._setup.variant, seeds=seeds[GLANCE:])
        ((others, _),) = self._references.measure([profile], rest, f"{self._kind}-others")
        return Evaluation.joined([first, others]), measurements

    def _first(self, profile: Profile) -> Outcome:
        first = replace(self._setup.variant, seeds=self._setup.variant.seeds[:GLANCE])
        if digest(profile) not in self._glanced:
            (self._glanced[digest(profile)],) = self._references.measure([profile], first, f"{self._kind}-first")
        return self._glanced[digest(profile)]
