# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Runs a challenge: a search with its own seed, in simulations, for the scenario in which a recommendation does worst.

Each scenario takes three runs: the yardsticks, which are victims alone and contributors with CC off, and the profile. The worst
finds are measured again with fresh seeds, so that no single run decides. What was measured is kept with the campaign as it is
finished.
"""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import asdict, dataclass, replace
from statistics import fmean
from typing import Any

from tuner.campaign.challenge.adversary import Adversary, Attempt
from tuner.campaign.challenge.findings import SHARES, Challenge, Find
from tuner.campaign.challenge.region import Region, Stated
from tuner.campaign.evaluation import Evaluation, Plan, Yardstick, with_shares
from tuner.campaign.pool import BackendPool, Outcome
from tuner.campaign.result import CampaignResult
from tuner.campaign.scenarios.axes import Point, name_of
from tuner.campaign.scenarios.build import ScenarioMaker, model_of
from tuner.campaign.scenarios.scenario import Scenario
from tuner.campaign.scenarios.yardsticks import silent
from tuner.campaign.setup import Setup
from tuner.campaign.store import CampaignStore
from tuner.campaign.waiting import as_completed
from tuner.documents.campaign import Campaign
from tuner.documents.campaign_scenarios import CONTRIBUTORS_SHARE, OWN, VICTIMS_SHARE, Scenarios
from tuner.documents.workload import Workload, load_workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.goals.constraints import CONSTRAINTS, Bound
from tuner.measuring.backend import Backend
from tuner.measuring.configuration import Configuration

RUNS = 500
"""Most simulations."""
FACT, MEASURED = "challenge", "challenge measured"
"""Facts of the store: the last challenge that ran to its end, and what one that may go on has measured."""
BATCH = 4
"""Scenarios that are proposed at a time, whatever the number of workers: what is proposed follows from the seed alone."""
AGAIN, FRESH_SEEDS = 3, 3
"""Worst finds that are measured again, and with how many seeds."""
MOST_UNPLACEABLE = 200
_LIMITS = {"victims_share": VICTIMS_SHARE, "contributors_share": CONTRIBUTORS_SHARE}
"""Limits of campaigns that do not name them."""


def challenge(
    result: CampaignResult,
    store: CampaignStore,
    open_backend: Callable[[], Backend],
    *,
    runs: int = RUNS,
    seed: int = 1,
    should_stop: Callable[[], bool] = lambda: False,
    on_progress: Callable[[int, int, float | None], None] = lambda done, runs, worst: None,
) -> Challenge:
    """Challenges what a finished campaign recommends, and keeps the outcome in its store. `on_progress`: told runs done, `runs`,
    and the worst violation so far.

    Raises BadInputError for a campaign without a recommendation, or without a scenario that its recommendation serves, and what
    the backend raises; InterruptedRunError soon after `should_stop()` is true: what was measured is kept.
    """
    if result.recommended is None:
        raise BadInputError(
            f"campaign '{result.setup.campaign.name}' recommends no profile, so there is nothing to challenge; "
            "search longer, or loosen its constraints"
        )
    bed = _Bed.of(result)
    known = store.recall(MEASURED) or {}
    terms = {"seed": seed, "profile": bed.configuration.digest, "stated": bed.stated_json()}
    kept: dict[str, Any] = known["kept"] if known.get("terms") == terms else {}
    with BackendPool(open_backend, result.setup.campaign.parallel) as pool:
        run = _Run(
            bed, pool, kept, runs, should_stop, on_progress, lambda: store.remember(MEASURED, {"terms": terms, "kept": kept})
        )
        found = run.run(Adversary(bed.regions, seed), seed, result.recommended.record.number)
    store.remember(FACT, found.to_json())
    return found


@dataclass(frozen=True, kw_only=True)
class _Bed:
    """What is challenged, and where."""

    setup: Setup
    campaign: Campaign
    """With scenarios: its own, or those that its variants are."""
    configuration: Configuration
    stated: Mapping[str, tuple[Stated, ...]]
    """By workload."""
    bounds: tuple[Bound, ...]
    least: Mapping[str, float]
    """Least share in scenarios that are served, by the constraint's name."""

    @classmethod
    def of(cls, result: CampaignResult) -> "_Bed":
        assert result.recommended is not None
        setup = result.setup
        bounds = tuple(_bound(name, setup) for name in SHARES)
        least = {bound.name: bound.limit for bound in bounds}
        campaign = setup.campaign
        if result.scenarios is None:
            stated = _stated_at_home(result)
        else:
            stated = _stated_by_scenarios(result)
            least |= _least(result)
        if campaign.scenarios is None:
            campaign = campaign.model_copy(update={"scenarios": Scenarios.model_construct(models=campaign.variants)})
        if not any(one.served for there in stated.values() for one in there):
            raise BadInputError(
                f"what campaign '{campaign.name}' recommends serves none of its scenarios, so there is no region to challenge"
            )
        configuration = result.recommended.confirmed.configuration
        return cls(setup=setup, campaign=campaign, configuration=configuration, stated=stated, bounds=bounds, least=least)

    @property
    def regions(self) -> dict[str, Region]:
        return {name: Region(there) for name, there in self.stated.items()}

    def stated_json(self) -> Any:
        plain = {name: [asdict(one) | {"point": one.point.as_stored()} for one in there] for name, there in self.stated.items()}
        return [plain, {bound.name: bound.limit for bound in self.bounds}, self.setup.campaign.time_scale]


def _bound(name: str, setup: Setup) -> Bound:
    own = next((bound for bound in setup.constraints if bound.name == name and bound.of == "value"), None)
    return own or Bound(constraint=CONSTRAINTS.get(name), limit=_LIMITS[name], of="value")


def _stated_at_home(result: CampaignResult) -> dict[str, tuple[Stated, ...]]:
    """The workloads' own contributors on the campaign's own devices, of a campaign without scenarios and variants."""
    return {
        workload.name: (Stated(point=Point(model=OWN), contributors=_contributors(workload, result.setup), served=True),)
        for workload in result.setup.workloads
    }


def _stated_by_scenarios(result: CampaignResult) -> dict[str, tuple[Stated, ...]]:
    assert result.scenarios is not None
    row, found = result.scenarios.recommended, dict[str, list[Stated]]()
    per_workload = len(result.setup.scenarios) // len(result.setup.workloads)
    for number, scenario in enumerate(result.setup.scenarios):
        broken = None if row is None else row.broken.get(scenario.name)
        own = result.setup.workloads[number // per_workload].name
        stated = Stated(point=scenario.point, contributors=scenario.contributors, served=broken == ())
        found.setdefault(own, []).append(stated)
    return {name: tuple(there) for name, there in found.items()}


def _least(result: CampaignResult) -> dict[str, float]:
    assert result.scenarios is not None
    row = result.scenarios.recommended
    served = [] if row is None else [name for name, names in row.broken.items() if not names]
    by_scenario = {} if row is None else row.evaluation.by_workload()
    found = {}
    for name in SHARES:
        shares = [getattr(by_scenario[scenario], name) for scenario in served if scenario in by_scenario]
        if known := [share for share in shares if share is not None]:
            found[name] = min(known)
    return found


def _contributors(workload: Workload, setup: Setup) -> int:
    flows = workload.expanded(setup.built[workload.fabric].hosts).flows
    return sum(flow.role == "contributor" for flow in flows)


@dataclass(frozen=True, kw_only=True)
class _Job:
    """Runs of one attempt that are being measured."""

    attempt: Attempt
    scenario: Scenario
    off: Future[Outcome]
    alone: Future[Outcome] | None
    """None without victims."""
    own: Future[Outcome]

    @property
    def all(self) -> list[Future[Outcome]]:
        return [job for job in (self.off, self.alone, self.own) if job is not None]


class _Run:
    """One challenge while it runs."""

    def __init__(
        self,
        bed: _Bed,
        pool: BackendPool,
        kept: dict[str, Any],
        most_runs: int,
        should_stop: Callable[[], bool],
        on_progress: Callable[[int, int, float | None], None],
        keep: Callable[[], None],
    ) -> None:
        """`kept`: what was measured, by attempt; it grows. `keep`: called after it has grown."""
        self._bed = bed
        self._pool = pool
        self._kept = kept
        self._most_runs = most_runs
        self._should_stop = should_stop
        self._on_progress = on_progress
        self._keep = keep
        self._off = Configuration(bed.setup.baseline)
        self._makers = dict(self._made_makers())
        self._fixed = tuple(name for name, (maker, _) in self._makers.items() if not maker.moves)
        self._runs = 0
        self._unplaceable = 0
        self._finds: list[tuple[Find, Attempt]] = []

    def run(self, adversary: Adversary, seed: int, trial: int | None) -> Challenge:
        again = AGAIN * FRESH_SEEDS * 3
        while self._runs + BATCH * 3 + again <= self._most_runs and self._unplaceable < MOST_UNPLACEABLE:
            self._batch(adversary)
            so_far = max((find.violation for find, _ in self._finds), default=None)
            self._on_progress(self._runs, self._most_runs, so_far)
        broken = sum(find.violation > 0 for find, _ in self._finds)
        worst = self._worst(seed)
        bed = self._bed
        return Challenge(
            profile=bed.configuration.digest,
            trial=trial,
            seed=seed,
            runs=self._runs,
            scenarios=len(self._finds),
            unplaceable=self._unplaceable,
            broken=broken,
            limits={bound.name: bound.limit for bound in bed.bounds},
            stated=dict(bed.least),
            worst=worst,
            fixed=self._fixed,
        )

    def _batch(self, adversary: Adversary) -> None:
        attempts = [self._where_it_can_be(adversary.propose()) for _ in range(BATCH)]
        for attempt, find in zip(attempts, self._measured(attempts), strict=True):
            if find is None:
                self._unplaceable += 1
            else:
                self._finds.append((find, attempt))
                adversary.tell(attempt, find.violation)

    def _where_it_can_be(self, attempt: Attempt) -> Attempt:
        """Returns the attempt at the first place where the workload has no other: a find must not name a place that it was not
        at."""
        return replace(attempt, point=replace(attempt.point, place=1)) if attempt.workload in self._fixed else attempt

    def _worst(self, seed: int) -> Find | None:
        """Returns the worst of the finds that look worst, each measured again."""
        ranked = sorted(self._finds, key=lambda found: -found[0].violation)[:AGAIN]
        seeds = [seed + 10**6 + number for number in range(FRESH_SEEDS)]
        means = []
        for find, attempt in ranked:
            found = [one for one in self._measured([replace(attempt, seed=fresh) for fresh in seeds]) if one is not None]
            shares = {name: fmean(one.shares[name] for one in found) for name in find.shares}
            means.append(replace(find, seeds=tuple(seeds), shares=shares, violation=self._violation(shares)))
            self._on_progress(self._runs, self._most_runs, max(one.violation for one in means))
        return max(means, key=lambda one: one.violation, default=None)

    def _measured(self, attempts: list[Attempt]) -> list[Find | None]:
        """Returns what each attempt found; None for one that cannot be placed. What is kept is not measured again."""
        keys = [_key(attempt) for attempt in attempts]
        jobs = {}
        for key, attempt in zip(keys, attempts, strict=True):
            if key not in self._kept and key not in jobs:
                try:
                    jobs[key] = self._begun(attempt, self._scenario(attempt))
                except BadInputError as error:
                    self._kept[key] = {"unplaceable": error.sentence}
        for _ in as_completed([future for job in jobs.values() for future in job.all], self._should_stop):
            pass
        for key, job in jobs.items():
            find = self._found(job)
            self._kept[key] = {"find": find.to_json(), "runs": len(job.all)}
        if jobs:
            self._keep()
        self._runs += sum(self._kept[key].get("runs", 0) for key in keys)
        documents = [self._kept[key].get("find") for key in keys]
        return [None if document is None else Find.from_json(document) for document in documents]

    def _begun(self, attempt: Attempt, scenario: Scenario) -> _Job:
        workload = scenario.workload.scaled(self._bed.setup.campaign.time_scale)
        plan = _plan(workload, attempt.seed, scenario.model)
        _, built = self._makers[attempt.workload]  # a slow receiver changes no host's name
        has_victims = any(flow.role == "victim" for flow in workload.expanded(built.hosts).flows)
        alone = (
            self._pool.submit(self._off, _plan(silent(workload, built), attempt.seed, scenario.model)) if has_victims else None
        )
        return _Job(
            attempt=attempt,
            scenario=scenario,
            off=self._pool.submit(self._off, plan),
            alone=alone,
            own=self._pool.submit(self._bed.configuration, plan),
        )

    def _found(self, job: _Job) -> Find:
        off, own = job.off.result()[0], job.own.result()[0]
        alone = None if job.alone is None else job.alone.result()[0]
        yardstick = Yardstick(
            victims_gbps=None if alone is None else alone.metrics.victim_throughput_gbps,
            contributors_gbps=off.metrics.contributor_total_gbps,
        )
        shares = _shares(own, yardstick)
        return Find(
            workload=job.attempt.workload,
            name=job.scenario.name,
            point=job.attempt.point,
            seeds=(job.attempt.seed,),
            shares=shares,
            violation=self._violation(shares),
        )

    def _violation(self, shares: Mapping[str, float]) -> float:
        return max(bound.violation(shares[bound.name], None) for bound in self._bed.bounds if bound.name in shares)

    def _scenario(self, attempt: Attempt) -> Scenario:
        """Raises BadInputError for one that cannot be placed."""
        maker, built = self._makers[attempt.workload]
        model = model_of(attempt.point, self._bed.campaign, built)
        default = Point()
        varied = {name: getattr(attempt.point, name) != value for name, value in asdict(default).items()}
        name = name_of(attempt.point, varied=varied)
        return maker.scenario(attempt.point, name, model)

    def _made_makers(self) -> Iterator[tuple[str, tuple[ScenarioMaker, BuiltFabric]]]:
        setup = self._bed.setup
        for reference, own in zip(setup.campaign.workloads, setup.workloads, strict=True):
            built = setup.built[own.fabric]
            yield own.name, (ScenarioMaker(self._bed.campaign, load_workload(reference), own, built, None), built)


def _plan(workload: Workload, seed: int, model: Mapping[str, Any]) -> Plan:
    return Plan(workloads=(workload,), seeds=(seed,), models={workload.name: model} if model else {})


def _shares(evaluation: Evaluation, yardstick: Yardstick) -> dict[str, float]:
    metrics = [with_shares(run, yardstick).metrics for run in evaluation.runs]
    values = {name: [getattr(one, name) for one in metrics] for name in SHARES}
    return {name: fmean(found) for name, found in values.items() if None not in found}


def _key(attempt: Attempt) -> str:
    point = ", ".join(f"{name} {value}" for name, value in asdict(attempt.point).items())
    return f"{attempt.workload}: {point}, seed {attempt.seed}"
