# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Profiles measured outside the search: the baseline and the expert before it, and what is to be confirmed after it."""

import hashlib
import json
from collections.abc import Callable, Sequence
from concurrent.futures import Future

from ccsim.policy import Profile
from tuner.campaign.evaluation import Evaluation, Plan
from tuner.campaign.pool import BackendPool, Outcome
from tuner.campaign.progress import Listener
from tuner.campaign.store import CampaignStore
from tuner.campaign.waiting import as_completed
from tuner.measuring.measurement import Measurement


class References:
    """Measures profiles under a plan, each run a job of its own, and keeps each profile's outcome as soon as it is whole."""

    def __init__(self, store: CampaignStore, pool: BackendPool, listener: Listener, should_stop: Callable[[], bool]) -> None:
        self._store = store
        self._pool = pool
        self._listener = listener
        self._should_stop = should_stop

    def measure(self, profiles: Sequence[Profile], plan: Plan, kind: str) -> list[Outcome]:
        """The outcome of each profile, with the measurements of the plan's first seed. `kind` names the plan in the store.

        What the store has is not measured again. Raises InterruptedRunError, and what the backend raises.
        """
        outcomes = {digest(profile): self._recall(kind, profile) for profile in profiles}
        missing = {digest(profile): profile for profile in profiles if outcomes[digest(profile)] is None}
        parts = plan.single_runs()
        jobs: dict[Future[Outcome], Profile] = {}
        by_profile: dict[str, list[Future[Outcome]]] = {}
        for key, profile in missing.items():
            by_profile[key] = [self._pool.submit(profile, part) for part in parts]
            jobs |= dict.fromkeys(by_profile[key], profile)
        for done, future in enumerate(as_completed(jobs, self._should_stop), start=1):
            future.result()  # a failure ends all at once
            profile = jobs[future]
            self._listener.measured(profile.name, done, len(jobs))
            mine = by_profile[digest(profile)]
            if all(part.done() for part in mine) and outcomes[digest(profile)] is None:
                outcome = _joined([part.result() for part in mine], plan.seeds[0])
                self._remember(kind, profile, outcome)
                outcomes[digest(profile)] = outcome
        found = [outcomes[digest(profile)] for profile in profiles]
        return [outcome for outcome in found if outcome is not None]  # none of them is

    def _recall(self, kind: str, profile: Profile) -> Outcome | None:
        document = self._store.recall(f"{kind}:{digest(profile)}")
        if document is None:
            return None
        measurements = tuple(Measurement.from_json(measurement) for measurement in document["measurements"])
        return Evaluation.from_json(document["evaluation"]), measurements

    def _remember(self, kind: str, profile: Profile, outcome: Outcome) -> None:
        evaluation, measurements = outcome
        document = {"evaluation": evaluation.to_json(), "measurements": [measurement.to_json() for measurement in measurements]}
        self._store.remember(f"{kind}:{digest(profile)}", document)


def digest(profile: Profile) -> str:
    """Tells profiles apart by what they set; the name makes no difference to a fabric."""
    settings = {key: value for key, value in profile.to_dict().items() if key != "name"}
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]


def _joined(outcomes: Sequence[Outcome], first_seed: int) -> Outcome:
    measurements = tuple(m for _, measured in outcomes for m in measured if m.seed == first_seed)
    return Evaluation.joined(evaluation for evaluation, _ in outcomes), measurements
