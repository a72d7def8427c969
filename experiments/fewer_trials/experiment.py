# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Sixty trials without help against fifteen with a suggestion and a warm start, on every campaign and kind of devices."""

from collections.abc import Callable, Sequence
from pathlib import Path

from experiments._common.findings import Claim, Findings, Table
from experiments._common.kept_folder import kept_folder
from experiments._common.lines import lines
from experiments._common.side_by_side import side_by_side
from experiments.fewer_trials.cases import LIKE, Case, cases
from experiments.fewer_trials.outcome import Outcome, outcome
from experiments.fewer_trials.searches import earlier, long, short
from experiments.registry import Experiment, Options

SEEDS = (10, 20, 30, 40, 50)
LONG, SHORT, WITHHELD = 60, 15, 30
"""Trials of a search without help, of one with it, and until one without it is to beat the expert."""
ENOUGH = 0.95
QUICK_CAMPAIGNS, QUICK_LONG = ("tail-latency", "incast-32"), 20


def run(options: Options) -> Findings:
    names = QUICK_CAMPAIGNS if options.quick else tuple(LIKE)
    seeds = SEEDS[:1] if options.quick else SEEDS
    trials = QUICK_LONG if options.quick else LONG
    with kept_folder(options.folder, "searches") as folder:
        outcomes = _outcomes(cases(names), seeds, trials, folder, options)
    return Findings(
        claims=_claims(outcomes),
        tables=[_table(outcomes)],
        figures={f"hypervolume-{name}": _figure(name, outcomes) for name in names},
        data={"outcomes": [one.to_json() for one in outcomes]},
    )


def _outcomes(all_cases: Sequence[Case], seeds: Sequence[int], trials: int, folder: Path, options: Options) -> list[Outcome]:
    def of_case(case: Case, told: Callable[[float], None], should_stop: Callable[[], bool]) -> list[Outcome]:
        parts = 1 + 2 * len(seeds)
        warm = earlier(case, folder, trials=trials, should_stop=should_stop)
        told(1 / parts)
        found = []
        for i, seed in enumerate(seeds):
            without = long(case, folder, seed, trials=trials, should_stop=should_stop)
            told((2 + 2 * i) / parts)
            with_help = short(case, folder, seed, trials=SHORT, warm=warm, should_stop=should_stop)
            told((3 + 2 * i) / parts)
            found.append(outcome(case, seed, long=without, short=with_help))
        return found

    found = side_by_side(of_case, all_cases, workers=options.workers, on_progress=options.on_progress)
    return [one for of_one in found for one in of_one]


def _claims(outcomes: Sequence[Outcome]) -> list[Claim]:
    """Neither holds from every seed; the README says in which cases, and why."""
    enough = sum(one.part(SHORT) >= ENOUGH for one in outcomes)
    beaten = sum(one.beaten_after is not None and one.beaten_after <= WITHHELD for one in outcomes)
    everything = len(outcomes)
    return [
        Claim(
            sentence=f"{SHORT} trials with help reach {ENOUGH:.0%} of the hypervolume of all trials without, from every seed",
            published="-",
            here=f"{enough} of {everything} searches",
            holds=enough == everything,
            known_to_fail=True,
        ),
        Claim(
            sentence=f"without help the expert is beaten in {WITHHELD} trials, from every seed",
            published="-",
            here=f"{beaten} of {everything} searches",
            holds=beaten == everything,
            known_to_fail=True,
        ),
    ]


def _table(outcomes: Sequence[Outcome]) -> Table:
    """A row for each case, with the worst of its seeds."""
    rows = []
    for case in dict.fromkeys(one.case for one in outcomes):
        mine = [one for one in outcomes if one.case == case]
        parts = [f"{min(one.part(count) for one in mine):.3f}" for count in (1, 5, 10, SHORT)]
        half = min(one.long[min(WITHHELD, len(one.long)) - 1] / one.long[-1] for one in mine if one.long[-1])
        alone = min(one.long[min(SHORT, len(one.long)) - 1] / one.long[-1] for one in mine if one.long[-1])
        beaten = [one.beaten_after for one in mine]
        worst = "never" if None in beaten else str(max(count for count in beaten if count is not None))
        good = sum(one.part(SHORT) >= ENOUGH for one in mine)
        rows.append([case.campaign, case.variant, *parts, f"{good} of {len(mine)}", f"{alone:.3f}", f"{half:.3f}", worst])
    return Table(
        title="Hypervolume, as a part of that of all trials without help: the worst seed",
        columns=[
            "campaign",
            "devices",
            *(f"{count} with help" for count in (1, 5, 10, SHORT)),
            f"seeds with {ENOUGH:g}",
            f"{SHORT} without",
            f"{WITHHELD} without",
            "expert beaten after",
        ],
        rows=rows,
    )


def _figure(name: str, outcomes: Sequence[Outcome]) -> str:
    """The mean over the seeds."""
    curves: dict[str, tuple[list[float], list[float]]] = {}
    for case in dict.fromkeys(one.case for one in outcomes if one.case.campaign == name):
        mine = [one for one in outcomes if one.case == case]
        for what in ("with", "without"):
            histories = [one.short if what == "with" else one.long for one in mine]
            parts = [[volume / one.long[-1] for volume in history] for one, history in zip(mine, histories, strict=True)]
            means = [sum(column) / len(column) for column in zip(*parts, strict=True)]
            curves[f"{what}: {case.variant}"] = ([float(i + 1) for i in range(len(means))], means)
    return lines(curves, x_label="trials", y_label="part of the hypervolume", title=name, key=f"hypervolume-{name}")


EXPERIMENT = Experiment(
    name="fewer_trials",
    question="How many trials does a campaign need that begins with a suggestion and with what like campaigns found?",
    source="nothing in print",
    minutes=75,
    run=run,
)
