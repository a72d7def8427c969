# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Which sampler finds most in few trials: hypervolume over trials, the same campaign for all. `make bench-samplers` runs it.

The campaign is `scenario-1`'s, on its workload with all flows from the start and a third of a second long: four fifths of the
full run pass before the last flow has joined. A search of seed s measures with seed s, and all samplers begin with `gran-2010`,
as campaigns do. `paper-grid` varies CCTI_Timer and Marking_Rate alone, as Gran et al. 2010 (section VII) did, and leaves the rest
at `gran-2010`'s values. `tpe, balance` knows of the hotspot, as in campaigns, and `tpe, suggestion` begins with suggested
profiles as well. `gp` and `cma-es` are not shipped, and need what benchmarks/foreign_samplers.py says.

Measurements are kept in a file by what a profile sets: an interrupted comparison goes on, and one with another sampler measures
only what is new.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import optuna
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.study import StudyDirection
from pydantic import TypeAdapter

from benchmarks.foreign_samplers import FOREIGN, SCALAR
from ccsim.policy import Profile
from tuner.backends.registry import create_backend
from tuner.campaign.evaluation import Evaluation, Plan, evaluate, objective_values, violations
from tuner.campaign.first_trials.suggested import suggested
from tuner.campaign.prepare import prepare
from tuner.campaign.setup import Setup
from tuner.document_base.model import build_model
from tuner.documents.campaign import load_campaign
from tuner.documents.samplers import AnySampler, SamplerOptions
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.goals.pareto import Point, hypervolume
from tuner.measuring.configuration import Configuration
from tuner.report.plots import style
from tuner.search.samplers.base import sampler_of
from tuner.suggest.balanced import balanced
from tuner.suggest.ground import ground_of

PAPER_FIELDS = ("ca.ccti_timer", "switch.marking_rate")
START_S, WARMUP_S, DURATION_S = 0.005, 0.1, 0.35
REFERENCE = {"victim_throughput": 2.0, "treatment_variation": 0.1}
"""gran-2010 has about 13.0 Gb/s and 0.04 Gb²/s² here."""

Judged: TypeAlias = tuple[dict[str, float], dict[str, float]]
"""Value of each objective, and violation of each constraint; both empty for values that do not make a profile together."""


@dataclass(frozen=True)
class Contender:
    """A sampler with its options; `fields`: what it varies, all of the space if empty; `knows`: nothing, of the hotspot, or a
    suggestion as well."""

    name: str
    kind: str
    options: Mapping[str, Any] = field(default_factory=dict)
    fields: tuple[str, ...] = ()
    knows: Literal["", "balance", "suggestion"] = ""

    def sampler(self, seed: int) -> SamplerOptions:
        options: SamplerOptions = TypeAdapter(AnySampler).validate_python({"kind": self.kind, "seed": seed, **self.options})
        return options


CONTENDERS = {
    contender.name: contender
    for contender in (
        Contender("tpe", "tpe"),
        Contender("tpe, balance", "tpe", knows="balance"),
        Contender("tpe, suggestion", "tpe", knows="suggestion"),
        Contender("tpe without steps", "tpe", {"steps": 0.0}),
        Contender("random", "random"),
        Contender("qmc", "qmc"),
        Contender("nsga2", "nsga2"),
        Contender("gp", "gp"),
        Contender("cma-es", "cma-es"),
        Contender("paper-grid", "grid", {"levels": 12}, PAPER_FIELDS),  # 12 CCTI_Timers times 5 Marking_Rates: 60
    )
}


@cache
def campaign() -> Setup:
    return prepare(*load_campaign("scenario-1"))


@cache
def workload() -> Workload:
    """Scenario 1 with its flows one after the other within 20 ms."""
    whole = campaign().workloads[0]
    flows = [flow.model_dump() | {"start_s": START_S * i} for i, flow in enumerate(whole.flows)]
    short = {"flows": flows, "duration_s": DURATION_S, "warmup_s": WARMUP_S}
    return build_model(Workload, whole.model_dump() | short)


class Judge:
    """Measures profiles under one seed, each once."""

    def __init__(self, seed: int, known: Mapping[str, Judged]) -> None:
        self._seed = seed
        self._known = dict(known)
        self._backend = create_backend(campaign().campaign.backend)
        self._backend.open()
        self._baseline: Evaluation | None = None
        self.new: dict[str, Judged] = {}

    def judge(self, profile: Profile) -> Judged:
        key = f"{Configuration(profile).digest}:{self._seed}"
        if key not in self._known:
            self._known[key] = self.new[key] = self._measure(profile)
        return self._known[key]

    def _measure(self, profile: Profile) -> Judged:
        setup, plan = campaign(), Plan(workloads=(workload(),), seeds=(self._seed,))
        if self._baseline is None:
            self._baseline, _ = evaluate(self._backend, Configuration(setup.baseline), plan, lambda: False)
        try:
            evaluation, _ = evaluate(self._backend, Configuration(profile), plan, lambda: False)
        except BadInputError:
            return {}, {}
        return objective_values(evaluation, setup.objectives), violations(evaluation, self._baseline, setup.constraints)


def search(contender: Contender, seed: int, trials: int, known: Mapping[str, Judged]) -> tuple[list[float], dict[str, Judged]]:
    """The hypervolume after each trial, and what was measured."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    setup, judge = campaign(), Judge(seed, known)
    start = setup.starts["gran-2010"]
    distributions: dict[str, BaseDistribution] = {
        name: distribution
        for name, distribution in setup.space.distributions.items()
        if not contender.fields or name in contender.fields
    }
    scalar = contender.kind in SCALAR
    directions = [StudyDirection.MINIMIZE if one.sign > 0 else StudyDirection.MAXIMIZE for one in setup.objectives]
    study = optuna.create_study(directions=[StudyDirection.MINIMIZE] if scalar else directions)
    for params, _ in suggested(setup).values() if contender.knows == "suggestion" else ():
        study.enqueue_trial(dict(params))
    study.enqueue_trial({name: start[name] for name in distributions})
    corner = tuple(one.sign * REFERENCE[one.name] for one in setup.objectives)
    points: list[Point] = []
    volumes = []
    sampler = samplers(contender, seed, distributions)
    values: dict[str, float]
    violated: dict[str, float]
    for ordinal in range(trials):
        study.sampler = sampler(ordinal)
        trial = study.ask(distributions)
        try:
            profile = setup.space.profile(setup.space.rounded({**start, **trial.params}), name="trial")
        except BadInputError:
            values, violated = {}, {}
        else:
            values, violated = judge.judge(profile)
        if not values:
            study.tell(trial, state=optuna.trial.TrialState.FAIL)
        else:
            point = tuple(one.sign * values[one.name] for one in setup.objectives)
            excess = sum(max(0.0, violation) for violation in violated.values())
            if scalar:
                study.tell(trial, 1 + excess if excess else -hypervolume([point], corner))
            else:
                for name, violation in violated.items():
                    trial.set_constraint(name, violation)
                study.tell(trial, [values[one.name] for one in setup.objectives])
            if not excess:
                points.append(point)
        volumes.append(hypervolume(points, corner))
    return volumes, judge.new


def samplers(contender: Contender, seed: int, distributions: Mapping[str, BaseDistribution]) -> Callable[[int], BaseSampler]:
    """Returns the sampler of each trial, by its ordinal."""
    if contender.kind in FOREIGN:
        whole = FOREIGN[contender.kind](seed)
        return lambda ordinal: whole
    options, prior = contender.sampler(seed), None
    if contender.knows:
        setup = campaign()
        ground = ground_of([(build(setup.fabrics[workload().fabric]), workload())], {})
        assert ground is not None
        prior = balanced(setup.space, ground, has_good_starts=contender.knows == "suggestion")
    return lambda ordinal: sampler_of(options, distributions, ordinal, prior)


class Kept:
    """Measurements in a file of lines."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.known: dict[str, Judged] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file():
            for line in path.read_text(encoding="utf-8").splitlines():
                key, values, violated = json.loads(line)
                self.known[key] = (values, violated)

    def add(self, new: Mapping[str, Judged]) -> None:
        self.known |= new
        with self._path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps([key, *judged]) + "\n" for key, judged in new.items())

    def of(self, seed: int) -> dict[str, Judged]:
        return {key: judged for key, judged in self.known.items() if key.endswith(f":{seed}")}


def compare(
    contenders: Sequence[Contender], seeds: Sequence[int], trials: int, kept: Kept, workers: int
) -> dict[str, npt.NDArray[np.float64]]:
    """Returns the hypervolumes by sampler, each of shape (seeds, trials)."""
    volumes = {one.name: np.zeros((len(seeds), trials)) for one in contenders}
    with ProcessPoolExecutor(workers) as pool:
        jobs: dict[Future[tuple[list[float], dict[str, Judged]]], tuple[str, int]] = {}
        for row, seed in enumerate(seeds):  # by turns, so that an interruption leaves whole seeds
            for one in contenders:
                jobs[pool.submit(search, one, seed, trials, kept.of(seed))] = (one.name, row)
        for done, job in enumerate(as_completed(jobs), start=1):
            (name, row), (found, new) = jobs[job], job.result()
            kept.add(new)
            volumes[name][row] = found
            print(f"{done} of {len(jobs)}: {name}, seed {seeds[row]}: {found[-1]:.4f}", file=sys.stderr, flush=True)
    return volumes


def table(volumes: Mapping[str, npt.NDArray[np.float64]], at: Sequence[int]) -> list[str]:
    """Lines of a Markdown table: median, and the quartiles around it, by sampler and number of trials."""
    lines = ["| sampler | " + " | ".join(f"{n} trials" for n in at) + " |", "| --- |" + " --- |" * len(at)]
    for name, rows in sorted(volumes.items(), key=lambda item: -float(np.median(item[1][:, -1]))):
        low, middle, high = np.percentile(rows[:, [n - 1 for n in at]], [25, 50, 75], axis=0)
        cells = [f"{m:.4f} ({a:.4f} to {b:.4f})" for a, m, b in zip(low, middle, high, strict=True)]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


@style.drawing
def plot(volumes: Mapping[str, npt.NDArray[np.float64]]) -> str:
    """SVG: medians over the seeds, and the range between the quartiles."""
    drawn, axes = style.figure(6.4, 4.0)
    for index, (name, rows) in enumerate(volumes.items()):
        trials = np.arange(1, rows.shape[1] + 1)
        low, middle, high = np.percentile(rows, [25, 50, 75], axis=0)
        look = index % len(style.COLOURS)
        axes.fill_between(trials, low, high, color=style.COLOURS[look], alpha=0.13, linewidth=0)
        axes.plot(trials, middle, color=style.COLOURS[look], linestyle=style.LINES[look], linewidth=1.5, label=name)
    axes.set_xlim(1, max(rows.shape[1] for rows in volumes.values()))
    style.label(axes, x="trials", y="hypervolume (Gb/s · Gb²/s²)")
    style.legend(drawn, axes, columns=3)
    return style.to_svg(drawn, key="samplers", description="Hypervolume over trials by sampler, median and quartiles over seeds")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = [name for name, one in CONTENDERS.items() if one.kind not in FOREIGN]
    parser.add_argument("--samplers", nargs="+", choices=list(CONTENDERS), default=default)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--trials", type=int, default=60)
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--kept", type=Path, default=Path("build/bench-samplers/measured.jsonl"), help="file of measurements")
    parser.add_argument("--plot", type=Path, help="SVG file")
    given = parser.parse_args()
    seeds = range(1, given.seeds + 1)
    volumes = compare([CONTENDERS[name] for name in given.samplers], seeds, given.trials, Kept(given.kept), given.workers)
    at = sorted({max(1, given.trials // 3), max(1, 2 * given.trials // 3), given.trials})
    print("\n".join(table(volumes, at)))
    if given.plot:
        given.plot.write_text(style.standalone(plot(volumes)), encoding="utf-8")


if __name__ == "__main__":
    main()
