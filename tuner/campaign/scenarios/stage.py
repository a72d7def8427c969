# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The parts of a campaign's run that scenarios change: references, the race of the search, and the confirmation; and what a
campaign measures in scenarios after its search."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tuner.campaign.evaluation import Evaluation, Plan, Yardstick
from tuner.campaign.pool import BackendPool
from tuner.campaign.progress import Tally
from tuner.campaign.record import TrialRecord
from tuner.campaign.references import References
from tuner.campaign.result import Confirmed, Tried, confirmed
from tuner.campaign.scenarios.after_search import AfterSearch
from tuner.campaign.scenarios.confirmation import Measured, ScenarioConfirmation, required_of
from tuner.campaign.scenarios.findings import Effort, ScenarioFindings
from tuner.campaign.scenarios.forecast import Forecast
from tuner.campaign.scenarios.race import Goals, Race
from tuner.campaign.scenarios.served import Judge, implied_by
from tuner.campaign.scenarios.yardsticks import alike, measure_yardsticks
from tuner.campaign.setup import Setup, digest_of
from tuner.campaign.store import CampaignStore
from tuner.documents.campaign_scenarios import OWN
from tuner.measuring.configuration import Configuration


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What the confirmation of a campaign with scenarios found."""

    baseline: Confirmed
    """At home: the workloads on the campaign's own devices, at the confirmation's length and with its seeds."""
    expert: Confirmed
    front: tuple[Tried, ...]
    """The recommended trial, then the best for the campaign's own devices, at home."""
    recommended: Tried | None
    picked_by_rule: int | None
    findings: ScenarioFindings


class ScenarioStage:
    """Scenarios of one campaign while it runs. Methods that measure raise what References.measure does."""

    def __init__(
        self, setup: Setup, store: CampaignStore, pool: BackendPool, tally: Tally, should_stop: Callable[[], bool]
    ) -> None:
        self._setup = setup
        self._references = References(store, pool, tally, should_stop)
        fresh = setup.campaign.confirmation.seeds[:1]
        self._plan = setup.search if setup.searches_scenarios else setup.in_scenarios(fresh)
        self._off = Configuration(setup.baseline)
        self._expert = Configuration(setup.expert)
        self._yardsticks: Mapping[str, Yardstick] = {}
        self._judge: Judge | None = None
        self._race: Race | None = None

    def measure_references(self) -> tuple[Evaluation, Evaluation]:
        """Measures the baseline and the expert in all scenarios: under the seeds of the search, or with the first fresh seed if
        the search has no part in them. Returns them in those that the recommendation is to serve."""
        plan = self._plan
        self._yardsticks, baseline = measure_yardsticks(self._references, self._off, plan, self._setup.built, self._kind)
        expert = self._measure(self._expert, plan)
        searches, constraints = self._setup.searches_scenarios, self._setup.constraints
        self._judge = Judge(
            baseline=baseline,
            expert=expert,
            constraints=constraints,
            implied=() if searches else implied_by(constraints),
            by_lost_expert=searches,
        )
        required = required_of(self._setup)
        return baseline.part(workloads=required), expert.part(workloads=required)

    def race(self, records: Sequence[TrialRecord]) -> Race:
        """Returns the race of the search; `records`: its finished trials."""
        setup = self._setup
        assert self._judge is not None, "measure_references() comes first"
        required = required_of(setup)
        plan = replace(setup.search, yardsticks=self._yardsticks)
        plan = replace(plan, workloads=tuple(workload for workload in plan.workloads if workload.name in required))
        forecast = Forecast.of(setup.scenarios, setup.built, setup.backend_settings)
        known = [record.evaluation for record in records if record.evaluation is not None and not record.reused]
        expert = self._judge.expert.part(workloads=required)
        goals = Goals(rule=setup.rule, objectives=setup.objectives)
        self._race = Race(plan, self._judge, goals, forecast, [expert, *known])
        return self._race

    def after_search(self) -> AfterSearch:
        """Returns what measures the trials of a search that had no part in the scenarios."""
        setup = self._setup
        assert self._judge is not None, "measure_references() comes first"
        confirmation = ScenarioConfirmation(setup, self._judge, [], {}, self._measure)
        confirmation.know(self._expert, self._judge.expert)
        return AfterSearch(setup, confirmation, Forecast.of(setup.scenarios, setup.built, setup.backend_settings))

    @property
    def reference_runs(self) -> int:
        """Runs of the yardsticks and of the expert, at most."""
        return self._plan.size + len(alike(self._plan, self._off)) * (len(self._plan.seeds) + 1)

    def confirm(self, records: Sequence[TrialRecord], configurations: Mapping[int, Configuration]) -> Outcome:
        """Recommends a trial. `configurations`: by the number of the trial."""
        setup = self._setup
        assert self._judge is not None, "measure_references() comes first"
        assert self._race is not None, "race() comes first"
        confirmation = ScenarioConfirmation(setup, self._judge, records, configurations, self._measure)
        recommended = confirmation.recommend()
        by_model = confirmation.best_by_model()
        gentlest = None if recommended is None else confirmation.gentlest(recommended)
        most = None if recommended is None else confirmation.most(recommended)
        findings = ScenarioFindings(
            scenarios=setup.scenarios,
            required=confirmation.required,
            recommended=None if recommended is None else confirmation.row(recommended),
            expert=confirmation.row(confirmation.expert()),
            by_model={model: confirmation.row(best) for model, best in by_model.items()},
            prices=confirmation.prices(self._race.hardest_first()),
            tried=len(records),
            gentlest=None if gentlest is None else confirmation.row(gentlest),
            most=None if most is None else confirmation.row(most),
            effort=self._effort(records),
        )
        # What is best for other devices stands in the map; at home it would be measured on devices that it is not for.
        found = [one for one in (recommended, by_model.get(OWN)) if one is not None]
        baseline, expert, front = self._at_home(found, records)
        first = front[0] if recommended is not None else None
        return Outcome(
            baseline=baseline,
            expert=expert,
            front=front,
            recommended=first,
            picked_by_rule=None if first is None else first.record.number,
            findings=findings,
        )

    def _at_home(
        self, found: Sequence[Measured], records: Sequence[TrialRecord]
    ) -> tuple[Confirmed, Confirmed, tuple[Tried, ...]]:
        """Measures the published profiles and the best trials in the workloads as they are, on the campaign's own devices."""
        setup, plan = self._setup, self._setup.confirmation
        yardsticks, with_off = measure_yardsticks(self._references, self._off, plan, setup.built, self._kind)
        # The store has it from the yardsticks, unless these measured one workload for several that are alike.
        ((_, measured_off),) = self._references.measure([self._off], plan, self._kind(plan))
        plan = replace(plan, yardsticks=yardsticks)
        trials = {one.trial: one.configuration for one in found if one.trial is not None}
        configurations = [self._off, self._expert, *trials.values()]
        outcomes = [(with_off, measured_off), *self._references.measure(configurations[1:], plan, self._kind(plan))]
        (baseline, _), (expert, _) = outcomes[:2]
        measured = [
            confirmed(setup, configuration, outcome, baseline=baseline, expert=expert)
            for configuration, outcome in zip(configurations, outcomes, strict=True)
        ]
        by_number = {record.number: record for record in records}
        front = tuple(Tried(record=by_number[number], confirmed=here) for number, here in zip(trials, measured[2:], strict=True))
        return measured[0], measured[1], front

    def _measure(self, configuration: Configuration, plan: Plan) -> Evaluation:
        plan = replace(plan, yardsticks=self._yardsticks)
        ((evaluation, _),) = self._references.measure([configuration], plan, self._kind(plan))
        return evaluation

    def _effort(self, records: Sequence[TrialRecord]) -> Effort:
        search, measured = self._setup.search, [one for one in records if one.evaluation is not None and not one.reused]
        evaluations = [record.evaluation for record in measured if record.evaluation is not None]
        return Effort(
            runs=sum(len(evaluation.runs) for evaluation in evaluations),
            runs_without_race=len(evaluations) * search.size,
            packet_hops=sum(evaluation.packet_hops for evaluation in evaluations),
            reference_runs=self.reference_runs,
        )

    def _kind(self, plan: Plan) -> str:
        """Under which the store keeps outcomes of a plan: all that they depend on and the search does not."""
        setup = self._setup
        workloads = [workload.model_dump(mode="json") for workload in plan.workloads]
        fabrics = [setup.fabrics[workload.fabric].model_dump(mode="json") for workload in plan.workloads]
        conditions: list[Any] = [workloads, list(plan.seeds), fabrics, {name: dict(model) for name, model in plan.models.items()}]
        shares = {name: [one.victims_gbps, one.contributors_gbps] for name, one in plan.yardsticks.items()}
        return f"scenarios-{digest_of([*conditions, shares])[:12]}"
