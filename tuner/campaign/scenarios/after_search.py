# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures what a search on the campaign's own devices has found in scenarios, and chooses what serves the most of them.

A campaign with `variants:` searches on its own devices, so its trials cost no more than without them. What was confirmed runs in
the scenarios afterwards, in the order of the campaign's rule, with the first fresh seed and where the last profile failed first,
until one serves all of them. A profile is left as soon as it fails in more scenarios than the best so far. Of those that serve
equally many, the one whose worst violation is the least is better, in steps of STEP, and then the one that the rule ranks first.
If it serves fewer scenarios under all fresh seeds, the next one is looked at.

Where nothing that the rule prefers to the expert serves all, further such trials are tried, as far as a forecast by balance and
room does not rule them out. Then come the expert's own settings, if a trial had them, and what the rule ranks below: nothing is
recommended that serves fewer scenarios than the expert does.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice, takewhile

from tuner.campaign.first_trials.suggested import suggested_for
from tuner.campaign.record import TrialRecord
from tuner.campaign.result import Tried
from tuner.campaign.scenarios.confirmation import Measured, ScenarioConfirmation
from tuner.campaign.scenarios.findings import ScenarioFindings
from tuner.campaign.scenarios.forecast import Forecast
from tuner.campaign.scenarios.served import FAR
from tuner.campaign.setup import Setup
from tuner.errors import BadInputError
from tuner.measuring.configuration import Configuration

STEP = 0.01
"""Difference between two violations below which they count as equal."""
SLACK = 0.05
"""Shortage of balance or room that a further trial may have by forecast, beyond what the expert has."""
MOST_NAME = 200


class AfterSearch:
    """Scenarios of one campaign after its search. Methods that measure raise what References.measure does."""

    def __init__(self, setup: Setup, confirmation: ScenarioConfirmation, forecast: Forecast) -> None:
        self._setup = setup
        self._confirmation = confirmation
        self._forecast = forecast
        self._expert = Configuration(setup.expert).digest
        self._hardest = list(confirmation.required)
        self._tried: dict[str, Measured] = {}
        """What may be recommended by its digest, in the order in which it was measured; what was left has some scenarios only."""
        self._looked_at: set[str] = set()
        """Digests of all trials that were measured."""
        self._whole: set[str] = set()
        """Digests of those that were measured under all fresh seeds."""

    def choose(
        self,
        front: Sequence[Tried],
        further: Iterable[tuple[TrialRecord, Configuration]],
        confirm: Callable[[int], Tried | None],
    ) -> Tried | None:
        """Returns what serves the most scenarios; None if nothing is tried.

        `front`: trials that keep the constraints on the campaign's own devices, in the order of its rule; `further`: trials of
        the search that the rule prefers to the expert, in its order, of which the confirmation's `attempts` are looked at;
        `confirm`: measures the trial of that number on the campaign's own devices, and returns None where it breaks a constraint.
        """
        before = list(takewhile(lambda tried: not self._is_expert(tried), front))
        found: dict[str, Tried] = {}
        for tried in before:
            found.setdefault(tried.confirmed.configuration.digest, tried)
            if self._serves_all(tried):
                return tried
        likely = ((record, one) for record, one in further if one.digest not in self._tried and self._may_hold(one))
        for record, configuration in islice(likely, self._setup.campaign.confirmation.attempts):
            best = self._best()
            least = len(self._confirmation.required) if best is None else self._confirmation.count(best)
            serves_more = self._confirmation.count(self._measure(record, configuration, most=least - 1)) < least
            confirmed = confirm(record.number) if serves_more else None
            if confirmed is None:
                del self._tried[configuration.digest]
                continue
            found[configuration.digest] = confirmed
            if self._serves_all(confirmed):
                return confirmed
        for tried in front[len(before) :]:
            found.setdefault(tried.confirmed.configuration.digest, tried)
            if self._serves_all(tried):
                return tried
        best = self._settled()
        return None if best is None else found.get(best.configuration.digest)

    def findings(self, recommended: Tried, home: Tried | None) -> ScenarioFindings:
        """Returns the map of the recommendation, the expert, and the best for each model of the devices where the recommendation
        does not serve all; these may be measured there alone. `home`: the rule's pick for the campaign's own devices."""
        confirmation, configuration = self._confirmation, recommended.confirmed.configuration
        chosen = confirmation.in_full(self._entry(recommended.record, configuration))
        by_model: dict[str, Measured] = {}
        if confirmation.count(chosen) and self._setup.campaign.recommend.robust:
            by_model = self._best_by_model()
        elif home is not None and home.confirmed.configuration.digest != configuration.digest:
            own = self._setup.scenarios[0].point.model
            names = [scenario.name for scenario in self._setup.scenarios if scenario.point.model == own]
            by_model[own] = confirmation.where(self._entry(home.record, home.confirmed.configuration), names)
        gentlest: Measured | None = None
        if confirmation.worst_violation(chosen, confirmation.required) > FAR:
            gentlest = confirmation.least_missed(self._tried.values())
        return ScenarioFindings(
            scenarios=self._setup.scenarios,
            required=confirmation.required,
            recommended=confirmation.row(chosen),
            expert=confirmation.row(confirmation.expert()),
            by_model={model: confirmation.row(best) for model, best in by_model.items()},
            tried=max(1, len(self._looked_at)),
            gentlest=None if gentlest is None else confirmation.row(gentlest),
        )

    def _measure(self, record: TrialRecord, configuration: Configuration, most: int | None = None) -> Measured:
        """Measures a trial with the first fresh seed, until it fails in more than `most` scenarios, by default those in which the
        best so far fails."""
        confirmation, best = self._confirmation, self._best()
        if most is None:
            most = len(self._hardest) if best is None else confirmation.count(best)
        measured = self._entry(record, configuration)
        for name in tuple(self._hardest):
            measured = confirmation.where(measured, [name])
            if measured.broken.get(name):
                self._hardest.remove(name)
                self._hardest.insert(0, name)
            if sum(bool(names) for names in measured.broken.values()) > most:
                break
        self._tried[configuration.digest] = measured
        self._looked_at.add(configuration.digest)
        return measured

    def _serves_all(self, tried: Tried) -> bool:
        """The trial serves every scenario that it is to serve, under all fresh seeds. They are measured only if the first says
        so."""
        measured = self._measure(tried.record, tried.confirmed.configuration)
        return self._confirmation.count(measured) == 0 and self._confirmation.count(self._in_full(measured)) == 0

    def _settled(self) -> Measured | None:
        """Returns the best of what was measured, which is the best under all fresh seeds too."""
        while (best := self._best()) is not None and best.configuration.digest not in self._whole:
            self._in_full(best)
        return best

    def _best(self) -> Measured | None:
        """Returns the best of those that were measured in every scenario; None if there is none."""
        whole = [one for one in self._tried.values() if {*self._confirmation.required} <= {*one.broken}]
        return min(whole, key=self._rank, default=None)

    def _rank(self, one: Measured, names: Sequence[str] | None = None) -> tuple[int, int]:
        """`min` prefers the first of equals, which the campaign's rule ranks first."""
        names = self._confirmation.required if names is None else names
        worst = max(0.0, self._confirmation.worst_violation(one, names))
        return self._confirmation.count(one, names), round(worst / STEP)

    def _in_full(self, one: Measured) -> Measured:
        """Measures a profile under all fresh seeds, and keeps the outcome."""
        self._whole.add(one.configuration.digest)
        self._tried[one.configuration.digest] = self._confirmation.in_full(one)
        return self._tried[one.configuration.digest]

    def _best_by_model(self) -> dict[str, Measured]:
        """Returns for each model of the devices the best that is known there, of what serves one of its scenarios: the expert,
        what was tried, and what is suggested for such devices where none of these serves them all."""
        confirmation, found = self._confirmation, dict[str, Measured]()
        for model in dict.fromkeys(scenario.point.model for scenario in self._setup.scenarios):
            there = [scenario for scenario in self._setup.scenarios if scenario.point.model == model]
            names = [scenario.name for scenario in there]
            candidates = [one for one in (*self._tried.values(), confirmation.expert()) if {*names} <= {*one.broken}]
            best = min(candidates, key=lambda one: self._rank(one, names))
            if confirmation.count(best, names):
                suggestions = self._suggestions(model, there[0].model)
                best = min(
                    [best, *(confirmation.where(one, names) for one in suggestions)], key=lambda one: self._rank(one, names)
                )
            if confirmation.count(best, names) < len(names):
                found[model] = best
        return found

    def _suggestions(self, model: str, settings: Mapping[str, object]) -> list[Measured]:
        """Returns what is suggested in the campaign's space for a model of the devices, not measured; nothing if nothing is."""
        setup = self._setup
        title = f"{setup.campaign.name}, suggested for {model}"[:MOST_NAME]
        try:
            found = suggested_for(setup, {**setup.backend_settings, **settings})
            made = {origin: setup.space.configuration(values, name=title) for origin, values in found.items()}
        except BadInputError:
            return []
        return [self._confirmation.new(origin, None, configuration) for origin, configuration in made.items()]

    def _may_hold(self, configuration: Configuration) -> bool:
        """False if a forecast rules it out; of what brings a model of its own, nothing is forecast."""
        if configuration.model:
            return True

        def least(name: str) -> float:
            return max(SLACK, self._forecast.risk(self._setup.expert, name))

        return all(self._forecast.risk(configuration.profile, name) <= least(name) for name in self._confirmation.required)

    def _entry(self, record: TrialRecord, configuration: Configuration) -> Measured:
        origin = self._setup.expert.name if configuration.digest == self._expert else f"trial {record.number}"
        return self._confirmation.new(origin, record.number, configuration)

    def _is_expert(self, tried: Tried) -> bool:
        return tried.confirmed.configuration.digest == self._expert
