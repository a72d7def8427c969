# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Claims that the experiment makes about the recommended profiles. README.md says which of them do not hold, and why."""

from collections.abc import Sequence

from experiments._common.findings import Claim
from experiments.robust.adversary import MOST_REGRET, Challenged
from experiments.robust.compare import Compared
from experiments.robust.contenders import RECOMMENDED, rivals
from experiments.robust.goals import GOALS
from tuner.documents.campaign_scenarios import CONTRIBUTORS_SHARE, VICTIMS_SHARE

FEWEST_GOALS = 3
SEEDS = (1, 2, 3, 4, 5)
"""If the recommended profile is better from each of five seeds, that is chance once in 32 times."""
KNOWN_TO_FAIL = frozenset({"fairness", "scenario-1", "tail-latency"})
"""Goals for which the README says that the recommendation does not serve everything, and why."""


def claims(compared: Sequence[Compared], all_challenged: Sequence[Challenged] = ()) -> list[Claim]:
    by_goal = {name: [one for one in compared if one.goal.name == name] for name in GOALS}
    found = [_holds(name, seeds) for name, seeds in by_goal.items() if seeds]
    better = [name for name, seeds in by_goal.items() if seeds and _is_better(seeds)]
    seeds = min((len(seeds) for seeds in by_goal.values() if seeds), default=0)
    found.append(
        Claim(
            sentence=f"in the worst scenario the recommended profile is better than each published and suggested one, on "
            f"{FEWEST_GOALS} goals or more, from each seed",
            published="-",
            here=f"{len(better)} goals: {', '.join(better) or 'none'}; {seeds} seeds at least",
            holds=len(better) >= FEWEST_GOALS,
            known_to_fail=True,
        )
    )
    regrets = {f"{one.goal}, seed {one.seed}": one.regret for one in all_challenged if one.regret is not None}
    if regrets:
        worst = max(regrets, key=lambda name: regrets[name])
        found.append(
            Claim(
                sentence=f"inside the region of a recommendation nobody misses more than {MOST_REGRET:.0%}",
                published="-",
                here=f"{sum(regret <= MOST_REGRET for regret in regrets.values())} of {len(regrets)} challenges; the worst find: "
                f"{regrets[worst]:.1%} ({worst})",
                holds=max(regrets.values()) <= MOST_REGRET,
            )
        )
    return found


def is_better(one: Compared, rival: str) -> bool:
    """The recommended profile is nearer to what is asked in its worst scenario than the rival in its own, and was not put in."""
    if RECOMMENDED not in one.profiles or not _was_searched(one):
        return False
    return max(0.0, one.worst(RECOMMENDED).short) < max(0.0, one.worst(rival).short)


def _is_better(seeds: Sequence[Compared]) -> bool:
    return all(is_better(one, rival) for one in seeds for rival in rivals(one.profiles))


def _was_searched(one: Compared) -> bool:
    return one.origin == "sampler"


def _holds(name: str, seeds: Sequence[Compared]) -> Claim:
    parts = []
    for comparison in seeds:
        if RECOMMENDED not in comparison.profiles:
            parts.append(f"seed {comparison.seed}: nothing recommended")
            continue
        worst = comparison.worst(RECOMMENDED)
        victims = "-" if worst.victims_of_best is None else f"{worst.victims_of_best:.1%}"
        served = f"{comparison.served(RECOMMENDED)} of {len(comparison.of(RECOMMENDED))}"
        parts.append(
            f"seed {comparison.seed}: {served}, in the worst ({worst.scenario}) victims {victims}, "
            f"contributors {worst.contributors_of_off or 0:.1%}"
        )
    return Claim(
        sentence=f"{name}: in every scenario victims get {VICTIMS_SHARE:.0%} of what the best profile for those devices gives "
        f"them, and contributors {CONTRIBUTORS_SHARE:.0%} of CC off",
        published="-",
        here="; ".join(parts),
        holds=all(RECOMMENDED in one.profiles and one.worst(RECOMMENDED).short <= 0 for one in seeds),
        known_to_fail=name in KNOWN_TO_FAIL,
    )
