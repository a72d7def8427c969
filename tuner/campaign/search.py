# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The search: asks for profiles, has them measured, and keeps each result before it asks for more."""

import bisect
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future

from optuna.trial import Trial

from tuner.campaign.estimates import standard_errors, value_estimates, violation_estimates
from tuner.campaign.evaluation import Evaluation, Plan
from tuner.campaign.hypervolumes import Hypervolumes
from tuner.campaign.open_backends import Outcome
from tuner.campaign.pool import BackendPool
from tuner.campaign.progress import Listener, Progress
from tuner.campaign.record import TrialRecord, candidates
from tuner.campaign.scenarios.race import UNSERVED, Race
from tuner.campaign.screening import Screener
from tuner.campaign.setup import Setup
from tuner.campaign.store import CampaignStore, origin_of
from tuner.campaign.waiting import first_completed
from tuner.campaign.workers import LostWorkerError
from tuner.documents.parameter import Scalar
from tuner.errors import BadInputError, InterruptedRunError
from tuner.measuring.configuration import Configuration
from tuner.search.samplers.base import sampler_of
from tuner.search.stop_rules import SearchState, rules_of

_LOST_TIMES = 3
"""Number of times that a trial's workers are lost until the trial is taken to be the reason."""


class Search:
    """Search of one campaign. `records` are the finished trials, in the order of their numbers."""

    def __init__(
        self, setup: Setup, store: CampaignStore, pool: BackendPool, listener: Listener, should_stop: Callable[[], bool]
    ) -> None:
        self._setup = setup
        self._store = store
        self._pool = pool
        self._listener = listener
        self._should_stop = should_stop
        self._running: dict[Future[Outcome], tuple[Trial, Configuration]] = {}
        self._known: dict[str, Evaluation] = {}
        self._in_screening: set[Future[Outcome]] = set()
        self._screenings: dict[str, Evaluation] = {}
        self._elapsed_before_s: float = store.recall("elapsed_s", 0.0)
        self._began: float | None = None
        self._prior = setup.prior
        self._rules = rules_of(setup.campaign.budget, setup.campaign.stop)
        self._lost: dict[int, int] = {}
        self.records = store.records()
        self._candidates = candidates(self.records)
        self._hypervolumes = Hypervolumes(setup.objectives, setup.campaign.hypervolume_reference, self.records)
        self.ended = ""
        """The reason why the search began no further trial, as a clause for people; empty while it runs."""

    def run(
        self,
        baseline: Evaluation,
        expert: Evaluation,
        *,
        plan: Plan,
        screener: Screener | None = None,
        race: Race | None = None,
    ) -> None:
        """Searches until a stop rule ends it. Raises InterruptedRunError soon after `should_stop()` is true.

        `plan`: what is measured of a profile that the screener, if there is one, does not refuse; `race`: makes the plan of each
        profile in a campaign with scenarios.
        """
        self._began = time.monotonic()
        self._store.remember("ended", "")
        self._baseline, self._expert, self._plan, self._screener, self._race = baseline, expert, plan, screener, race
        for origin, params in self._setup.starts.items():
            self._store.enqueue(origin, params)
        published = Configuration(self._setup.baseline), Configuration(self._setup.expert)
        self._known = {one.digest: evaluation for one, evaluation in zip(published, (baseline, expert), strict=True)}
        for record in self.records:
            if record.evaluation is not None:
                self._known[self.configuration_of(record).digest] = record.evaluation
            if record.screening is not None:
                self._screenings[self.configuration_of(record).digest] = record.screening
        try:
            while True:
                while len(self._running) < self._pool.size and self._may_start():
                    self._start()
                if not self._running:
                    break
                done = first_completed(self._running, self._should_stop)
                for future in sorted(done, key=lambda future: self._running[future][0].number):
                    self._settle(future)
            self._store.remember("ended", self.ended)
        except BaseException:
            self._abandon()
            raise
        finally:
            self._elapsed_before_s, self._began = self.elapsed_s, None
            self._store.remember_elapsed(self._elapsed_before_s, now=True)

    def configuration_of(self, record: TrialRecord) -> Configuration:
        return self._configuration(record.number, record.params)

    @property
    def elapsed_s(self) -> float:
        """Time spent searching, earlier sessions included."""
        return self._elapsed_before_s + (0.0 if self._began is None else time.monotonic() - self._began)

    @property
    def progress(self) -> Progress:
        budget = self._setup.campaign.budget
        return Progress(
            finished=len(self.records),
            total=budget.trials,
            elapsed_s=self.elapsed_s,
            time_s=budget.time_s,
            find_best=self._best,
        )

    def _best(self) -> TrialRecord | None:
        best = self._setup.rule.pick(self._candidates, self._setup.objectives)
        return None if best is None else next(record for record in self.records if record.number == best.number)

    def _configuration(self, number: int, params: Mapping[str, Scalar]) -> Configuration:
        return self._setup.space.configuration(params, name=f"{self._setup.campaign.name}-{number}")

    def _params(self, trial: Trial) -> dict[str, Scalar]:
        return self._setup.space.rounded(trial.params)

    def _may_start(self) -> bool:
        if self._should_stop():
            raise InterruptedRunError("stopped")
        request = self._store.request()
        state = SearchState(
            begun=self._store.begun(),
            elapsed_s=self.elapsed_s,
            hypervolumes=self._hypervolumes.history,
            asked_by=None if request is None or request.kind != "finish" else request.by,
        )
        self.ended = next((reason for rule in self._rules if (reason := rule.reason(state))), "")
        return not self.ended

    def _start(self) -> None:
        distributions = self._setup.space.distributions
        number = self._store.next_number()
        sampler = sampler_of(self._setup.campaign.sampler, distributions, number, self._prior)
        trial = self._store.ask(sampler, self._setup.space.draw, number)
        try:
            configuration = self._configuration(trial.user_attrs["number"], self._params(trial))
        except BadInputError as error:  # each end of each field is fine, but not all together
            self._fail(trial, str(error))
            return
        known = self._known.get(configuration.digest)
        if known is not None:
            self._complete(trial, known, reused=True)
        elif self._screener is None:
            plan = self._plan if self._race is None else self._race.plan(configuration)
            self._running[self._pool.submit(configuration, plan)] = (trial, configuration)
        elif configuration.digest in self._screenings:
            self._screened(trial, configuration, self._screener, self._screenings[configuration.digest], reused=True)
        else:
            future = self._pool.submit(configuration, self._screener.plan)
            self._in_screening.add(future)
            self._running[future] = (trial, configuration)

    def _settle(self, future: Future[Outcome]) -> None:
        trial, configuration = self._running[future]
        try:
            evaluation, _ = future.result()
        except BadInputError as error:
            self._fail(trial, str(error))
        except LostWorkerError as error:
            self._lose(trial, str(error))
        else:
            if future in self._in_screening:
                assert self._screener is not None
                self._screened(trial, configuration, self._screener, evaluation)
            else:
                self._known[configuration.digest] = evaluation
                if self._race is not None:
                    self._race.saw(evaluation)
                self._complete(trial, evaluation)
        self._in_screening.discard(future)
        del self._running[future]  # after any other error it is still there, and is abandoned

    def _screened(
        self, trial: Trial, configuration: Configuration, screener: Screener, screening: Evaluation, *, reused: bool = False
    ) -> None:
        """Refuses the trial, or has it measured in full."""
        self._screenings[configuration.digest] = screening
        try:
            verdict = screener.verdict(screening, origin=origin_of(trial))
        except BadInputError as error:
            self._fail(trial, str(error))
            return
        if not verdict.reason:
            self._running[self._pool.submit(configuration, self._plan)] = (trial, configuration)
            return
        self._keep(
            trial,
            TrialRecord(
                number=trial.user_attrs["number"],
                origin=origin_of(trial),
                params=self._params(trial),
                state="screened",
                values=verdict.values,
                violations=verdict.violations,
                screening=screening,
                reused=reused,
                reason=verdict.reason,
            ),
        )

    def _complete(self, trial: Trial, evaluation: Evaluation, *, reused: bool = False) -> None:
        try:
            values = value_estimates(evaluation, self._setup.objectives)
            violated = violation_estimates(evaluation, self._baseline, self._setup.constraints, expert=self._expert)
        except BadInputError as error:
            self._fail(trial, str(error))
            return
        unserved = {} if self._race is None else {UNSERVED: self._race.unserved(evaluation)}
        params = self._params(trial)
        self._keep(
            trial,
            TrialRecord(
                number=trial.user_attrs["number"],
                origin=origin_of(trial),
                params=params,
                state="stopped" if evaluation.stopped else "complete",
                values={name: estimate.value for name, estimate in values.items()},
                violations={name: estimate.value for name, estimate in violated.items()} | unserved,
                # Standard errors of part of a plan would mean nothing.
                standard_errors={} if evaluation.stopped else standard_errors(values),
                violation_standard_errors={} if evaluation.stopped else standard_errors(violated),
                evaluation=evaluation,
                screening=self._screenings.get(self._configuration(trial.user_attrs["number"], params).digest),
                reused=reused,
                reason=evaluation.stopped,
            ),
        )

    def _fail(self, trial: Trial, reason: str) -> None:
        number = trial.user_attrs["number"]
        record = TrialRecord(number=number, origin=origin_of(trial), params=self._params(trial), state="failed", reason=reason)
        self._keep(trial, record)

    def _lose(self, trial: Trial, reason: str) -> None:
        """Back into the queue, but not for ever: it may be the trial that takes the workers' memory."""
        number = trial.user_attrs["number"]
        self._lost[number] = self._lost.get(number, 0) + 1
        if self._lost[number] >= _LOST_TIMES:
            self._fail(trial, reason)
        else:
            self._store.abandon(trial)

    def _keep(self, trial: Trial, record: TrialRecord) -> None:
        self._store.finish(trial, record)
        self._store.remember_elapsed(self.elapsed_s)
        bisect.insort(self.records, record, key=lambda record: record.number)
        self._candidates += candidates([record])
        self._hypervolumes.add(record)
        self._listener.trial(record, self.progress)

    def _abandon(self) -> None:
        """Stops what is being measured and puts it back into the queue."""
        self._pool.stop()
        for trial, _ in self._running.values():
            self._store.abandon(trial)
        self._running.clear()
        self._in_screening.clear()
