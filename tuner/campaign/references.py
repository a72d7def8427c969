# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Profiles measured outside the search: the baseline and the expert before it, and what is to be confirmed after it."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future

from tuner.campaign.evaluation import Evaluation, Plan
from tuner.campaign.pool import BackendPool, Outcome
from tuner.campaign.progress import Tally
from tuner.campaign.store import MEASURED, CampaignStore
from tuner.campaign.waiting import as_completed
from tuner.measuring.configuration import Configuration
from tuner.measuring.measurement import Measurement


class References:
    """Measures profiles under a plan, each run a job of its own, and keeps each profile's outcome as soon as it is whole."""

    def __init__(self, store: CampaignStore, pool: BackendPool, tally: Tally, should_stop: Callable[[], bool]) -> None:
        self._store = store
        self._pool = pool
        self._tally = tally
        self._should_stop = should_stop

    def measure(self, configurations: Sequence[Configuration], plan: Plan, kind: str) -> list[Outcome]:
        """The outcome of each configuration, with the measurements of the plan's first seed. `kind` names the plan in the store.

        What the store has is not measured again. Raises InterruptedRunError, and what the backend raises.
        """
        outcomes = {one.digest: self._recall(kind, one) for one in configurations}
        missing = {one.digest: one for one in configurations if outcomes[one.digest] is None}
        parts = plan.single_runs()
        jobs: dict[Future[Outcome], Configuration] = {}
        by_digest: dict[str, list[Future[Outcome]]] = {}
        for key, configuration in missing.items():
            by_digest[key] = [self._pool.submit(configuration, part) for part in parts]
            jobs |= dict.fromkeys(by_digest[key], configuration)
        self._tally.measure(len(jobs), recalled=len(parts) * (len(outcomes) - len(missing)))
        for future in as_completed(jobs, self._should_stop):
            future.result()  # a failure ends all at once
            configuration = jobs[future]
            self._tally.finished(configuration.name)
            mine = by_digest[configuration.digest]
            if all(part.done() for part in mine) and outcomes[configuration.digest] is None:
                outcome = _joined([part.result() for part in mine], plan.seeds[0])
                self._remember(kind, configuration, outcome)
                outcomes[configuration.digest] = outcome
        found = [outcomes[one.digest] for one in configurations]
        return [outcome for outcome in found if outcome is not None]  # none of them is

    def _recall(self, kind: str, configuration: Configuration) -> Outcome | None:
        document = self._store.recall(f"{kind}{MEASURED}{configuration.digest}")
        if document is None:
            return None
        measurements = tuple(Measurement.from_json(measurement) for measurement in document["measurements"])
        return Evaluation.from_json(document["evaluation"]), measurements

    def _remember(self, kind: str, configuration: Configuration, outcome: Outcome) -> None:
        evaluation, measurements = outcome
        document = {"evaluation": evaluation.to_json(), "measurements": [measurement.to_json() for measurement in measurements]}
        self._store.remember(f"{kind}{MEASURED}{configuration.digest}", document)


def _joined(outcomes: Sequence[Outcome], first_seed: int) -> Outcome:
    measurements = tuple(m for _, measured in outcomes for m in measured if m.seed == first_seed)
    return Evaluation.joined(evaluation for evaluation, _ in outcomes), measurements
