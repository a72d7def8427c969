# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures profiles under another model of the devices, next to the baseline and the expert: with fresh seeds, and at the length
of the search.

A profile that is surely lost there is refused after the first seeds: most are far off, and few are worth the others.
"""

from dataclasses import replace

from tuner.campaign.evaluation import Evaluation
from tuner.campaign.pool import Outcome
from tuner.campaign.references import References
from tuner.campaign.result import Confirmed, confirmed
from tuner.campaign.setup import Setup
from tuner.campaign.variants import lost
from tuner.measuring.configuration import Configuration

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
        published = Configuration(setup.baseline), Configuration(setup.expert)
        outcomes = references.measure(published, setup.variant, kind)
        self._known |= {one.digest: outcome for one, outcome in zip(published, outcomes, strict=True)}
        self._baseline, self._expert = (evaluation for evaluation, _ in outcomes)
        self.baseline, self.expert = (self.in_full(one) for one in published)

    def in_full(self, configuration: Configuration) -> Confirmed:
        """Returns the configuration's figures under all seeds. Raises what References.measure does."""
        if configuration.digest not in self._known:
            self._known[configuration.digest] = self._whole(configuration)
        return self._beside(configuration, self._known[configuration.digest])

    def lost(self, configuration: Configuration) -> tuple[str, ...]:
        """Returns by what the configuration is worse here than the expert, maybe after the first seeds only; nothing if it is
        not, under all of them. Raises what References.measure does."""
        if configuration.digest not in self._known and len(self._setup.variant.seeds) > GLANCE:
            found = self._lost(self._beside(configuration, self._first(configuration)), surely=True)
            if found:
                return found
        return self._lost(self.in_full(configuration))

    def _lost(self, here: Confirmed, *, surely: bool = False) -> tuple[str, ...]:
        part = self._expert.part(seeds=here.evaluation.seeds)
        expert = self._beside(Configuration(self._setup.expert), (part, ())) if surely else self.expert
        return lost(self._setup.objectives, self._setup.rule, here=here, expert=expert, surely=surely)

    def _beside(self, configuration: Configuration, outcome: Outcome) -> Confirmed:
        baseline, expert = (one.part(seeds=outcome[0].seeds) for one in (self._baseline, self._expert))
        return confirmed(self._setup, configuration, outcome, baseline=baseline, expert=expert)

    def _whole(self, configuration: Configuration) -> Outcome:
        seeds = self._setup.variant.seeds
        if len(seeds) <= GLANCE:
            (whole,) = self._references.measure([configuration], self._setup.variant, self._kind)
            return whole
        first, measurements = self._first(configuration)
        rest = replace(self._setup.variant, seeds=seeds[GLANCE:])
        ((others, _),) = self._references.measure([configuration], rest, f"{self._kind}-others")
        return Evaluation.joined([first, others]), measurements

    def _first(self, configuration: Configuration) -> Outcome:
        first = replace(self._setup.variant, seeds=self._setup.variant.seeds[:GLANCE])
        if configuration.digest not in self._glanced:
            (self._glanced[configuration.digest],) = self._references.measure([configuration], first, f"{self._kind}-first")
        return self._glanced[configuration.digest]
