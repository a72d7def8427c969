# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Finds out which profiles hold in every variant of a campaign, and which is best in each.

A profile that is lost in one variant is not measured in the others: it is not recommended in any case. The variant that refused
the last one comes first.
"""

from collections.abc import Callable, Iterable

from tuner.campaign.first_trials.suggested import suggested_for
from tuner.campaign.promise import Promise
from tuner.campaign.result import BestThere, Refusal, Tried, Variant
from tuner.campaign.setup import Setup
from tuner.campaign.variant_bench import VariantBench
from tuner.errors import BadInputError
from tuner.measuring.configuration import Configuration

MOST_NAME = 200


class Robustness:
    """Variants of one campaign. Methods that measure raise what References.measure does."""

    def __init__(self, setup: Setup, open_bench: Callable[[str], VariantBench]) -> None:
        """`open_bench`: opens the variant of that name; called at most once for each."""
        self._setup = setup
        self._open_bench = open_bench
        self._benches: dict[str, VariantBench] = {}
        self._order = list(setup.campaign.variants)
        self._promise: Promise | None = None
        self.refusals: dict[str, Refusal] = {}
        """Why configurations do not hold, by their digest."""

    def holds(self, configuration: Configuration) -> bool:
        """The configuration is worse than the expert in none of the variants."""
        for name in self._order:
            lost = self._bench(name).lost(configuration)
            if lost:
                self.refusals[configuration.digest] = Refusal(variant=name, lost=lost)
                self._order.remove(name)
                self._order.insert(0, name)
                return False
        return True

    def may_hold(self, configuration: Configuration) -> bool:
        """False if a forecast rules it out; nothing is measured."""
        if self._promise is None:
            self._promise = Promise(self._setup)
        return self._promise.of(configuration)

    def findings(self, recommended: Tried, front: Iterable[Tried]) -> tuple[Variant, ...]:
        """Returns the recommendation's figures in each variant. Where it is lost in one, or has the expert's own settings, one
        profile does not serve all devices, and each variant has its best. `front`: the trials that keep the constraints under the
        campaign's own devices, in the order of the rule."""
        configuration, front = recommended.confirmed.configuration, list(front)
        by_name = {name: self._bench(name) for name in self._setup.campaign.variants}
        lost = {}
        for name, bench in by_name.items():
            bench.in_full(configuration)  # the report has its figures, also where a glance would do
            lost[name] = bench.lost(configuration)
        serves_all = not any(lost.values()) and configuration.digest != Configuration(self._setup.expert).digest
        with_best = self._setup.campaign.recommend.robust and not serves_all
        return tuple(
            Variant(
                name=name,
                settings=dict(self._setup.campaign.variants[name]),
                baseline=bench.baseline,
                expert=bench.expert,
                recommended=bench.in_full(configuration),
                lost=lost[name],
                best=self._best(bench, front) if with_best else None,
            )
            for name, bench in by_name.items()
        )

    def _best(self, bench: VariantBench, front: Iterable[Tried]) -> BestThere | None:
        """Returns the one that the rule prefers to the others, of those that keep the constraints there: the expert, the first
        that holds of what is suggested for these devices, and the first of the front that holds. None if none of them does."""
        setup = self._setup
        found = [BestThere(origin=setup.expert.name, trial=None, confirmed=bench.expert)]
        for origin, suggestion in self._suggestions(bench.name).items():
            if not bench.lost(suggestion):
                found.append(BestThere(origin=origin, trial=None, confirmed=bench.in_full(suggestion)))
                if found[-1].confirmed.feasible:
                    break
        for tried in front:
            if not bench.lost(tried.confirmed.configuration):
                trial = tried.record.number
                found.append(
                    BestThere(origin=f"trial {trial}", trial=trial, confirmed=bench.in_full(tried.confirmed.configuration))
                )
                break
        best: BestThere | None = None
        for variant in found:
            if variant.confirmed.feasible and (best is None or self._preferred(variant, best)):
                best = variant
        return best

    def _preferred(self, one: BestThere, other: BestThere) -> bool:
        return self._setup.rule.prefers(one.confirmed.candidate(0), other.confirmed.candidate(1), self._setup.objectives)

    def _suggestions(self, name: str) -> dict[str, Configuration]:
        """Returns by origin what is suggested in the campaign's space for the devices of a variant; empty if nothing is."""
        setup = self._setup
        title = f"{setup.campaign.name}, suggested for {name}"[:MOST_NAME]
        try:
            found = suggested_for(setup, setup.variant_settings(name))
            return {origin: setup.space.configuration(values, name=title) for origin, values in found.items()}
        except BadInputError:
            return {}

    def _bench(self, name: str) -> VariantBench:
        if name not in self._benches:
            self._benches[name] = self._open_bench(name)
        return self._benches[name]
