# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Runs a campaign: references first, then the search, then the confirmation of the pick.

One thread coordinates and is the only one that touches the store; the pool's threads only measure. Whatever is finished is kept
at once, so the process may end at any point; run_campaign() on the same store goes on from there.
"""

from collections.abc import Callable
from typing import TypeAlias

from tuner.backends.base import Backend
from tuner.campaign.evaluation import Evaluation, objective_values, violations
from tuner.campaign.fabric_facts import informed
from tuner.campaign.importance import importance
from tuner.campaign.pool import BackendPool
from tuner.campaign.progress import Listener, Silent
from tuner.campaign.recommendation import pick
from tuner.campaign.record import TrialRecord, candidates
from tuner.campaign.references import References
from tuner.campaign.result import CampaignResult, Confirmed
from tuner.campaign.search import Search
from tuner.campaign.setup import Setup
from tuner.campaign.store import CampaignStore
from tuner.campaign.workers import Workers
from tuner.errors import BadInputError

Tried: TypeAlias = tuple[TrialRecord, Confirmed]


def run_campaign(
    setup: Setup,
    store: CampaignStore,
    open_backend: Callable[[], Backend],
    *,
    listener: Listener | None = None,
    should_stop: Callable[[], bool] = lambda: False,
    workers: Workers | None = None,
) -> CampaignResult:
    """Runs or finishes a campaign. `workers`: where profiles are measured, by default on threads of this process.

    Raises InterruptedRunError soon after `should_stop()` is true, and what the backend raises; what was finished is kept. Raises
    BadInputError if more trials are finished already than the budget has.
    """
    listener = listener or Silent()
    setup = informed(setup, open_backend)
    finished, budget = store.finished(), setup.campaign.budget.trials
    if finished > budget:
        raise BadInputError(f"campaign '{setup.campaign.name}' has {finished} trials already; a budget of {budget} is less")
    should_stop = _or_paused(should_stop, store)
    with BackendPool(open_backend, setup.campaign.parallel, workers) as pool:
        references = References(store, pool, listener, should_stop)
        search = Search(setup, store, pool, listener, should_stop)

        listener.phase("references", search.progress)
        baseline, expert = _measure_references(setup, references)
        listener.phase("search", search.progress)
        search.run(baseline, expert)
        listener.phase("confirmation", search.progress)
        confirmed_baseline, confirmed_expert, recommended, rejected = _confirm(setup, search, references)
    return CampaignResult(
        setup=setup,
        trials=tuple(search.records),
        baseline_search=baseline,
        expert_search=expert,
        baseline=confirmed_baseline,
        expert=confirmed_expert,
        recommended=recommended,
        rejected=tuple(rejected),
        importance=importance(search.records, setup.objectives, setup.space.distributions),
        elapsed_s=search.elapsed_s,
        storage=store.label,
    )


def _or_paused(should_stop: Callable[[], bool], store: CampaignStore) -> Callable[[], bool]:
    """Also true once somebody has asked for a pause in the store. For the coordinating thread only, as the store is."""

    def stop() -> bool:
        request = store.request()
        return should_stop() or (request is not None and request.kind == "pause")

    return stop


def _measure_references(setup: Setup, references: References) -> tuple[Evaluation, Evaluation]:
    """The baseline and the expert under the search's conditions. Raises BadInputError if the workloads lack the flows that an
    objective or a constraint looks at."""
    (baseline, _), (expert, _) = references.measure([setup.baseline, setup.expert], setup.search, "search")
    objective_values(baseline, setup.objectives)
    violations(baseline, baseline, setup.constraints, expert=expert)
    return baseline, expert


def _confirm(setup: Setup, search: Search, references: References) -> tuple[Confirmed, Confirmed, Tried | None, list[Tried]]:
    """The baseline, the expert, the recommended trial if there is one, and those that were refused before it."""
    by_number = {record.number: record for record in search.records}
    left = candidates(search.records)
    rejected: list[Tried] = []
    while True:
        choice = pick(left) if len(rejected) < setup.campaign.confirmation.attempts else None
        record = None if choice is None else by_number[choice.number]
        profiles = [setup.baseline, setup.expert] + ([] if record is None else [search.profile_of(record)])
        outcomes = references.measure(profiles, setup.confirmation, "confirmation")
        confirmed = [
            Confirmed(
                profile=profile,
                evaluation=evaluation,
                measurements=measurements,
                violations=violations(evaluation, outcomes[0][0], setup.constraints, expert=outcomes[1][0]),
            )
            for profile, (evaluation, measurements) in zip(profiles, outcomes, strict=True)
        ]
        if record is None:
            return confirmed[0], confirmed[1], None, rejected
        if confirmed[2].feasible:
            return confirmed[0], confirmed[1], (record, confirmed[2]), rejected
        rejected.append((record, confirmed[2]))
        left = [candidate for candidate in left if candidate.number != record.number]
