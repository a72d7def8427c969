# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Runs a campaign: references first, then the search, then the confirmation of its front.

One thread coordinates and is the only one that touches the store; the pool's threads only measure. Whatever is finished is kept
at once, so the process may end at any point; run_campaign() on the same store goes on from there.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Protocol

from tuner.campaign.confirmation import Confirmation, Findings, Measure
from tuner.campaign.early_stop import EarlyStop
from tuner.campaign.evaluation import Evaluation, Plan, objective_values, violations
from tuner.campaign.fabric_facts import informed
from tuner.campaign.first_trials.chosen import with_first_trials
from tuner.campaign.importance import importance
from tuner.campaign.pool import BackendPool, Outcome
from tuner.campaign.progress import Listener, Silent, Tally
from tuner.campaign.references import References
from tuner.campaign.result import CampaignResult
from tuner.campaign.scenarios.findings import ScenarioFindings
from tuner.campaign.scenarios.stage import ScenarioStage
from tuner.campaign.screening import Screener
from tuner.campaign.search import Search
from tuner.campaign.setup import Setup, digest_of
from tuner.campaign.store import CampaignStore
from tuner.campaign.workers import Workers
from tuner.errors import BadInputError
from tuner.measuring.backend import Backend
from tuner.measuring.configuration import Configuration

MODELLED = "simulated"
"""The backend that measures variants, whichever the campaign's own is: devices that run already have one model, and keep it."""


class OpenOther(Protocol):
    """Makes a backend of another kind, or with other settings, than the search's; it is not open yet."""

    def __call__(self, name: str, settings: Mapping[str, Any]) -> Backend:
        """`settings`: by dotted name, `model.switch.read_ports` or `backend.…`. Raises BadInputError for one that it does not
        take."""


def run_campaign(
    setup: Setup,
    store: CampaignStore,
    open_backend: Callable[[], Backend],
    *,
    open_other: OpenOther | None = None,
    listener: Listener | None = None,
    should_stop: Callable[[], bool] = lambda: False,
    workers: Workers | None = None,
    on_note: Callable[[str], None] = lambda note: None,
) -> CampaignResult:
    """Runs or finishes a campaign. `open_other` is needed for one with `confirm_on` or `variants`; `workers`: where profiles are
    measured on the search's own backend, by default on threads of this process. `on_note` is told what could not be used
    for the first trials, and why.

    Raises InterruptedRunError soon after `should_stop()` is true, and what the backend raises; what was finished is kept. Raises
    BadInputError if more trials are finished already than the budget has.
    """
    setup = with_first_trials(informed(setup, open_backend), store, on_note)
    return _Run(setup, store, open_backend, open_other, listener or Silent(), _or_paused(should_stop, store), workers).run()


def _or_paused(should_stop: Callable[[], bool], store: CampaignStore) -> Callable[[], bool]:
    """Also true once somebody has asked for a pause in the store. For the coordinating thread only, as the store is."""

    def stop() -> bool:
        ends = should_stop()  # may ask the store for something, so it comes first
        request = store.request()
        return ends or (request is not None and request.kind == "pause")

    return stop


class _Run:
    def __init__(
        self,
        setup: Setup,
        store: CampaignStore,
        open_backend: Callable[[], Backend],
        open_other: OpenOther | None,
        listener: Listener,
        should_stop: Callable[[], bool],
        workers: Workers | None,
    ) -> None:
        self._setup = setup
        self._store = store
        self._open_backend = open_backend
        self._open_other = open_other
        self._listener = listener
        self._tally = Tally(listener)
        self._should_stop = should_stop
        self._workers = workers

    def run(self) -> CampaignResult:
        setup, store = self._setup, self._store
        finished, budget = store.finished(), setup.campaign.budget.trials
        if finished > budget:
            raise BadInputError(
                f"campaign '{setup.campaign.name}' has {finished} trials already, more than the budget of {budget}"
            )
        self._check_other_backends()
        with BackendPool(self._open_backend, setup.campaign.parallel, self._workers) as pool:
            references = References(store, pool, self._tally, self._should_stop)
            search = Search(setup, store, pool, self._listener, self._should_stop)
            self._listener.phase("references", search.progress)
            self._tally.begin()
            if setup.searches_scenarios:
                return self._run_scenarios(pool, search)
            baseline, expert = self._measure_references(references, self._plan(pool, setup.search))
            plan, screener = self._search_plan(references, pool, search, baseline, expert)
            self._listener.phase("search", search.progress)
            search.run(baseline, expert, plan=plan, screener=screener)
            configurations = {record.number: search.configuration_of(record) for record in search.records}
            confirmation = Confirmation(setup, search.records, configurations)
            self._listener.phase("confirmation", search.progress)
            self._tally.begin(self._runs_after_search(confirmation))
            if setup.campaign.confirm_on is None:
                kind = self._kind("confirmation")
                findings, scenarios = self._confirm(confirmation, lambda some: self._measure_confirmation(some, pool, kind))
        if setup.campaign.confirm_on is not None:
            findings, scenarios = self._confirm_elsewhere(confirmation)
        return self._result(search, baseline, expert, findings, scenarios)

    def _run_scenarios(self, pool: BackendPool, search: Search) -> CampaignResult:
        """The references, the search and the confirmation of a campaign with scenarios."""
        setup = self._setup
        stage = self._stage(pool)
        baseline, expert = stage.measure_references()
        self._listener.phase("search", search.progress)
        search.run(baseline, expert, plan=setup.search, race=stage.race(search.records))
        self._listener.phase("confirmation", search.progress)
        self._tally.begin()
        configurations = {record.number: search.configuration_of(record) for record in search.records}
        outcome = stage.confirm(search.records, configurations)
        found = Findings(
            baseline=outcome.baseline,
            expert=outcome.expert,
            front=outcome.front,
            recommended=outcome.recommended,
            picked_by_rule=outcome.picked_by_rule,
        )
        return self._result(search, baseline, expert, found, outcome.findings)

    def _result(
        self,
        search: Search,
        baseline: Evaluation,
        expert: Evaluation,
        findings: Findings,
        scenarios: ScenarioFindings | None,
    ) -> CampaignResult:
        setup = self._setup
        return CampaignResult(
            setup=setup,
            trials=tuple(search.records),
            baseline_search=baseline,
            expert_search=expert,
            baseline=findings.baseline,
            expert=findings.expert,
            front=findings.front,
            recommended=findings.recommended,
            picked_by_rule=findings.picked_by_rule,
            scenarios=scenarios,
            importance=importance(search.records, setup.objectives, setup.space.distributions),
            elapsed_s=search.elapsed_s,
            storage=self._store.label,
        )

    @property
    def _published(self) -> tuple[Configuration, Configuration]:
        """The baseline and the expert, on the devices as they are."""
        return Configuration(self._setup.baseline), Configuration(self._setup.expert)

    def _plan(self, pool: BackendPool, plan: Plan) -> Plan:
        """With the baseline measured beside each profile, where the same seed does not give the same run again."""
        return plan if pool.capabilities.deterministic else replace(plan, beside=self._setup.baseline)

    def _measure_references(self, references: References, plan: Plan) -> tuple[Evaluation, Evaluation]:
        """The baseline and the expert under the search's conditions. Raises BadInputError if the workloads lack the flows that an
        objective or a constraint looks at."""
        setup = self._setup
        (baseline, _), (expert, _) = references.measure(self._published, plan, "search")
        objective_values(baseline, setup.objectives)
        violations(baseline, baseline, setup.constraints, expert=expert)
        return baseline, expert

    def _search_plan(
        self, references: References, pool: BackendPool, search: Search, baseline: Evaluation, expert: Evaluation
    ) -> tuple[Plan, Screener | None]:
        """Returns the plan of a trial, with its guard, and the screener that refuses trials before it, if any."""
        setup, early_stop = self._setup, self._setup.campaign.early_stop
        plan = self._plan(pool, setup.search)
        if early_stop is not None and plan.size > 1:
            guard = EarlyStop(baseline=baseline, expert=expert, constraints=setup.constraints, confidence=early_stop.confidence)
            plan = replace(plan, guard=guard)
        if setup.screening is None:
            return plan, None
        cheap = self._plan(pool, setup.screening)
        (before, _), (published, _) = references.measure(self._published, cheap, "screening")
        return plan, Screener(setup, cheap, baseline=before, expert=published, records=search.records)

    def _confirm(self, confirmation: Confirmation, measure: Measure) -> tuple[Findings, ScenarioFindings | None]:
        setup, found = self._setup, confirmation.run(measure)
        if not setup.scenarios or found.recommended is None:
            return found, None
        recommend = setup.campaign.recommend
        with self._other(MODELLED, _of_model(setup.backend_settings), setup.campaign.parallel) as pool:
            stage = self._stage(pool)
            stage.measure_references()
            after = stage.after_search()
            if recommend.robust and recommend.trial is None:
                found = confirmation.in_scenarios(found, measure, after)
            home = next((tried for tried in found.front if tried.record.number == found.picked_by_rule), None)
            assert found.recommended is not None, "a better one takes its place, or none"
            return found, after.findings(found.recommended, home)

    def _stage(self, pool: BackendPool) -> ScenarioStage:
        return ScenarioStage(self._setup, self._store, pool, self._tally, self._should_stop)

    def _runs_after_search(self, confirmation: Confirmation) -> int:
        """Returns the runs of the confirmation, and those in scenarios if the first pick is the one that is recommended."""
        setup, runs = self._setup, self._setup.confirmation.size * confirmation.size
        if setup.searches_scenarios or not setup.scenarios:
            return runs
        return runs + len(setup.scenarios) * (1 + len(setup.campaign.confirmation.seeds))

    def _confirm_elsewhere(self, confirmation: Confirmation) -> tuple[Findings, ScenarioFindings | None]:
        where = self._setup.campaign.confirm_on
        assert where is not None

        def measure(configurations: Sequence[Configuration]) -> list[Outcome]:
            # Opened for each call: nobody holds a real fabric while scenarios are simulated.
            with self._other(where.backend, self._settings_there(), where.parallel) as pool:
                return self._measure_confirmation(configurations, pool, self._kind("confirmation", where.backend))

        return self._confirm(confirmation, measure)

    def _measure_confirmation(self, configurations: Sequence[Configuration], pool: BackendPool, kind: str) -> list[Outcome]:
        references = References(self._store, pool, self._tally, self._should_stop)
        return references.measure(configurations, self._plan(pool, self._setup.confirmation), kind)

    def _settings_there(self) -> dict[str, Any]:
        where = self._setup.campaign.confirm_on
        assert where is not None
        return {**_of_model(self._setup.backend_settings), **where.settings}

    def _other(self, name: str, settings: Mapping[str, Any], size: int) -> AbstractContextManager[BackendPool]:
        assert self._open_other is not None
        open_other = self._open_other
        return BackendPool(lambda: open_other(name, settings), size)

    def _check_other_backends(self) -> None:
        """Before hours of search: whether they are known and take their settings. Raises BadInputError."""
        campaign = self._setup.campaign
        wanted: list[tuple[str, Mapping[str, Any]]] = [
            (MODELLED, _of_model(self._setup.variant_settings(name))) for name in campaign.variants
        ]
        if campaign.confirm_on is not None:
            wanted.append((campaign.confirm_on.backend, self._settings_there()))
        for name, settings in wanted:
            assert self._open_other is not None, "a campaign with confirm_on or variants needs open_other"
            self._open_other(name, settings)

    def _kind(self, what: str, *more: object) -> str:
        """Under which the store keeps outcomes after the search: all that they depend on and the search does not."""
        setup = self._setup
        plan = setup.confirmation
        workloads = [workload.model_dump(mode="json") for workload in plan.workloads]
        fabrics = [setup.fabrics[workload.fabric].model_dump(mode="json") for workload in plan.workloads]
        return f"{what}-{digest_of([workloads, list(plan.seeds), fabrics, list(more)])[:12]}"


def _of_model(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {f"model.{key}": value for key, value in settings.items()}
